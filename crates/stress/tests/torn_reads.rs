//! Reads that meet writes, in short; `scripts/stress torn-reads --operations=1000000000` is the long form.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::time::Duration;
use stress::torn_reads::{Campaign, Container, Sabotage, Tally};
use stress::watchdog::within;

fn run(container: Container, seed: u64, sabotage: Sabotage) -> Result<Tally, String> {
    let campaign = Campaign { container, readers: 3, sabotage };
    let result = within(Duration::from_secs(120), move || campaign.round(seed));
    result.map_err(|why| format!("{container:?}, seed {seed}: {why}"))
}

#[test]
fn who_reads_finds_what_was_there() {
    for (_, container) in Container::ALL {
        let mut tally = Tally::default();
        for seed in 1..=12 {
            tally.add(&run(container, seed, Sabotage::None).unwrap());
        }
        assert!(tally.records >= 600_000 && tally.operations > 100_000, "{tally:?}");
    }
}

/// A check that does not miss what is not there yet would not miss what a torn read passes over.
#[test]
fn records_said_to_be_there_too_early_are_missed() {
    for (_, container) in Container::ALL {
        let found =
            (1..=20).find_map(|seed| run(container, seed, Sabotage::EarlyPublication).err());
        let why = found.unwrap();
        assert!(why.contains("is not found, though"), "{why}");
    }
}
