//! Damaged tables.

use crate::peer::{self, Run, compare};
use crate::{Difference, about};
use std::fmt;
use std::fs;
use testing::corrupt::{self, Damage};
use testing::{fixtures, parallel};

/// A damage done to a table.
struct Case<'a> {
    table: &'a [u8],
    damage: Damage,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.damage.fmt(formatter)
    }
}

/// Runs both tools over the damaged table.
fn run_both(case: &Case<'_>, line: &str) -> (Vec<String>, Run, Run) {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("000009.sst");
    fs::write(&path, case.damage.apply(case.table)).expect("table");
    let arguments = about(&path, line);
    let theirs = peer::run_in(directory.path(), peer::theirs, &arguments);
    let ours = peer::run_in(directory.path(), peer::ours, &arguments);
    (arguments, theirs, ours)
}

/// Runs both tools over a table with every one of these damages, and `judge`s where they differ.
fn compare_damaged(
    table: &[u8],
    damages: Vec<Damage>,
    line: &str,
    judge: impl Fn(&Run, &Run) -> Option<Difference> + Sync,
) {
    if !peer::is_here() {
        return;
    }
    let cases: Vec<_> = damages.into_iter().map(|damage| Case { table, damage }).collect();
    parallel::for_each(&cases, |case| {
        let (arguments, theirs, ours) = run_both(case, line);
        match compare(&arguments, &theirs, &ours) {
            Err(_) if judge(&theirs, &ours).is_some() => Ok(()),
            other => other,
        }
    });
}

const OLD_VERSION: &str =
    "Not able to read table properties\nSst file format: block-based(old version)\n";

/// Allows for what theirs announces of files whose end is damaged, and for crashes.
fn judge_end(theirs: &Run, ours: &Run) -> Option<Difference> {
    if ours.status != Some(1) || ours.stderr.is_empty() {
        return None;
    }
    if theirs.status.is_none() {
        return Some(Difference::Crash);
    }
    let announced = ["Sst file format: block-based\n", OLD_VERSION];
    let is_same = announced.iter().any(|announced| {
        String::from_utf8_lossy(&theirs.stdout).replace(announced, "").as_bytes() == ours.stdout
    });
    (theirs.status == Some(1) && is_same).then_some(Difference::FormatOfNoTable)
}

#[test]
fn every_byte_flipped_and_every_length_with_checksums() {
    let table = fixtures::one("7.8.3", "t04").file("000018.sst");
    let line = "--command=scan --output_hex --verify_checksum --show_properties --show_summary";
    compare_damaged(&table, corrupt::all(table.len()), line, judge_end);
}

#[test]
fn flipped_bytes_in_a_raw_dump() {
    let table = fixtures::one("6.29.5", "c05").file("000014.sst");
    let flips = corrupt::flips(table.len(), &[0x11]).step_by(7).collect();
    compare_damaged(&table, flips, "--command=raw", |theirs, ours| {
        let is_named = ours.stderr.contains("Corruption: ");
        match (theirs.status, ours.status) {
            (Some(0), Some(1)) if is_named => Some(Difference::DamagedPartition),
            _ => judge_end(theirs, ours),
        }
    });
}

#[test]
fn flipped_bytes_in_a_data_block_without_checksums() {
    /// The one data block, uncompressed, is at the start of the table.
    const BLOCK_SIZE_BYTES: usize = 498;
    const LINE: &str = "--command=scan --output_hex";
    let table = fixtures::one("6.29.5", "b01").file("000014.sst");
    let entry_count = |run: &Run| run.stdout.iter().filter(|&&byte| byte == b'\n').count();
    let undamaged = {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("000009.sst");
        fs::write(&path, &table).expect("table");
        peer::ours(&about(&path, LINE))
    };
    let flips = corrupt::flips(BLOCK_SIZE_BYTES, &[0x11]).step_by(3).collect();
    compare_damaged(&table, flips, LINE, |_, ours| {
        let has_all = entry_count(ours) == entry_count(&undamaged);
        let is_named = ours.stderr.contains("at offset 0: ");
        (ours.status == Some(0) && (has_all || is_named)).then_some(Difference::DamagedBlock)
    });
}
