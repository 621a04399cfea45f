//! Waiting for what another thread or process is to do.

use std::time::{Duration, Instant};

/// Longer than anything takes that comes at all, on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);

const STEP: Duration = Duration::from_millis(2);

/// Waits until it is so.
///
/// # Panics
/// With `what` if it is not so after a minute.
#[track_caller]
pub fn until(what: &str, is_so: impl FnMut() -> bool) {
    assert!(is_so_within(PATIENCE, is_so), "not after {PATIENCE:?}: {what}");
}

/// Waits until it is so, and no longer than that. Returns whether it is.
pub fn is_so_within(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() >= time {
            return false;
        }
        std::thread::sleep(STEP);
    }
    true
}

#[cfg(test)]
mod tests;
