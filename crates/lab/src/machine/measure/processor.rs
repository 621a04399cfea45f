//! System calls, clocks and locks: what is paid for each operation without touching data.

use super::{Workbench, best_nanos};
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A system call that does nothing: `getppid`, which no library remembers.
pub fn system_call(bench: &mut Workbench) -> Result<f64, String> {
    Ok(repeat(bench, || {
        black_box(rustix::process::getppid());
    }))
}

/// `clock_gettime` of the monotonic clock.
pub fn clock(bench: &mut Workbench) -> Result<f64, String> {
    Ok(repeat(bench, || {
        black_box(Instant::now());
    }))
}

/// A mutex that nobody else wants.
pub fn mutex(bench: &mut Workbench) -> Result<f64, String> {
    let counter = Mutex::new(0_u64);
    let counter = black_box(&counter);
    Ok(repeat(bench, || {
        // No other thread can have panicked with it.
        if let Ok(mut count) = counter.lock() {
            *count += 1;
        }
    }))
}

/// An addition to a counter that nobody else has in a cache.
pub fn atomic_add(bench: &mut Workbench) -> Result<f64, String> {
    let counter = AtomicU64::new(0);
    let counter = black_box(&counter);
    Ok(repeat(bench, || {
        counter.fetch_add(1, Ordering::Relaxed);
    }))
}

fn repeat(bench: &Workbench, operation: impl Fn()) -> f64 {
    let operations = bench.effort.operations;
    best_nanos(bench.effort.loops, operations, || {
        (0..operations).for_each(|_| operation());
    })
}
