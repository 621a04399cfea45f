use super::*;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn times_are_those_of_the_operating_system() {
    let clock = MomentClock::default();
    let (start, instant) = (clock.now(), Instant::now());
    thread::sleep(Duration::from_millis(50));
    let (nanos, expected) = (clock.nanos_since(start) as f64, instant.elapsed().as_nanos() as f64);
    assert!((nanos / expected - 1.0).abs() < 0.05, "{nanos}, expected {expected}");
}

#[test]
fn moments_of_threads_compare() {
    let clock = MomentClock::default();
    let start = clock.now();
    let other = thread::scope(|scope| scope.spawn(|| clock.now()).join().unwrap());
    assert!(clock.nanos_between(start, other) < 10_000_000_000);
    assert_eq!(clock.nanos_between(start, start), 0);
}
