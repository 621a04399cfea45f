//! Options as RocksDB corrects them when it opens a column family.

use crate::column_family::ColumnFamilyDescriptor;
use options::{ColumnFamilyOptions, CompactionStyle, DbOptions, TableFactory};
use version::LevelTargetOptions;

/// `ttl` and `periodic_compaction_seconds` that stand for "whatever fits".
const UNSET_SECONDS: u64 = u64::MAX - 1;
/// What fits: thirty days.
const DEFAULT_SECONDS: u64 = 30 * 24 * 60 * 60;
/// `delayed_write_rate` where nothing sets it, in bytes a second.
const DEFAULT_DELAYED_WRITE_RATE: u64 = 16 << 20;

/// The options that decide when writes stall and what is compacted, made consistent.
pub(crate) fn sanitize_column_family(
    db: &DbOptions,
    family: &ColumnFamilyOptions,
) -> ColumnFamilyOptions {
    // Single options are in their ranges after that; what follows is about several.
    let mut result = family.corrected();
    result.min_write_buffer_number_to_merge =
        result.min_write_buffer_number_to_merge.min(result.max_write_buffer_number - 1);
    if db.atomic_flush {
        result.min_write_buffer_number_to_merge = 1;
    }
    sanitize_level_sizes(db, &mut result);
    sanitize_triggers(&mut result);
    sanitize_ages(&mut result);
    result
}

/// A column family that comes in with its memtables' size in its range. Only at first, as in RocksDB:
/// what is set later is taken as it is.
pub(crate) fn with_memtable_size_in_range(
    descriptor: &ColumnFamilyDescriptor,
) -> ColumnFamilyDescriptor {
    let mut descriptor = descriptor.clone();
    descriptor.options.write_buffer_size = descriptor.options.corrected().write_buffer_size;
    descriptor
}

/// How many levels the versions of a column family have.
pub(crate) fn level_count(db: &DbOptions, family: &ColumnFamilyOptions) -> usize {
    let mut family = family.clone();
    sanitize_level_sizes(db, &mut family);
    usize::try_from(family.num_levels).unwrap_or(1)
}

fn sanitize_level_sizes(db: &DbOptions, result: &mut ColumnFamilyOptions) {
    result.num_levels = match result.compaction_style {
        CompactionStyle::Level => result.num_levels.max(2),
        CompactionStyle::Universal if db.allow_ingest_behind || result.cf_allow_ingest_behind => {
            result.num_levels.max(3)
        }
        _ => result.num_levels.max(1),
    };
    if result.max_bytes_for_level_multiplier <= 0.0 {
        result.max_bytes_for_level_multiplier = 1.0;
    }
    let paths = if result.cf_paths.is_empty() { &db.db_paths } else { &result.cf_paths };
    // Levels cannot be spread over several directories while their sizes change.
    if result.compaction_style != CompactionStyle::Level || paths.len() > 1 {
        result.level_compaction_dynamic_level_bytes = false;
    }
}

fn sanitize_triggers(result: &mut ColumnFamilyOptions) {
    if result.compaction_style == CompactionStyle::Fifo {
        // Too many files are dropped, so that writes need not wait for them.
        result.level0_slowdown_writes_trigger = i32::MAX;
        result.level0_stop_writes_trigger = i32::MAX;
    }
    if result.level0_file_num_compaction_trigger == 0 {
        result.level0_file_num_compaction_trigger = 1;
    }
    result.level0_slowdown_writes_trigger =
        result.level0_slowdown_writes_trigger.max(result.level0_file_num_compaction_trigger);
    result.level0_stop_writes_trigger =
        result.level0_stop_writes_trigger.max(result.level0_slowdown_writes_trigger);
    let hard_limit = result.hard_pending_compaction_bytes_limit;
    let soft_limit = &mut result.soft_pending_compaction_bytes_limit;
    if *soft_limit == 0 || (hard_limit > 0 && *soft_limit > hard_limit) {
        *soft_limit = hard_limit;
    }
}

/// `ttl` and `periodic_compaction_seconds`; 0 turns them off. FIFO compaction goes by `ttl` alone, and
/// universal compaction by the shorter of both.
fn sanitize_ages(result: &mut ColumnFamilyOptions) {
    let is_block_based = result.table_factory == TableFactory::BlockBased;
    let has_filter =
        result.compaction_filter.is_some() || result.compaction_filter_factory.is_some();
    let ttl = &mut result.ttl;
    if *ttl == UNSET_SECONDS {
        *ttl = if is_block_based { DEFAULT_SECONDS } else { 0 };
    }
    let period = &mut result.periodic_compaction_seconds;
    let style = result.compaction_style;
    let has_default = match style {
        CompactionStyle::Level => is_block_based && has_filter,
        CompactionStyle::Universal => is_block_based,
        _ => false,
    };
    if *period == UNSET_SECONDS && has_default {
        *period = DEFAULT_SECONDS;
    }
    if style == CompactionStyle::Universal && *ttl != 0 {
        *period = if *period == 0 { *ttl } else { (*ttl).min(*period) };
    }
    if *period == UNSET_SECONDS {
        *period = 0;
    }
}

/// Bytes a second to which writes are slowed down at first.
pub(crate) fn delayed_write_rate(db: &DbOptions) -> u64 {
    let rates = [db.delayed_write_rate, db.rate_limiter_bytes_per_sec, DEFAULT_DELAYED_WRITE_RATE];
    rates.into_iter().find(|&rate| rate > 0).unwrap_or(DEFAULT_DELAYED_WRITE_RATE)
}

/// The part of sanitized options that decides about sizes and scores of levels.
pub(crate) fn level_target_options(
    family: &ColumnFamilyOptions,
    num_levels: usize,
    rule: version::LevelTargetRule,
) -> LevelTargetOptions {
    let fifo = &family.compaction_options_fifo;
    LevelTargetOptions {
        compaction_style: compaction_style(family.compaction_style),
        num_levels,
        level_compaction_dynamic_level_bytes: family.level_compaction_dynamic_level_bytes,
        max_bytes_for_level_base: family.max_bytes_for_level_base,
        max_bytes_for_level_multiplier: family.max_bytes_for_level_multiplier,
        max_bytes_for_level_multiplier_additional: family
            .max_bytes_for_level_multiplier_additional
            .clone(),
        level0_file_num_compaction_trigger: family.level0_file_num_compaction_trigger,
        preclude_last_level_data: family.preclude_last_level_data_seconds > 0,
        fifo_max_table_files_size: fifo.max_table_files_size,
        fifo_allow_compaction: fifo.allow_compaction || fifo.age_for_warm > 0,
        rule,
    }
}

pub(crate) fn compaction_style(style: CompactionStyle) -> version::CompactionStyle {
    match style {
        CompactionStyle::Level => version::CompactionStyle::Level,
        CompactionStyle::Universal => version::CompactionStyle::Universal,
        CompactionStyle::Fifo => version::CompactionStyle::Fifo,
        CompactionStyle::None => version::CompactionStyle::None,
    }
}

#[cfg(test)]
mod tests;
