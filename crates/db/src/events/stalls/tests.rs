use super::*;

#[test]
fn the_way_to_a_stall_is_that_of_the_nearest_cause() {
    let mut options = ColumnFamilyOptions::default();
    options.level0_slowdown_writes_trigger = 20;
    options.level0_stop_writes_trigger = 40;
    options.soft_pending_compaction_bytes_limit = 1000;
    options.hard_pending_compaction_bytes_limit = 4000;
    let state = StallState { l0_runs: 5, pending_compaction_bytes: 600, ..StallState::default() };
    assert_eq!(stall_proximity_pct(&state, &options), 60);
    options.soft_pending_compaction_bytes_limit = 0;
    assert_eq!(stall_proximity_pct(&state, &options), 25);
    options.hard_pending_compaction_bytes_limit = 0;
    options.level0_slowdown_writes_trigger = -1;
    assert_eq!(stall_proximity_pct(&state, &options), 12);
    let stalled = StallState { l0_runs: 50, ..state };
    assert_eq!(stall_proximity_pct(&stalled, &options), 125);
}
