//! What writers and background work of an open database agree on, under one lock that nobody
//! holds while files are read or written.

use crate::background::ScheduledJobs;
use crate::column_family::ColumnFamilyData;
use crate::compaction_state::CompactionState;
use crate::deletion_passes::DuePasses;
use crate::error_handler::ErrorHandler;
use crate::flow_control::pacer::Pacer;
use crate::flow_control::stall_times::StallTimes;
use crate::flow_control::write_controller::{FamilyStall, WriteController};
use crate::flush_reason::FlushReason;
use crate::info_log::level_summary;
use crate::manual_compaction::ManualCompactions;
use crate::memtable_list::MemTableList;
use crate::super_version::{SuperVersion, SuperVersionParts};
use base::{Result, SequenceNumber, Status};
use memtable::MemTable;
use options::ColumnFamilyOptions;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;
use version::Version;

/// Everything under the lock.
#[derive(Debug)]
pub(crate) struct DbState {
    /// By id, without those that were dropped.
    pub(crate) families: BTreeMap<u32, FamilyState>,
    pub(crate) errors: ErrorHandler,
    pub(crate) write_controller: WriteController,
    pub(crate) stall_times: StallTimes,
    pub(crate) pacer: Pacer,
    /// That of writes with `low_pri`.
    pub(crate) low_pri_pacer: Pacer,
    pub(crate) scheduled: ScheduledJobs,
    /// WALs from this number on are kept for transactions that are prepared in them.
    pub(crate) oldest_prepared_log: Option<u64>,
    /// Column families that need compaction, the first one first.
    pub(crate) compaction_queue: VecDeque<u32>,
    /// The oldest snapshot, or the last sequence number without one, as of when a snapshot was
    /// last released; 0 before.
    pub(crate) oldest_snapshot: SequenceNumber,
    pub(crate) manual: ManualCompactions,
    /// A compaction was scheduled before.
    pub(crate) has_compacted: bool,
    /// How often background work was paused and not continued.
    pub(crate) pauses: usize,
    /// How often compactions were aborted and not resumed.
    pub(crate) compaction_aborts: usize,
    /// Everything is closed.
    pub(crate) is_closed: bool,
}

/// A column family.
#[derive(Debug)]
pub(crate) struct FamilyState {
    pub(crate) data: Arc<ColumnFamilyData>,
    /// The memtable that takes writes.
    pub(crate) active: Arc<MemTable>,
    pub(crate) immutables: MemTableList,
    pub(crate) compaction: CompactionState,
    pub(crate) stall: FamilyStall,
    /// Its memtables are to be flushed although there are fewer than
    /// `min_write_buffer_number_to_merge`.
    pub(crate) is_flush_requested: bool,
    /// Why they are, or were the last time.
    pub(crate) flush_reason: FlushReason,
    /// Since when the flush that is due has waited for a thread.
    pub(crate) flush_due_since: Option<Instant>,
    /// Flushes that are installed and not told of yet: who waits for them waits for that too.
    pub(crate) flushes_untold: usize,
    /// Where keys are deleted in a row, to be gone over in the background.
    pub(crate) due_passes: DuePasses,
    /// Number of the next memtable.
    pub(crate) next_memtable_id: u64,
}

/// What reads see in the next state of a column family, beside what is written to it from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entries {
    /// What they saw before, held in other places.
    Same,
    /// More, or less.
    Other,
}

impl DbState {
    /// # Errors
    /// `ShutdownInProgress` if the database is closed.
    pub(crate) fn check_open(&self) -> Result<()> {
        match self.is_closed {
            true => Err(Status::shutdown_in_progress("the database is closed")),
            false => Ok(()),
        }
    }

    /// The column family of this id.
    pub(crate) fn family_mut(&mut self, id: u32) -> Option<&mut FamilyState> {
        self.families.get_mut(&id)
    }

    /// The files of each level of a column family in one line; empty if it is dropped.
    pub(crate) fn level_summary(&self, id: u32) -> String {
        let family = self.families.get(&id);
        family.map(|family| family.level_summary(self.oldest_snapshot)).unwrap_or_default()
    }
}

impl FamilyState {
    /// Whether it has anything that is in no table.
    pub(crate) fn is_in_memory(&self) -> bool {
        !self.active.is_empty() || !self.immutables.is_empty()
    }

    /// Memtables that wait before a flush begins by itself (`min_write_buffer_number_to_merge`).
    pub(crate) fn min_memtables_to_flush(&self) -> usize {
        let number = self.compaction.options.min_write_buffer_number_to_merge;
        usize::try_from(number).unwrap_or(0).max(1)
    }

    /// The files of each level in one line.
    pub(crate) fn level_summary(&self, oldest_snapshot: SequenceNumber) -> String {
        let version = self.data.super_version.load().version.clone();
        level_summary(&self.compaction.picker_input(&self.data, &version, oldest_snapshot))
    }

    /// The memtables, newest first.
    pub(crate) fn memtables(&self) -> Vec<Arc<MemTable>> {
        let immutables = self.immutables.newest_first().cloned();
        std::iter::once(self.active.clone()).chain(immutables).collect()
    }

    /// Shows reads the memtables as they are now, with the same files as before. Returns what reads
    /// saw before.
    pub(crate) fn install_memtables(&self) -> RetiredSuperVersion {
        let before = self.data.super_version.load();
        let (version, history) = (before.version.clone(), before.full_history_ts_low.clone());
        drop(before);
        self.install(version, history, Entries::Other)
    }

    /// Shows reads the memtables as they are now and `version`; from now on none may ask for times
    /// before `full_history_ts_low`. Returns what reads saw before.
    pub(crate) fn install(
        &self,
        version: Arc<Version>,
        full_history_ts_low: Option<Vec<u8>>,
        entries: Entries,
    ) -> RetiredSuperVersion {
        let before = self.data.super_version.load_full();
        if !Arc::ptr_eq(&before.version, &version) {
            self.data.charge_file_metadata(&version);
        }
        let next = before.next(SuperVersionParts {
            memtables: self.memtables(),
            version,
            options: before.options.clone(),
            resolver: before.resolver.clone(),
            full_history_ts_low,
        });
        if entries == Entries::Same {
            self.active.keep_hidden(before.number, next.number);
        }
        RetiredSuperVersion(self.data.super_version.swap(Arc::new(next)))
    }

    /// Shows reads the column family with `options`, and, if `closes_tables`, tables that are opened
    /// anew. Returns what reads saw before.
    pub(crate) fn install_options(
        &self,
        options: Arc<ColumnFamilyOptions>,
        closes_tables: bool,
    ) -> RetiredSuperVersion {
        let before = self.data.super_version.load_full();
        let parts = SuperVersionParts {
            memtables: self.memtables(),
            version: before.version.clone(),
            options,
            resolver: before.resolver.clone(),
            full_history_ts_low: before.full_history_ts_low.clone(),
        };
        let next = match closes_tables {
            true => before.next_with_tables_closed(parts),
            false => before.next(parts),
        };
        self.active.keep_hidden(before.number, next.number);
        RetiredSuperVersion(self.data.super_version.swap(Arc::new(next)))
    }
}

/// What reads of a column family saw before. To be dropped without the state's lock: it may hold the
/// last reference to memtables and files' metadata, and freeing these takes a while.
#[must_use = "it is to be dropped without the state's lock"]
#[derive(Debug)]
pub(crate) struct RetiredSuperVersion(
    #[expect(dead_code, reason = "held until dropped")] Arc<SuperVersion>,
);
