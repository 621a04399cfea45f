use super::*;

#[test]
fn they_come_after_so_many_writes_until_there_are_enough() {
    let due = |arguments: &[&str]| {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let tombstones = RangeTombstones::new(&Flags::parse(&arguments).unwrap());
        (1..=100).filter(|written| tombstones.is_due(*written)).collect::<Vec<_>>()
    };
    let flags = [
        "--writes_before_delete_range=20",
        "--writes_per_range_tombstone=10",
        "--max_num_range_tombstones=3",
    ];
    assert_eq!(due(&flags), [30, 40, 50]);
    assert!(due(&flags[..1]).is_empty());
}
