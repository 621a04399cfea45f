//! Some of the operations of a fixed workload fail, once or from then on; all of them, and the other
//! ways to fail, are in `scripts/stress faults`.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::time::Duration;
use stress::io_faults::{Mode, Tally, Variant, every_operation};

fn fail_every(stride: u64, variant: &str, mode: &'static str) -> Tally {
    let variant = Variant::named(variant).unwrap();
    let mode = Mode::ALL.into_iter().find(|(name, _)| *name == mode).unwrap();
    let (tally, _, failures) = every_operation(variant, mode, stride, Duration::from_secs(120));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    tally
}

#[test]
fn an_error_of_the_device_loses_nothing() {
    let tally = fail_every(1, "plain", "error-once");
    assert!(tally.faulted > 100 && tally.reported > 60, "{tally:?}");
}

#[test]
fn a_full_device_loses_nothing() {
    let tally = fail_every(2, "plain", "no-space-from");
    assert!(tally.faulted > 50 && tally.reported > 30, "{tally:?}");
    assert!(tally.resumed > 5, "{tally:?}");
}

/// Reads of compactions that nobody asked for are among them.
#[test]
fn an_error_in_the_background_loses_nothing() {
    let tally = fail_every(5, "background", "error-once");
    assert!(tally.faulted > 40 && tally.reported > 30, "{tally:?}");
}

/// Recycled and compressed WALs, that the next open keeps.
#[test]
fn an_error_around_wals_loses_nothing() {
    let tally = fail_every(5, "logs", "error-once");
    assert!(tally.faulted > 20 && tally.reported > 15, "{tally:?}");
}
