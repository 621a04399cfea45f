//! Properties that are numbers.

use crate::property::compaction_need::is_compaction_pending;
use crate::property::live_data_size;
use crate::property::source::{LEVEL_TARGET_RULE, Source, blob_file_size};
use cache::Cache;
use memtable::MemTable;
use options::CompactionStyle;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn sum(tables: &[Arc<MemTable>], of: impl Fn(&MemTable) -> u64) -> u64 {
    tables.iter().map(|table| of(table)).sum()
}

fn active(source: &Source<'_>, of: impl Fn(&MemTable) -> u64) -> u64 {
    source.memtables().0.map_or(0, of)
}

/// Of a memtable that takes writes RocksDB tells what its arena has allocated.
fn allocated_bytes(table: &MemTable) -> u64 {
    table.approximate_memory_allocated() as u64
}

/// Of others, what is in use.
fn used_bytes(table: &MemTable) -> u64 {
    table.approximate_memory_usage() as u64
}

pub(super) fn immutable_memtables(source: &Source<'_>) -> Option<u64> {
    Some(source.memtables().1.len() as u64)
}

pub(super) fn active_memtable_bytes(source: &Source<'_>) -> Option<u64> {
    Some(active(source, allocated_bytes))
}

pub(super) fn memtable_bytes(source: &Source<'_>) -> Option<u64> {
    Some(active(source, allocated_bytes) + sum(source.memtables().1, used_bytes))
}

pub(super) fn active_memtable_entries(source: &Source<'_>) -> Option<u64> {
    Some(active(source, MemTable::num_entries))
}

pub(super) fn immutable_memtable_entries(source: &Source<'_>) -> Option<u64> {
    Some(sum(source.memtables().1, MemTable::num_entries))
}

pub(super) fn active_memtable_deletes(source: &Source<'_>) -> Option<u64> {
    Some(active(source, MemTable::num_deletes))
}

pub(super) fn immutable_memtable_deletes(source: &Source<'_>) -> Option<u64> {
    Some(sum(source.memtables().1, MemTable::num_deletes))
}

/// A deletion counts twice: it is an entry and removes one.
pub(super) fn estimated_keys(source: &Source<'_>) -> Option<u64> {
    let memtables = &source.super_version.memtables;
    let in_tables = source.table_stats().estimated_keys(source.version().files().count());
    let entries = in_tables.saturating_add(sum(memtables, MemTable::num_entries));
    Some(entries.saturating_sub(2 * sum(memtables, MemTable::num_deletes)))
}

pub(super) fn live_table_bytes(source: &Source<'_>) -> Option<u64> {
    let mut seen = HashSet::new();
    let files = source.version().files();
    Some(files.fold(0, |sum: u64, (_, file)| {
        let counts = seen.insert((file.number, file.path_id));
        if counts { sum.saturating_add(file.file_size) } else { sum }
    }))
}

/// Tables of all versions that something still reads.
pub(super) fn table_bytes(source: &Source<'_>) -> Option<u64> {
    let mut files = HashMap::new();
    for version in source.live_versions() {
        files
            .extend(version.files().map(|(_, file)| ((file.number, file.path_id), file.file_size)));
    }
    Some(files.values().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes)))
}

/// Blob files of all versions that something still reads.
pub(super) fn blob_file_bytes(source: &Source<'_>) -> Option<u64> {
    let mut files = HashMap::new();
    for version in source.live_versions() {
        files.extend(version.blob_files().iter().map(|file| (file.number(), blob_file_size(file))));
    }
    Some(files.values().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes)))
}

pub(super) fn obsolete_table_bytes(source: &Source<'_>) -> Option<u64> {
    let writing = source.db.writing.as_ref();
    Some(writing.map_or(0, |writing| writing.versions.lock().obsolete_table_bytes()))
}

/// 0 only while a user has disabled them.
pub(super) fn file_deletions_enabled(source: &Source<'_>) -> Option<u64> {
    let writing = source.db.writing.as_ref();
    Some(u64::from(writing.is_none_or(|w| !w.file_deletions.lock().is_disabled())))
}

/// The largest number if no job runs.
pub(super) fn smallest_protected_output(source: &Source<'_>) -> Option<u64> {
    let writing = source.db.writing.as_ref();
    Some(writing.and_then(|w| w.file_deletions.lock().smallest_output()).unwrap_or(u64::MAX))
}

pub(super) fn compaction_aborts(source: &Source<'_>) -> Option<u64> {
    Some(source.live_state(|state| state.compaction_aborts).unwrap_or(0) as u64)
}

pub(super) fn live_versions(source: &Source<'_>) -> Option<u64> {
    Some(source.live_versions().len() as u64)
}

pub(super) fn live_data_size(source: &Source<'_>) -> Option<u64> {
    Some(live_data_size::estimate(source.version(), &source.family.comparator))
}

/// Known only where data never moves from file to file: in FIFO compaction without compaction of
/// small files.
pub(super) fn oldest_key_time(source: &Source<'_>) -> Option<u64> {
    let options = &source.options;
    if options.compaction_style != CompactionStyle::Fifo
        || options.compaction_options_fifo.allow_compaction
    {
        return None;
    }
    let tables = source.table_properties(None).ok()?;
    let in_tables = tables.iter().map(|table| table.oldest_key_time);
    // Records of WALs count as written when they were read again.
    let memtables = source.super_version.memtables.iter();
    let replayed = memtables.filter(|table| !table.is_empty());
    let in_memory = replayed.map(|_| source.family.stats.opened_at_secs());
    in_tables.chain(in_memory).min().filter(|&time| time > 0)
}

pub(super) fn base_level(source: &Source<'_>) -> Option<u64> {
    let level = source.current_levels().targets.base_level;
    // RocksDB's "none" is -1.
    Some(level.map_or(u64::MAX, |level| level as u64))
}

pub(super) fn pending_compaction_bytes(source: &Source<'_>) -> Option<u64> {
    if let Some(bytes) = source.live(|family| family.stall.state.pending_compaction_bytes) {
        return Some(bytes);
    }
    Some(source.current_levels().pending_compaction_bytes)
}

pub(super) fn compaction_pending(source: &Source<'_>) -> Option<u64> {
    let oldest_snapshot = source.live_state(|state| state.oldest_snapshot).unwrap_or(0);
    let is_pending = source.live(|family| {
        let version = &source.super_version.version;
        compaction::needs_compaction(&family.compaction.picker_input(
            &family.data,
            version,
            oldest_snapshot,
        ))
    });
    if let Some(is_pending) = is_pending {
        return Some(u64::from(is_pending));
    }
    let scores = source.level_state(LEVEL_TARGET_RULE).scores;
    let is_pending = source
        .with_ages(|ages| is_compaction_pending(source.version(), &source.options, &scores, ages));
    Some(u64::from(is_pending))
}

/// Whether memtables wait for a flush that does not run yet.
pub(super) fn flush_pending(source: &Source<'_>) -> Option<u64> {
    let is_pending = source.live(|family| {
        let immutables = &family.immutables;
        family.is_flush_requested && !immutables.is_empty() && !immutables.is_flushing()
    });
    Some(u64::from(is_pending.unwrap_or(false)))
}

/// Of all column families.
pub(super) fn running_compactions(source: &Source<'_>) -> Option<u64> {
    let running = source.live_state(|state| state.scheduled.compactions_running);
    Some(running.unwrap_or(0) as u64)
}

/// Sorted runs that they read, of all column families.
pub(super) fn running_sorted_runs(source: &Source<'_>) -> Option<u64> {
    let runs = source.live_state(|state| {
        state.families.values().map(|f| f.compaction.in_progress.sorted_runs() as u64).sum()
    });
    Some(runs.unwrap_or(0))
}

/// Column families in the queue of those that need compaction that no job was scheduled for yet.
pub(super) fn unscheduled_compactions(source: &Source<'_>) -> Option<u64> {
    let waiting = source.live_state(|state| {
        state.compaction_queue.len().saturating_sub(state.scheduled.compactions_waiting)
    });
    Some(waiting.unwrap_or(0) as u64)
}

/// Of all column families.
pub(super) fn running_flushes(source: &Source<'_>) -> Option<u64> {
    // Those that went aside for another one do nothing meanwhile.
    let running =
        source.live_state(|state| state.scheduled.flushes_running - state.scheduled.flushes_left);
    Some(running.unwrap_or(0) as u64)
}

/// Of all column families.
pub(super) fn background_errors(source: &Source<'_>) -> Option<u64> {
    Some(source.live_state(|state| state.errors.count).unwrap_or(0))
}

pub(super) fn delayed_write_rate(source: &Source<'_>) -> Option<u64> {
    Some(source.write_controller().actual_delayed_write_rate())
}

pub(super) fn is_write_stopped(source: &Source<'_>) -> Option<u64> {
    Some(u64::from(source.write_controller().is_stopped()))
}

pub(super) fn min_log_number_to_keep(source: &Source<'_>) -> Option<u64> {
    Some(match &source.db.writing {
        Some(writing) => writing.versions.lock().min_log_number_to_keep(),
        None => match &source.db.secondary {
            Some(secondary) => secondary.min_log_number_to_keep.load(Ordering::Acquire),
            None => source.db.recovered.min_log_number_to_keep,
        },
    })
}

/// Tables that no read has opened yet take no memory.
pub(super) fn table_readers_bytes(source: &Source<'_>) -> Option<u64> {
    let tables = &source.family.tables.cache;
    let open = source.version().files().filter_map(|(_, file)| tables.get(file.number));
    Some(open.map(|table| table.approximate_memory_usage_bytes() as u64).sum())
}

pub(super) fn block_cache_capacity(source: &Source<'_>) -> Option<u64> {
    let tables = source.family.tables.options.load();
    let cache = tables.block_cache.as_ref()?;
    Some(cache.capacity_bytes() as u64)
}

pub(super) fn block_cache_usage(source: &Source<'_>) -> Option<u64> {
    let tables = source.family.tables.options.load();
    let cache = tables.block_cache.as_ref()?;
    Some(cache.usage_bytes() as u64)
}

pub(super) fn block_cache_pinned_usage(source: &Source<'_>) -> Option<u64> {
    let tables = source.family.tables.options.load();
    let cache = tables.block_cache.as_ref()?;
    Some(cache.pinned_usage_bytes() as u64)
}

/// Snapshots of a database that is open for reading are not counted: they hold nothing back.
pub(super) fn snapshots(source: &Source<'_>) -> Option<u64> {
    Some(source.db.writing.as_ref().map_or(0, |writing| writing.snapshots.count()))
}

pub(super) fn oldest_snapshot_time(source: &Source<'_>) -> Option<u64> {
    let writing = source.db.writing.as_ref();
    Some(writing.and_then(|writing| writing.snapshots.oldest_time_secs()).unwrap_or(0))
}

pub(super) fn oldest_snapshot_sequence(source: &Source<'_>) -> Option<u64> {
    let writing = source.db.writing.as_ref();
    Some(writing.and_then(|writing| writing.snapshots.oldest()).unwrap_or(0))
}

fn blob_cache(source: &Source<'_>, of: impl Fn(&dyn Cache) -> usize) -> Option<u64> {
    let cache = source.super_version.resolver.blobs.source.cache()?;
    Some(of(&**cache) as u64)
}

pub(super) fn blob_cache_capacity(source: &Source<'_>) -> Option<u64> {
    blob_cache(source, |cache| cache.capacity_bytes())
}

pub(super) fn blob_cache_usage(source: &Source<'_>) -> Option<u64> {
    blob_cache(source, |cache| cache.usage_bytes())
}

pub(super) fn blob_cache_pinned_usage(source: &Source<'_>) -> Option<u64> {
    blob_cache(source, |cache| cache.pinned_usage_bytes())
}
