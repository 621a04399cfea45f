use super::*;
use base::comparator::U64TimestampComparator;
use std::sync::Arc;

fn tombstone(start: &str, end: &str, sequence: u64) -> RangeTombstone {
    RangeTombstone { start_key: start.into(), end_key: end.into(), sequence }
}

fn decode_plain(block: &[u8]) -> Result<Vec<RangeTombstone>> {
    decode(block, &KeyTransform::default(), &InternalKeyComparator::bytewise())
}

#[test]
fn tombstones_round_trip() {
    let tombstones = [tombstone("a", "c", 9), tombstone("a", "c", 4), tombstone("c", "d", 9)];
    assert_eq!(decode_plain(&encode(&tombstones)).unwrap(), tombstones);
}

#[test]
fn other_records_and_keys_without_trailers_are_corruption() {
    let block = |key: &[u8]| {
        let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
        builder.add(key, b"end");
        decode_plain(&builder.finish())
    };
    let point = InternalKey::new(b"a", 1, ValueType::Deletion);
    assert!(block(point.as_bytes()).unwrap_err().is_corruption());
    assert!(block(b"short").unwrap_err().is_corruption());
}

#[test]
fn tombstones_of_ingested_files_get_the_files_sequence_number() {
    let transform = KeyTransform { global_sequence: Some(50), missing_timestamp_size: 0 };
    let block = encode(&[tombstone("a", "c", 0)]);
    let found = decode(&block, &transform, &InternalKeyComparator::bytewise()).unwrap();
    assert_eq!(found, [tombstone("a", "c", 50)]);
}

#[test]
fn missing_timestamps_become_zeros_in_both_keys() {
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let transform = KeyTransform { global_sequence: None, missing_timestamp_size: 8 };
    let block = encode(&[tombstone("a", "c", 3)]);
    let found = decode(&block, &transform, &comparator).unwrap();
    assert_eq!(found, [tombstone("a\0\0\0\0\0\0\0\0", "c\0\0\0\0\0\0\0\0", 3)]);
    let status = decode(&block, &KeyTransform::default(), &comparator).unwrap_err();
    assert!(status.is_corruption());
}
