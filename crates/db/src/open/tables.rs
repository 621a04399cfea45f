//! Opening the tables of a database before it is written to, as RocksDB does: one that is damaged
//! or of another kind fails the open, not a compaction weeks later.

use crate::column_family::ColumnFamilyData;
use crate::db::OpenContext;
use crate::db_impl::DbImpl;
use crate::property::source::Source;
use crate::property::table_stats::{FileStats, TableStats};
use base::{Result, Status};
use options::DbOptions;
use parking_lot::Mutex;
use statistics::Activity;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use version::FileMetaData;

/// Tables opened of a column family where not all may stay open.
const OPENED_AT_FIRST_MAX: usize = 16;
/// Tables for which a further thread is worth its while.
const TABLES_PER_THREAD: usize = 8;

/// Whether an open opens tables: not with `open_files_async`, nor where errors pass.
fn opens_tables(options: &DbOptions) -> bool {
    !options.open_files_async && options.paranoid_checks
}

/// What the tables of each column family say of themselves, by its id, where all were opened.
pub(super) type OpenedTables = HashMap<u32, TableStats>;

/// Checks that all tables are there, as large as the MANIFEST says. Opens all (where `max_open_files`
/// is -1), else the first few of each column family, on up to `max_file_opening_threads` threads; none
/// with `open_files_async`, and errors pass without `paranoid_checks`.
///
/// # Errors
/// `Corruption` that names all tables that are not there or of another size; `NotSupported` for what
/// would be lost when a table is compacted; what opening gives.
pub(super) fn secure_tables(
    options: &DbOptions,
    context: &OpenContext,
    families: &[Arc<ColumnFamilyData>],
) -> Result<OpenedTables> {
    // What opens all files sees their sizes, and looks at them a second time only to name all that
    // are missing.
    let opens_all =
        opens_tables(options) && families.iter().all(|family| family.tables.keeps_all_open());
    if opens_all {
        let opened = open_tables(options, context, families);
        return opened.or_else(|status| check_files(families).and(Err(status)));
    }
    check_files(families)?;
    if opens_tables(options) {
        open_tables(options, context, families)?;
    }
    Ok(OpenedTables::new())
}

fn check_files(families: &[Arc<ColumnFamilyData>]) -> Result<()> {
    families.iter().try_for_each(|family| {
        let version = family.super_version.load().version.clone();
        version::check_files(&*family.tables.file_system, &family.tables.paths, &version)
    })
}

fn open_tables(
    options: &DbOptions,
    context: &OpenContext,
    families: &[Arc<ColumnFamilyData>],
) -> Result<OpenedTables> {
    let mut files: Vec<(&ColumnFamilyData, usize, Arc<FileMetaData>)> = Vec::new();
    for family in families {
        let max = if family.tables.keeps_all_open() { usize::MAX } else { OPENED_AT_FIRST_MAX };
        let version = family.super_version.load().version.clone();
        files.extend(
            version.files().take(max).map(|(level, file)| (&**family, level, file.clone())),
        );
    }
    // Threads say of each table what it says of itself: there it is in the processor's cache.
    let opened = open_in_parallel(options, &files, |(family, level, file)| {
        open_table(context, family, *level, file)
    })?;
    let mut of_families: HashMap<u32, Vec<(&FileMetaData, FileStats)>> = HashMap::new();
    for (at, stats) in opened {
        let (family, _, file) = &files[at];
        of_families.entry(family.id).or_default().push((file, stats));
    }
    let of_tables = |(id, tables): (u32, Vec<_>)| (id, TableStats::of_tables(tables.into_iter()));
    Ok(of_families.into_iter().map(of_tables).collect())
}

fn open_table(
    context: &OpenContext,
    family: &ColumnFamilyData,
    level: usize,
    file: &FileMetaData,
) -> Result<FileStats> {
    let table = family.tables.open(file, level)?;
    if table.file_size() != file.file_size {
        return Err(Status::corruption(format!(
            "table {:06}.sst has {} bytes, expected {}",
            file.number,
            table.file_size(),
            file.file_size
        )));
    }
    if !context.drops_user_defined_indexes {
        table.check_can_be_rewritten()?;
    }
    Ok(FileStats::from(&**table.properties()))
}

/// Has `open` open each of `files`, on up to `max_file_opening_threads` threads. What it gave, with the
/// position of the file, in no order.
///
/// # Errors
/// One of those that `open` gave; after it no further file is opened.
pub(crate) fn open_in_parallel<F: Sync, T: Send>(
    options: &DbOptions,
    files: &[F],
    open: impl Fn(&F) -> Result<T> + Sync,
) -> Result<Vec<(usize, T)>> {
    let threads_max = usize::try_from(options.max_file_opening_threads).unwrap_or(1);
    let threads = threads_max.min(files.len().div_ceil(TABLES_PER_THREAD)).max(1);
    let next = AtomicUsize::new(0);
    let opened = Mutex::new(Ok(Vec::with_capacity(files.len())));
    let open_some = || {
        let _activity = Activity::DbOpen.begin();
        let mut ours = Vec::new();
        // Relaxed: the counter hands out positions and publishes nothing else.
        let take = || next.fetch_add(1, Ordering::Relaxed);
        let mut at = take();
        while let Some(file) = files.get(at) {
            match open(file) {
                Ok(found) => ours.push((at, found)),
                Err(status) => {
                    next.fetch_max(files.len(), Ordering::Relaxed);
                    let mut opened = opened.lock();
                    if opened.is_ok() {
                        *opened = Err(status);
                    }
                    return;
                }
            }
            at = take();
        }
        if let Ok(all) = &mut *opened.lock() {
            all.append(&mut ours);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(open_some)));
        open_some();
    });
    opened.into_inner()
}

impl DbImpl {
    /// Has compactions know what the tables say of themselves, so that files full of deletions are
    /// compacted early from the beginning. Of tables that cannot be asked nothing is known.
    /// Those that were `opened` have said it.
    pub(super) fn note_tables_found(&self, mut opened: OpenedTables) {
        let Ok(writing) = self.writing() else { return };
        let asks = !self.options().skip_stats_update_on_db_open;
        for family in self.families.load().iter() {
            let stats = opened
                .remove(&family.id)
                .filter(|_| asks)
                .unwrap_or_else(|| Source::new(self, family).collect_table_stats());
            let version = family.super_version.load().version.clone();
            if let Some(family) = writing.state.lock().family_mut(family.id) {
                family.compaction.note_tables_found(&version, stats);
            }
        }
    }
}
