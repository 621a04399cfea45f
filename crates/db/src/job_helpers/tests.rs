use super::*;

#[test]
fn who_helps_with_a_flush_takes_a_thread_and_no_compaction() {
    // Begun, helpers of compactions, helpers of flushes; wanted, threads; left.
    let rows = [
        ([0, 0, 0], (1, 1), 1),
        ([1, 0, 0], (1, 1), 0),
        ([0, 0, 1], (1, 1), 0),
        ([0, 0, 1], (1, 6), 1),
        ([0, 0, 2], (6, 6), 4),
        ([1, 2, 0], (6, 6), 3),
        ([1, 2, 1], (6, 6), 2),
        ([1, 2, 1], (2, 6), 0),
    ];
    for ([compactions, helpers, flush_helpers], (wanted, threads), left) in rows {
        let jobs =
            ScheduledJobs { compactions, helpers, flush_helpers, ..ScheduledJobs::default() };
        assert_eq!(jobs.spare_compactions(wanted, threads), left, "{jobs:?}");
    }
}
