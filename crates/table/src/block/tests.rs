use super::*;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use proptest::prelude::*;
use testing::hexes::unhex;

fn entries(block: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut walker = EntryWalker::new(block)?;
    let mut found = Vec::new();
    while let Some((key, value)) = walker.next()? {
        found.push((key.to_vec(), value.to_vec()));
    }
    Ok(found)
}

fn pair(key: &[u8], trailer: &str, value: &[u8]) -> (Vec<u8>, Vec<u8>) {
    ([key, &unhex(trailer)].concat(), value.to_vec())
}

#[test]
fn data_block_written_by_7_8_3() {
    let block = unhex("0013066b65793030303030303030010100000000000076616c7565300000000001000000");
    let layout = BlockLayout::parse(&block).unwrap();
    assert_eq!(layout.restart_count, 1);
    assert_eq!(layout.restart(&block, 0), 0);
    assert_eq!(layout.hash_buckets, None);
    assert_eq!(entries(&block).unwrap(), [pair(b"key00000000", "0101000000000000", b"value0")]);
}

#[test]
fn end_of_a_block_with_a_hash_index_written_by_7_8_3() {
    let mut block = vec![0; 0x70];
    block.extend_from_slice(&unhex("00000000 2e000000 5d000000 ff02ff0001feff 0700 03000080"));
    let layout = BlockLayout::parse(&block).unwrap();
    assert_eq!(layout.entries_end, 0x70);
    assert_eq!(layout.restart_count, 3);
    assert_eq!(layout.restart(&block, 2), 0x5d);
    assert_eq!(layout.hash_buckets, Some((0x70 + 12, 7)));
}

/// A whole block with keys and values apart, written by 11.9 with restart interval 2.
pub(crate) const SEPARATE_VALUES_BLOCK: &str =
    "00130800 6b65793030303030303030 0101000000000000 0a0908 37 0102000000000000
     00130810 6b65793030303030303134 0103000000000000
     76616c7565306161 76616c7565316262 76616c7565326363
     00000000 23000000 3a000000 02000010";

#[test]
fn block_with_separate_values_written_by_11_9() {
    let block = unhex(SEPARATE_VALUES_BLOCK);
    let expected = [
        pair(b"key00000000", "0101000000000000", b"value0aa"),
        pair(b"key00000007", "0102000000000000", b"value1bb"),
        pair(b"key00000014", "0103000000000000", b"value2cc"),
    ];
    assert_eq!(entries(&block).unwrap(), expected);

    let options =
        BlockBuilderOptions { restart_interval: 2, separate_values: true, ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    for (key, value) in &expected {
        builder.add(key, value);
    }
    assert_eq!(builder.finish(), block);
}

#[test]
fn empty_block() {
    let block = unhex("0000000001000000");
    assert_eq!(entries(&block).unwrap(), []);
    assert_eq!(BlockBuilder::new(BlockBuilderOptions::default()).finish(), block);
}

#[test]
fn reserved_bit_is_refused_and_the_uniform_hint_ignored() {
    let status = BlockLayout::parse(&unhex("0000000001000040")).unwrap_err();
    assert_eq!(status.code(), base::status::Code::NotSupported);
    let layout = BlockLayout::parse(&unhex("0000000001000020")).unwrap();
    assert!(layout.has_uniform_keys);
    assert_eq!(layout.restart_count, 1);
}

#[test]
fn parts_that_do_not_fit_are_corruption() {
    for block in ["", "010000", "0100000002000000", "00000000010000f0", "ffffffffffff0f"] {
        assert!(BlockLayout::parse(&unhex(block)).is_err(), "{block}");
    }
}

#[test]
fn keys_that_outgrow_their_block_are_corruption() {
    let options = BlockBuilderOptions { restart_interval: usize::MAX, ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    let mut key = vec![b'x'; 100_000];
    for number in 0..1000u32 {
        key.truncate(99_996);
        key.extend_from_slice(&number.to_be_bytes());
        builder.add(&key, b"");
    }
    let block = builder.finish();
    assert!(entries(&block).unwrap_err().is_corruption());
    let mut walker = EntryWalker::with_expansion(&block, EXPANSION_MAX).unwrap();
    while walker.next().unwrap().is_some() {}
}

fn keys_and_values() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
    let bytes = |size| prop::collection::vec(prop::sample::select(&b"abc"[..]), 0..size);
    prop::collection::vec((bytes(9), bytes(300)), 0..60).prop_map(|mut pairs| {
        pairs.sort();
        pairs
    })
}

proptest! {
    #[test]
    fn entries_round_trip(
        pairs in keys_and_values(),
        restart_interval in 1usize..20,
        use_delta_encoding: bool,
        separate_values: bool,
    ) {
        let options = BlockBuilderOptions {
            restart_interval,
            use_delta_encoding,
            separate_values,
            hash_index_util_ratio: None,
        };
        let mut builder = BlockBuilder::new(options);
        for round in 0..2 {
            for (key, value) in &pairs {
                builder.add(key, value);
            }
            prop_assert_eq!(builder.entry_count(), pairs.len());
            let estimate = builder.current_size_estimate();
            let block = builder.finish();
            prop_assert_eq!(block.len(), estimate, "round {}", round);
            prop_assert_eq!(&entries(&block).unwrap(), &pairs);
        }
    }

    #[test]
    fn damaged_blocks_end(mut block: Vec<u8>, tail: u32) {
        block.extend_from_slice(&(tail & 0xf000_000f).to_le_bytes());
        // Whatever it is, an answer comes.
        let _ = entries(&block);
    }
}
