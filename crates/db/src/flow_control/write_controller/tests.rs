use super::*;

const MB: u64 = 1 << 20;

fn options() -> ColumnFamilyOptions {
    let mut options = ColumnFamilyOptions::default();
    options.level0_slowdown_writes_trigger = 20;
    options.level0_stop_writes_trigger = 36;
    options
}

fn files(l0_runs: usize) -> StallState {
    StallState { l0_runs, ..StallState::default() }
}

/// Stopped or not, and the rate, after families with so many files in L0 were opened.
fn opened(rate_max: u64, families: &[usize]) -> (bool, u64) {
    let mut controller = WriteController::new(rate_max);
    for &l0_runs in families {
        controller.add(&files(l0_runs), &options());
    }
    (controller.is_stopped(), controller.actual_delayed_write_rate())
}

#[test]
fn the_first_delay_begins_at_the_full_rate() {
    assert_eq!(opened(16 * MB, &[]), (false, 0));
    assert_eq!(opened(16 * MB, &[19]), (false, 0));
    assert_eq!(opened(16 * MB, &[20]), (false, 16 * MB));
    assert_eq!(opened(16 * MB, &[35]), (false, 16 * MB));
    assert_eq!(opened(16 * MB, &[36]), (true, 0));
}

#[test]
fn further_delays_lower_the_rate_only_near_a_stop() {
    assert_eq!(opened(16 * MB, &[20, 20]), (false, 16 * MB));
    assert_eq!(opened(1000 * MB, &[20, 34]), (false, 600 * MB));
    assert_eq!(opened(1000 * MB, &[36, 20, 20]), (true, 600 * MB));
    // From its minimum on it is left alone.
    assert_eq!(opened(20 << 10, &[20, 34]), (false, 16 << 10));
    assert_eq!(opened(10 << 10, &[20, 34]), (false, 10 << 10));
}

#[test]
fn a_family_that_is_well_lets_the_rate_recover() {
    assert_eq!(opened(1000 * MB, &[20, 34, 0]), (false, 840 * MB));
    assert_eq!(opened(1000 * MB, &[20, 34, 0, 0]), (false, 1000 * MB));
}

#[test]
fn without_automatic_compactions_the_rate_is_the_given_one() {
    let mut options = options();
    options.disable_auto_compactions = true;
    options.max_write_buffer_number = 5;
    let memtables = StallState { immutable_memtables: 4, ..StallState::default() };
    let mut controller = WriteController::new(1000 * MB);
    controller.add(&files(20), &self::options());
    controller.add(&files(34), &self::options());
    controller.add(&memtables, &options);
    assert_eq!(controller.actual_delayed_write_rate(), 1000 * MB);
}

#[test]
fn the_rate_follows_what_is_left_to_compact() {
    let options = options();
    let mut controller = WriteController::new(1000 * MB);
    let mut family = FamilyStall::default();
    let mut rate_after = |controller: &mut WriteController, l0_runs, pending_compaction_bytes| {
        let state = StallState { l0_runs, pending_compaction_bytes, ..StallState::default() };
        controller.update(&mut family, state, &options, false);
        controller.actual_delayed_write_rate() / MB
    };
    assert_eq!(rate_after(&mut controller, 20, 100), 1000);
    assert_eq!(rate_after(&mut controller, 21, 100), 800);
    assert_eq!(rate_after(&mut controller, 22, 200), 640);
    assert_eq!(rate_after(&mut controller, 34, 100), 384);
    assert_eq!(rate_after(&mut controller, 22, 50), 480);
    assert_eq!(rate_after(&mut controller, 36, 50), 0);
    assert!(controller.is_stopped());
    assert_eq!(rate_after(&mut controller, 8, 0), 0);
    assert!(!controller.is_stopped() && controller.needs_speedup_compaction());
    assert_eq!(rate_after(&mut controller, 0, 0), 0);
    assert!(!controller.needs_speedup_compaction());
    assert_eq!((family.counts.l0_delays, family.counts.l0_stops), (5, 1));
}

#[test]
fn a_dropped_family_stops_nothing() {
    let mut controller = WriteController::new(MB);
    let mut family = FamilyStall::default();
    controller.update(&mut family, files(36), &options(), false);
    assert!(controller.is_stopped());
    controller.remove(&family);
    assert!(!controller.is_stopped());
}
