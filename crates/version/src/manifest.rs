//! CURRENT, and the MANIFEST that it names, as a sequence of version edits.
//!
//! `CURRENT` holds the name of the MANIFEST and a newline, nothing else. A MANIFEST is a log whose
//! logical records are version edits.
//!
//! A writer that dies may leave a cut last record; it was never acknowledged and is ignored, as
//! are zeros at the end of the file. Any other damage is an error: edits after it depend on what
//! is lost.
//!
//! Stricter than RocksDB: where a record seems cut because its length is wrong, but more records
//! follow or its payload is all there, RocksDB drops the rest of the file without a word, and an
//! open for writing then deletes the tables of the lost edits.

use crate::version_edit::VersionEdit;
use base::coding::{decode_fixed16, decode_fixed32};
use base::filename::{CURRENT, FileType, parse_file_name};
use base::{Result, Status, crc32c};
use env::{FileOptions, FileSystem, read_exact_at, read_file_to_vec};
use std::path::{Path, PathBuf};
use wal::log_format::{BLOCK_SIZE, HEADER_SIZE};
use wal::{DamageKind, LogDamage, LogEntry, LogReader, LogicalRecord};

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
pub struct ManifestReader<'a> {
    fs: &'a dyn FileSystem,
    path: PathBuf,
    log: LogReader,
    torn_tail: Option<LogDamage>,
    ended: bool,
}

impl<'a> ManifestReader<'a> {
    /// Opens a MANIFEST.
    pub fn open(fs: &'a dyn FileSystem, path: &Path) -> Result<Self> {
        let file = fs.new_sequential_file(path, &FileOptions::default())?;
        let log = LogReader::new(file, 0);
        Ok(Self { fs, path: path.to_path_buf(), log, torn_tail: None, ended: false })
    }

    /// The path of the MANIFEST.
    pub fn path(&self) -> &Path {
        &self.path
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
                if damage.kind == DamageKind::TruncatedPayload {
                    self.check_cut_record(damage.offset)?;
                }
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

    /// Checks that the record at `offset`, whose length goes beyond the end of the file, is the
    /// start of one that was not written in full.
    fn check_cut_record(&self, offset: u64) -> Result<()> {
        let file = self.fs.new_random_access_file(&self.path, &FileOptions::default())?;
        let length = file.size()?.saturating_sub(offset).min(BLOCK_SIZE as u64);
        let rest = read_exact_at(&*file, offset, length as usize)?;
        let what = if is_record(&rest, rest.len().saturating_sub(HEADER_SIZE)) {
            "its payload is complete"
        } else if (1..rest.len()).any(|start| starts_with_record(&rest[start..])) {
            "more records follow"
        } else {
            return Ok(());
        };
        let what = format!("bad record length: it goes beyond the end of the file, but {what}");
        Err(Status::corruption_at(&self.path, offset, what))
    }
}

/// Whether `bytes` start with a physical record whose checksum is right.
fn starts_with_record(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER_SIZE && is_record(bytes, usize::from(decode_fixed16(bytes, 4)))
}

/// Whether `bytes` start with a physical record if its payload has `length` bytes. The types are
/// those of legacy records: a MANIFEST has no others.
fn is_record(bytes: &[u8], length: usize) -> bool {
    bytes.len() >= HEADER_SIZE + length
        && (1..=4).contains(&bytes[6])
        && crc32c::mask(crc32c::value(&bytes[6..HEADER_SIZE + length])) == decode_fixed32(bytes, 0)
}

/// Puts the file and the offset of the record before an error about an edit.
pub(crate) fn at_offset(status: Status, path: &Path, offset: u64) -> Status {
    status.context(format_args!("{} at offset {offset}", path.display()))
}

/// Ends after the first error.
impl Iterator for ManifestReader<'_> {
    type Item = Result<ManifestRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests;
