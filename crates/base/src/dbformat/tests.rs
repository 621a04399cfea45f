use super::*;

#[test]
fn golden_key_of_rocksdb_7_8_3() {
    let key = InternalKey::new(b"key00000000", 1, ValueType::Value);
    assert_eq!(hex(key.as_bytes()), "6B657930303030303030300101000000000000");
    let parsed = ParsedInternalKey::parse(key.as_bytes()).unwrap();
    assert_eq!(
        parsed,
        ParsedInternalKey { user_key: b"key00000000", sequence: 1, value_type: ValueType::Value }
    );
}

#[test]
fn every_value_type_has_its_number() {
    for number in 0..=u8::MAX {
        match ValueType::from_u8(number) {
            Some(value_type) => assert_eq!(value_type as u8, number),
            None => assert!(number > 0x19),
        }
    }
}

#[test]
fn short_keys_and_unknown_types_are_corruption() {
    assert!(ParsedInternalKey::parse(&[0; 7]).unwrap_err().is_corruption());
    assert!(ParsedInternalKey::parse(&[0x1a, 0, 0, 0, 0, 0, 0, 0]).unwrap_err().is_corruption());
    assert_eq!(InternalKey::from_encoded(vec![0; 7]), None);
}

#[test]
fn the_end_of_a_range_tombstone_is_a_sentinel() {
    let key = InternalKey::new(b"k009", MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
    assert_eq!(hex(key.as_bytes()), "6B3030390FFFFFFFFFFFFFFF");
    assert!(key.is_range_tombstone_sentinel());
    assert!(!InternalKey::new(b"k009", 26, ValueType::RangeDeletion).is_range_tombstone_sentinel());
}
