//! Opening the tables of a database before it is written to, as RocksDB does: one that is damaged
//! or of another kind fails the open, not a compaction weeks later.

use crate::column_family::ColumnFamilyData;
use crate::db::OpenContext;
use crate::db_impl::DbImpl;
use crate::property::source::Source;
use base::{Result, Status};
use options::DbOptions;
use parking_lot::Mutex;
use statistics::Activity;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use version::FileMetaData;

/// Tables opened of a column family where not all may stay open.
const OPENED_AT_FIRST_MAX: usize = 16;
/// Tables for which a further thread is worth its while.
const TABLES_PER_THREAD: usize = 8;

/// Opens all tables (where `max_open_files` is -1), else the first few of each column family, on
/// up to `max_file_opening_threads` threads; none with `open_files_async`, and errors pass without
/// `paranoid_checks`.
///
/// # Errors
/// `NotSupported` for what would be lost when a table is compacted; what opening gives.
pub(super) fn open_tables(
    options: &DbOptions,
    context: &OpenContext,
    families: &[Arc<ColumnFamilyData>],
) -> Result<()> {
    if options.open_files_async || !options.paranoid_checks {
        return Ok(());
    }
    let mut files: Vec<(&ColumnFamilyData, usize, Arc<FileMetaData>)> = Vec::new();
    for family in families {
        let max = if family.tables.keeps_all_open() { usize::MAX } else { OPENED_AT_FIRST_MAX };
        let version = family.super_version.load().version.clone();
        files.extend(
            version.files().take(max).map(|(level, file)| (&**family, level, file.clone())),
        );
    }
    open_in_parallel(options, &files, |(family, level, file)| {
        let table = family.tables.open(file, *level)?;
        match context.drops_user_defined_indexes {
            true => Ok(()),
            false => table.check_can_be_rewritten(),
        }
    })
}

/// Has `open` open each of `files`, on up to `max_file_opening_threads` threads.
///
/// # Errors
/// One of those that `open` gave; after it no further file is opened.
pub(crate) fn open_in_parallel<F: Sync>(
    options: &DbOptions,
    files: &[F],
    open: impl Fn(&F) -> Result<()> + Sync,
) -> Result<()> {
    let threads_max = usize::try_from(options.max_file_opening_threads).unwrap_or(1);
    let threads = threads_max.min(files.len().div_ceil(TABLES_PER_THREAD)).max(1);
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<Status>> = Mutex::default();
    let open_some = || {
        let _activity = Activity::DbOpen.begin();
        // Relaxed: the counter hands out positions and publishes nothing else.
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(status) = open(file) {
                failed.lock().get_or_insert(status);
                next.fetch_max(files.len(), Ordering::Relaxed);
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(open_some)));
        open_some();
    });
    failed.into_inner().map_or(Ok(()), Err)
}

impl DbImpl {
    /// Has compactions know what the tables say of themselves, so that files full of deletions are
    /// compacted early from the beginning. Of tables that cannot be asked nothing is known.
    pub(super) fn note_tables_found(&self) {
        let Ok(writing) = self.writing() else { return };
        for family in self.families.load().iter() {
            let stats = Source::new(self, family).collect_table_stats();
            let version = family.super_version.load().version.clone();
            if let Some(family) = writing.state.lock().family_mut(family.id) {
                family.compaction.note_tables_found(&version, stats);
            }
        }
    }
}
