use super::*;
use base::{InternalKey, ValueType};

#[test]
fn keys_must_ascend() {
    let mut validator = OutputValidator::new(InternalKeyComparator::bytewise(), true);
    let key = |user_key: &[u8], sequence| InternalKey::new(user_key, sequence, ValueType::Value);
    validator.add(key(b"a", 5).as_bytes(), b"1").unwrap();
    validator.add(key(b"a", 4).as_bytes(), b"2").unwrap();
    let before = validator.hash();
    validator.add(key(b"b", 9).as_bytes(), b"3").unwrap();
    assert_ne!(validator.hash(), before);
    for wrong in [key(b"b", 9), key(b"b", 10), key(b"a", 1)] {
        let mut validator = validator.clone();
        assert!(validator.add(wrong.as_bytes(), b"").unwrap_err().is_corruption());
    }
    assert!(validator.add(b"short", b"").unwrap_err().is_corruption());
    assert_eq!(validator.last_key(), key(b"b", 9).as_bytes());
}

#[test]
fn the_hash_depends_on_keys_and_values() {
    let hash = |value: &[u8]| {
        let mut validator = OutputValidator::new(InternalKeyComparator::bytewise(), true);
        let key = InternalKey::new(b"k", 1, ValueType::Value);
        validator.add(key.as_bytes(), value).unwrap();
        validator.hash().unwrap()
    };
    assert_ne!(hash(b"a"), hash(b"b"));
    assert_eq!(hash(b"a"), hash(b"a"));
}
