use super::*;
use crate::block_iter::DataBlockIter;
use base::{InternalIterator, InternalKey, ValueType};
use std::sync::Arc;
use testing::hexes::unhex;

fn decoder(transform: KeyTransform) -> DataBlockDecoder {
    DataBlockDecoder::new(&InternalKeyComparator::bytewise(), transform)
}

fn decode(contents: impl AsRef<[u8]>) -> Result<DataBlock> {
    decoder(KeyTransform::default()).decode(contents.as_ref())
}

fn pairs(block: DataBlock) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut iter = DataBlockIter::new(Arc::new(block), InternalKeyComparator::bytewise());
    iter.seek_to_first().unwrap();
    let mut found = Vec::new();
    while iter.valid() {
        found.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next().unwrap();
    }
    found
}

fn build(keys: &[InternalKey], restart_interval: usize) -> Vec<u8> {
    let options = BlockBuilderOptions { restart_interval, ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    for key in keys {
        builder.add(key.as_bytes(), b"value");
    }
    builder.finish()
}

#[test]
fn keys_and_values_apart_are_brought_together() {
    let block = decode(unhex(crate::block::tests::SEPARATE_VALUES_BLOCK)).unwrap();
    assert_eq!(block.entry_count(), 3);
    let found = pairs(block);
    assert_eq!(found[1].0, unhex("6b65793030303030303037 0102000000000000"));
    assert_eq!(found[1].1, b"value1bb");
}

#[test]
fn global_sequence_numbers_replace_stored_ones() {
    let keys: Vec<_> = [(&b"a"[..], ValueType::Value), (b"b", ValueType::Deletion)]
        .map(|(key, value_type)| InternalKey::new(key, 0, value_type))
        .into();
    let transform = KeyTransform { global_sequence: Some(77), missing_timestamp_size: 0 };
    let block = decoder(transform).decode(&build(&keys, 16)).unwrap();
    let found: Vec<_> = pairs(block).into_iter().map(|(key, _)| key).collect();
    assert_eq!(
        found,
        [
            InternalKey::new(b"a", 77, ValueType::Value).as_bytes(),
            InternalKey::new(b"b", 77, ValueType::Deletion).as_bytes()
        ]
    );
}

#[test]
fn missing_timestamps_become_zeros() {
    use base::comparator::U64TimestampComparator;
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let keys = [InternalKey::new(b"key", 5, ValueType::Value)];
    let transform = KeyTransform { global_sequence: None, missing_timestamp_size: 8 };
    let block = DataBlockDecoder::new(&comparator, transform).decode(&build(&keys, 16)).unwrap();
    let mut iter = DataBlockIter::new(Arc::new(block), comparator);
    iter.seek_to_first().unwrap();
    assert_eq!(
        iter.key(),
        InternalKey::new(b"key\0\0\0\0\0\0\0\0", 5, ValueType::Value).as_bytes()
    );
}

#[test]
fn one_long_restart_interval_is_cut_into_short_ones() {
    // All keys share more than the prefixes can hold.
    let keys: Vec<_> = (0..2000)
        .map(|number| {
            let user_key = format!("{}{:08}", "x".repeat(if number == 0 { 0 } else { 30 }), number);
            InternalKey::new(user_key.as_bytes(), 1, ValueType::Value)
        })
        .collect();
    let block = decode(build(&keys, usize::MAX)).unwrap();
    assert!(block.has_short_chains());
    let found: Vec<_> = pairs(block).into_iter().map(|(key, _)| key).collect();
    assert_eq!(found, keys.iter().map(|key| key.as_bytes().to_vec()).collect::<Vec<_>>());
}

#[test]
fn unknown_types_short_keys_and_disorder_are_corruption() {
    let single = |key: &[u8]| {
        let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
        builder.add(key, b"value");
        decode(builder.finish())
    };
    assert!(single(&unhex("61 0101000000000000")).is_ok());
    let unknown_type = single(&unhex("61 1a01000000000000")).unwrap_err();
    assert_eq!(
        unknown_type.to_string(),
        "Corruption: unknown value type 0x1a in block at its byte 0"
    );
    assert!(single(&unhex("61 0f01000000000000")).unwrap_err().is_corruption());
    assert!(single(&unhex("01010000000000")).unwrap_err().is_corruption());
    let disorder = [b"b", b"a"].map(|key| InternalKey::new(key, 1, ValueType::Value));
    let status = decode(build(&disorder, 16)).unwrap_err();
    assert_eq!(status.to_string(), "Corruption: keys of block out of order at its byte 17");
}

#[test]
fn type_bytes_may_come_from_the_key_before() {
    // Sequence numbers that differ in their highest bytes only: suffixes of one byte.
    let keys =
        [3 << 48, 2 << 48, 1 << 48].map(|seq| InternalKey::new(b"key", seq, ValueType::Value));
    let block = decode(build(&keys, 16)).unwrap();
    assert_eq!(pairs(block).len(), 3);
}

#[test]
fn transformed_keys_must_have_a_trailer() {
    let transform = KeyTransform { global_sequence: Some(1), missing_timestamp_size: 0 };
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    builder.add(b"short", b"");
    assert!(decoder(transform).decode(&builder.finish()).unwrap_err().is_corruption());
}

/// 32 keys of what all have in common and the rest that goes by their number.
fn keys_of(rest: impl Fn(u8) -> [u8; 8]) -> Vec<InternalKey> {
    let key = |index: u8| [&[0, 0, 7][..], &rest(index)].concat();
    (0..32).map(|index| InternalKey::new(&key(index), 1, ValueType::Value)).collect()
}

#[test]
fn numbers_are_short_where_the_rest_of_keys_is_the_same_or_not_needed() {
    // The fourth must hold all bytes, for its high halves are the same; so must the fifth, for keys leave
    // out more than four bytes.
    let same_ending = |index| [index, 1, 2, 3, 4, 5, 6, 7];
    let less_of_it = |index| [index, 1, index, 3, 4, 5, 6, 7];
    let others = |index| [index, index, 2, 3, 4, 5, 6, 255 - index];
    let same_start = |index| [index / 16, 1, 2, 3, 4, 5, 6, index];
    let long_shared = |index: u8| match index {
        1 => [0, 0, 0, 0, 0, 0, 0, 1],
        _ => [index, 0, 0, 0, 0, 0, 0, 0],
    };
    let keys = [
        keys_of(same_ending),
        keys_of(less_of_it),
        keys_of(others),
        keys_of(same_start),
        keys_of(long_shared),
    ];
    let blocks = keys.each_ref().map(|keys| decode(build(keys, 16)).unwrap());
    let [same_ending, less_of_it, others, same_start, long_shared] = &blocks;
    assert_eq!(same_ending.numbers().at(3), 0x0301_0203_0405_0607);
    assert_eq!(less_of_it.numbers().at(3), 0x0301_0303_0405_0607);
    assert_eq!(others.numbers().at(3), 0x0303_0203_ffff_ffff);
    assert_eq!(same_start.numbers().at(3), 0x0001_0203_0405_0603);
    assert_eq!(long_shared.numbers().at(1), 1);
    for (block, each) in blocks.iter().zip([3, 6, 6, 10, 10]) {
        let offsets_end = block.offsets_start as usize + 2 * 32;
        assert_eq!(offsets_end - block.contents().len(), 3 + each * 32);
        assert_eq!(block.memory.len(), block_capacity(offsets_end));
    }
    for (block, keys) in blocks.into_iter().zip(&keys) {
        let found: Vec<_> = pairs(block).into_iter().map(|(key, _)| key).collect();
        let expected: Vec<_> = keys.iter().map(|key| key.as_bytes().to_vec()).collect();
        assert_eq!(found, expected);
    }
}
