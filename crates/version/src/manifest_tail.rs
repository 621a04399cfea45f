//! A MANIFEST that somebody else is writing, followed edit by edit.
//!
//! An edit that is being written, and an atomic group that is not complete, wait until the rest of
//! them is there. After any error the state is of no use: whoever follows begins again with
//! [`ManifestTail::open`], which reads what `CURRENT` names by then from its start.

use crate::manifest::{at_offset, read_current};
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::{ColumnFamilyReplay, DatabaseReplay, VersionEditHandler};
use base::{Result, Status};
use env::{FileOptions, FileSystem};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use wal::{LogEntry, LogReader};

/// What happened in a database while its MANIFEST was followed, as far as edits tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManifestActivity {
    /// Edits of all kinds.
    pub edits: u64,
    /// Edits that added tables without replacing any: flushes, and files that were ingested.
    pub flushes: u64,
    /// Bytes of the tables that these added.
    pub flushed_bytes: u64,
    /// Edits that replaced tables by others, or deleted them.
    pub compactions: u64,
    /// Bytes of the tables that these added.
    pub compacted_bytes: u64,
    /// Edits that only gave tables another level.
    pub moves: u64,
    /// Edits that added a column family.
    pub families_added: u64,
    /// Edits that dropped one.
    pub families_dropped: u64,
}

impl ManifestActivity {
    /// Takes in one edit.
    fn count(&mut self, edit: &VersionEdit) {
        self.edits += 1;
        self.families_added += u64::from(edit.column_family_add.is_some());
        self.families_dropped += u64::from(edit.column_family_drop);
        let bytes =
            edit.new_files.iter().map(|new| new.file.file_size).fold(0, u64::saturating_add);
        let deleted: BTreeSet<u64> = edit.deleted_files.iter().map(|&(_, number)| number).collect();
        let added: BTreeSet<u64> = edit.new_files.iter().map(|new| new.file.number).collect();
        if deleted.is_empty() && !added.is_empty() {
            self.flushes += 1;
            self.flushed_bytes += bytes;
        } else if !deleted.is_empty() && deleted == added {
            self.moves += 1;
        } else if !deleted.is_empty() {
            self.compactions += 1;
            self.compacted_bytes += bytes;
        }
    }
}

/// Follows a MANIFEST.
#[derive(Debug)]
pub struct ManifestTail {
    path: PathBuf,
    number: u64,
    log: LogReader,
    handler: VersionEditHandler,
    /// Column families that edits have changed since this was last asked.
    changed: BTreeSet<u32>,
    /// Bytes up to the end of the last edit.
    size_bytes: u64,
    /// What the file began with has been read: edits that come now are news.
    is_live: bool,
}

impl ManifestTail {
    /// Begins with the MANIFEST that `CURRENT` names. None of it is read yet.
    ///
    /// # Errors
    /// As [`read_current`]; `IoError` if there is no such file.
    pub fn open(fs: &dyn FileSystem, db_path: &Path) -> Result<Self> {
        let (path, number) = read_current(fs, db_path)?;
        let file = fs.new_random_access_file(&path, &FileOptions::default())?;
        Ok(Self {
            log: LogReader::follow(file, 0),
            handler: VersionEditHandler::new(&path),
            path,
            number,
            changed: BTreeSet::new(),
            size_bytes: 0,
            is_live: false,
        })
    }

    /// The MANIFEST.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes that were read, up to the end of the last edit.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Applies the edits that have come since the last call, and says whether there were any. What
    /// those do that come after the first call counts as `activity`.
    ///
    /// # Errors
    /// `IoError`; `Corruption` that names the file and the offset.
    pub fn read(&mut self, activity: &mut ManifestActivity) -> Result<bool> {
        let mut any = false;
        while let Some(entry) = self.log.read()? {
            let record = match entry {
                LogEntry::Record(record) => record,
                LogEntry::Damage(damage) => return Err(damage.to_status(&self.path)),
                LogEntry::TimestampSizes(_) | LogEntry::PredecessorWalInfo(_) => {
                    let what = "a record that belongs in a WAL";
                    return Err(Status::corruption_at(&self.path, self.log.offset(), what));
                }
            };
            let (offset, end_offset) = (record.offset, record.end_offset);
            let edit = VersionEdit::decode(record.payload)
                .map_err(|status| at_offset(status, &self.path, offset))?;
            for (offset, edit) in self.handler.take_ready(offset, edit)? {
                if self.is_live {
                    activity.count(&edit);
                }
                self.changed.insert(edit.column_family);
                self.handler.apply(offset, edit)?;
                any = true;
            }
            self.size_bytes = end_offset;
        }
        self.handler.check_complete()?;
        self.is_live = true;
        Ok(any)
    }

    /// The column families that were changed, added or dropped since the last call.
    pub fn take_changed(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.changed)
    }

    /// What the edits so far say of the database.
    pub fn database(&self) -> &DatabaseReplay {
        self.handler.database()
    }

    /// The column families that exist, by id.
    pub fn families(&self) -> &BTreeMap<u32, ColumnFamilyReplay> {
        self.handler.families()
    }
}

#[cfg(test)]
mod tests;
