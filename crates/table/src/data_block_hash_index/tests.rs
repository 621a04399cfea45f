use super::*;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use base::{InternalKey, ValueType};
use testing::hexes::unhex;

fn key(number: u32) -> InternalKey {
    InternalKey::new(format!("key{number:08}").as_bytes(), 1, ValueType::Value)
}

fn build(numbers: impl Iterator<Item = u32>, restart_interval: usize) -> Vec<u8> {
    let options = BlockBuilderOptions {
        restart_interval,
        hash_index_util_ratio: Some(0.75),
        ..Default::default()
    };
    let mut builder = BlockBuilder::new(options);
    for number in numbers {
        builder.add(key(number).as_bytes(), b"value");
    }
    builder.finish()
}

#[test]
fn buckets_as_7_8_3_writes_them() {
    // Five keys, restart interval 2.
    let block = build((0..5).map(|number| number * 7), 2);
    let buckets = unhex("ff02ff0001feff 0700 03000080");
    assert_eq!(&block[block.len() - buckets.len()..], buckets);
}

#[test]
fn every_key_is_found_and_most_others_are_absent() {
    let block = build((0..100).map(|number| number * 2), 4);
    let layout = BlockLayout::parse(&block).unwrap();
    let mut absent = 0;
    for number in 0..200 {
        let found = lookup(&block, &layout, key(number).user_key()).unwrap();
        if number % 2 == 0 {
            let restart = HashLookup::Restart(number as usize / 2 / 4);
            assert!(found == restart || found == HashLookup::Collision, "{number}: {found:?}");
        } else if found == HashLookup::Absent {
            absent += 1;
        }
    }
    assert!((30..100).contains(&absent), "{absent} of 100");
}

#[test]
fn too_many_restart_points_leave_the_index_out() {
    let is_indexed = |keys| {
        let block = build(0..keys, 1);
        BlockLayout::parse(&block).unwrap().hash_buckets.is_some()
    };
    assert!(is_indexed(254));
    assert!(!is_indexed(255));
}

#[test]
fn blocks_without_index_and_with_no_buckets_answer_nothing() {
    let plain = BlockBuilder::new(BlockBuilderOptions::default()).finish();
    let layout = BlockLayout::parse(&plain).unwrap();
    assert_eq!(lookup(&plain, &layout, b"key"), None);
    let no_buckets = unhex("00000000 0000 01000080");
    let layout = BlockLayout::parse(&no_buckets).unwrap();
    assert_eq!(lookup(&no_buckets, &layout, b"key"), None);
}
