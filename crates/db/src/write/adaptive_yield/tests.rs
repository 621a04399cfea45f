use super::AdaptiveYield;
use options::DbOptions;
use std::cell::Cell;

fn by(max_usec: u64, slow_usec: u64, is_enabled: bool) -> AdaptiveYield {
    let options = DbOptions {
        enable_write_thread_adaptive_yield: is_enabled,
        write_thread_max_yield_usec: max_usec,
        write_thread_slow_yield_usec: slow_usec,
        ..DbOptions::default()
    };
    AdaptiveYield::new(&options)
}

/// How often a wait that finds nothing looks.
fn looks(yielding: &AdaptiveYield) -> u32 {
    let looks = Cell::new(0);
    let found = yielding.yield_until(|| {
        looks.set(looks.get() + 1);
        None::<()>
    });
    assert!(found.is_none());
    looks.get()
}

#[test]
fn what_comes_soon_is_found() {
    let looks = Cell::new(0);
    let outcome = || {
        looks.set(looks.get() + 1);
        (looks.get() == 3).then_some("there")
    };
    assert_eq!(by(1_000_000, 1_000_000, true).yield_until(outcome), Some("there"));
}

#[test]
fn without_the_option_nobody_yields() {
    assert_eq!(looks(&by(100, 3, false)), 0);
    assert_eq!(looks(&by(0, 3, true)), 0);
}

#[test]
fn waits_that_found_nothing_are_not_repeated_each_time() {
    // Each yield counts as slow.
    let yielding = by(1_000_000, 0, true);
    assert_eq!(looks(&yielding), 3);
    let others: u32 = (1..256).map(|_| looks(&yielding)).sum();
    assert_eq!(others, 0);
    assert_eq!(looks(&yielding), 3, "once in a while it is tried again");
}
