use super::*;
use crate::index::index_block::{IndexBlockBuilder, IndexEntry};
use base::comparator::Comparator;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalKey, ValueType};
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Debug)]
struct Shortlex;

impl Comparator for Shortlex {
    fn name(&self) -> &str {
        "test.shortlex"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

fn comparators() -> Vec<InternalKeyComparator> {
    use base::comparator::*;
    let builtins =
        [BYTEWISE_NAME, REVERSE_BYTEWISE_NAME, BYTEWISE_U64_TS_NAME, REVERSE_BYTEWISE_U64_TS_NAME];
    let mut all: Vec<_> =
        builtins.iter().map(|name| InternalKeyComparator::new(builtin(name).unwrap())).collect();
    all.push(InternalKeyComparator::new(Arc::new(Shortlex)));
    all
}

fn build(keys: &[Vec<u8>], format: IndexBlockFormat, restart_interval: usize) -> Vec<u8> {
    let mut builder = IndexBlockBuilder::new(format, restart_interval);
    for (number, key) in keys.iter().enumerate() {
        let handle = BlockHandle { offset: 105 * number as u64, size: 100 };
        builder.add(&IndexEntry { key, handle, first_internal_key: None });
    }
    builder.finish()
}

fn internal_key() -> impl Strategy<Value = (Vec<u8>, u64)> {
    let letter = prop::sample::select(&[0u8, b'a', 0xff][..]);
    let key = (0usize..2, prop::collection::vec(letter, 0..7))
        .prop_map(|(depth, tail)| [&b"shared by all of them"[..21 * depth], &tail[..]].concat());
    (key, prop_oneof![0u64..3, Just(MAX_SEQUENCE_NUMBER)])
}

proptest! {
    #[test]
    fn seeks_agree_with_a_sorted_vector(
        raw_keys in prop::collection::vec(internal_key(), 0..400),
        targets in prop::collection::vec(internal_key(), 1..30),
        which in 0usize..5,
        keys_are_user_keys: bool,
        values_are_delta_encoded: bool,
        restart_interval in 1usize..5,
    ) {
        let comparator = &comparators()[which];
        let encode = |(user_key, sequence): &(Vec<u8>, u64)| {
            let timestamp = (sequence % 5).to_le_bytes();
            let user_key = [user_key, &timestamp[..comparator.timestamp_size()]].concat();
            InternalKey::new(&user_key, *sequence, ValueType::Value).as_bytes().to_vec()
        };
        let mut keys: Vec<_> = raw_keys.iter().map(encode).collect();
        keys.sort_by(|a, b| comparator.compare(a, b));
        if keys_are_user_keys {
            for key in &mut keys {
                key.truncate(key.len() - 8);
            }
        }
        keys.dedup();
        let format =
            IndexBlockFormat { keys_are_user_keys, values_are_delta_encoded, has_first_keys: false };
        let block = build(&keys, format, restart_interval);
        let index = FlatIndex::decode(&block, format, comparator, 0).unwrap();
        prop_assert_eq!(index.len(), keys.len());
        let mut scratch = Vec::new();
        for (position, key) in keys.iter().enumerate() {
            let user_key = if keys_are_user_keys { key } else { extract_user_key(key) };
            prop_assert_eq!(index.user_key(position, &mut scratch), user_key);
            prop_assert_eq!(index.handle(position).offset, 105 * position as u64);
        }
        for target in targets.iter().chain(raw_keys.iter().take(50)) {
            let target = encode(target);
            let expected = keys.partition_point(|key| {
                if keys_are_user_keys {
                    comparator.compare_user_keys(key, extract_user_key(&target)).is_lt()
                } else {
                    comparator.compare(key, &target).is_lt()
                }
            });
            prop_assert_eq!(index.seek(&target), expected);
            for last in (0..=keys.len()).step_by(3).chain([expected, usize::MAX]) {
                prop_assert_eq!(index.seek_from(last, &target), expected, "from {}", last);
            }
        }
    }
}

#[test]
fn missing_timestamps_become_zeros() {
    let comparator = comparators().remove(2);
    let user_format = IndexBlockFormat { keys_are_user_keys: true, ..Default::default() };
    let block = build(&[b"b".to_vec(), b"d".to_vec()], user_format, 1);
    let index = FlatIndex::decode(&block, user_format, &comparator, 8).unwrap();
    assert_eq!(index.user_key(0, &mut Vec::new()), b"b\0\0\0\0\0\0\0\0");

    let internal_format = IndexBlockFormat::default();
    let keys =
        [b"b", b"d"].map(|key| InternalKey::new(key, 7, ValueType::Value).as_bytes().to_vec());
    let index =
        FlatIndex::decode(&build(&keys, internal_format, 1), internal_format, &comparator, 8)
            .unwrap();
    assert_eq!(index.user_key(1, &mut Vec::new()), b"d\0\0\0\0\0\0\0\0");
    let target = InternalKey::new(b"c\x05\0\0\0\0\0\0\0", 7, ValueType::Value);
    assert_eq!(index.seek(target.as_bytes()), 1);
}

#[test]
fn short_keys_and_disorder_are_corruption() {
    let comparator = InternalKeyComparator::bytewise();
    let format = IndexBlockFormat::default();
    let block = build(&[b"short".to_vec()], format, 1);
    assert!(FlatIndex::decode(&block, format, &comparator, 0).unwrap_err().is_corruption());
    let format = IndexBlockFormat { keys_are_user_keys: true, ..format };
    let block = build(&[b"b".to_vec(), b"a".to_vec()], format, 1);
    assert_eq!(
        FlatIndex::decode(&block, format, &comparator, 0).unwrap_err().to_string(),
        "Corruption: keys of index block out of order"
    );
}

#[test]
fn an_empty_index_has_no_position() {
    let comparator = InternalKeyComparator::bytewise();
    let format = IndexBlockFormat::default();
    let index = FlatIndex::decode(&build(&[], format, 1), format, &comparator, 0).unwrap();
    assert!(index.is_empty());
    assert_eq!(index.seek(InternalKey::for_seek(b"a", 1).as_bytes()), 0);
}
