//! Opening: from CURRENT to column families that can be read.
//!
//! CURRENT names the MANIFEST; the MANIFEST gives every family's files and which WALs matter; the
//! WALs give what was written and not flushed. A family that was not asked for is skipped, its
//! entries in the WALs still use up sequence numbers.

pub(crate) mod best_efforts;
mod memtable_inserter;
pub(crate) mod prepared_scan;
mod prepared_transactions;
pub(crate) mod read_setup;
mod timestamp_size;
mod wal_replay;

use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor};
use crate::conversion_gate::ConversionGate;
use crate::db::OpenContext;
use crate::internal_stats::InternalStats;
use crate::open_files::OpenFiles;
use crate::read::blob_reads::BlobReads;
use crate::read::value_resolver::ValueResolver;
use crate::recovery::best_efforts::DirectoryChecker;
use crate::sanitize::level_count;
use crate::super_version::{SuperVersion, SuperVersionParts};
use crate::table_set::TableSet;
use arc_swap::ArcSwap;
use base::filename::wal_file_name;
use base::{InternalKeyComparator, Result, SequenceNumber, Status};
use blob::{BlobFileCache, BlobSource};
use env::FileOptions;
use memtable::{MemTable, MemTableOptions, VectorRepFactory};
pub(crate) use memtable_inserter::MemTableInserter;
use memtable_inserter::RecoveringFamily;
use options::{DbOptions, DbPath, TableFactory};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
pub(crate) use timestamp_size::TimestampSizes;
use version::{
    ColumnFamilyReplay, ColumnFamilyState, EpochNumbers, RecoveredManifest, VersionOptions,
};
use wal::WalRecoveryMode;
pub(crate) use wal_replay::Replayed;
pub(crate) use wal_replay::list_wals;
use wal_replay::{AfterBatch, WalReplay};

pub use memtable_inserter::TransactionWritePolicy;
pub use prepared_transactions::PreparedTransaction;

/// What recovery found beside the data.
#[derive(Debug, Default)]
pub struct RecoveredDb {
    /// The MANIFEST that CURRENT names.
    pub manifest_path: PathBuf,
    /// Id of the database, if the MANIFEST has it.
    pub db_id: Option<Vec<u8>>,
    /// Number of the last write.
    pub last_sequence: SequenceNumber,
    /// WALs with a smaller number are not needed, by the MANIFEST.
    pub min_log_number_to_keep: u64,
    /// WALs that were replayed, ascending.
    pub wal_numbers: Vec<u64>,
    /// Names of the column families that were not opened.
    pub families_not_opened: Vec<String>,
    /// Where and why replay stopped before the end, if it did.
    pub stopped: Option<(u64, Status)>,
    /// Damage that `wal_recovery_mode` passes over.
    pub ignored: Vec<Status>,
    /// Transactions prepared and neither committed nor rolled back, by name.
    pub prepared: BTreeMap<Vec<u8>, PreparedTransaction>,
    pub(crate) uncommitted: Arc<[SequenceNumber]>,
}

/// What the MANIFEST says, for an open of either kind.
pub(crate) struct ManifestState<'m> {
    pub(crate) path: &'m Path,
    pub(crate) families: Vec<&'m ColumnFamilyState>,
    pub(crate) min_log_number_to_keep: u64,
    pub(crate) tracked_wals: &'m BTreeMap<u64, Option<u64>>,
    /// Numbers of the WALs in their directory, ascending.
    pub(crate) wals: &'m [u64],
    /// The database was just made.
    pub(crate) is_new: bool,
}

/// Opens a database for reading.
pub(crate) fn recover(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<(RecoveredDb, Vec<ColumnFamilyData>)> {
    let manifest = recover_manifest(options, path, descriptors, context)?;
    let by_name = Descriptors::new(descriptors);
    for family in &manifest.column_families {
        let descriptor = by_name.get(&family.name)?;
        let paths = table_paths(options, path, descriptor);
        version::check_files(&*context.file_system, &paths, &family.version)?;
    }
    let wals = list_wals(&*context.file_system, &wal_directory(options, path))?;
    let state = ManifestState {
        path: &manifest.manifest_path,
        families: manifest.column_families.iter().collect(),
        min_log_number_to_keep: manifest.min_log_number_to_keep,
        tracked_wals: &manifest.tracked_wals,
        wals: &wals,
        is_new: false,
    };
    let mut inserter = MemTableInserter::new(
        recovering_families(&state, descriptors, |_| filled_once())?,
        options.allow_2pc,
        context.transaction_write_policy,
    );
    let replayed = replay_wals(options, path, context, &state, &mut inserter, &mut |_| Ok(()))?;
    if context.error_if_wal_file_exists && replayed.next_sequence.is_some() {
        return Err(Status::corruption(format!(
            "{}: WALs hold data that is in no table yet, and error_if_wal_file_exists is set",
            path.display()
        )));
    }
    let (mut families, open_files) = (Vec::new(), OpenFiles::new(options));
    for state in &manifest.column_families {
        let memtable = inserter.families.get_mut(&state.id).and_then(|f| f.memtable.take());
        let descriptor = by_name.get(&state.name)?;
        let opened = open_family(options, path, descriptor, context, state, memtable, &open_files)?;
        families.push(opened);
    }
    expect_open_files(context, &families);
    let last_replayed = replayed.next_sequence.map_or(0, |next| next.saturating_sub(1));
    let uncommitted = inserter.transactions.uncommitted_sequences().into();
    let not_opened = manifest.column_families_not_opened.iter();
    let recovered = RecoveredDb {
        last_sequence: manifest.last_sequence.max(last_replayed),
        manifest_path: manifest.manifest_path,
        db_id: manifest.db_id,
        min_log_number_to_keep: manifest.min_log_number_to_keep,
        wal_numbers: replayed.wal_numbers,
        families_not_opened: not_opened.map(|(_, name)| lossy(name)).collect(),
        stopped: replayed.stopped,
        ignored: replayed.ignored,
        prepared: inserter.transactions.into_prepared(),
        uncommitted,
    };
    Ok((recovered, families))
}

pub(crate) fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn recover_manifest(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<RecoveredManifest> {
    let by_name = Descriptors::new(descriptors);
    let open = |family: &ColumnFamilyReplay| {
        let found = by_name.find(&family.name);
        found.map(|descriptor| version_options(options, descriptor)).transpose()
    };
    let file_system = &*context.file_system;
    let manifest = if options.best_efforts_recovery {
        let mut checker = DirectoryChecker { file_system, options, path, descriptors: &by_name };
        version::recover_best_efforts(file_system, path, open, &mut checker)?.manifest
    } else {
        version::recover(file_system, path, open)?
    };
    let found: HashSet<&[u8]> =
        manifest.column_families.iter().map(|family| &family.name[..]).collect();
    for descriptor in descriptors {
        if !found.contains(descriptor.name.as_bytes()) {
            return Err(Status::invalid_argument(format!(
                "column family not found: {} in {}",
                descriptor.name,
                path.display()
            )));
        }
    }
    Ok(manifest)
}

/// What a column family brings to its versions.
pub(crate) fn version_options(
    db: &DbOptions,
    descriptor: &ColumnFamilyDescriptor,
) -> Result<VersionOptions> {
    let options = &descriptor.options;
    if options.table_factory != TableFactory::BlockBased {
        return Err(Status::not_supported(format!(
            "table_factory {} of column family {}: only block-based tables can be read",
            options.table_factory.name(),
            descriptor.name
        )));
    }
    Ok(VersionOptions {
        comparator: InternalKeyComparator::new(options.comparator.clone()),
        num_levels: level_count(db, options),
        force_consistency_checks: options.force_consistency_checks,
        persist_user_defined_timestamps: options.persist_user_defined_timestamps,
        allow_ingest_behind: db.allow_ingest_behind || options.cf_allow_ingest_behind,
    })
}

/// Descriptors by name; of several with one name the first counts.
pub(crate) struct Descriptors<'d>(HashMap<&'d [u8], &'d ColumnFamilyDescriptor>);

impl<'d> Descriptors<'d> {
    pub(crate) fn new(descriptors: &'d [ColumnFamilyDescriptor]) -> Self {
        Self(descriptors.iter().rev().map(|one| (one.name.as_bytes(), one)).collect())
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<&'d ColumnFamilyDescriptor> {
        self.0.get(name).copied()
    }

    /// # Errors
    /// `InvalidArgument` if there is none.
    pub(crate) fn get(&self, name: &[u8]) -> Result<&'d ColumnFamilyDescriptor> {
        self.find(name).ok_or_else(|| {
            Status::invalid_argument(format!("column family {} not opened", lossy(name)))
        })
    }
}

/// Directories of a family's tables: `cf_paths`, else `db_paths`, else the database's own.
pub(crate) fn table_paths(
    options: &DbOptions,
    path: &Path,
    descriptor: &ColumnFamilyDescriptor,
) -> Vec<PathBuf> {
    let given: &[DbPath] = match descriptor.options.cf_paths.as_slice() {
        [] => &options.db_paths,
        paths => paths,
    };
    match given {
        [] => vec![path.to_owned()],
        paths => paths.iter().map(|path| PathBuf::from(&path.path)).collect(),
    }
}

/// A memtable that is filled once and then only read.
fn filled_once() -> MemTableOptions {
    MemTableOptions {
        rep_factory: Arc::new(VectorRepFactory::default()),
        ..MemTableOptions::default()
    }
}

pub(crate) fn recovering_families(
    manifest: &ManifestState<'_>,
    descriptors: &[ColumnFamilyDescriptor],
    memtable_options: impl Fn(&ColumnFamilyDescriptor) -> MemTableOptions,
) -> Result<BTreeMap<u32, RecoveringFamily>> {
    let by_name = Descriptors::new(descriptors);
    let mut families = BTreeMap::new();
    for &state in &manifest.families {
        let descriptor = by_name.get(&state.name)?;
        let comparator = InternalKeyComparator::new(descriptor.options.comparator.clone());
        let running_name = comparator.user_comparator().name().as_bytes();
        // A WAL that states no sizes comes from a release that could not, or from a time before
        // the family had timestamps; tables that keep timestamps had them from the start.
        let had_timestamps = state.comparator_name.as_deref() == Some(running_name)
            && state.persist_user_defined_timestamps;
        let unstated_timestamp_size = if had_timestamps { comparator.timestamp_size() } else { 0 };
        let family = RecoveringFamily {
            name: descriptor.name.clone(),
            log_number: state.log_number,
            has_tables: state.version.files().next().is_some(),
            blob_files: state.version.blob_files().iter().map(|file| file.number()).collect(),
            unstated_timestamp_size,
            memtable: Some(Arc::new(MemTable::new(
                comparator.clone(),
                &memtable_options(descriptor),
            ))),
            comparator,
        };
        families.insert(state.id, family);
    }
    Ok(families)
}

/// Where the WALs are.
pub(crate) fn wal_directory(options: &DbOptions, path: &Path) -> PathBuf {
    match options.wal_dir.as_str() {
        "" => path.to_owned(),
        directory => PathBuf::from(directory),
    }
}

/// WALs with a smaller number hold nothing that is not in tables.
fn first_unflushed_wal(manifest: &ManifestState<'_>) -> u64 {
    manifest.families.iter().map(|family| family.log_number).min().unwrap_or(0)
}

pub(crate) fn replay_wals(
    options: &DbOptions,
    path: &Path,
    context: &OpenContext,
    manifest: &ManifestState<'_>,
    inserter: &mut MemTableInserter,
    after_batch: &mut AfterBatch<'_>,
) -> Result<Replayed> {
    if options.best_efforts_recovery {
        // They may begin behind files that are missing.
        return Ok(Replayed::default());
    }
    let directory = wal_directory(options, path);
    if options.track_and_verify_wals_in_manifest {
        version::check_tracked_wals(manifest.tracked_wals, |number| {
            let wal = wal_file_name(&directory, number);
            match context.file_system.get_file_size(&wal) {
                Err(error) if error.is_path_not_found() => Ok(None),
                size => size.map(Some),
            }
        })
        .map_err(|status| status.context(manifest.path.display()))?;
    }
    // With prepared transactions older WALs matter although every table is newer.
    let wal_number_min = match options.allow_2pc {
        true => manifest.min_log_number_to_keep,
        false => manifest.min_log_number_to_keep.max(first_unflushed_wal(manifest)),
    };
    // The default column family is given a WAL before anything is written to one.
    let had_no_wal = manifest.families.iter().any(|one| one.id == 0 && one.log_number == 0);
    let replay = WalReplay {
        file_system: &*context.file_system,
        directory,
        numbers: manifest.wals,
        mode: WalRecoveryMode::from_u8(options.wal_recovery_mode as u8).unwrap_or_default(),
        paranoid_checks: options.paranoid_checks,
        wal_number_min,
        verifies_predecessors: options.track_and_verify_wals,
        is_new: manifest.is_new || had_no_wal,
    };
    replay.run(inserter, after_batch)
}

/// Has the file system make room for the tables that will be open.
pub(crate) fn expect_open_files<'f>(
    context: &OpenContext,
    families: impl IntoIterator<Item = &'f ColumnFamilyData>,
) {
    let mut capacity = 0;
    let tables = families.into_iter().fold(0_usize, |sum, family| {
        capacity = family.tables.cache.capacity();
        sum + family.super_version.load().version.files().count()
    });
    context.file_system.expect_open_files(tables.min(capacity));
}

pub(crate) fn open_family(
    options: &DbOptions,
    path: &Path,
    descriptor: &ColumnFamilyDescriptor,
    context: &OpenContext,
    state: &ColumnFamilyState,
    memtable: Option<Arc<MemTable>>,
    open_files: &OpenFiles,
) -> Result<ColumnFamilyData> {
    let family = &descriptor.options;
    let comparator = InternalKeyComparator::new(family.comparator.clone());
    let paths = table_paths(options, path, descriptor);
    let file_options = FileOptions {
        use_direct_reads: options.use_direct_reads,
        is_read_at_random: options.advise_random_on_open,
        ..Default::default()
    };
    let blob_files = BlobFileCache::new(
        context.file_system.clone(),
        paths[0].clone(),
        file_options,
        state.id,
        open_files.blob_files.clone(),
    )
    .with_statistics(context.statistics.clone())
    .with_read_gate(context.read_gate());
    let table_options = read_setup::table_options(descriptor, context, &comparator)?;
    let blobs = BlobSource::new(blob_files, read_setup::blob_cache(descriptor)?)
        .with_charge(table_options.charges.blob_cache.clone());
    let resolver = ValueResolver {
        comparator: comparator.clone(),
        merge_operator: family.merge_operator.clone(),
        statistics: context.statistics.clone(),
        blobs: BlobReads { version: state.version.clone(), source: Arc::new(blobs) },
    };
    let num_levels = level_count(options, family);
    let tables = TableSet {
        file_system: context.file_system.clone(),
        paths,
        file_options,
        options: ArcSwap::from_pointee(table_options),
        verifies_unique_ids: options.verify_sst_unique_id_in_manifest,
        cache: open_files.tables.clone(),
        num_levels,
        read_latency: (0..num_levels).map(|_| Arc::default()).collect(),
        keeps_all_open: AtomicBool::new(options.max_open_files == -1),
    };
    memtable.iter().for_each(|memtable| memtable.mark_immutable());
    let data = ColumnFamilyData {
        id: state.id,
        name: descriptor.name.clone(),
        comparator,
        tables: Arc::new(tables),
        super_version: ArcSwap::from_pointee(SuperVersion::first(SuperVersionParts {
            memtables: memtable.into_iter().collect(),
            version: state.version.clone(),
            options: Arc::new(family.clone()),
            resolver,
            full_history_ts_low: state.full_history_ts_low.clone(),
        })),
        log_number: AtomicU64::new(state.log_number),
        epoch_numbers: Arc::new(EpochNumbers::new(state.version.next_epoch_number(), false)),
        conversions: Arc::new(ConversionGate::new(options, family)),
        stats: InternalStats::new(),
        memtable_memory: None,
        options_text: Mutex::default(),
    };
    data.charge_file_metadata(&state.version);
    Ok(data)
}
