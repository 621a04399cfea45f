use super::*;
use base::{InternalKey, ValueType};

#[test]
fn keys_must_ascend() {
    let mut validator = OutputValidator::new(InternalKeyComparator::bytewise(), true);
    let key = |user_key: &[u8], sequence| InternalKey::new(user_key, sequence, ValueType::Value);
    let mut last_key = Vec::new();
    let mut hashes = vec![validator.hash()];
    for next in [key(b"a", 5), key(b"a", 4), key(b"b", 9), key(b"b-with-a-tail", 9)] {
        validator.add(&last_key, next.as_bytes(), b"1").unwrap();
        last_key = next.as_bytes().to_vec();
        hashes.push(validator.hash());
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 5);
    for wrong in [key(b"b-with-a-tail", 9), key(b"b-with-a-tail", 10), key(b"b-with-a", 1)] {
        assert!(validator.add(&last_key, wrong.as_bytes(), b"").unwrap_err().is_corruption());
    }
    assert!(validator.add(&last_key, b"short", b"").unwrap_err().is_corruption());
}

#[test]
fn the_hash_depends_on_keys_and_values() {
    let hash = |value: &[u8]| {
        let mut validator = OutputValidator::new(InternalKeyComparator::bytewise(), true);
        let key = InternalKey::new(b"k", 1, ValueType::Value);
        validator.add(&[], key.as_bytes(), value).unwrap();
        validator.hash().unwrap()
    };
    assert_ne!(hash(b"a"), hash(b"b"));
    assert_eq!(hash(b"a"), hash(b"a"));
}
