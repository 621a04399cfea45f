use super::*;
use crate::block::BlockLayout;
use testing::hexes::unhex;

#[test]
fn data_block_as_7_8_3_writes_it() {
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    builder.add(&unhex("6b65793030303030303030 0101000000000000"), b"value0");
    assert_eq!(
        builder.finish(),
        unhex("0013066b65793030303030303030010100000000000076616c7565300000000001000000")
    );
}

#[test]
fn restart_points_come_at_the_interval_and_where_forced() {
    let mut builder =
        BlockBuilder::new(BlockBuilderOptions { restart_interval: 3, ..Default::default() });
    for number in 0..7 {
        if number == 4 {
            builder.force_restart();
        }
        builder.add(&[b'k', number], b"");
    }
    let block = builder.finish();
    let layout = BlockLayout::parse(&block).unwrap();
    let restarts: Vec<_> =
        (0..layout.restart_count).map(|index| layout.restart(&block, index)).collect();
    // Entries take 5 bytes, or 4 where they share the first byte.
    assert_eq!(restarts, [0, 13, 18]);
}

#[test]
fn blocks_over_64_kib_get_no_hash_index() {
    let options = BlockBuilderOptions { hash_index_util_ratio: Some(0.75), ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    let mut has_index = |value_size: usize| {
        builder.add(b"k\x01\0\0\0\0\0\0\0", &vec![0; value_size]);
        let block = builder.finish();
        let layout = BlockLayout::parse(&block).unwrap();
        assert!(block.len() <= 64 << 10 || layout.hash_buckets.is_none());
        layout.hash_buckets.is_some()
    };
    assert!(has_index(100));
    assert!(!has_index(64 << 10));
    assert!(has_index(65_000));
}
