use super::*;
use base::{InternalKey, ValueType};

fn key(user_key: &str, sequence: u64) -> Vec<u8> {
    InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value).as_bytes().to_vec()
}

fn iterator() -> VecIterator {
    let entries = vec![
        (key("b", 3), b"b3".to_vec()),
        (key("a", 1), b"a1".to_vec()),
        (key("b", 7), b"b7".to_vec()),
        (key("d", 2), b"d2".to_vec()),
    ];
    VecIterator::new(InternalKeyComparator::bytewise(), entries)
}

#[test]
fn goes_through_in_order_both_ways() {
    let mut iterator = iterator();
    assert!(!iterator.valid());
    let mut forward = Vec::new();
    iterator.seek_to_first().unwrap();
    while iterator.valid() {
        forward.push(iterator.value().to_vec());
        iterator.next().unwrap();
    }
    assert_eq!(forward, [b"a1", b"b7", b"b3", b"d2"]);
    let mut backward = Vec::new();
    iterator.seek_to_last().unwrap();
    while iterator.valid() {
        backward.push(iterator.value().to_vec());
        iterator.prev().unwrap();
    }
    backward.reverse();
    assert_eq!(backward, forward);
}

#[test]
fn seeks_to_either_side() {
    let mut iterator = iterator();
    iterator.seek(&key("b", 5)).unwrap();
    assert_eq!(iterator.value(), b"b3");
    iterator.seek_for_prev(&key("b", 5)).unwrap();
    assert_eq!(iterator.value(), b"b7");
    iterator.seek_for_prev(&key("b", 3)).unwrap();
    assert_eq!(iterator.value(), b"b3");
    iterator.seek(&key("e", 5)).unwrap();
    assert!(!iterator.valid());
    iterator.seek_for_prev(&key("a", 2)).unwrap();
    assert!(!iterator.valid());
}

#[test]
fn nothing_is_never_valid() {
    let mut iterator = VecIterator::empty(InternalKeyComparator::bytewise());
    iterator.seek_to_first().unwrap();
    assert!(!iterator.valid());
    iterator.seek_to_last().unwrap();
    assert!(!iterator.valid());
}
