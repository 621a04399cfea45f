//! An open database, shared by its users and its background work.

use crate::call_warnings::CallWarnings;
use crate::column_family::ColumnFamilyData;
use crate::db::OpenContext;
use crate::db_state::DbState;
use crate::error_handler::{may_pass, severity};
use crate::event_listener::BackgroundErrorReason;
use crate::events::{ErrorVerdict, Events};
use crate::family_files::JobLimit;
use crate::file_deletions::FileDeletions;
use crate::info_log::InfoLog;
use crate::obsolete_files::Deletion;
use crate::open_files::OpenFiles;
use crate::options_file_writer::OptionsFiles;
use crate::periodic_work::PeriodicWork;
use crate::read::read_view::Visibility;
use crate::recovery::{RecoveredDb, wal_directory};
use crate::secondary::Secondary;
use crate::snapshot_list::SnapshotList;
use crate::stats_history::StatsHistory;
use crate::table_set::TableSet;
use crate::work_stats::count_background_error;
use crate::write::memtable_stage::{InsertFindings, MemTableStage};
use crate::write::wal_stage::WalStage;
use crate::write::write_thread::WriteThread;
use crate::write_stats::WriteStats;
use arc_swap::{ArcSwap, Guard};
use base::status::{Code, Severity};
use base::{FileChecksumGenFactory, Result, Status};
use env::thread_pool::ThreadPool;
use env::{FileLock, IoPriority, RateLimiter};
use memtable::MemTableMemory;
use options::DbOptions;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use table::SeqnoToTimeMapping;
use version::{FileNumbers, VersionSet};

/// An open database.
#[derive(Debug)]
pub(crate) struct DbImpl {
    pub(crate) path: PathBuf,
    /// As they are now; replaced as a whole. [`DbImpl::options`] reads them.
    pub(crate) current_options: ArcSwap<DbOptions>,
    /// One of the options, which iterators are made by.
    pub(crate) prefix_seek_opt_in_only: bool,
    pub(crate) context: OpenContext,
    /// By id.
    pub(crate) families: ArcSwap<Vec<Arc<ColumnFamilyData>>>,
    pub(crate) visibility: Arc<Visibility>,
    pub(crate) recovered: RecoveredDb,
    pub(crate) warnings: Vec<String>,
    pub(crate) call_warnings: CallWarnings,
    /// Itself, for background work that holds it.
    pub(crate) this: Weak<DbImpl>,
    /// What only a database open for writing has.
    pub(crate) writing: Option<Writing>,
    /// What only one has that follows another process.
    pub(crate) secondary: Option<Secondary>,
}

/// What writes need. Locks are taken in the order of the fields, and none of the first four is
/// waited for by a thread that holds a later one.
#[derive(Debug)]
pub(crate) struct Writing {
    /// One writer leads at a time.
    pub(crate) write_thread: WriteThread,
    /// Held while WALs are synced, and while the MANIFEST's account of them changes. Writes that need
    /// not be safe from a power loss do not wait for it.
    pub(crate) wal_sync: Mutex<()>,
    /// What the leader writes to.
    pub(crate) stage: Mutex<WriteStage>,
    /// Held while the MANIFEST is written.
    pub(crate) versions: Mutex<VersionSet>,
    /// Never held while files are read or written.
    pub(crate) state: Mutex<DbState>,
    /// Told when the state changed in a way that somebody may wait for: a flush or compaction
    /// ended, writes may go on, an error occurred, the database closes.
    pub(crate) changed: Condvar,
    /// Where the tables of dropped column families are that something still reads; comes after
    /// `versions`.
    pub(crate) dropped: Mutex<BTreeMap<u32, Arc<TableSet>>>,
    /// Held while options are changed; comes before all other locks.
    pub(crate) options_change: Mutex<()>,
    /// Held while an OPTIONS file is written; comes after no other lock.
    pub(crate) options_file: Mutex<OptionsFiles>,
    /// When sequence numbers were given out; held for no other lock.
    pub(crate) sequence_times: Mutex<SeqnoToTimeMapping>,
    pub(crate) snapshots: Arc<SnapshotList>,
    pub(crate) file_numbers: Arc<FileNumbers>,
    /// What flushes and compactions ask before they write.
    pub(crate) rate_limiter: Option<Arc<dyn RateLimiter>>,
    /// A released snapshot lets files be compacted only if the oldest one left is beyond this
    /// number. Set under the state's lock.
    pub(crate) bottommost_threshold: AtomicU64,
    pub(crate) stats: WriteStats,
    /// A flush for the write-buffer manager is scheduled.
    pub(crate) is_relieving: AtomicBool,
    /// Held for no other lock.
    pub(crate) stats_history: Mutex<StatsHistory>,
    /// Of the memtables of all column families.
    pub(crate) memtable_memory: Arc<MemTableMemory>,
    /// Of all column families, and of those to come.
    pub(crate) open_files: OpenFiles,
    pub(crate) periodic_work: PeriodicWork,
    pub(crate) pool: ThreadPool,
    /// Whether writes have to look at the state before they go on: it holds them back, or an error
    /// stands. Set under the state's lock.
    pub(crate) has_obstacle: Arc<AtomicBool>,
    /// Compactions end as soon as they can. Set under the state's lock.
    pub(crate) compactions_aborted: Arc<AtomicBool>,
    /// Flushes wait and no thread of theirs is free: other jobs should look. Set under the state's
    /// lock.
    pub(crate) flushes_wait: Arc<AtomicBool>,
    /// Held for no other lock.
    pub(crate) file_deletions: Arc<Mutex<FileDeletions>>,
    /// Files that jobs left to be deleted. Held for no other lock.
    pub(crate) due_deletions: Mutex<Vec<Deletion>>,
    /// Background work ends as soon as it can.
    pub(crate) is_closing: Arc<AtomicBool>,
    /// Where it is said what happens. Not under the state's lock, but for what waits there.
    pub(crate) info_log: Arc<InfoLog>,
    /// Where it is told, also to listeners. Under a lock only what waits there; see [`Hold`].
    ///
    /// [`Hold`]: crate::events::Hold
    pub(crate) events: Arc<Events>,
    /// Identifies this opening of the database, in tables.
    pub(crate) session_id: String,
    pub(crate) db_id: Vec<u8>,
    /// Nobody else writes to the directory while it is held.
    pub(crate) _lock: Box<dyn FileLock>,
}

/// What writes go to.
#[derive(Debug)]
pub(crate) struct WriteStage {
    pub(crate) wal: WalStage,
    pub(crate) memtables: MemTableStage,
    /// What is to be done about what was written.
    pub(crate) found: InsertFindings,
    /// Bytes of all WALs at which the oldest is given up.
    pub(crate) max_total_wal_size_bytes: u64,
    /// Two of the options, which every write looks at: bytes that are written as one, and bytes that
    /// all memtables may take (0: any).
    pub(crate) group_bytes_max: usize,
    pub(crate) db_write_buffer_size: u64,
    /// WALs up to this number are being emptied because all together were too large.
    pub(crate) wal_given_up: u64,
    /// There are entries in memtables that no WAL has (`disable_wal`).
    pub(crate) has_unlogged_writes: bool,
}

impl DbImpl {
    /// The options as they are now. To be taken once by what has to see one state of them, and not
    /// for every key: what reads and writes need stands in their super version or write stage.
    pub(crate) fn options(&self) -> Guard<Arc<DbOptions>> {
        self.current_options.load()
    }

    /// What writes need.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub(crate) fn writing(&self) -> Result<&Writing> {
        self.writing.as_ref().ok_or_else(|| {
            let mode = if self.secondary.is_some() { "secondary" } else { "read only" };
            Status::not_supported(format!("Not supported operation in {mode} mode."))
        })
    }

    /// Takes in an error of the write path or of background work, as listeners see it, and tells who
    /// waits.
    pub(crate) fn set_background_error(&self, reason: BackgroundErrorReason, status: &Status) {
        let Ok(writing) = self.writing() else { return };
        if matches!(status.code(), Code::ColumnFamilyDropped | Code::ShutdownInProgress) {
            return;
        }
        let options = self.options();
        let severity = severity(reason, status, options.paranoid_checks);
        let error = status.clone().with_severity(severity);
        let is_recoverable = severity != Severity::None && severity <= Severity::Hard;
        let recovers = may_pass(status) && is_recoverable && options.max_bgerror_resume_count > 0;
        writing.events.background_error(reason, &error);
        if !writing.events.has_listeners() {
            return self.stand_error(writing, reason, error, recovers);
        }
        if Events::may_call() {
            let verdict = writing.events.judge_background_error(reason, &error, recovers);
            if let Some(error) = verdict.error {
                self.stand_error(writing, reason, error, verdict.recovers);
            }
            return;
        }
        // Writes must not go on before listeners can be asked.
        self.stand_error(writing, reason, error.clone(), false);
        let db = self.this.clone();
        writing.events.after_locks(move |events| {
            let verdict = events.judge_background_error(reason, &error, recovers);
            if let Some(db) = db.upgrade() {
                db.revise_error(&error, verdict);
            }
        });
    }

    fn stand_error(
        &self,
        writing: &Writing,
        reason: BackgroundErrorReason,
        error: Status,
        recovers: bool,
    ) {
        let mut state = writing.state.lock();
        if let Some(statistics) = &self.context.statistics {
            count_background_error(statistics, &error);
        }
        state.errors.set(reason, error);
        let recovers = recovers && state.errors.is_recoverable();
        writing.refresh_obstacle(&state);
        writing.changed.notify_all();
        drop(state);
        if recovers && let Some(db) = self.this.upgrade() {
            db.schedule_recovery(writing);
        }
    }

    /// Listeners were asked after `error` had come to stand.
    fn revise_error(self: &Arc<Self>, error: &Status, verdict: ErrorVerdict) {
        let Ok(writing) = self.writing() else { return };
        let mut state = writing.state.lock();
        state.errors.replace(error, verdict.error);
        let recovers = verdict.recovers && state.errors.is_recoverable();
        writing.refresh_obstacle(&state);
        self.schedule_work(writing, &mut state);
        writing.changed.notify_all();
        drop(state);
        if recovers {
            self.schedule_recovery(writing);
        }
    }

    /// The column family of this id.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none.
    pub(crate) fn family(&self, id: u32) -> Result<Arc<ColumnFamilyData>> {
        let families = self.families.load();
        let found = families.binary_search_by_key(&id, |family| family.id).ok();
        found
            .map(|index| families[index].clone())
            .ok_or_else(|| Status::invalid_argument(format!("no column family with id {id}")))
    }

    /// What makes the checksums of whole files, if anything does.
    pub(crate) fn file_checksum_gen_factory(&self) -> Option<Arc<dyn FileChecksumGenFactory>> {
        let given = self.context.file_checksum_gen_factory.clone();
        let options = self.options();
        let name = options.file_checksum_gen_factory.id();
        given.or_else(|| self.context.registry.file_checksum_gen_factory(&name))
    }

    /// Directory of the WALs.
    pub(crate) fn wal_directory(&self) -> PathBuf {
        wal_directory(&self.options(), &self.path)
    }
}

impl Writing {
    /// Whom a job asks before it reads and writes, if anybody; `priority` is that while writes flow.
    pub(crate) fn job_limit(&self, priority: IoPriority) -> Option<JobLimit> {
        let has_obstacle = self.has_obstacle.clone();
        self.rate_limiter.clone().map(|limiter| JobLimit { limiter, priority, has_obstacle })
    }

    /// To be called under the state's lock whenever stall conditions or the error have changed.
    pub(crate) fn refresh_obstacle(&self, state: &DbState) {
        let controller = &state.write_controller;
        let is_held_back = controller.is_stopped() || controller.actual_delayed_write_rate() > 0;
        let is_closing = self.is_closing.load(Ordering::Acquire);
        let obstacle = is_held_back || is_closing || state.errors.write_error().is_some();
        self.has_obstacle.store(obstacle, Ordering::Release);
    }
}
