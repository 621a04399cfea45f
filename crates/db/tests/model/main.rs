//! Random operation sequences: whatever is done to a database, it answers as a map would, and as
//! RocksDB does. `docs/model-tests.md` tells how to run more of them and how to repeat one.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod campaign;
mod concurrency;
mod engine;

use campaign::{Campaign, check, shortest};
use std::path::Path;
use std::time::Duration;
use testing::child;
use testing::judges;
use testing::model::generator::{Profile, generate};
use testing::model::{Defect, parse};

/// How long a campaign goes on where nothing says how many rounds it has.
const DURATION: Duration = Duration::from_secs(20);

#[test]
fn sequences_against_the_model() {
    let profile =
        Profile { steps: 150, merges_onto_entities: true, power_losses: true, hands_over: false };
    Campaign { profile, judge: None, duration: DURATION }.run();
}

#[test]
fn sequences_against_the_model_and_rocksdb() {
    let Some(judge) = judges::library("7.8.3") else { return };
    let profile =
        Profile { steps: 120, merges_onto_entities: false, power_losses: false, hands_over: true };
    Campaign { profile, judge: Some(judge), duration: DURATION }.run();
}

/// The same without what makes reads and compactions fast.
#[test]
fn sequences_by_plain_ways() {
    for name in ["sequences_against_the_model", "sequences_that_failed_once"] {
        child::run_test(name, &[("TOUCHSTONE_PLAIN", "all")]);
    }
}

/// Sequences that failed once.
#[test]
fn sequences_that_failed_once() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model/regressions");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let steps = parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for _ in 0..3 {
            check(&steps, None, None).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        }
    }
}

/// The comparison finds what is wrong, and shrinking leaves what matters.
#[test]
fn a_wrong_model_is_found_and_shrunk() {
    let profile =
        Profile { steps: 150, merges_onto_entities: true, power_losses: false, hands_over: false };
    for defect in
        [Defect::IgnoresRangeDeletions, Defect::IgnoresSnapshots, Defect::ForgetsBaseOfMerge]
    {
        let found = (0..100).find_map(|seed| {
            let steps = generate(seed, profile);
            check(&steps, None, Some(defect)).is_err().then_some(steps)
        });
        let steps = found.unwrap_or_else(|| panic!("{defect:?} is not found"));
        let steps = shortest(steps, None, Some(defect));
        let text = testing::model::print(&steps);
        assert!(steps.len() < 10, "{defect:?}:\n{text}");
        let operations: usize = text.matches(" ; ").count() + steps.len();
        assert!(operations < 10, "{defect:?}:\n{text}");
    }
}
