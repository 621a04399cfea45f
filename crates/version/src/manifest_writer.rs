//! Writes a MANIFEST, and makes `CURRENT` name it.

use crate::version_edit::VersionEdit;
use base::filename::{CURRENT, descriptor_file_name, temp_file_name};
use base::{Result, Status};
use env::{FileOptions, FileSystem, write_file_atomically};
use statistics::{HistogramType, Statistics};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wal::LogWriter;

/// A MANIFEST open for appending.
#[derive(Debug)]
pub struct ManifestWriter {
    path: PathBuf,
    number: u64,
    log: LogWriter,
    use_fsync: bool,
    statistics: Option<Arc<Statistics>>,
}

impl ManifestWriter {
    /// Creates `MANIFEST-number` in `db_path`; a leftover of that name is cut to nothing.
    ///
    /// # Errors
    /// `IoError`.
    pub fn create(
        fs: &dyn FileSystem,
        db_path: &Path,
        number: u64,
        use_fsync: bool,
    ) -> Result<Self> {
        let path = descriptor_file_name(db_path, number);
        let file = fs.new_writable_file(&path, &FileOptions::default())?;
        Ok(Self { path, number, log: LogWriter::new(file), use_fsync, statistics: None })
    }

    /// Times syncs.
    pub fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> Self {
        self.statistics = statistics;
        self
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number in its name.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes written so far.
    pub fn size_bytes(&self) -> u64 {
        self.log.size_bytes()
    }

    /// Appends one record. It is safe once [`ManifestWriter::sync`] has returned.
    ///
    /// # Errors
    /// `IoError`; nothing may be appended after that.
    pub fn add(&mut self, edit: &VersionEdit) -> Result<()> {
        self.log.add_record(&edit.encode())
    }

    /// Makes everything appended outlive a power loss.
    ///
    /// # Errors
    /// `IoError`; whether the records are there is then unknown, and nothing may be appended.
    pub fn sync(&mut self) -> Result<()> {
        let start = self.statistics.as_ref().and_then(|statistics| statistics.start_timer());
        let file = self.log.file_mut();
        if self.use_fsync { file.fsync() } else { file.sync() }?;
        if let Some(statistics) = &self.statistics {
            statistics.stop_timer(HistogramType::ManifestFileSyncMicros, start);
        }
        Ok(())
    }

    /// Closes the file.
    ///
    /// # Errors
    /// `IoError`.
    pub fn close(self) -> Result<()> {
        self.log.close()
    }
}

/// Makes `CURRENT` name `MANIFEST-number`, atomically and safe from a power loss. The MANIFEST must
/// be synced, and its directory too.
///
/// # Errors
/// `IoError`. Which MANIFEST is named is then unknown, so that both must be kept.
pub fn set_current_file(fs: &dyn FileSystem, db_path: &Path, number: u64) -> Result<()> {
    let manifest = descriptor_file_name(db_path, number);
    let name = manifest.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Status::invalid_argument("a MANIFEST without a name"))?;
    let temp = temp_file_name(db_path, number);
    write_file_atomically(fs, &db_path.join(CURRENT), &temp, format!("{name}\n").as_bytes())
}

/// Makes a new, empty database: `MANIFEST-000001` and `CURRENT`, as RocksDB does it. The MANIFEST
/// has one edit: `db_id` if given, log number 0, next file number 2, last sequence number 0.
///
/// # Errors
/// `IoError`. `CURRENT` may be there already if only the last sync failed.
pub fn create_manifest(
    fs: &dyn FileSystem,
    db_path: &Path,
    db_id: Option<&[u8]>,
    use_fsync: bool,
) -> Result<()> {
    const NUMBER: u64 = 1;
    let edit = VersionEdit {
        db_id: db_id.map(<[u8]>::to_vec),
        log_number: Some(0),
        next_file_number: Some(NUMBER + 1),
        last_sequence: Some(0),
        ..VersionEdit::default()
    };
    let written = write_first_edit(fs, db_path, NUMBER, &edit, use_fsync);
    if let Err(status) = written {
        // The first error is the one to report; a leftover is overwritten by the next attempt.
        let _ = fs.delete_file(&descriptor_file_name(db_path, NUMBER));
        return Err(status);
    }
    set_current_file(fs, db_path, NUMBER)
}

fn write_first_edit(
    fs: &dyn FileSystem,
    db_path: &Path,
    number: u64,
    edit: &VersionEdit,
    use_fsync: bool,
) -> Result<()> {
    let mut writer = ManifestWriter::create(fs, db_path, number, use_fsync)?;
    writer.add(edit)?;
    writer.sync()?;
    writer.close()?;
    fs.new_directory(db_path)?.fsync()
}

#[cfg(test)]
mod tests;
