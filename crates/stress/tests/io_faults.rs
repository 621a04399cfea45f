//! Every operation of a fixed workload fails once, and from then on; the other ways to fail are in
//! `scripts/stress faults`.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use stress::io_faults::{Mode, Tally, run};
use stress::watchdog::within;

/// All `k`, from several threads: runs also wait for the database to try again.
fn every_operation(name: &str, mode: Mode) -> Tally {
    let (next, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
    let (total, failures) = (Mutex::new(Tally::default()), Mutex::new(Vec::new()));
    let work = || {
        while !is_done.load(Ordering::SeqCst) {
            let k = next.fetch_add(1, Ordering::SeqCst);
            match within(Duration::from_secs(120), move || run(Some((mode, k)))) {
                Ok((tally, _)) if tally.faulted == 0 => is_done.store(true, Ordering::SeqCst),
                Ok((tally, _)) => total.lock().unwrap().add(&tally),
                Err(why) => failures
                    .lock()
                    .unwrap()
                    .push(format!("scripts/stress faults --mode={name} --k={k}: {why}")),
            }
        }
    };
    thread::scope(|scope| {
        (0..8).for_each(|_| drop(scope.spawn(work)));
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    total.into_inner().unwrap()
}

#[test]
fn an_error_of_the_device_loses_nothing() {
    let tally = every_operation("error-once", Mode::ErrorOnce);
    assert!(tally.faulted > 300 && tally.reported > 200, "{tally:?}");
}

#[test]
fn a_full_device_loses_nothing() {
    let tally = every_operation("no-space-from", Mode::NoSpaceFrom);
    assert!(tally.faulted > 300 && tally.reported > 200, "{tally:?}");
    assert!(tally.resumed > 50, "{tally:?}");
}
