//! Options of calls as a library takes them.

use super::status::status_of;
use base::{Result, Status};
use db::{ReadOptions, WriteOptions};
use librocksdb::{Failure, Library, ReadOption};
use std::sync::Arc;

/// Options for reads: those that are not at their default.
///
/// # Errors
/// `NotSupported` for one that is not at its default and that a library cannot be given.
pub(super) fn read_options(
    library: &Arc<Library>,
    wanted: &ReadOptions,
) -> Result<librocksdb::ReadOptions> {
    check_reads(wanted)?;
    let mut given = Vec::new();
    for (option, value, is_off) in changed(wanted) {
        match librocksdb::ReadOptions::new(library, &[(option, value)]) {
            Ok(_) => given.push((option, value)),
            // What a release does not have is off in it.
            Err(Failure::Unsupported(_)) if is_off => {}
            Err(failure) => return Err(status_of(failure)),
        }
    }
    let mut options = librocksdb::ReadOptions::new(library, &given).map_err(status_of)?;
    let (lower, upper) = (&wanted.iterate_lower_bound, &wanted.iterate_upper_bound);
    if lower.is_some() || upper.is_some() {
        options.set_bounds(lower.as_deref(), upper.as_deref()).map_err(status_of)?;
    }
    Ok(options)
}

/// Options that are not at our default, with their values, and whether that is how a release is
/// that lacks them.
fn changed(wanted: &ReadOptions) -> Vec<(ReadOption, u64, bool)> {
    type Of = fn(&ReadOptions) -> u64;
    const ROWS: &[(ReadOption, Of, u64)] = &[
        (ReadOption::VerifyChecksums, |o| o.verify_checksums.into(), 1),
        (ReadOption::FillCache, |o| o.fill_cache.into(), 1),
        (ReadOption::ReadTier, |o| o.read_tier as u64, 0),
        (ReadOption::TotalOrderSeek, |o| o.total_order_seek.into(), 0),
        (ReadOption::AutoPrefixMode, |o| o.auto_prefix_mode.into(), 0),
        (ReadOption::PrefixSameAsStart, |o| o.prefix_same_as_start.into(), 0),
        (ReadOption::ReadaheadSize, |o| o.readahead_size, 0),
        (ReadOption::PinData, |o| o.pin_data.into(), 0),
        (ReadOption::Tailing, |o| o.tailing.into(), 0),
        (ReadOption::IgnoreRangeDeletions, |o| o.ignore_range_deletions.into(), 0),
        (ReadOption::MaxSkippableInternalKeys, |o| o.max_skippable_internal_keys, 0),
        (ReadOption::ValueSizeSoftLimit, |o| o.value_size_soft_limit, u64::MAX),
        (ReadOption::AsyncIo, |o| o.async_io.into(), 0),
        (ReadOption::OptimizeMultigetForIo, |o| o.optimize_multiget_for_io.into(), 0),
        (ReadOption::AdaptiveReadahead, |o| o.adaptive_readahead.into(), 0),
        (ReadOption::AutoReadaheadSize, |o| o.auto_readahead_size.into(), 0),
        (ReadOption::BackgroundPurge, |o| o.background_purge_on_iterator_cleanup.into(), 0),
        (ReadOption::AutoRefresh, |o| o.auto_refresh_iterator_with_snapshot.into(), 0),
    ];
    let defaults = ReadOptions::default();
    let rows = ROWS.iter().map(|(option, of, off)| (*option, of(wanted), of(&defaults), *off));
    rows.filter(|(_, value, default, _)| value != default)
        .map(|(option, value, _, off)| (option, value, value == off))
        .collect()
}

/// Whether all options are at their defaults that libraries are not given.
fn check_reads(wanted: &ReadOptions) -> Result<()> {
    let defaults = ReadOptions::default();
    let rest = ReadOptions {
        snapshot: wanted.snapshot,
        timestamp: wanted.timestamp.clone(),
        iter_start_ts: wanted.iter_start_ts.clone(),
        deadline: wanted.deadline,
        io_timeout: wanted.io_timeout,
        rate_limiter_priority: wanted.rate_limiter_priority,
        merge_operand_count_threshold: wanted.merge_operand_count_threshold,
        allow_unprepared_value: wanted.allow_unprepared_value,
        table_filter: wanted.table_filter.clone(),
        request_id: wanted.request_id.clone(),
        ..defaults.clone()
    };
    match rest == defaults {
        true => Ok(()),
        false => Err(Status::not_supported(
            "libraries of RocksDB are read without timestamps, deadlines, priorities, thresholds, filters \
             of tables and request ids here",
        )),
    }
}

/// Options for writes.
///
/// # Errors
/// As [`read_options`].
pub(super) fn write_options(
    library: &Arc<Library>,
    wanted: &WriteOptions,
) -> Result<librocksdb::WriteOptions> {
    let WriteOptions { sync, disable_wal, no_slowdown, low_pri, .. } = *wanted;
    let known = WriteOptions { sync, disable_wal, no_slowdown, low_pri, ..WriteOptions::default() };
    if known != *wanted {
        return Err(Status::not_supported(
            "libraries of RocksDB are written to with sync, disable_wal, no_slowdown and low_pri \
             alone here",
        ));
    }
    librocksdb::WriteOptions::new(library, sync, disable_wal, no_slowdown, low_pri)
        .map_err(status_of)
}
