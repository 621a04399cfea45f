//! `approximatesizerandom`: sizes of `--batch_size` random ranges at a time;
//! `approximatememtablestats`: how many entries memtables hold of `--batch_size` keys in a row.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::histogram::Histogram;
use base::{Result, Status};
use engines::Engine;
use std::ops::Range;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let (mut total, mut count) = (0u64, 0u64);
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let ranges: Vec<Range<Vec<u8>>> =
            (0..workload.batch_size).map(|_| range(workload, thread)).collect();
        let sizes = target.db.approximate_sizes(&target.families[0], &ranges)?;
        total += sizes.iter().sum::<u64>();
        count += sizes.len() as u64;
        thread.stats.finished_operations(workload.batch_size, OperationType::Other);
    }
    let average = short(total as f64 / count as f64);
    thread.stats.add_message(&format!("(Avg approx size={average})"));
    Ok(())
}

pub(super) fn run_memtables<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let (keys, expected) = (workload.chooser.key_count, workload.batch_size);
    let starts = keys.checked_sub(expected).filter(|starts| *starts > 0).ok_or_else(|| {
        Status::invalid_argument(format!(
            "approximatememtablestats looks at --batch_size={expected} keys in a row, of more keys \
             than that: --num={keys}"
        ))
    })?;
    let mut counts = Histogram::default();
    let mut range = Range { start: Vec::new(), end: Vec::new() };
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let first = thread.random.next_u64() % starts;
        workload.key(first, &mut range.start);
        workload.key(first + expected, &mut range.end);
        counts.add(target.db.approximate_memtable_entries(&target.families[0], &range)?);
        thread.stats.finished_operations(1, OperationType::Other);
    }
    let message = format!("\nReported entry count stats (expected {expected}):\n{counts}");
    thread.stats.add_message(&message);
    Ok(())
}

fn range<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Range<Vec<u8>> {
    let first = workload.chooser.choose(&mut thread.random);
    let second = workload.chooser.choose(&mut thread.random);
    let (mut start, mut end) = (Vec::new(), Vec::new());
    workload.key(first, &mut start);
    workload.key(second, &mut end);
    // By their bytes: with prefixes keys are not in the order of their numbers.
    if start > end { end..start } else { start..end }
}

/// Six digits, as `%g` of C prints a number that is not tiny.
fn short(number: f64) -> String {
    let text = format!("{number:.5e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent.parse::<i32>() {
        Ok(exponent @ 0..6) => trim(&format!("{number:.*}", (5 - exponent) as usize)),
        Ok(exponent) if number != 0.0 => format!("{}e+{exponent:02}", trim(digits)),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests;
