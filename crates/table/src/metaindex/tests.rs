use super::*;
use proptest::prelude::*;
use testing::hexes::unhex;

#[test]
fn metaindex_written_by_11_9() {
    let block = unhex(
        "000d02 726f636b7364622e696e646578 3d17
         001203 726f636b7364622e70726f70657274696573 59e608
         00000000 12000000 02000000",
    );
    let metaindex = MetaIndex::decode(&block).unwrap();
    assert_eq!(metaindex.find(INDEX_BLOCK_NAME), Some(BlockHandle { offset: 61, size: 23 }));
    let properties = BlockHandle { offset: 89, size: 1126 };
    assert_eq!(metaindex.properties(), Some(properties));
    assert_eq!(metaindex.find(RANGE_DEL_BLOCK_NAME), None);
    assert_eq!(metaindex.filter(), None);
    assert_eq!(metaindex.user_defined_index(), None);
    assert_eq!(MetaIndex::encode(metaindex.entries()), block);
}

#[test]
fn filters_of_unknown_policies_are_no_filters() {
    let handle = BlockHandle { offset: 1, size: 2 };
    let with =
        |name: &str| MetaIndex::decode(&MetaIndex::encode([(name.as_bytes(), handle)])).unwrap();
    assert_eq!(
        with("fullfilter.rocksdb.BuiltinBloomFilter").filter(),
        Some(FilterLocation::Full(handle))
    );
    assert_eq!(
        with("partitionedfilter.rocksdb.BuiltinBloomFilter").filter(),
        Some(FilterLocation::Partitioned(handle))
    );
    for other in ["fullfilter.mine", "filter.rocksdb.BuiltinBloomFilter", "fullfilter."] {
        assert_eq!(with(other).filter(), None);
    }
    assert_eq!(
        with("rocksdb.user_defined_index.trie").user_defined_index().as_deref(),
        Some("trie")
    );
    assert_eq!(with("rocksdb.stats").properties(), Some(handle));
}

#[test]
fn disorder_and_bad_handles_are_corruption() {
    let handle = BlockHandle { offset: 1, size: 2 };
    let block = MetaIndex::encode([(&b"b"[..], handle), (b"a", handle)]);
    assert_eq!(MetaIndex::decode(&block).unwrap_err().message(), "metaindex out of order");
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    builder.add(b"rocksdb.properties", b"\x80");
    assert_eq!(
        MetaIndex::decode(&builder.finish()).unwrap_err().message(),
        "bad block handle of rocksdb.properties in metaindex"
    );
}

proptest! {
    #[test]
    fn entries_round_trip(entries: std::collections::BTreeMap<Vec<u8>, (u64, u64)>) {
        let entries: Vec<_> = entries
            .iter()
            .map(|(name, &(offset, size))| (name.as_slice(), BlockHandle { offset, size }))
            .collect();
        let metaindex = MetaIndex::decode(&MetaIndex::encode(entries.clone())).unwrap();
        prop_assert_eq!(metaindex.entries().collect::<Vec<_>>(), entries);
    }
}
