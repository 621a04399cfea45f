use super::*;

#[test]
fn the_manual_clock_moves_only_when_told() {
    let clock = ManualClock::new(2_500_000);
    assert_eq!((clock.now_micros(), clock.now_seconds()), (2_500_000, 2));
    clock.advance_micros(500_000);
    assert_eq!(clock.now_seconds(), 3);
    clock.set_micros(1);
    assert_eq!((clock.now_micros(), clock.now_seconds()), (1, 0));
}

#[test]
fn the_wall_clock_is_past_2020() {
    assert!(WallClock.now_seconds() > 1_577_836_800);
}

#[test]
fn a_manual_clock_moves_by_waiting() {
    let clock = ManualClock::new(5);
    clock.sleep_micros(3_600_000_000);
    assert_eq!(clock.now_micros(), 3_600_000_005);
    assert_eq!(clock.now_micros_monotonic(), 3_600_000_005);
}

#[test]
fn the_monotonic_clock_counts_waits() {
    let before = WallClock.now_micros_monotonic();
    WallClock.sleep_micros(2000);
    assert!(WallClock.now_micros_monotonic() >= before + 2000);
}
