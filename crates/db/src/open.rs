//! Opening a database for writing.
//!
//! ```text
//! check options ─▶ directories, LOCK ─▶ CURRENT: make a new database, or replay the MANIFEST
//!   ─▶ replay WALs into memtables ─▶ these into tables of L0 ─▶ a new WAL, a new MANIFEST
//!   ─▶ delete what nothing needs ─▶ OPTIONS file ─▶ background work
//! ```
//!
//! Until the new MANIFEST is current nothing that was there is changed, so that an open that fails
//! can be tried again.

mod directories;
pub(crate) mod found_files;
mod replay;
pub(crate) mod tables;

use crate::background::ScheduledJobs;
use crate::call_warnings::CallWarnings;
use crate::caught_panic::contain_panic;
use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY_NAME};
use crate::compaction_state::CompactionState;
use crate::db::OpenContext;
use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::db_state::{DbState, FamilyState};
use crate::deletion_passes::DuePasses;
use crate::error_handler::ErrorHandler;
use crate::events::{Events, watched};
use crate::flow_control::pacer::Pacer;
use crate::flow_control::stall_times::StallTimes;
use crate::flow_control::write_controller::{FamilyStall, WriteController};
use crate::flush_reason::FlushReason;
use crate::identity::{new_db_id, new_session_id, settle_db_id};
use crate::info_log::{FoundDatabase, InfoLog};
use crate::manual_compaction::ManualCompactions;
use crate::memtable_list::MemTableList;
use crate::open_files::OpenFiles;
use crate::periodic_work::PeriodicWork;
use crate::read::read_view::Visibility;
use crate::recovery::best_efforts::{DirectoryChecker, has_manifest};
use crate::recovery::{
    self, Descriptors, RecoveredDb, TransactionWritePolicy, expect_open_files, open_family,
    version_options,
};
use crate::sanitize::{delayed_write_rate, with_memtable_size_in_range};
use crate::snapshot_list::SnapshotList;
use crate::stats_history::persistent::{STATS_COLUMN_FAMILY_NAME, with_stats_family};
use crate::switch_memtable::{max_total_wal_size_bytes, new_memtable};
use crate::validate_options::validate;
use crate::wal_archive::archives_wals;
use crate::warnings;
use crate::write::adaptive_yield::AdaptiveYield;
use crate::write::memtable_stage::{ActiveFamily, InsertFindings, MemTableStage};
use crate::write::wal_stage::{WalOptions, WalStage};
use crate::write::write_thread::WriteThread;
use crate::write_buffer_manager::MemoryHolder;
use crate::write_stats::WriteStats;
use arc_swap::ArcSwap;
use base::filename::{CURRENT, FileType, descriptor_file_name, wal_file_name};
use base::{Result, SequenceNumber, Status};
use env::thread_pool::{BackgroundJobLimits, Priority, ThreadPool};
use env::thread_status::{OperationGuard, OperationType};
use env::{FileLock, FileOptions, GenericRateLimiter, RateLimiter, RateLimiterOptions};
use found_files::FoundFiles;
use memtable::MemTableMemory;
use options::{CompressionType, DbOptions, ObjectName, WalIo, WalRecoveryMode};
use parking_lot::{Condvar, Mutex};
use statistics::Activity;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Weak};
use version::{NewColumnFamily, VersionSet, VersionSetOptions};
use wal::LogCompression;

/// Opens the database in `path` for writing, with all its column families.
pub(crate) fn open(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<Arc<DbImpl>> {
    let options = &with_given_objects(options, context);
    let descriptors: Vec<_> = descriptors.iter().map(with_memtable_size_in_range).collect();
    let descriptors = &*descriptors;
    let _span =
        tracing::info_span!(target: "touchstone::db", "open", path = %path.display()).entered();
    let _operation = options
        .enable_thread_tracking
        .then(|| OperationGuard::begin(OperationType::DbOpen, path, None));
    check_options(options, descriptors, context)?;
    directories::create(options, path, descriptors, context)?;
    let lock = directories::lock(path, context)?;
    // Only now, so that it does not put aside the log of another process that has the database.
    let found = directories::list(options, path, descriptors, context);
    let listed = found.as_ref().ok();
    let info_log = Arc::new(InfoLog::begin(options, path, context, listed));
    let events = Arc::new(Events::new(info_log.clone(), path, context.listeners.clone()));
    let session_id = new_session_id();
    info_log.describe(options, path, descriptors, &*context.file_system, listed, &session_id);
    let watched = OpenContext {
        file_system: watched(&context.file_system, &context.listeners),
        ..context.clone()
    };
    let owned = Owned { lock, info_log, events: events.clone(), session_id };
    let opened =
        found.and_then(|found| open_locked(options, path, descriptors, &watched, owned, &found));
    events.opened(opened.as_ref().map(|_| ()));
    opened
}

/// Options as OPTIONS files are to have them: with the names of objects that the program gave.
fn with_given_objects(options: &DbOptions, context: &OpenContext) -> DbOptions {
    let mut options = options.clone();
    if let Some(factory) = &context.file_checksum_gen_factory {
        options.file_checksum_gen_factory = ObjectName::new(factory.name());
    }
    options
}

/// What an open has of its own from the beginning.
struct Owned {
    lock: Box<dyn FileLock>,
    info_log: Arc<InfoLog>,
    events: Arc<Events>,
    session_id: String,
}

fn open_locked(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
    owned: Owned,
    found: &FoundFiles,
) -> Result<Arc<DbImpl>> {
    let _activity = Activity::DbOpen.begin();
    let descriptors = &*with_stats_family(descriptors);
    let (mut versions, is_new) = open_versions(options, path, descriptors, context)?;
    directories::mark_file_numbers(found, &versions);
    create_missing_families(options, descriptors, &mut versions)?;
    let writes_identity = options.write_identity_file || !options.write_dbid_to_manifest;
    let db_id = settle_db_id(&*context.file_system, path, versions.db_id(), writes_identity)?;
    versions.set_db_id(&db_id);

    let mut db = assemble(options, path, descriptors, context, versions, db_id, owned)?;
    let options_files = found.numbers(path, FileType::Options);
    db.writing()?.options_file.lock().note_found(options_files);
    // A panic of what the user brought along.
    contain_panic(|| "replaying WALs".to_owned(), || db.replay_wals(descriptors, is_new, found))?;
    let db = Arc::new_cyclic(|this| {
        db.this = this.clone();
        if let Ok(writing) = db.writing() {
            writing.events.set_database(this);
        }
        db
    });
    db.delete_leftover_files(found)?;
    db.prepare_stats_family()?;
    db.write_options_file()?;
    db.sample_sequence_times();
    db.start_background_work();
    if let Some(manager) = &context.write_buffer_manager {
        let holder: Arc<dyn MemoryHolder> = db.clone();
        manager.register(Arc::downgrade(&holder));
    }
    db.start_periodic_work();
    Ok(db)
}

/// What this engine does not write it refuses before anything is touched.
fn check_options(
    options: &DbOptions,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<()> {
    let policy = context.transaction_write_policy;
    if options.allow_2pc && policy != TransactionWritePolicy::WriteCommitted {
        return Err(Status::not_supported(format!(
            "writing under the transaction policy {policy:?}: every batch would have to be numbered \
             as it wants; open the database for reading only, or empty its WALs with RocksDB's \
             TransactionDB"
        )));
    }
    if !descriptors.iter().any(|family| family.name == DEFAULT_COLUMN_FAMILY_NAME) {
        return Err(Status::invalid_argument(
            "Column families not opened: default; it must be among those to open",
        ));
    }
    validate_with(context, options, descriptors)
}

/// Checks options of a database that has the objects of `context`.
pub(crate) fn validate_with(
    context: &OpenContext,
    options: &DbOptions,
    descriptors: &[ColumnFamilyDescriptor],
) -> Result<()> {
    let mut checked = options.clone();
    let name = options.file_checksum_gen_factory.id();
    if context.file_checksum_gen_factory.is_some()
        || context.registry.file_checksum_gen_factory(&name).is_some()
    {
        // It need not be among the built-in ones.
        checked.file_checksum_gen_factory = ObjectName::null();
    }
    validate(&checked, descriptors)
}

/// `max_manifest_file_size` and `max_manifest_space_amp_pct`.
pub(crate) fn manifest_limits(options: &DbOptions) -> (u64, u32) {
    let percent = u32::try_from(options.max_manifest_space_amp_pct).unwrap_or(0);
    (options.max_manifest_file_size, percent)
}

fn version_set_options(options: &DbOptions, context: &OpenContext) -> VersionSetOptions {
    let (max_manifest_file_size, max_manifest_space_amp_pct) = manifest_limits(options);
    VersionSetOptions {
        max_manifest_file_size,
        max_manifest_space_amp_pct,
        use_fsync: options.use_fsync,
        write_dbid_to_manifest: options.write_dbid_to_manifest,
        statistics: context.statistics.clone(),
        lists_directory: false,
    }
}

/// The database that is there, or a new one, and whether it is new.
fn open_versions(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<(VersionSet, bool)> {
    let fs = &context.file_system;
    let set_options = version_set_options(options, context);
    let by_name = Descriptors::new(descriptors);
    let open_family = |family: &version::ColumnFamilyReplay| {
        let found = by_name.find(&family.name);
        found.map(|descriptor| version_options(options, descriptor)).transpose()
    };
    let exists = match options.best_efforts_recovery {
        true => has_manifest(&**fs, path)?,
        false => fs.file_exists(&path.join(CURRENT))?,
    };
    match (exists, options.create_if_missing, options.error_if_exists) {
        (true, _, true) => Err(Status::invalid_argument(format!(
            "{}: exists (error_if_exists is true)",
            path.display()
        ))),
        (true, _, false) if options.best_efforts_recovery => {
            let mut checker =
                DirectoryChecker { file_system: &**fs, options, path, descriptors: &by_name };
            let recover = VersionSet::recover_best_efforts;
            let recovered = recover(fs.clone(), path, set_options, open_family, &mut checker);
            recovered.map(|(versions, _)| (versions, false))
        }
        (true, _, false) => {
            let recovered = VersionSet::recover(fs.clone(), path, set_options, open_family)?;
            Ok((recovered, false))
        }
        (false, false, _) => Err(Status::invalid_argument(format!(
            "{}: does not exist (create_if_missing is false)",
            path.join(CURRENT).display()
        ))),
        (false, true, _) => {
            check_no_wals(options, path, context)?;
            let default = by_name.get(DEFAULT_COLUMN_FAMILY_NAME.as_bytes())?;
            let id = new_db_id().into_bytes();
            let options = version_options(options, default)?;
            Ok((VersionSet::create(fs.clone(), path, set_options, &id, &options)?, true))
        }
    }
}

/// WALs without a database are of one that lost its CURRENT: they would be replayed into the new
/// one, and deleted.
fn check_no_wals(options: &DbOptions, path: &Path, context: &OpenContext) -> Result<()> {
    let directory = match options.wal_dir.as_str() {
        "" => path,
        directory => Path::new(directory),
    };
    match recovery::list_wals(&*context.file_system, directory)?.first() {
        None => Ok(()),
        Some(number) => Err(Status::corruption(format!(
            "While creating a new Db, wal_dir contains existing log file: {}",
            wal_file_name(directory, *number).display()
        ))),
    }
}

/// Column families that were asked for and are not there: made, or an error.
fn create_missing_families(
    options: &DbOptions,
    descriptors: &[ColumnFamilyDescriptor],
    versions: &mut VersionSet,
) -> Result<()> {
    let mut missing = Vec::new();
    let mut names = HashSet::new();
    for descriptor in descriptors {
        let name = descriptor.name.as_bytes();
        let is_there = versions.has_column_family_named(name) || !names.insert(name);
        if is_there || descriptor.name == STATS_COLUMN_FAMILY_NAME {
            continue;
        }
        if !options.create_missing_column_families {
            return Err(Status::invalid_argument(format!(
                "Column family not found: {}",
                descriptor.name
            )));
        }
        missing.push((name, version_options(options, descriptor)?));
    }
    let new = missing.iter().map(|(name, options)| NewColumnFamily { name, options });
    // Logs that are there hold nothing for them.
    let log_number = versions.file_numbers().peek();
    versions.create_column_families(&new.collect::<Vec<_>>(), log_number).map(drop)
}

fn wal_options(options: &DbOptions, directory: &Path) -> WalOptions {
    WalOptions {
        directory: directory.to_owned(),
        manual_flush: options.manual_wal_flush,
        use_fsync: options.use_fsync,
        compression: match options.wal_compression {
            CompressionType::Zstd => LogCompression::Zstd,
            _ => LogCompression::None,
        },
        recycled_max: recycled_max(options),
        states_predecessor: options.track_and_verify_wals,
        file_options: wal_file_options(options),
    }
}

/// From records of this size on WALs are written (`wal_io=auto`): with 512 bytes a mapping takes 840,000
/// puts a second where calls take 610,000, with 1,024 400,000 where those take 455,000, and waits longer
/// for its pages (docs/wal-io.md).
const MAPPED_RECORD_SIZE_MAX: u64 = 768;

/// How WALs are written as files.
pub(crate) fn wal_file_options(options: &DbOptions) -> FileOptions {
    FileOptions {
        writable_file_max_buffer_size: usize::try_from(options.writable_file_max_buffer_size)
            .unwrap_or(usize::MAX),
        bytes_per_sync: options.wal_bytes_per_sync,
        strict_bytes_per_sync: options.strict_bytes_per_sync,
        allow_fallocate: options.allow_fallocate,
        use_mapped_writes: maps_wals(options),
        mapped_append_size_max: match options.wal_io {
            WalIo::Auto => MAPPED_RECORD_SIZE_MAX,
            WalIo::Mapped | WalIo::Write => u64::MAX,
        },
        ..FileOptions::default()
    }
}

/// Whether WALs are to be appended to through a mapping, where their file system can (`wal_io`). A
/// process that is killed may leave the first part of a long record with zeros behind it, which is
/// no end that a mode that tells ends knows: it would refuse to open.
pub(crate) fn maps_wals(options: &DbOptions) -> bool {
    !tells_ends(options)
        && match options.wal_io {
            WalIo::Write => false,
            WalIo::Mapped => true,
            WalIo::Auto => !options.track_and_verify_wals && !options.manual_wal_flush,
        }
}

/// Whether the end of a WAL must be told from damage.
fn tells_ends(options: &DbOptions) -> bool {
    matches!(
        options.wal_recovery_mode,
        WalRecoveryMode::TolerateCorruptedTailRecords | WalRecoveryMode::AbsoluteConsistency
    )
}

/// What flushes and compactions ask before they write (`rate_limiter_bytes_per_sec`).
fn rate_limiter(
    options: &DbOptions,
    context: &OpenContext,
) -> Result<Option<Arc<dyn RateLimiter>>> {
    if context.rate_limiter.is_some() {
        return Ok(context.counted_rate_limiter());
    }
    match options.rate_limiter_bytes_per_sec {
        0 => Ok(None),
        rate => {
            let limiter = Arc::new(GenericRateLimiter::new(RateLimiterOptions::new(rate))?);
            Ok(Some(context.counted(limiter)))
        }
    }
}

/// WALs kept to be written over. Not where they are archived, nor where the end of a WAL must be
/// told from damage: behind it there is what the file held before.
fn recycled_max(options: &DbOptions) -> usize {
    match tells_ends(options) || archives_wals(options) {
        true => 0,
        false => usize::try_from(options.recycle_log_file_num).unwrap_or(usize::MAX),
    }
}

/// The threads of background work.
fn thread_pool(options: &DbOptions) -> ThreadPool {
    let pool = ThreadPool::new(|priority, message| {
        eprintln!("touchstone: a background job of priority {priority:?} panicked: {message}");
    });
    set_job_threads(&pool, options);
    set_other_threads(&pool);
    pool
}

/// Threads for what goes on beside flushes and compactions: getting over errors, OPTIONS files.
fn set_other_threads(pool: &ThreadPool) {
    pool.set_background_threads(Priority::Bottom, 2);
}

/// Makes threads of compactions nice. To be called before the first of them starts, by a thread that is
/// not nice itself: the others start now. Flushes are never nice, as writes wait for them.
pub(crate) fn prepare_for_compactions(pool: &ThreadPool, options: &DbOptions) {
    if options.compaction_niceness > 0 {
        pool.set_niceness(Priority::Low, options.compaction_niceness);
        set_job_threads(pool, options);
        set_other_threads(pool);
    }
}

/// As many threads as flushes and compactions may have.
pub(crate) fn set_job_threads(pool: &ThreadPool, options: &DbOptions) {
    let limits = BackgroundJobLimits::new(
        options.max_background_flushes,
        options.max_background_compactions,
        options.max_background_jobs,
    );
    pool.set_background_threads(Priority::High, limits.flushes_max);
    pool.set_background_threads(Priority::Low, limits.compactions_max);
}

/// The state before anything happens.
fn db_state(options: &DbOptions, states: BTreeMap<u32, FamilyState>) -> DbState {
    DbState {
        families: states,
        errors: ErrorHandler::default(),
        write_controller: WriteController::new(delayed_write_rate(options)),
        pacer: Pacer::default(),
        stall_times: StallTimes::default(),
        low_pri_pacer: Pacer::default(),
        scheduled: ScheduledJobs::default(),
        oldest_prepared_log: None,
        compaction_queue: VecDeque::new(),
        oldest_snapshot: 0,
        manual: ManualCompactions::default(),
        has_compacted: false,
        pauses: 0,
        compaction_aborts: 0,
        is_closed: false,
    }
}

/// What writes go to: the memtables, and no WAL yet.
fn write_stage(
    options: &DbOptions,
    path: &Path,
    context: &OpenContext,
    memtables: MemTableStage,
    families: &[Arc<ColumnFamilyData>],
) -> WriteStage {
    let wal_options = wal_options(options, &recovery::wal_directory(options, path));
    WriteStage {
        wal: WalStage::new(context.file_system.clone(), wal_options),
        memtables,
        found: InsertFindings::default(),
        max_total_wal_size_bytes: max_total_wal_size_bytes(options, families),
        group_bytes_max: usize::try_from(options.max_write_batch_group_size_bytes)
            .unwrap_or(usize::MAX),
        db_write_buffer_size: options.db_write_buffer_size,
        wal_given_up: 0,
        has_unlogged_writes: false,
    }
}

/// What counts the memory of memtables, for others too where they share a manager.
fn memtable_memory(context: &OpenContext) -> Arc<MemTableMemory> {
    Arc::new(match &context.write_buffer_manager {
        Some(manager) => MemTableMemory::observed_by(manager.clone()),
        None => MemTableMemory::default(),
    })
}

/// The database with its files, with nothing in memory and no WAL to write to yet.
fn assemble(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
    versions: VersionSet,
    db_id: Vec<u8>,
    owned: Owned,
) -> Result<DbImpl> {
    let (last_sequence, by_name) = (versions.last_sequence(), Descriptors::new(descriptors));
    let (mut families, mut states) = (Vec::new(), BTreeMap::new());
    let mut memtables = MemTableStage::default();
    let memtable_memory = memtable_memory(context);
    let open_files = OpenFiles::new(options);
    for family in versions.column_families() {
        let state = family.state();
        let descriptor = by_name.get(&state.name)?;
        let mut data = open_family(options, path, descriptor, context, state, None, &open_files)?;
        data.epoch_numbers = family.epoch_numbers().clone();
        data.memtable_memory = Some(memtable_memory.clone());
        let (data, state) = family_state(options, context, data, last_sequence);
        memtables.set(ActiveFamily::new(data.clone(), state.active.clone()));
        states.insert(data.id, state);
        families.push(data);
    }
    expect_open_files(context, families.iter().map(|family| &**family));
    let opened = tables::secure_tables(options, context, &families)?;
    let writing = Writing {
        pool: thread_pool(options),
        write_thread: WriteThread::new(AdaptiveYield::new(options)),
        wal_sync: Mutex::default(),
        stage: Mutex::new(write_stage(options, path, context, memtables, &families)),
        state: Mutex::new(db_state(options, states)),
        changed: Condvar::new(),
        dropped: Mutex::default(),
        options_change: Mutex::default(),
        options_file: Mutex::default(),
        sequence_times: Mutex::default(),
        snapshots: Arc::new(SnapshotList::default()),
        file_numbers: versions.file_numbers().clone(),
        rate_limiter: rate_limiter(options, context)?,
        bottommost_threshold: AtomicU64::new(u64::MAX),
        stats: WriteStats::default(),
        is_relieving: AtomicBool::new(false),
        stats_history: Mutex::default(),
        memtable_memory,
        open_files,
        periodic_work: PeriodicWork::new(context.clock.clone()),
        has_obstacle: Arc::default(),
        compactions_aborted: Arc::default(),
        flushes_wait: Arc::default(),
        file_deletions: Arc::default(),
        due_deletions: Mutex::default(),
        is_closing: Arc::default(),
        info_log: owned.info_log,
        events: owned.events,
        session_id: owned.session_id,
        db_id,
        _lock: owned.lock,
        versions: Mutex::new(versions),
    };
    let db = around(options, path, descriptors, context, families, writing, last_sequence);
    log_what_was_found(&db)?;
    db.note_tables_found(opened);
    Ok(db)
}

/// The database around what writes need.
fn around(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
    families: Vec<Arc<ColumnFamilyData>>,
    writing: Writing,
    last_sequence: SequenceNumber,
) -> DbImpl {
    DbImpl {
        path: path.to_owned(),
        current_options: ArcSwap::from_pointee(options.clone()),
        prefix_seek_opt_in_only: options.prefix_seek_opt_in_only,
        context: context.clone(),
        families: ArcSwap::from_pointee(families),
        visibility: Arc::new(Visibility::new(last_sequence, Arc::default())),
        recovered: found_in_manifest(path, &writing, last_sequence),
        warnings: warnings::warnings(options, descriptors),
        call_warnings: CallWarnings::default(),
        this: Weak::new(),
        writing: Some(writing),
        secondary: None,
    }
}

/// What recovery found before it looks at WALs.
fn found_in_manifest(path: &Path, writing: &Writing, last_sequence: SequenceNumber) -> RecoveredDb {
    RecoveredDb {
        manifest_path: descriptor_file_name(path, writing.versions.lock().manifest_number()),
        db_id: Some(writing.db_id.clone()),
        last_sequence,
        ..RecoveredDb::default()
    }
}

fn log_what_was_found(db: &DbImpl) -> Result<()> {
    let writing = db.writing()?;
    writing.info_log.found(&FoundDatabase {
        db_id: &writing.db_id,
        manifest_path: &db.recovered.manifest_path,
        next_file_number: writing.file_numbers.peek(),
        last_sequence: db.recovered.last_sequence,
        families: &db.families.load(),
        warnings: &db.warnings,
    });
    Ok(())
}

/// A column family and its state with an empty memtable, which reads go through from now on.
pub(crate) fn family_state(
    options: &DbOptions,
    context: &OpenContext,
    data: ColumnFamilyData,
    creation_sequence: SequenceNumber,
) -> (Arc<ColumnFamilyData>, FamilyState) {
    let active = Arc::new(new_memtable(&data, 1, creation_sequence));
    let data = Arc::new(data);
    let state = FamilyState {
        data: data.clone(),
        active,
        immutables: MemTableList::default(),
        compaction: CompactionState::new(options, &data, context.clock.clone()),
        stall: FamilyStall::default(),
        is_flush_requested: false,
        flush_due_since: None,
        flush_reason: FlushReason::default(),
        flushes_untold: 0,
        due_passes: DuePasses::default(),
        next_memtable_id: 2,
    };
    drop(state.install_memtables());
    (data, state)
}
