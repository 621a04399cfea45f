//! Features one by one, on the fixtures that have them.

use super::{nothing_pinned, open_nth, total_order};
use crate::block_based::reader::BlockReadOptions;
use crate::block_based::{BlockBasedTable, TableLookup, TableTail};
use crate::read_options::{ReadOptions, ReadTier};
use crate::table_options::{MetadataPinning, PinnedTables, TableOptions};
use crate::test_files::{BytesFile, forward, open, tables_of};
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_trailer};
use base::slice_transform::FixedPrefix;
use base::status::Code;
use base::{InternalIterator, InternalKey, ParsedInternalKey, ValueType};
use cache::{Cache, LruCache, LruCacheOptions};
use std::sync::Arc;
use testing::fixtures;

fn seek_key(user_key: &str) -> Vec<u8> {
    InternalKey::for_seek(user_key.as_bytes(), MAX_SEQUENCE_NUMBER).as_bytes().to_vec()
}

fn cache() -> Arc<LruCache> {
    Arc::new(LruCache::new(&LruCacheOptions::with_capacity(8 << 20)).unwrap())
}

#[test]
fn ingested_tables_get_the_sequence_number_of_the_manifest() {
    for fixture in fixtures::of_case("h01") {
        let ingested = tables_of(&fixture).into_iter().find(|(_, bytes)| {
            let table = open(bytes.clone(), &TableOptions::default()).unwrap();
            table.properties().external_sst_file_version().unwrap().is_some()
        });
        let Some((_, bytes)) = ingested else { panic!("{fixture} has no ingested table") };
        let table = open(bytes.clone(), &TableOptions::default()).unwrap();
        let stored = table.properties().global_seqno(None).unwrap().unwrap();
        let number = if stored == 0 { 4242 } else { stored };
        let options = TableOptions { largest_sequence: Some(number), ..Default::default() };
        let table = open(bytes.clone(), &options).unwrap();
        let pairs = forward(&mut table.new_iterator(&total_order())).unwrap();
        assert!(pairs.iter().all(|(key, _)| extract_trailer(key) >> 8 == number), "{fixture}");
        if stored != 0 {
            let options = TableOptions { largest_sequence: Some(stored + 1), ..Default::default() };
            assert!(open(bytes, &options).unwrap_err().is_corruption());
        }
    }
}

#[test]
fn stripped_timestamps_are_zeros() {
    for fixture in fixtures::of_case("q08") {
        for which in 0..tables_of(&fixture).len() {
            let table = open_nth(&fixture, which, &TableOptions::default()).unwrap();
            assert_eq!(table.comparator().timestamp_size(), 8);
            assert_eq!(table.properties().user_defined_timestamps_persisted, 0);
            let pairs = forward(&mut table.new_iterator(&total_order())).unwrap();
            assert!(!pairs.is_empty());
            for (key, _) in &pairs {
                let parsed = ParsedInternalKey::parse(key).unwrap();
                assert!(parsed.user_key.ends_with(&[0; 8]), "{fixture}: {parsed:?}");
                assert!(parsed.user_key.len() > 8);
            }
        }
    }
}

#[test]
fn embedded_blobs_show_as_values_or_as_references() {
    let fixture = fixtures::one("11.8.1", "h06");
    let tables = (0..tables_of(&fixture).len())
        .map(|which| open_nth(&fixture, which, &TableOptions::default()).unwrap());
    let table = tables
        .into_iter()
        .find(|table| table.properties().has_embedded_blobs())
        .expect("a table with embedded blobs");
    let shown = forward(&mut table.new_iterator(&total_order())).unwrap();
    let stored = forward(&mut table.new_raw_iterator(&total_order())).unwrap();
    let mut blobs = 0;
    for ((shown_key, shown_value), (stored_key, stored_value)) in shown.iter().zip(&stored) {
        let [shown_type, stored_type] =
            [shown_key, stored_key].map(|key| ParsedInternalKey::parse(key).unwrap().value_type);
        if stored_type == ValueType::BlobIndex {
            blobs += 1;
            assert_eq!(shown_type, ValueType::Value);
            assert_eq!(&table.read_embedded_blob(stored_value).unwrap(), shown_value);
        } else {
            assert_eq!((shown_type, shown_value), (stored_type, stored_value));
        }
    }
    assert!(blobs > 3, "{blobs}");
    let options = ReadOptions { read_tier: ReadTier::BlockCache, ..total_order() };
    assert!(forward(&mut table.new_iterator(&options)).is_err());
    assert_eq!(
        table.read_embedded_blob(&[1, 9, 0, 1, 0]).unwrap_err().code(),
        Code::InvalidArgument
    );
    assert!(table.read_embedded_blob(&[1, 0, 3, 1, 0]).unwrap_err().is_corruption());
}

#[test]
fn user_defined_indexes_beside_the_standard_one_are_ignored() {
    let fixture = fixtures::one("11.8.1", "q18");
    let table = open_nth(&fixture, 0, &TableOptions::default()).unwrap();
    assert_eq!(table.metaindex().user_defined_index().as_deref(), Some("trie_index"));
    assert!(!forward(&mut table.new_iterator(&total_order())).unwrap().is_empty());
}

#[test]
fn another_comparator_is_refused_naming_both() {
    let (_, bytes) = tables_of(&fixtures::one("7.9.2", "i01")).remove(0);
    let size = bytes.len() as u64;
    let status = BlockBasedTable::open(Arc::new(BytesFile(bytes)), size, &TableOptions::default())
        .unwrap_err();
    assert_eq!(
        status.to_string(),
        "Invalid argument: /db/000009.sst: table was made with comparator \
         rocksdb.ReverseBytewiseComparator, opened with leveldb.BytewiseComparator"
    );
}

#[test]
fn another_unique_id_is_refused() {
    let fixture = fixtures::one("7.9.2", "a01");
    let table = open_nth(&fixture, 0, &TableOptions::default()).unwrap();
    let actual = crate::unique_id::to_bytes(table.properties().origin().internal_id().unwrap());
    let with_id = |id| TableOptions { expected_unique_id: Some(id), ..Default::default() };
    open_nth(&fixture, 0, &with_id(actual)).unwrap();
    let status = open_nth(&fixture, 0, &with_id([1; 16])).unwrap_err();
    assert!(status.is_corruption());
    assert!(status.message().contains("Mismatch in unique ID on table file 0."), "{status}");
}

#[test]
fn block_cache_tier_finds_what_was_read_before() {
    for fixture in fixtures::of_case("c05") {
        let options = TableOptions {
            block_cache: Some(cache()),
            cache_index_and_filter_blocks: true,
            metadata_pinning: nothing_pinned(),
            ..Default::default()
        };
        let table = open_nth(&fixture, 0, &options).unwrap();
        let cached_only = ReadOptions { read_tier: ReadTier::BlockCache, ..total_order() };
        let status = forward(&mut table.new_iterator(&cached_only)).unwrap_err();
        assert_eq!(status.code(), Code::Incomplete, "{fixture}");
        let unfilled = ReadOptions { fill_cache: false, ..total_order() };
        let pairs = forward(&mut table.new_iterator(&unfilled)).unwrap();
        assert!(forward(&mut table.new_iterator(&cached_only)).is_err());
        assert_eq!(forward(&mut table.new_iterator(&total_order())).unwrap(), pairs);
        assert_eq!(forward(&mut table.new_iterator(&cached_only)).unwrap(), pairs);
        // The filter was not read, so it cannot rule keys out.
        let absent = seek_key("absent");
        assert!(table.key_may_match(&cached_only, &absent).unwrap());
    }
}

#[test]
fn index_and_filter_are_charged_to_the_cache() {
    let fixture = fixtures::one("8.11.4", "c02");
    let cache = cache();
    let options = TableOptions {
        block_cache: Some(cache.clone()),
        cache_index_and_filter_blocks: true,
        ..Default::default()
    };
    let table = open_nth(&fixture, 0, &options).unwrap();
    assert_eq!(cache.occupancy_count(), 1);
    table.key_may_match(&total_order(), &seek_key("absent")).unwrap();
    assert_eq!(cache.occupancy_count(), 2);
    assert!(cache.usage_bytes() as u64 > table.properties().filter_size);

    // With a level, a largest size, and what is pinned: how many more are in the cache.
    for (level, largest, tables, expected) in [
        (0, u64::MAX, PinnedTables::FlushedAndSimilar, 0),
        (0, 100, PinnedTables::FlushedAndSimilar, 2),
        (1, u64::MAX, PinnedTables::FlushedAndSimilar, 2),
        (1, 100, PinnedTables::All, 0),
        (0, u64::MAX, PinnedTables::None, 2),
    ] {
        let pinned = TableOptions {
            level: Some(level),
            metadata_pinning: MetadataPinning { unpartitioned: tables, ..nothing_pinned() },
            l0_pin_file_size_max: largest,
            ..options.clone()
        };
        let before = cache.occupancy_count();
        let table = open_nth(&fixture, 0, &pinned).unwrap();
        table.key_may_match(&total_order(), &seek_key("absent")).unwrap();
        assert_eq!(cache.occupancy_count() - before, expected, "{level} {largest} {tables:?}");
    }
}

#[test]
fn files_opened_again_find_their_blocks_by_the_same_name() {
    let fixture = fixtures::one("8.11.4", "c02");
    let cache = cache();
    let options = TableOptions {
        block_cache: Some(cache.clone()),
        cache_id: Some(cache.new_id()),
        ..Default::default()
    };
    let table = open_nth(&fixture, 0, &options).unwrap();
    let pairs = forward(&mut table.new_iterator(&total_order())).unwrap();
    drop(table);
    let table = open_nth(&fixture, 0, &options).unwrap();
    let cached_only = ReadOptions { read_tier: ReadTier::BlockCache, ..total_order() };
    assert_eq!(forward(&mut table.new_iterator(&cached_only)).unwrap(), pairs);
}

#[test]
fn bounds_save_the_reading_of_blocks() {
    let fixture = fixtures::one("8.11.4", "c02");
    let read_with = |options: &ReadOptions, backward: bool| {
        let cache = cache();
        let table_options = TableOptions { block_cache: Some(cache.clone()), ..Default::default() };
        let table = open_nth(&fixture, 0, &table_options).unwrap();
        let mut iter = table.new_iterator(options);
        let mut keys = Vec::new();
        if backward { iter.seek_to_last() } else { iter.seek_to_first() }.unwrap();
        while iter.valid() {
            keys.push(iter.key()[..iter.key().len() - 8].to_vec());
            if backward { iter.prev() } else { iter.next() }.unwrap();
        }
        (keys, cache.occupancy_count(), table.data_blocks().unwrap().len())
    };
    let (all, blocks_read, blocks) = read_with(&total_order(), false);
    assert_eq!(blocks_read, blocks);
    assert!(blocks > 4);
    let middle = all[all.len() / 2].clone();
    let upper = ReadOptions { iterate_upper_bound: Some(middle.clone()), ..total_order() };
    let (keys, blocks_read, _) = read_with(&upper, false);
    assert!(blocks_read < blocks && blocks_read > 0);
    assert!(keys.contains(&all[all.len() / 2 - 1]) && keys.len() < all.len());
    let lower = ReadOptions { iterate_lower_bound: Some(middle.clone()), ..total_order() };
    let (keys, blocks_read, _) = read_with(&lower, true);
    assert!(blocks_read < blocks && blocks_read > 0);
    assert!(keys.contains(&middle) && keys.len() < all.len());
}

#[test]
fn prefix_filters_end_seeks_only_where_the_extractor_is_the_same() {
    // 3.13 does not store the extractor's name.
    for fixture in
        fixtures::matching(|release, name| name.starts_with("l01") && release != "3.13.1")
    {
        let read = |extractor: usize, options: &ReadOptions| {
            let table_options = TableOptions {
                prefix_extractor: Some(Arc::new(FixedPrefix::new(extractor))),
                ..Default::default()
            };
            let table = open_nth(&fixture, 0, &table_options).unwrap();
            let mut iter = table.new_iterator(options);
            // Before every key, under a prefix that none has.
            iter.seek(&seek_key("\0\0\0\0absent")).unwrap();
            iter.valid()
        };
        let same_prefix = ReadOptions { prefix_same_as_start: true, ..Default::default() };
        assert!(!read(4, &same_prefix), "{fixture}");
        assert!(!read(4, &ReadOptions::default()), "{fixture}");
        assert!(read(5, &same_prefix), "{fixture}");
        assert!(read(4, &total_order()), "{fixture}");
        let auto = ReadOptions { auto_prefix_mode: true, ..Default::default() };
        assert!(read(4, &auto), "{fixture}");
        let bounded =
            ReadOptions { iterate_upper_bound: Some(b"\0\0\0\0b".to_vec()), ..auto.clone() };
        assert!(!read(4, &bounded), "{fixture}");
        let elsewhere = ReadOptions { iterate_upper_bound: Some(b"zzzzz".to_vec()), ..auto };
        assert!(read(4, &elsewhere), "{fixture}");
    }
}

#[test]
fn tables_without_properties_are_tolerated() {
    let (_, mut bytes) = tables_of(&fixtures::one("6.4.6", "c12-checksum-none")).remove(0);
    let size = bytes.len() as u64;
    let tail = TableTail::read(&BytesFile(bytes.clone()), size).unwrap();
    assert!(tail.properties.is_some());
    // No checksum guards the metaindex of this table: give the entry another name.
    let name = b"rocksdb.properties";
    let at = bytes.windows(name.len()).rposition(|window| window == name).unwrap();
    bytes[at + name.len() - 1] = b'z';
    let tail = TableTail::read(&BytesFile(bytes.clone()), size).unwrap();
    assert!(tail.properties.is_none());
    let known = TableOptions { expected_unique_id: Some([1; 16]), ..Default::default() };
    assert!(open(bytes, &known).unwrap_err().message().contains("Missing table properties"));
}

#[test]
fn offsets_grow_with_keys() {
    let fixture = fixtures::one("8.11.4", "c05");
    let table = open_nth(&fixture, 0, &TableOptions::default()).unwrap();
    let pairs = forward(&mut table.new_iterator(&total_order())).unwrap();
    let offsets: Vec<_> =
        pairs.iter().map(|(key, _)| table.approximate_offset_of(key).unwrap()).collect();
    assert!(offsets.is_sorted());
    assert_eq!(offsets[0], 0);
    let end = table.approximate_offset_of(&seek_key("zzz")).unwrap();
    assert_eq!(end, table.file_size());
    let all = table.approximate_size(&seek_key(""), &seek_key("zzz")).unwrap();
    assert_eq!(all, table.file_size());
    assert_eq!(table.approximate_size(&seek_key("zzz"), &seek_key("")).unwrap(), 0);
    let block = table.data_blocks().unwrap().remove(0);
    let mut iter = table.data_block_iter(block.handle).unwrap();
    assert_eq!(forward(&mut iter).unwrap(), pairs[..forward(&mut iter).unwrap().len()]);
}

#[test]
fn hash_indexes_of_data_blocks_lead_to_their_keys() {
    use crate::block::BlockLayout;
    use crate::data_block_hash_index::{HashLookup, lookup};
    let mut found = 0;
    for fixture in fixtures::of_case("c08") {
        let table = open_nth(&fixture, 0, &TableOptions::default()).unwrap();
        for block in table.data_blocks().unwrap() {
            let fetcher = table.fetcher(true, env::ReadTerms::NONE);
            let dictionary = table.load_dictionary(BlockReadOptions::from(&total_order())).unwrap();
            let contents = fetcher.fetch(block.handle, dictionary.as_deref(), None).unwrap();
            let layout = BlockLayout::parse(&contents).unwrap();
            let mut iter = table.data_block_iter(block.handle).unwrap();
            for (key, _) in forward(&mut iter).unwrap() {
                let user_key = &key[..key.len() - 8];
                match lookup(&contents, &layout, user_key) {
                    Some(HashLookup::Restart(_)) => found += 1,
                    Some(HashLookup::Collision) => {}
                    other => panic!("{fixture}: {other:?}"),
                }
            }
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn tails_are_read_without_knowing_the_comparator() {
    let (_, bytes) = tables_of(&fixtures::one("7.9.2", "i01")).remove(0);
    let size = bytes.len() as u64;
    let tail = TableTail::read(&BytesFile(bytes), size).unwrap();
    let properties = tail.properties.unwrap();
    assert_eq!(properties.user_comparator_name(), Some("rocksdb.ReverseBytewiseComparator"));
}

/// Indexes and filters in the cache are reached by links, and leave nothing behind when they go.
#[test]
fn cached_metadata_is_looked_up_once_for_as_long_as_it_stays() {
    for case in ["c02", "c05"] {
        let fixture = fixtures::one("11.8.1", case);
        let cache = cache();
        let options = TableOptions {
            block_cache: Some(cache.clone()),
            cache_index_and_filter_blocks: true,
            metadata_pinning: nothing_pinned(),
            ..Default::default()
        };
        let table = open_nth(&fixture, 0, &options).unwrap();
        let key = forward(&mut table.new_iterator(&total_order())).unwrap().remove(0).0;
        let lookups = || {
            let before = cache.counters().lookups;
            table
                .get(&TableLookup::new(&total_order(), &key, None), &mut |_, _| Ok(false))
                .unwrap();
            cache.counters().lookups - before
        };
        lookups();
        assert_eq!(lookups(), 0, "{case}");
        assert_eq!(cache.pinned_usage_bytes(), 0, "links pin nothing");
        let capacity = cache.capacity_bytes();
        cache.set_capacity(0);
        assert_eq!(cache.occupancy_count(), 0);
        cache.set_capacity(capacity);
        assert!(lookups() >= 3, "index, filter and block are read again");
        assert_eq!(lookups(), 0, "{case}");
    }
}
