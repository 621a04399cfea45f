use super::*;
use crate::ReadOptions;
use crate::filter::FilterPolicy;
use crate::index::IndexType;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::{MetadataPinning, PinnedTables, TableOptions};
use crate::test_files::{BytesFile, Pairs, build_table, forward};
use base::{InternalKey, ValueType};
use cache::{Cache, LruCache, LruCacheOptions};
use compression::{CompressionOptions, CompressionType};
use std::sync::Arc;

fn entries() -> Pairs {
    let entry = |number: u32| {
        let key = InternalKey::new(format!("key{number:06}").as_bytes(), 7, ValueType::Value);
        (key.as_bytes().to_vec(), format!("value {number} ").repeat(5).into_bytes())
    };
    (0..2000).map(entry).collect()
}

fn table(index_type: IndexType, cache: &Arc<dyn Cache>) -> Arc<BlockBasedTable> {
    let options = TableBuilderOptions { index_type, ..TableBuilderOptions::default() };
    table_with(&options, TableOptions::default(), cache)
}

fn table_with(
    writing: &TableBuilderOptions,
    reading: TableOptions,
    cache: &Arc<dyn Cache>,
) -> Arc<BlockBasedTable> {
    let (bytes, _) = build_table(writing, &entries()).unwrap();
    let size = bytes.len() as u64;
    let options = TableOptions { block_cache: Some(cache.clone()), ..reading };
    BlockBasedTable::open(Arc::new(BytesFile(bytes)), size, &options).unwrap()
}

#[test]
fn blocks_that_were_read_are_known_and_go() {
    for index_type in [IndexType::BinarySearch, IndexType::TwoLevel] {
        let options = LruCacheOptions::with_capacity(10 << 20);
        let cache: Arc<dyn Cache> = Arc::new(LruCache::new(&options).unwrap());
        let (gone, stays) = (table(index_type, &cache), table(index_type, &cache));
        assert_eq!(gone.blocks_in_cache().read, 0);
        gone.erase_from_cache();
        for table in [&gone, &stays] {
            assert_eq!(
                forward(&mut table.new_iterator(&ReadOptions::default())).unwrap(),
                entries()
            );
        }
        let blocks = gone.blocks_in_cache();
        assert!(blocks.total > 30 && blocks.read == blocks.total, "{blocks:?}");
        let usage = cache.usage_bytes();
        gone.erase_from_cache();
        assert_eq!(gone.blocks_in_cache().read, 0);
        assert_eq!(cache.usage_bytes(), usage / 2, "of the other nothing went");
        assert_eq!(stays.blocks_in_cache(), blocks);
        // Whoever reads it nevertheless can.
        assert_eq!(forward(&mut gone.new_iterator(&ReadOptions::default())).unwrap(), entries());
    }
}

/// Where index, filter and dictionary live in the cache too, they lead to the rest and go with it.
#[test]
fn nothing_stays_of_a_table_that_is_in_the_cache_as_a_whole() {
    for (index_type, partition_filters) in [
        (IndexType::BinarySearch, false),
        (IndexType::TwoLevel, false),
        (IndexType::TwoLevel, true),
    ] {
        let lru = LruCacheOptions::with_capacity(10 << 20);
        let cache: Arc<dyn Cache> = Arc::new(LruCache::new(&lru).unwrap());
        let compression_options =
            CompressionOptions { max_dict_bytes: 4 << 10, ..CompressionOptions::default() };
        let writing = TableBuilderOptions {
            index_type,
            partition_filters,
            metadata_block_size: 256,
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
            compression: CompressionType::Zstd,
            compression_options,
            ..TableBuilderOptions::default()
        };
        let reading = TableOptions {
            cache_index_and_filter_blocks: true,
            metadata_pinning: MetadataPinning {
                top_level: PinnedTables::None,
                partitions: PinnedTables::None,
                unpartitioned: PinnedTables::None,
            },
            ..TableOptions::default()
        };
        let table = table_with(&writing, reading, &cache);
        let options = ReadOptions::default();
        let read_all = || {
            for (key, _) in entries() {
                assert!(table.key_may_match(&options, &key).unwrap());
            }
            assert_eq!(forward(&mut table.new_iterator(&options)).unwrap(), entries());
        };
        read_all();
        let (in_cache, usage) = (cache.occupancy_count(), cache.usage_bytes());
        assert!(in_cache > 20 && usage > 100_000, "{in_cache} blocks, {usage} bytes");
        table.erase_from_cache();
        assert_eq!((cache.occupancy_count(), cache.usage_bytes()), (0, 0), "{index_type:?}");
        // Whoever reads it nevertheless can.
        read_all();
        assert_eq!((cache.occupancy_count(), cache.usage_bytes()), (in_cache, usage));
    }
}
