use super::*;
use crate::block_based::BlockBasedTable;
use crate::filter::FilterPolicy;
use crate::index::IndexType;
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, build_table, forward};
use crate::{ReadOptions, ReadTier};
use base::comparator::U64TimestampComparator;
use base::{InternalKey, InternalKeyComparator, ValueType};
use cache::{LruCache, LruCacheOptions};
use compression::{CompressionOptions, CompressionType};

fn entries(timestamp: &[u8]) -> Pairs {
    let entry = |number: u32| {
        let key = [format!("key{number:06}").as_bytes(), timestamp].concat();
        let key = InternalKey::new(&key, 7, ValueType::Value).as_bytes().to_vec();
        (key, format!("value {number} ").repeat(5).into_bytes())
    };
    (0..2000).map(entry).collect()
}

fn cache(capacity: usize, strict_capacity_limit: bool) -> Arc<dyn Cache> {
    let options = LruCacheOptions {
        strict_capacity_limit,
        num_shard_bits: 0,
        ..LruCacheOptions::with_capacity(capacity)
    };
    Arc::new(LruCache::new(&options).unwrap())
}

/// The table built of `entries`, opened with the cache that it was built with.
fn build_and_open(
    options: TableBuilderOptions,
    entries: &Pairs,
    cache: &Arc<dyn Cache>,
) -> Arc<BlockBasedTable> {
    let cache_id = cache.new_id();
    let warming = CacheWarming { cache: cache.clone(), cache_id, priority: Priority::Low };
    let options = TableBuilderOptions { cache_warming: Some(warming), ..options };
    let (bytes, _) = build_table(&options, entries).unwrap();
    let size = bytes.len() as u64;
    let read = TableOptions {
        comparator: options.comparator.clone(),
        block_cache: Some(cache.clone()),
        cache_id: Some(cache_id),
        cache_index_and_filter_blocks: true,
        user_defined_timestamps_persisted: options.user_defined_timestamps_persisted,
        ..TableOptions::default()
    };
    BlockBasedTable::open(Arc::new(BytesFile(bytes)), size, &read).unwrap()
}

/// What is there without a look at the file.
fn cached(table: &Arc<BlockBasedTable>) -> Result<Pairs> {
    let options = ReadOptions {
        read_tier: ReadTier::BlockCache,
        total_order_seek: true,
        ..ReadOptions::default()
    };
    forward(&mut table.new_iterator(&options))
}

#[test]
fn all_data_is_there_before_anybody_reads_it() {
    let plain = TableBuilderOptions::default();
    let compression_options =
        CompressionOptions { max_dict_bytes: 4096, ..CompressionOptions::default() };
    for options in [
        plain.clone(),
        TableBuilderOptions { compression: CompressionType::Lz4, ..plain.clone() },
        TableBuilderOptions {
            compression: CompressionType::Zstd,
            compression_options,
            block_size: 500,
            ..plain.clone()
        },
        TableBuilderOptions {
            index_type: IndexType::TwoLevel,
            partition_filters: true,
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
            metadata_block_size: 500,
            ..plain.clone()
        },
        TableBuilderOptions { separate_key_value_in_data_block: true, ..plain },
    ] {
        let entries = entries(&[]);
        let table = build_and_open(options, &entries, &cache(10 << 20, false));
        table.load_metadata().unwrap();
        assert_eq!(cached(&table).unwrap(), entries);
    }
}

#[test]
fn keys_get_back_the_timestamps_that_the_file_does_not_have() {
    let options = TableBuilderOptions {
        comparator: InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE)),
        user_defined_timestamps_persisted: false,
        ..TableBuilderOptions::default()
    };
    let table = build_and_open(options, &entries(&[3; 8]), &cache(10 << 20, false));
    assert_eq!(cached(&table).unwrap(), entries(&[0; 8]), "as they are read from the file");
}

#[test]
fn a_cache_without_room_is_no_fault() {
    let full = cache(5000, true);
    let table = build_and_open(TableBuilderOptions::default(), &entries(&[]), &full);
    assert!(cached(&table).unwrap_err().to_string().contains("no blocking io"));
    assert!(full.usage_bytes() <= 5000);
}
