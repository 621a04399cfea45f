//! WALs that are not needed any more: deleted, or kept in `archive/` for a while for whoever
//! follows the database (`WAL_ttl_seconds`, `WAL_size_limit_MB`).

use crate::db_impl::DbImpl;
use crate::work_stats::count_deletion;
use base::Result;
use base::filename::{ARCHIVE, FileType, parse_file_name, wal_file_name};
use env::{FileSystem, create_dir_all};
use options::DbOptions;
use std::path::Path;

/// A WAL in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ArchivedWal {
    number: u64,
    size_bytes: u64,
    modified_seconds: u64,
}

/// Whether WALs go to the archive.
pub(crate) fn archives_wals(options: &DbOptions) -> bool {
    options.wal_ttl_seconds > 0 || options.wal_size_limit_mb > 0
}

impl DbImpl {
    /// Deletes or archives a WAL that holds nothing any more, or keeps it while deletions are disabled.
    /// What cannot be done now is done at the next open.
    pub(crate) fn remove_wal(&self, number: u64) {
        if self.writing().is_ok_and(|writing| writing.keeps_wal(number)) {
            return;
        }
        let fs = &*self.context.file_system;
        let directory = self.wal_directory();
        let path = wal_file_name(&directory, number);
        if !archives_wals(&self.options()) {
            let deleted = fs.delete_file(&path);
            if let Some(statistics) = &self.context.statistics {
                count_deletion(statistics, deleted.is_ok());
            }
            return;
        }
        let archive = directory.join(ARCHIVE);
        if create_dir_all(fs, &archive).is_ok() {
            let _ = fs.rename_file(&path, &wal_file_name(&archive, number));
        }
    }

    /// Deletes what is too old or too much in the archive.
    pub(crate) fn purge_wal_archive(&self) {
        let are_kept = self.writing().is_ok_and(|w| w.file_deletions.lock().is_disabled());
        if are_kept || !archives_wals(&self.options()) {
            return;
        }
        let fs = &*self.context.file_system;
        let archive = self.wal_directory().join(ARCHIVE);
        let Ok(wals) = list_archive(fs, &archive) else { return };
        for number in to_purge(&self.options(), wals, self.context.clock.now_seconds()) {
            // The next purge tries again.
            let _ = fs.delete_file(&wal_file_name(&archive, number));
        }
    }
}

fn list_archive(fs: &dyn FileSystem, archive: &Path) -> Result<Vec<ArchivedWal>> {
    let mut wals = Vec::new();
    for name in fs.get_children(archive)? {
        if let Some((number, FileType::Wal)) = parse_file_name(&name) {
            let path = archive.join(name);
            let size_bytes = fs.get_file_size(&path)?;
            let modified_seconds = fs.get_file_modification_time(&path)?;
            wals.push(ArchivedWal { number, size_bytes, modified_seconds });
        }
    }
    wals.sort_unstable_by_key(|wal| wal.number);
    Ok(wals)
}

/// Numbers of the WALs to delete, by RocksDB's rule: those older than `WAL_ttl_seconds` and empty
/// ones; then the oldest, until as many are left as files of the largest one's size would fit into
/// `WAL_size_limit_MB`.
fn to_purge(options: &DbOptions, wals: Vec<ArchivedWal>, now_seconds: u64) -> Vec<u64> {
    let (ttl, limit_mb) = (options.wal_ttl_seconds, options.wal_size_limit_mb);
    let is_old =
        |wal: &ArchivedWal| ttl > 0 && now_seconds.saturating_sub(wal.modified_seconds) > ttl;
    let is_empty = |wal: &ArchivedWal| limit_mb > 0 && wal.size_bytes == 0;
    let (mut purged, kept): (Vec<_>, Vec<_>) =
        wals.into_iter().partition(|wal| is_old(wal) || is_empty(wal));
    if limit_mb > 0 {
        let largest = kept.iter().map(|wal| wal.size_bytes).max().unwrap_or(1).max(1);
        let fitting = usize::try_from(limit_mb.saturating_mul(1 << 20) / largest);
        let excess = kept.len().saturating_sub(fitting.unwrap_or(usize::MAX));
        purged.extend_from_slice(&kept[..excess]);
    }
    purged.into_iter().map(|wal| wal.number).collect()
}

#[cfg(test)]
mod tests;
