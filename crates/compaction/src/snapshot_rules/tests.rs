use super::*;

#[test]
fn without_snapshots_everything_is_one_stripe() {
    let rules = SnapshotRules::new(Vec::new());
    assert!(rules.is_empty());
    for sequence in [0, 1, MAX_SEQUENCE_NUMBER] {
        let stripe = Stripe { snapshot: MAX_SEQUENCE_NUMBER, previous: None };
        assert_eq!(rules.stripe(sequence), stripe);
        assert!(rules.is_in_earliest(sequence));
    }
    assert_eq!((rules.earliest(), rules.latest()), (MAX_SEQUENCE_NUMBER, 0));
}

#[test]
fn a_write_belongs_to_the_first_snapshot_at_or_after_it() {
    let rules = SnapshotRules::new(vec![20, 10, 10]);
    assert_eq!(rules.snapshots(), [10, 20]);
    let stripe = |sequence| {
        let Stripe { snapshot, previous } = rules.stripe(sequence);
        (snapshot, previous)
    };
    assert_eq!(stripe(9), (10, None));
    assert_eq!(stripe(10), (10, None));
    assert_eq!(stripe(11), (20, Some(10)));
    assert_eq!(stripe(20), (20, Some(10)));
    assert_eq!(stripe(21), (MAX_SEQUENCE_NUMBER, Some(20)));
}

#[test]
fn uncommitted_writes_are_in_no_snapshot() {
    let rules = SnapshotRules::new(vec![10]).with_uncommitted(vec![7, 3]);
    assert!(rules.is_in_earliest(4));
    assert!(!rules.is_in_earliest(3));
    assert!(!rules.is_in_snapshot(7, 100));
    assert!(rules.is_committed(8));
}

/// Files that were taken into an empty database have the number 0, and so have snapshots of it.
#[test]
fn a_snapshot_of_number_0_is_one() {
    let rules = SnapshotRules::new(vec![0]);
    let stripe = rules.stripe(1);
    assert_eq!(stripe, Stripe { snapshot: MAX_SEQUENCE_NUMBER, previous: Some(0) });
    assert!(rules.is_before(stripe, 0) && !rules.is_before(stripe, 1));
    assert!(!rules.is_before(rules.stripe(0), 0));
}
