//! Process crashes, in short; `scripts/stress crash --rounds=500` is the long form.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::path::Path;
use stress::process_crash::{Campaign, Sabotage, Tally, ldb_is_installed};

fn run(seed: u64, rounds: u64, sabotage: Sabotage) -> Result<Tally, String> {
    let directory = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_touchstone-stress"));
    let mut tally = Tally::default();
    let campaign = Campaign { program, directory: directory.path(), sabotage };
    let result = campaign.run(seed, rounds, &mut tally);
    let again = |why| format!("scripts/stress crash --seed={seed} --rounds={rounds}: {why}");
    result.map(|()| tally).map_err(again)
}

#[test]
fn what_was_acknowledged_outlives_the_process() {
    let tally = run(1, 15, Sabotage::None).unwrap();
    assert!(tally.kills_in_writes > 5 && tally.acknowledged > 1_000, "{tally:?}");
    if !ldb_is_installed() {
        assert!(std::env::var_os("CI").is_none(), "ldb is not installed");
        println!("skipped: RocksDB's ldb is not installed");
    } else {
        assert!(tally.ldb_readings > 10, "{tally:?}");
    }
}

/// Writes that are acknowledged too early are missed.
#[test]
fn an_early_acknowledgement_is_found() {
    let why = run(1, 10, Sabotage::EarlyAcknowledgement).unwrap_err();
    assert!(why.contains("the content is that of no number of writes"), "{why}");
}
