//! Changing memtables: a full one takes no more writes and waits for its flush.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::event_listener::{BackgroundErrorReason, MemTableInfo};
use crate::flush_reason::FlushReason;
use crate::write::memtable_stage::ActiveFamily;
use base::{Result, SequenceNumber};
use env::InfoLogLevel;
use memtable::{MemTable, MemTableOptions};
use options::{ColumnFamilyOptions, DbOptions};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How memtables of a column family are made.
pub(crate) fn memtable_options(options: &ColumnFamilyOptions) -> MemTableOptions {
    let as_size = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    MemTableOptions {
        rep_factory: options.memtable_factory.clone(),
        write_buffer_size: as_size(options.write_buffer_size),
        arena_block_size: as_size(options.arena_block_size),
        prefix_bloom_size_ratio: options.memtable_prefix_bloom_size_ratio.clamp(0.0, 0.25),
        whole_key_filtering: options.memtable_whole_key_filtering,
        prefix_extractor: options.prefix_extractor.clone(),
        insert_hint_extractor: options.memtable_insert_with_hint_prefix_extractor.clone(),
        memory: None,
        huge_page_size: as_size(options.memtable_huge_page_size),
        max_range_deletions: options.memtable_max_range_deletions,
        column_family_id: 0,
    }
}

/// A memtable to follow those of `family`.
pub(crate) fn new_memtable(
    family: &ColumnFamilyData,
    id: u64,
    creation_sequence: SequenceNumber,
) -> MemTable {
    let memory = family.memtable_memory.clone();
    let column_family_id = family.id;
    let options =
        MemTableOptions { memory, column_family_id, ..memtable_options(&family.options()) };
    MemTable::new(family.comparator.clone(), &options).with_identity(id, creation_sequence)
}

/// Bytes of WALs at which the oldest is given up (`max_total_wal_size`); by default four times what
/// memtables may hold.
pub(crate) fn max_total_wal_size_bytes(
    options: &DbOptions,
    families: &[Arc<ColumnFamilyData>],
) -> u64 {
    match options.max_total_wal_size {
        0 => families
            .iter()
            .fold(0_u64, |sum, family| sum.saturating_add(wal_size_share_bytes(options, family))),
        size => size,
    }
}

/// What one more column family adds to that.
pub(crate) fn wal_size_share_bytes(options: &DbOptions, family: &ColumnFamilyData) -> u64 {
    if options.max_total_wal_size > 0 {
        return 0;
    }
    let family = family.options();
    let buffers = u64::try_from(family.max_write_buffer_number).unwrap_or(0);
    family.write_buffer_size.saturating_mul(buffers).saturating_mul(4)
}

/// `memtable_huge_page_size` is what the system can give, or not.
fn say_if_huge_pages_are_missing(writing: &Writing) {
    if let Some(size) = writing.memtable_memory.take_refusal_of_huge_pages() {
        writing.info_log.say_later(
            InfoLogLevel::Warn,
            format_args!(
                "memtable_huge_page_size={size}: the system has no such huge pages free, so memtables \
                 have ordinary ones; nr_hugepages below /sys/kernel/mm/hugepages sets some aside."
            ),
        );
    }
}

impl DbImpl {
    /// Changes the memtables that are full, and more of them where all WALs or all memtables
    /// together have become too large.
    pub(crate) fn make_room_for_write(self: &Arc<Self>, stage: &mut WriteStage) -> Result<()> {
        let mut wanted = std::mem::take(&mut stage.found.full);
        let mut forced = Vec::new();
        // The WALs of a single column family are as long as its memtables let them become.
        let is_shared = stage.memtables.families().len() > 1;
        if is_shared && stage.wal.total_size_bytes() > stage.max_total_wal_size_bytes {
            let reason = FlushReason::WalFull;
            forced.extend(families_of_oldest_wal(stage).into_iter().map(|id| (id, reason)));
        }
        if self.is_over_budget(stage)? {
            let reason = FlushReason::WriteBufferManager;
            forced.extend(self.oldest_to_flush(stage)?.into_iter().map(|id| (id, reason)));
        }
        if wanted.is_empty() && forced.is_empty() {
            return Ok(());
        }
        wanted.extend(forced.iter().map(|(id, _)| *id));
        if self.options().atomic_flush {
            wanted = stage.memtables.families().iter().map(|family| family.data.id).collect();
        }
        if let Some(stats) = self.lagging_stats_family(stage, &wanted, |_| true) {
            let reason = forced.first().map_or(FlushReason::WriteBufferFull, |(_, reason)| *reason);
            forced.push((stats, reason));
            wanted.push(stats);
        }
        wanted.sort_unstable();
        wanted.dedup();
        self.switch_memtables(stage, &wanted)?;
        self.request_flush(&wanted, &forced);
        Ok(())
    }

    /// Turns the writes of column families to new memtables, where the old ones hold anything.
    pub(crate) fn switch_memtables(&self, stage: &mut WriteStage, ids: &[u32]) -> Result<()> {
        let writing = self.writing()?;
        let holds_any = |id: &u32| {
            stage.memtables.family(*id).is_some_and(|family| !family.memtable.is_empty())
        };
        let ids: Vec<u32> = ids.iter().copied().filter(holds_any).collect();
        if ids.is_empty() {
            return Ok(());
        }
        if !stage.wal.is_current_empty() || stage.wal.current_number() == 0 {
            let number = writing.file_numbers.next();
            if let Err(status) = stage.wal.start(number) {
                self.set_background_error(BackgroundErrorReason::WriteCallback, &status);
                return Err(status);
            }
        }
        self.sample_sequence_times();
        self.keep_memory_of_memtables(writing);
        say_if_huge_pages_are_missing(writing);
        let wal_number = stage.wal.current_number();
        let last_sequence = self.visibility.last_sequence();
        let mut retired = Vec::new();
        let mut state = writing.state.lock();
        for id in &ids {
            let Some(family) = state.family_mut(*id) else { continue };
            let memtable =
                Arc::new(new_memtable(&family.data, family.next_memtable_id, last_sequence));
            family.next_memtable_id += 1;
            let full = std::mem::replace(&mut family.active, memtable.clone());
            full.mark_immutable();
            writing.events.memtable_sealed(MemTableInfo {
                cf_name: family.data.name.clone(),
                first_seqno: full.first_sequence().unwrap_or(0),
                earliest_seqno: full.earliest_sequence(),
                num_entries: full.num_entries(),
                num_deletes: full.num_deletes(),
            });
            full.set_next_log_number(wal_number);
            let hidden = full.hidden_slot().clone();
            let state_before = family.data.super_version.load().number;
            family.immutables.push(full, wal_number);
            retired.push(family.install_memtables());
            let state_now = family.data.super_version.load().number;
            memtable.take_hidden(&hidden, state_before, state_now);
            writing.info_log.say_later(
                InfoLogLevel::Info,
                format_args!(
                    "[{}] New memtable created with log file: #{wal_number}. Immutable memtables: \
                     {}.",
                    family.data.name,
                    family.immutables.len()
                ),
            );
            stage.memtables.set(ActiveFamily::new(family.data.clone(), memtable));
        }
        // What holds nothing in memory needs no older WAL.
        for family in state.families.values().filter(|family| !family.is_in_memory()) {
            family.data.log_number.fetch_max(wal_number, Ordering::AcqRel);
        }
        for id in ids {
            state.update_stall_of_memtables(writing, id);
        }
        drop(state);
        drop(retired);
        Ok(())
    }

    /// [`max_total_wal_size_bytes`] as column families are now.
    pub(crate) fn max_total_wal_size_bytes(&self) -> u64 {
        max_total_wal_size_bytes(&self.options(), &self.families.load())
    }

    /// Whether a memtable is to go because all together are too large: those of this database
    /// (`db_write_buffer_size`), or of all that share a write-buffer manager.
    fn is_over_budget(self: &Arc<Self>, stage: &WriteStage) -> Result<bool> {
        if let Some(manager) = &self.context.write_buffer_manager {
            return Ok(self.is_to_relieve(manager));
        }
        if stage.db_write_buffer_size == 0 {
            return Ok(false);
        }
        let limit = usize::try_from(stage.db_write_buffer_size).unwrap_or(usize::MAX);
        Ok(self.writing()?.memtable_memory.should_flush(limit))
    }

    /// The column family whose memtable takes writes for longest. Not one that has others to flush:
    /// these are on their way.
    pub(crate) fn oldest_to_flush(&self, stage: &WriteStage) -> Result<Option<u32>> {
        let writing = self.writing()?;
        let state = writing.state.lock();
        let flushes = |id: &u32| {
            state.families.get(id).is_some_and(|family| {
                !family.immutables.is_empty()
                    && (family.is_flush_requested || family.immutables.is_flushing())
            })
        };
        let families = stage.memtables.families().iter();
        let oldest = families
            .filter(|family| !family.memtable.is_empty() && !flushes(&family.data.id))
            .min_by_key(|family| family.memtable.creation_sequence());
        Ok(oldest.map(|family| family.data.id))
    }
}

/// Column families whose memtables, be it those that wait for a flush, may keep the oldest WAL.
fn families_of_oldest_wal(stage: &mut WriteStage) -> Vec<u32> {
    let Some(oldest) = stage.wal.live_numbers().next() else { return Vec::new() };
    // Once is enough: its flushes are under way.
    if oldest <= stage.wal_given_up {
        return Vec::new();
    }
    stage.wal_given_up = oldest;
    let families = stage.memtables.families().iter();
    let keeps = |family: &&ActiveFamily| family.data.log_number.load(Ordering::Acquire) <= oldest;
    families.filter(keeps).map(|family| family.data.id).collect()
}
