use super::*;

fn running(files: &[u64], level: usize, smallest: &str, largest: &str) -> RunningCompaction {
    RunningCompaction {
        files: files.to_vec(),
        output: Some(OutputRange {
            level,
            smallest_user_key: smallest.into(),
            largest_user_key: largest.into(),
        }),
        sorted_runs: files.len(),
        is_level0: false,
    }
}

#[test]
fn files_and_ranges_are_held_until_the_end() {
    let comparator = InternalKeyComparator::bytewise();
    let mut in_progress = CompactionsInProgress::new();
    let first = in_progress.register(running(&[1, 2], 3, "b", "d"));
    let second = in_progress.register(running(&[3], 3, "m", "p"));
    assert_eq!(in_progress.sorted_runs(), 3);
    assert!(in_progress.has_file(1) && in_progress.has_file(3) && !in_progress.has_file(4));
    let writes = |in_progress: &CompactionsInProgress, level, smallest: &str, largest: &str| {
        let (smallest, largest) = (smallest.as_bytes(), largest.as_bytes());
        in_progress.writes_to_range(&comparator, level, smallest, largest)
    };
    for (smallest, largest, expected) in
        [("a", "a", false), ("a", "b", true), ("c", "c", true), ("d", "e", true), ("e", "l", false)]
    {
        assert_eq!(writes(&in_progress, 3, smallest, largest), expected, "{smallest} {largest}");
    }
    assert!(!writes(&in_progress, 4, "a", "z"));
    in_progress.unregister(first);
    assert!(!in_progress.has_file(1) && in_progress.has_file(3));
    assert!(!writes(&in_progress, 3, "a", "e") && writes(&in_progress, 3, "a", "m"));
    in_progress.unregister(second);
    assert!(in_progress.is_empty());
}

#[test]
#[should_panic(expected = "table file 2 is in two compactions")]
fn a_file_is_in_one_compaction_only() {
    let mut in_progress = CompactionsInProgress::new();
    in_progress.register(running(&[1, 2], 3, "b", "d"));
    in_progress.register(running(&[2], 4, "b", "d"));
}
