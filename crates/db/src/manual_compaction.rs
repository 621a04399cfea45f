//! Compactions that a user asks for: of a range of keys, or of files by name.
//!
//! They run in the thread of the user, step by step, and hold the same files as automatic ones do.

use crate::column_family::ColumnFamilyHandle;
use crate::compaction_work::{PickedCompaction, register};
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use crate::flush::{FlushOptions, Patience, may_go_on, wait_for_change};
use crate::flush_reason::FlushReason;
use base::status::SubCode;
use base::{Result, Status};
use compaction::{CompactFilesOptions, ManualCompaction, ManualStep, refit_level};
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use compaction::picker::manual::{BlobGarbageCollectionPolicy, BottommostLevelCompaction};

base::call_options! {
    /// How a range is compacted (`rocksdb::CompactRangeOptions`). Defaults are RocksDB's.
    #[derive(Clone, Debug)]
    pub struct CompactRangeOptions;
    rows {
        /// No other compaction runs meanwhile. Default: false, as since 8.2 (true before).
        exclusive_manual_compaction: bool = false, honoured;
        /// Afterwards the files of the last level reached get another level. Default: false.
        change_level: bool = false, honoured;
        /// That level; negative for the uppermost that is empty and large enough. Default: -1.
        target_level: i32 = -1, honoured;
        /// Directory of outputs, an index of `cf_paths`. Default: 0.
        target_path_id: u32 = 0, honoured;
        /// Whether the last level is rewritten. Default: if there is a compaction filter.
        bottommost_level_compaction: BottommostLevelCompaction =
            BottommostLevelCompaction::IfHaveCompactionFilter, honoured;
        /// Memtables are flushed at once, even if writes stall for it. Default: false.
        allow_write_stall: bool = false, honoured;
        /// Most parts that run at once; 0 for the option of that name. Default: 0.
        max_subcompactions: u32 = 0, honoured;
        /// First of all everything before this time may be forgotten, as by
        /// `Db::increase_full_history_ts_low`. Default:
        /// none.
        full_history_ts_low: Option<Vec<u8>> = None, honoured;
        /// Setting it cancels the compaction. Default: none.
        canceled: Option<Arc<AtomicBool>> = None, honoured;
        /// Whether old blob files are emptied. Default: what `enable_blob_garbage_collection` says.
        blob_garbage_collection_policy: BlobGarbageCollectionPolicy =
            BlobGarbageCollectionPolicy::UseDefault, honoured;
        /// Which part of them is old; out of 0 to 1 for the option of that name. Default: -1.
        blob_garbage_collection_age_cutoff: f64 = -1.0, honoured;
    }
}

impl CompactRangeOptions {
    fn for_picker(&self) -> compaction::CompactRangeOptions {
        compaction::CompactRangeOptions {
            change_level: self.change_level,
            target_level: self.target_level,
            target_path_id: self.target_path_id,
            bottommost_level_compaction: self.bottommost_level_compaction,
            max_subcompactions: self.max_subcompactions,
            blob_garbage_collection_policy: self.blob_garbage_collection_policy,
            blob_garbage_collection_age_cutoff: self.blob_garbage_collection_age_cutoff,
        }
    }
}

/// The manual compactions under way. Under the state's lock.
#[derive(Debug, Default)]
pub(crate) struct ManualCompactions {
    /// Flags that cancel them.
    under_way: Vec<Arc<AtomicBool>>,
    /// One that excludes others has its turn.
    has_exclusive: bool,
    /// So many wait for such a turn.
    exclusive_waiting: usize,
    /// How often manual compactions were disabled and not enabled.
    disabled: usize,
}

impl ManualCompactions {
    /// Whether no automatic compaction may begin.
    pub(crate) fn excludes_others(&self) -> bool {
        self.has_exclusive || self.exclusive_waiting > 0
    }

    /// Whether there is none.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }
}

/// A manual compaction that has its turn, until dropped.
struct Turn<'w> {
    db: &'w Arc<DbImpl>,
    writing: &'w Writing,
    canceled: Arc<AtomicBool>,
    /// Where the user sets that flag, nobody is told.
    polls: bool,
    is_exclusive: bool,
}

impl<'w> Turn<'w> {
    /// Waits for the turn.
    fn begin(
        db: &'w Arc<DbImpl>,
        writing: &'w Writing,
        canceled: Option<Arc<AtomicBool>>,
        is_exclusive: bool,
    ) -> Result<Self> {
        let polls = canceled.is_some();
        let canceled = canceled.unwrap_or_default();
        let mut state = writing.state.lock();
        if state.manual.disabled > 0 {
            return Err(paused());
        }
        if is_exclusive && state.scheduled.compactions_running > 0 {
            writing.events.manual_compaction_waits();
        }
        state.manual.under_way.push(canceled.clone());
        state.manual.exclusive_waiting += usize::from(is_exclusive);
        let waited = loop {
            let may_begin = match is_exclusive {
                true => !state.manual.has_exclusive && state.scheduled.compactions_running == 0,
                false => !state.manual.excludes_others(),
            };
            if let Err(status) = check(writing, &state, &canceled) {
                break Err(status);
            }
            if may_begin {
                break Ok(());
            }
            wait_for_change(writing, &mut state, polls);
        };
        state.manual.exclusive_waiting -= usize::from(is_exclusive);
        state.manual.has_exclusive |= is_exclusive && waited.is_ok();
        drop(state);
        let is_exclusive = is_exclusive && waited.is_ok();
        let turn = Self { db, writing, canceled, polls, is_exclusive };
        waited.map(|()| turn)
    }

    /// Waits until something has changed.
    fn wait(&self, state: &mut MutexGuard<'_, DbState>) {
        wait_for_change(self.writing, state, self.polls);
    }

    /// Waits while background work is paused.
    ///
    /// # Errors
    /// What ends a manual compaction.
    fn wait_while_paused(&self, state: &mut MutexGuard<'_, DbState>) -> Result<()> {
        loop {
            check(self.writing, state, &self.canceled)?;
            if state.pauses == 0 {
                return Ok(());
            }
            self.wait(state);
        }
    }

    /// Carries out what was registered.
    fn carry_out(&self, picked: PickedCompaction) -> Result<()> {
        let id = picked.family.id;
        let result = self.db.carry_out(self.writing, picked);
        let mut state = self.writing.state.lock();
        state.scheduled.compactions_running -= 1;
        self.db.queue_if_needed(self.writing, &mut state, id);
        self.db.schedule_work(self.writing, &mut state);
        self.writing.changed.notify_all();
        result
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.writing.state.lock();
        state.manual.under_way.retain(|flag| !Arc::ptr_eq(flag, &self.canceled));
        if self.is_exclusive {
            state.manual.has_exclusive = false;
        }
        self.db.schedule_work(self.writing, &mut state);
        self.writing.changed.notify_all();
    }
}

fn paused() -> Status {
    Status::incomplete("Manual compaction paused")
}

/// Whether a manual compaction may go on.
fn check(writing: &Writing, state: &DbState, canceled: &AtomicBool) -> Result<()> {
    if state.manual.disabled > 0 || canceled.load(Ordering::Acquire) {
        return Err(paused());
    }
    if state.compaction_aborts > 0 {
        return Err(Status::incomplete("").with_subcode(SubCode::CompactionAborted));
    }
    may_go_on(writing, state)
}

fn dropped(family: &ColumnFamilyHandle) -> Status {
    Status::column_family_dropped(format!("column family {} is dropped", family.name()))
}

impl DbImpl {
    pub(crate) fn compact_range(
        self: &Arc<Self>,
        options: &CompactRangeOptions,
        family: &ColumnFamilyHandle,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        let writing = self.writing()?;
        if options.target_path_id as usize >= family.0.tables.paths.len() {
            return Err(Status::invalid_argument("Invalid target path ID"));
        }
        if let Some(timestamp) = &options.full_history_ts_low {
            self.increase_full_history_ts_low(family, timestamp)?;
        }
        let (begin, end) = with_timestamps(family, begin, end);
        if let (Some(begin), Some(end)) = (&begin, &end)
            && family.comparator().compare_without_timestamp(begin, end).is_gt()
        {
            return Err(Status::invalid_argument("Compaction range ends before it begins"));
        }
        let flush = FlushOptions::default().allow_write_stall(options.allow_write_stall);
        let canceled = options.canceled.clone();
        let may_wait = |state: &DbState| match &canceled {
            Some(canceled) => check(writing, state, canceled),
            None => check(writing, state, &AtomicBool::new(false)),
        };
        let patience = Patience { may_wait: &may_wait, polls: canceled.is_some() };
        self.flush_while(&flush, &[family], FlushReason::ManualCompaction, &patience)?;
        let turn = Turn::begin(self, writing, canceled, options.exclusive_manual_compaction)?;
        let range = (begin.as_deref(), end.as_deref());
        writing.events.manual_compaction_started(family.name(), range);
        let result = self.compact_steps(&turn, options, family, range);
        writing.events.manual_compaction_ended(family.name(), result.as_ref());
        result
    }

    /// Compacts what a range holds, step by step.
    fn compact_steps(
        self: &Arc<Self>,
        turn: &Turn<'_>,
        options: &CompactRangeOptions,
        family: &ColumnFamilyHandle,
        (begin, end): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<()> {
        let writing = turn.writing;
        let next_file_number = writing.file_numbers.peek();
        let mut manual = ManualCompaction::new(options.for_picker(), begin, end, next_file_number);
        loop {
            let mut state = writing.state.lock();
            turn.wait_while_paused(&mut state)?;
            let step = next_step(&mut state, family, &mut manual)?;
            match step {
                ManualStep::Done => return Ok(()),
                ManualStep::Wait => turn.wait(&mut state),
                ManualStep::RefitLevel(level) => {
                    drop(state);
                    return self.refit(turn, family, level, options.target_level);
                }
                ManualStep::Run(compaction) => {
                    writing.events.manual_compaction_step(family.name(), &compaction, (begin, end));
                    let canceled = Some(turn.canceled.clone());
                    let picked = register(writing, &mut state, family.id(), *compaction, canceled);
                    state.scheduled.compactions_running += 1;
                    drop(state);
                    turn.carry_out(picked.ok_or_else(|| dropped(family))?)?;
                }
            }
        }
    }

    /// Gives the files of a level another one, with nothing else running.
    fn refit(
        self: &Arc<Self>,
        turn: &Turn<'_>,
        family: &ColumnFamilyHandle,
        level: usize,
        target_level: i32,
    ) -> Result<()> {
        let mut state = turn.writing.state.lock();
        state.pauses += 1;
        let waited = loop {
            if state.scheduled.compactions_running == 0 {
                break Ok(());
            }
            if let Err(status) = check(turn.writing, &state, &turn.canceled) {
                break Err(status);
            }
            turn.wait(&mut state);
        };
        state.pauses -= 1;
        waited?;
        let oldest_snapshot = state.oldest_snapshot;
        let found = state.families.get(&family.id()).ok_or_else(|| dropped(family))?;
        let version = found.data.super_version.load().version.clone();
        let input = found.compaction.picker_input(&found.data, &version, oldest_snapshot);
        let Some(compaction) = refit_level(&input, level, target_level)? else { return Ok(()) };
        let picked = register(turn.writing, &mut state, family.id(), compaction, None);
        state.scheduled.compactions_running += 1;
        drop(state);
        turn.carry_out(picked.ok_or_else(|| dropped(family))?)
    }

    pub(crate) fn compact_files(
        self: &Arc<Self>,
        options: &CompactFilesOptions,
        family: &ColumnFamilyHandle,
        numbers: &[u64],
        output_level: usize,
    ) -> Result<()> {
        let writing = self.writing()?;
        let turn = Turn::begin(self, writing, options.canceled.clone(), false)?;
        let mut state = writing.state.lock();
        turn.wait_while_paused(&mut state)?;
        let oldest_snapshot = state.oldest_snapshot;
        let found = state.families.get(&family.id()).ok_or_else(|| dropped(family))?;
        let version = found.data.super_version.load().version.clone();
        let input = found.compaction.picker_input(&found.data, &version, oldest_snapshot);
        let compaction = compaction::compact_files(&input, numbers, output_level, options)?;
        let canceled = Some(turn.canceled.clone());
        let picked = register(writing, &mut state, family.id(), compaction, canceled);
        state.scheduled.compactions_running += 1;
        drop(state);
        turn.carry_out(picked.ok_or_else(|| dropped(family))?)
    }

    pub(crate) fn disable_manual_compaction(&self) -> Result<()> {
        let writing = self.writing()?;
        let mut state = writing.state.lock();
        state.manual.disabled += 1;
        state.manual.under_way.iter().for_each(|flag| flag.store(true, Ordering::Release));
        writing.changed.notify_all();
        while !state.manual.is_idle() {
            writing.changed.wait(&mut state);
        }
        Ok(())
    }

    pub(crate) fn enable_manual_compaction(&self) -> Result<()> {
        let mut state = self.writing()?.state.lock();
        state.manual.disabled = state.manual.disabled.saturating_sub(1);
        Ok(())
    }
}

fn next_step(
    state: &mut DbState,
    family: &ColumnFamilyHandle,
    manual: &mut ManualCompaction,
) -> Result<ManualStep> {
    let oldest_snapshot = state.oldest_snapshot;
    let found = state.families.get(&family.id()).ok_or_else(|| dropped(family))?;
    let version = found.data.super_version.load().version.clone();
    let input = found.compaction.picker_input(&found.data, &version, oldest_snapshot);
    Ok(manual.next_step(&input))
}

/// All versions of the keys: from the newest of the first to the oldest of the last.
fn with_timestamps(
    family: &ColumnFamilyHandle,
    begin: Option<&[u8]>,
    end: Option<&[u8]>,
) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    let size = family.comparator().timestamp_size();
    let with = |key: &[u8], byte: u8| [key, &vec![byte; size]].concat();
    (begin.map(|key| with(key, 0xff)), end.map(|key| with(key, 0)))
}
