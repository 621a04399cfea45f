//! `multiscan` and `multiscanrandom`: several ranges, one after another, are one operation. RocksDB has
//! a call for them (`MultiScan`) that reads ahead in all of them; here an iterator goes to each.

use super::{Thread, Workload};
use crate::key_generator::average_key_size;
use crate::random::Random64;
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Cursor, Engine};
use std::ops::Range;

/// Entries of a range of `multiscan` without `--seek_nexts`.
const RANGE_ENTRIES: u64 = 50;

/// Ranges that one `multiscanrandom` has at most.
const RANDOM_RANGES_MAX: u64 = 64;
/// Bytes that one of them has at most.
const RANDOM_RANGE_BYTES_MAX: u64 = 1 << 20;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let entries = match flags.uint("seek_nexts") {
        0 => RANGE_ENTRIES,
        nexts => nexts,
    };
    let (count, stride) = (flags.uint("multiscan_size"), flags.uint("multiscan_stride"));
    let span = entries.saturating_add(stride).saturating_mul(count);
    let starts = flags.uint("num").checked_sub(span).filter(|starts| *starts > 0).ok_or_else(|| {
        Status::invalid_argument(format!(
            "multiscan: {count} ranges of {entries} keys with {stride} between them (--multiscan_size, \
             --seek_nexts, --multiscan_stride) need a larger --num"
        ))
    })?;
    let ranges = |random: &mut Random64| {
        let first = random.next_u64() % starts;
        let begins = (0..count).map(|index| first + index * (entries + stride));
        begins.map(|begin| begin..begin + entries).collect()
    };
    let (done, _) = scan_all(workload, thread, ranges)?;
    thread.stats.add_message(&format!("(multiscans:{done})"));
    Ok(())
}

pub(super) fn run_random<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let entry_bytes = average_key_size(flags) + flags.uint("value_size");
    let entries_max = (RANDOM_RANGE_BYTES_MAX / entry_bytes.max(1)).max(1);
    let num = flags.uint("num");
    let ranges = |random: &mut Random64| random_ranges(random, entries_max, num);
    let (done, rows) = scan_all(workload, thread, ranges)?;
    let average = rows.checked_div(done).unwrap_or(0);
    thread.stats.add_message(&format!(
        "(multiscans:{done} rows_scanned:{rows} rows_per_multiscan:{average} \
         max_range_keys:{entries_max})"
    ));
    Ok(())
}

/// Ranges of random sizes at random places, ascending; of those that overlap the later one begins
/// where the one before it ends.
fn random_ranges(random: &mut Random64, entries_max: u64, num: u64) -> Vec<Range<u64>> {
    let count = 1 + random.next_u64() % RANDOM_RANGES_MAX;
    let drawn = (0..count).map(|_| {
        let entries = 1 + random.next_u64() % entries_max;
        let begin = random.next_u64() % (num.saturating_sub(entries) + 1);
        begin..begin + entries
    });
    let mut drawn: Vec<Range<u64>> = drawn.collect();
    drawn.sort_by_key(|range| range.start);
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for range in drawn {
        let begin = ranges.last().map_or(range.start, |last| range.start.max(last.end));
        if begin < range.end {
            ranges.push(begin..range.end);
        }
    }
    ranges
}

/// Scans until enough entries were read: how often, and how many entries.
fn scan_all<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    mut ranges: impl FnMut(&mut Random64) -> Vec<Range<u64>>,
) -> Result<(u64, u64)> {
    let is_reverse = workload.flags.bool("reverse_iterator");
    let (mut done, mut rows) = (0, 0);
    let mut entries = 1;
    let mut limit = workload.limit();
    while !limit.is_done(entries) {
        let target = workload.select_target(&mut thread.random);
        let mut ranges = ranges(&mut thread.random);
        if is_reverse {
            ranges.reverse();
        }
        let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
        let mut found = 0;
        for range in ranges {
            found += scan(workload, &mut iterator, range, is_reverse)?;
        }
        rows += found;
        entries = found.max(1);
        done += 1;
        workload.wait_for_reads(0, 1);
        thread.stats.finished_operations(1, OperationType::MultiScan);
    }
    Ok((done, rows))
}

/// Goes through the keys of a range and counts them.
fn scan<E: Engine>(
    workload: &Workload<'_, E>,
    iterator: &mut E::Cursor<'_>,
    range: Range<u64>,
    is_reverse: bool,
) -> Result<u64> {
    let (mut begin, mut end) = (Vec::new(), Vec::new());
    workload.key(range.start, &mut begin);
    workload.key(range.end, &mut end);
    let mut found = 0;
    if is_reverse {
        iterator.seek_for_prev(&end);
        if iterator.valid() && iterator.key() == end {
            iterator.prev();
        }
        while iterator.valid() && iterator.key() >= &begin[..] {
            found += 1;
            iterator.prev();
        }
    } else {
        iterator.seek(&begin);
        while iterator.valid() && iterator.key() < &end[..] {
            found += 1;
            iterator.next();
        }
    }
    iterator.status().map(|()| found)
}

#[cfg(test)]
mod tests;
