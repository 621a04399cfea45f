use super::SnapshotList;
use std::sync::{Arc, Weak};

#[test]
fn a_number_is_held_until_the_last_snapshot_of_it_is_dropped() {
    let list = Arc::new(SnapshotList::default());
    let first = list.take(Weak::new(), 100, || 7);
    let second = list.take(Weak::new(), 200, || 7);
    let third = list.take(Weak::new(), 300, || 9);
    assert_eq!(list.sequences(), [7, 9]);
    assert_eq!((list.count(), list.oldest(), list.oldest_time_secs()), (3, Some(7), Some(100)));
    drop(first);
    assert_eq!(list.sequences(), [7, 9]);
    drop(second);
    assert_eq!((list.sequences(), list.oldest_time_secs()), (vec![9], Some(300)));
    assert_eq!(third.sequence(), 9);
    drop(third);
    assert_eq!((list.count(), list.oldest()), (0, None));
}
