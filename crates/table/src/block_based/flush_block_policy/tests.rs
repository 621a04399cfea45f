use super::*;

#[test]
fn blocks_end_when_full_or_nearly_so() {
    let policy = FlushBlockBySize::new(1000, 10, false);
    let must_flush = |size, after| policy.must_flush(size, || after);
    assert!(must_flush(1000, 1001));
    assert!(!must_flush(899, 5000), "below the deviation a block takes what comes");
    assert!(!must_flush(900, 5000));
    assert!(must_flush(901, 1001));
    assert!(!must_flush(901, 1000));
}

#[test]
fn a_deviation_of_100_percent_never_looks_ahead() {
    let policy = FlushBlockBySize::new(1000, 100, false);
    assert!(!policy.must_flush(999, || 5000));
    assert!(policy.must_flush(1000, || 5000));
}

#[test]
fn aligned_blocks_leave_room_for_the_trailer() {
    let policy = FlushBlockBySize::new(1024, 10, true);
    assert!(!policy.must_flush(100, || 1019));
    assert!(policy.must_flush(100, || 1020));
}
