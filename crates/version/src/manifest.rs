//! CURRENT, and the MANIFEST that it names, as a sequence of version edits.
//!
//! `CURRENT` holds the name of the MANIFEST and a newline, nothing else. A MANIFEST is a log whose
//! logical records are version edits.
//!
//! A writer that dies may leave a cut last record; it was never acknowledged and is ignored, as
//! are zeros at the end of the file. Any other damage is an error: edits after it depend on what
//! is lost.

use crate::version_edit::VersionEdit;
use base::filename::{CURRENT, FileType, parse_file_name};
use base::{Result, Status};
use env::{FileOptions, FileSystem, read_file_to_vec};
use std::path::{Path, PathBuf};
use wal::{LogDamage, LogEntry, LogReader, LogicalRecord};

/// Longest CURRENT that is read: a name has at most 29 bytes.
const CURRENT_SIZE_MAX: u64 = 4096;

/// The path and the number of the MANIFEST that `CURRENT` names.
///
/// # Errors
/// `IoError` if there is no CURRENT (see [`Status::is_path_not_found`]); `Corruption` if it has no
/// newline or names no MANIFEST. That the MANIFEST exists is not checked.
pub fn read_current(fs: &dyn FileSystem, db_path: &Path) -> Result<(PathBuf, u64)> {
    let path = db_path.join(CURRENT);
    let content = read_file_to_vec(fs, &path, CURRENT_SIZE_MAX)?;
    let Some(name) = content.strip_suffix(b"\n") else {
        let what = format!("expected a newline at the end, found {}", quoted(&content));
        return Err(Status::corruption_at(&path, content.len() as u64, what));
    };
    match std::str::from_utf8(name).ok().and_then(|name| Some((name, parse_file_name(name)?))) {
        Some((name, (number, FileType::Descriptor))) => Ok((db_path.join(name), number)),
        _ => {
            let what = format!("expected the name of a MANIFEST, found {}", quoted(name));
            Err(Status::corruption_at(&path, 0, what))
        }
    }
}

fn quoted(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(64)];
    format!("\"{}\"", shown.escape_ascii())
}

/// One record of a MANIFEST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRecord {
    /// Where its first physical record starts in the file.
    pub offset: u64,
    /// Where its last physical record ends.
    pub end_offset: u64,
    /// The edit.
    pub edit: VersionEdit,
}

/// Reads the version edits of a MANIFEST from start to end.
#[derive(Debug)]
pub struct ManifestReader {
    path: PathBuf,
    log: LogReader,
    torn_tail: Option<LogDamage>,
    ended: bool,
}

impl ManifestReader {
    /// Opens a MANIFEST.
    pub fn open(fs: &dyn FileSystem, path: &Path) -> Result<Self> {
        let file = fs.new_sequential_file(path, &FileOptions::default())?;
        let log = LogReader::new(file, 0);
        Ok(Self { path: path.to_path_buf(), log, torn_tail: None, ended: false })
    }

    /// The path of the MANIFEST.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes read so far, up to the end of the last record.
    pub fn offset(&self) -> u64 {
        self.log.offset()
    }

    /// The cut record at the end that was ignored, if there was one. Known once the end is reached.
    pub fn torn_tail(&self) -> Option<&LogDamage> {
        self.torn_tail.as_ref()
    }

    /// The next record; none at the end, and after an error.
    ///
    /// # Errors
    /// `IoError`; `Corruption` that names the file and the offset of the record.
    pub fn read(&mut self) -> Result<Option<ManifestRecord>> {
        if self.ended {
            return Ok(None);
        }
        let result = self.read_record();
        self.ended = !matches!(result, Ok(Some(_)));
        result
    }

    fn read_record(&mut self) -> Result<Option<ManifestRecord>> {
        match self.log.read()? {
            None => Ok(None),
            Some(LogEntry::Record(LogicalRecord { payload, offset, end_offset })) => {
                let edit = VersionEdit::decode(payload)
                    .map_err(|status| at_offset(status, &self.path, offset))?;
                Ok(Some(ManifestRecord { offset, end_offset, edit }))
            }
            Some(LogEntry::Damage(damage)) if damage.kind.is_torn_tail() => {
                self.torn_tail = Some(damage);
                Ok(None)
            }
            Some(LogEntry::Damage(damage)) => Err(damage.to_status(&self.path)),
            Some(LogEntry::TimestampSizes(_) | LogEntry::PredecessorWalInfo(_)) => {
                let what = "a record that belongs in a WAL";
                Err(Status::corruption_at(&self.path, self.log.offset(), what))
            }
        }
    }
}

/// Puts the file and the offset of the record before an error about an edit.
pub(crate) fn at_offset(status: Status, path: &Path, offset: u64) -> Status {
    status.context(format_args!("{} at offset {offset}", path.display()))
}

/// Ends after the first error.
impl Iterator for ManifestReader {
    type Item = Result<ManifestRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests;
