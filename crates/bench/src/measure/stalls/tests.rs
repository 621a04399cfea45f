use super::*;

fn stall(count: u64, seconds: impl Into<Option<f64>>) -> Stall {
    Stall { count: Some(count), seconds: seconds.into() }
}

#[test]
fn ours_have_counts_and_times() {
    let text = "\
writes: normal (cause: none), 0 bytes/s of at most 16777216
column family: normal (cause: none)
cause                       delays   stops  writes delayed         seconds  writes stopped         seconds
memtable-limit                   1       3               4           0.125              17           0.250
l0-file-count-limit              0       0               0           0.000               0           0.000
write-buffer-manager-limit                                                               2           0.500
low priority                                             5           1.000
";
    let stalls = of_touchstone(text);
    assert_eq!(stalls["memtable-limit-delays"], stall(1, 0.125));
    assert_eq!(stalls["memtable-limit-stops"], stall(3, 0.25));
    assert_eq!(stalls["l0-file-count-limit-stops"], stall(0, 0.0));
    assert_eq!(stalls["write-buffer-manager-limit-stops"], stall(2, 0.5));
    assert_eq!(stalls["low-priority-delays"], stall(5, 1.0));
    assert_eq!(stalls[TOTAL], stall(11, 1.875));
    assert_eq!(stalls.len(), 7);
    assert_eq!(of_touchstone("no table"), Stalls::new());
}

#[test]
fn rocksdb_counts_causes_and_times_all() {
    let counts = "\n** Compaction Stats [default] **\nWrite Stall (count): \
                  cf-l0-file-count-limit-delays-with-ongoing-compaction: 2, \
                  l0-file-count-limit-delays: 3, memtable-limit-stops: 4, total-delays: 3, \
                  total-stops: 4\n";
    let times = "Cumulative stall: 01:02:3.500 H:M:S, 1.3 percent\nInterval stall: 00:00:0.000";
    let stalls = of_rocksdb(counts, times);
    assert_eq!(stalls["l0-file-count-limit-delays"], stall(3, None));
    assert_eq!(stalls[TOTAL], stall(7, 3723.5));
    assert_eq!(stalls.len(), 4);
}

#[test]
fn releases_before_8_1_have_other_names() {
    let counts = "Stalls(count): 5 level0_slowdown, 2 level0_slowdown_with_compaction, \
                  1 level0_numfiles, 1 level0_numfiles_with_compaction, \
                  7 stop for pending_compaction_bytes, 8 slowdown for pending_compaction_bytes, \
                  0 memtable_compaction, 0 memtable_slowdown, interval 9 total count";
    let stalls = of_rocksdb(counts, "");
    assert_eq!(stalls["l0-file-count-limit-delays"], stall(5, None));
    assert_eq!(stalls["pending-compaction-bytes-stops"], stall(7, None));
    // What happened while L0 was compacted is counted in the other one, too.
    assert_eq!(stalls[TOTAL], stall(21, None));
    assert_eq!(stalls.len(), 9);
    assert_eq!(of_rocksdb("", ""), Stalls::new());
}

#[test]
fn a_difference_begins_at_zero_after_a_new_start() {
    let named = |stall| Stalls::from([("a".to_owned(), stall)]);
    let passed = since(&named(stall(3, 0.1)), &named(stall(5, 0.4)));
    assert_eq!(passed, named(stall(2, 0.3)));
    assert_eq!(since(&Stalls::new(), &named(stall(5, None))), named(stall(5, None)));
    assert_eq!(since(&named(stall(9, 9.0)), &named(stall(5, 0.5))), named(stall(0, 0.0)));
}

#[test]
fn databases_are_added() {
    let named = |stall| Stalls::from([("a".to_owned(), stall)]);
    let mut all = named(stall(3, 0.5));
    add(&mut all, &named(stall(4, None)));
    add(&mut all, &Stalls::from([("b".to_owned(), stall(1, 0.25))]));
    assert_eq!(all["a"], stall(7, 0.5));
    assert_eq!(all["b"], stall(1, 0.25));
}
