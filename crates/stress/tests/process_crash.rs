//! Process crashes, in short; `scripts/stress crash --rounds=500` is the long form.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::path::Path;
use stress::process_crash::{Campaign, Readers, Sabotage, Tally, fast_directory};

fn run(readers: &Readers, (seed, rounds): (u64, u64), sabotage: Sabotage) -> Result<Tally, String> {
    let directory = tempfile::tempdir_in(fast_directory()).unwrap();
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
    // Tables of one database are in directories of their own: `ldb` is not asked about it.
    let alone = run(&readers, (2, 10), Sabotage::None).unwrap();
    let spread = run(&readers, (1, 8), Sabotage::None).unwrap();
    for tally in [alone, spread] {
        assert!(tally.kills_in_writes > 3 && tally.acknowledged > 1_000, "{tally:?}");
        assert!(!readers.has_library() || tally.library_readings > 5, "{tally:?}");
    }
    assert!(!readers.has_ldb() || alone.ldb_readings > 5, "{alone:?}");
}

/// Writes that are acknowledged too early are missed.
#[test]
fn an_early_acknowledgement_is_found() {
    let why = run(&Readers::installed(), (1, 10), Sabotage::EarlyAcknowledgement).unwrap_err();
    assert!(why.contains("the content is that of no number of writes"), "{why}");
}
