//! Power losses, in short; `scripts/stress power-loss --rounds=1000` is the long form.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::time::Duration;
use stress::dishonest_fs::Lie;
use stress::power_loss::{Sabotage, Tally, round};
use stress::watchdog::within;

fn run(seed: u64, sabotage: Sabotage) -> Result<Tally, String> {
    let result = within(Duration::from_secs(120), move || round(seed, sabotage));
    result.map_err(|why| format!("scripts/stress power-loss --seed={seed}: {why}"))
}

#[test]
fn what_was_safe_survives() {
    let mut tally = Tally::default();
    for seed in 1..=60 {
        tally.add(&run(seed, Sabotage::None).unwrap());
    }
    assert!(tally.losses_in_writes > 60 && tally.losses_in_opens > 10, "{tally:?}");
    assert!(tally.safe > 1_000 && tally.survived < tally.tried, "{tally:?}");
}

/// A check that finds nothing wrong where syncs are left out would find nothing in an engine that
/// forgets them.
#[test]
fn what_is_broken_on_purpose_is_found() {
    let sabotages = [
        Sabotage::Disk(Lie::Wals),
        Sabotage::Disk(Lie::Tables),
        Sabotage::Disk(Lie::Manifests),
        Sabotage::Disk(Lie::Directories),
        Sabotage::ReplayWithHoles,
    ];
    for sabotage in sabotages {
        let found = (1..=300).find(|seed| run(*seed, sabotage).is_err());
        assert!(found.is_some(), "{sabotage:?} goes unnoticed");
    }
}
