//! Process crashes, in short; `scripts/stress crash --rounds=500` is the long form.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use env::FileOptions;
use std::path::Path;
use stress::process_crash::{Campaign, Readers, Sabotage, Tally, directory_of};

fn run(readers: &Readers, (seed, rounds): (u64, u64), sabotage: Sabotage) -> Result<Tally, String> {
    let directory = tempfile::tempdir_in(directory_of(seed)).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_touchstone-stress"));
    let mut tally = Tally::default();
    let campaign = Campaign { program, directory: directory.path(), sabotage, readers };
    let result = campaign.run(seed, rounds, &mut tally);
    let again = |why| format!("scripts/stress crash --seed={seed} --rounds={rounds}: {why}");
    result.map(|()| tally).map_err(again)
}

#[test]
fn what_was_acknowledged_outlives_the_process() {
    let readers = Readers::installed();
    // Tables of one database are in directories of their own, another takes tables in: `ldb` is not
    // asked about them.
    let alone = run(&readers, (30, 10), Sabotage::None).unwrap();
    let spread = run(&readers, (1, 8), Sabotage::None).unwrap();
    let takes_in = run(&readers, (6, 8), Sabotage::None).unwrap();
    for tally in [alone, spread, takes_in] {
        assert!(tally.kills_in_writes > 3 && tally.acknowledged > 1_000, "{tally:?}");
        assert!(!readers.has_library() || tally.library_readings > 5, "{tally:?}");
    }
    assert!(!readers.has_ldb() || alone.ldb_readings > 5, "{alone:?}");
    assert!(takes_in.ingested > 3, "{takes_in:?}");
}

/// Logs that were mapped when the process was killed, if there is a file system here that can.
#[test]
fn mapped_logs_outlive_the_process() {
    let tally = run(&Readers::installed(), (3, 8), Sabotage::None).unwrap();
    assert!(!can_map(&std::env::temp_dir()) || tally.mapped > 0, "{tally:?}");
}

fn can_map(directory: &Path) -> bool {
    let directory = tempfile::tempdir_in(directory).unwrap();
    let options = FileOptions { use_mapped_writes: true, ..FileOptions::default() };
    let made = env::default_file_system()
        .new_writable_file(&directory.path().join("file"), &options)
        .unwrap();
    made.mapped_size().is_some()
}

/// Writes that are acknowledged too early are missed.
#[test]
fn an_early_acknowledgement_is_found() {
    let why = run(&Readers::installed(), (1, 10), Sabotage::EarlyAcknowledgement).unwrap_err();
    assert!(why.contains("the content is that of no number of writes"), "{why}");
}
