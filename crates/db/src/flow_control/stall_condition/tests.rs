use super::*;
use StallCause::{L0Files, Memtables, PendingCompactionBytes};
use StallCondition::{Delayed, Normal, Stopped};

fn options() -> ColumnFamilyOptions {
    let mut options = ColumnFamilyOptions::default();
    options.max_write_buffer_number = 5;
    options.min_write_buffer_number_to_merge = 2;
    options.level0_slowdown_writes_trigger = 20;
    options.level0_stop_writes_trigger = 36;
    options.soft_pending_compaction_bytes_limit = 1000;
    options.hard_pending_compaction_bytes_limit = 2000;
    options
}

fn state(immutable_memtables: usize, l0_runs: usize, pending_compaction_bytes: u64) -> StallState {
    StallState { immutable_memtables, l0_runs, pending_compaction_bytes, bottommost_bytes: 0 }
}

#[test]
fn each_cause_delays_then_stops() {
    for (state, condition) in [
        (state(0, 0, 0), Normal),
        (state(3, 19, 999), Normal),
        (state(4, 0, 0), Delayed(Memtables)),
        (state(5, 0, 0), Stopped(Memtables)),
        (state(0, 20, 0), Delayed(L0Files)),
        (state(0, 35, 0), Delayed(L0Files)),
        (state(0, 36, 0), Stopped(L0Files)),
        (state(0, 0, 1000), Delayed(PendingCompactionBytes)),
        (state(0, 0, 1999), Delayed(PendingCompactionBytes)),
        (state(0, 0, 2000), Stopped(PendingCompactionBytes)),
    ] {
        assert_eq!(state.condition(&options()), condition, "{state:?}");
    }
}

#[test]
fn a_stop_goes_before_a_delay_and_memtables_before_files() {
    for (state, condition) in [
        (state(5, 36, 2000), Stopped(Memtables)),
        (state(4, 36, 2000), Stopped(L0Files)),
        (state(4, 20, 2000), Stopped(PendingCompactionBytes)),
        (state(4, 20, 1000), Delayed(Memtables)),
        (state(0, 20, 1000), Delayed(L0Files)),
    ] {
        assert_eq!(state.condition(&options()), condition, "{state:?}");
    }
}

#[test]
fn without_automatic_compactions_only_memtables_count() {
    let mut options = options();
    options.disable_auto_compactions = true;
    assert_eq!(state(0, 100, u64::MAX).condition(&options), Normal);
    assert_eq!(state(5, 100, u64::MAX).condition(&options), Stopped(Memtables));
}

#[test]
fn up_to_three_memtables_do_not_delay() {
    let mut options = options();
    options.max_write_buffer_number = 3;
    assert_eq!(state(2, 0, 0).condition(&options), Normal);
    options.max_write_buffer_number = 5;
    options.min_write_buffer_number_to_merge = 4;
    assert_eq!(state(4, 0, 0).condition(&options), Normal);
}

#[test]
fn limits_of_zero_and_triggers_below_zero() {
    let mut options = options();
    options.soft_pending_compaction_bytes_limit = 0;
    options.hard_pending_compaction_bytes_limit = 0;
    options.level0_slowdown_writes_trigger = -1;
    assert_eq!(state(0, 0, u64::MAX).condition(&options), Normal);
    assert_eq!(state(0, 35, 0).condition(&options), Normal);
    options.level0_stop_writes_trigger = -1;
    assert_eq!(state(0, 0, 0).condition(&options), Stopped(L0Files));
}

#[test]
fn near_a_stop_are_two_files_or_a_quarter_of_the_bytes() {
    let options = options();
    for (state, near) in [
        (state(0, 33, 0), false),
        (state(0, 34, 0), true),
        (state(0, 36, 0), false),
        (state(0, 0, 1750), false),
        (state(0, 0, 1751), true),
        (state(4, 34, 1999), false),
    ] {
        assert_eq!(state.is_near_stop(&options), near, "{state:?}");
    }
}

#[test]
fn compactions_hurry_before_writes_are_delayed() {
    let mut options = ColumnFamilyOptions::default();
    options.level0_file_num_compaction_trigger = 4;
    options.level0_slowdown_writes_trigger = 20;
    options.soft_pending_compaction_bytes_limit = 64 << 30;
    options.max_bytes_for_level_base = 256 << 20;
    let hurries = |l0_runs, pending_compaction_bytes, bottommost_bytes| {
        let immutable_memtables = 0;
        StallState { immutable_memtables, l0_runs, pending_compaction_bytes, bottommost_bytes }
            .needs_speedup(&options)
    };
    assert!(!hurries(7, 0, 0) && hurries(8, 0, 0));
    assert!(!hurries(0, (16 << 30) - 1, 0) && hurries(0, 16 << 30, 0));
    // Twice the base level, or an eighth of the last level.
    assert!(!hurries(0, (512 << 20) - 1, 1 << 30) && hurries(0, 512 << 20, 1 << 30));
    assert!(!hurries(0, (10 << 30) - 1, 80 << 30) && hurries(0, 10 << 30, 80 << 30));
}
