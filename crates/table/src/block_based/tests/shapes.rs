//! Tables of all shapes with random keys, several versions of one key across blocks among them; and
//! tables that must be refused.

use super::test_table::{TableShape, TestTable};
use super::total_order;
use crate::block_based::{BlockBasedTable, TableLookup};
use crate::index::IndexType;
use crate::metaindex::USER_DEFINED_INDEX_PREFIX;
use crate::properties::names;
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, backward, forward};
use base::checksum::ChecksumType;
use base::comparator::{Comparator, U64TimestampComparator, builtin};
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key};
use base::status::Code;
use base::{InternalIterator, InternalKey, InternalKeyComparator, Result, SeekStep, ValueType};
use compression::CompressionType;
use proptest::prelude::*;
use std::cmp::Ordering;
use std::sync::Arc;

/// Longer keys first.
#[derive(Debug)]
struct LongestFirst;

impl Comparator for LongestFirst {
    fn name(&self) -> &str {
        "test.longest_first"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        b.len().cmp(&a.len()).then_with(|| a.cmp(b))
    }
}

fn comparators() -> [InternalKeyComparator; 4] {
    use base::comparator::{BYTEWISE_NAME, REVERSE_BYTEWISE_NAME};
    [
        builtin(BYTEWISE_NAME).unwrap(),
        builtin(REVERSE_BYTEWISE_NAME).unwrap(),
        Arc::new(U64TimestampComparator::BYTEWISE),
        Arc::new(LongestFirst),
    ]
    .map(InternalKeyComparator::new)
}

fn open(bytes: Vec<u8>, comparator: &InternalKeyComparator) -> Result<Arc<BlockBasedTable>> {
    let size = bytes.len() as u64;
    let options = TableOptions { comparator: comparator.clone(), ..Default::default() };
    BlockBasedTable::open(Arc::new(BytesFile(bytes)), size, &options)
}

fn shape() -> impl Strategy<Value = TableShape> {
    let numbers = (0u32..8, 0u8..5, 1usize..8, 1usize..4, 0u32..4, 1usize..4, 1usize..5);
    let flags = prop::collection::vec(any::<bool>(), 6);
    (numbers, flags).prop_map(|(numbers, flags)| {
        let (
            format_version,
            checksum_type,
            entries_per_block,
            restart_interval,
            index_type,
            index_restart_interval,
            blocks_per_partition,
        ) = numbers;
        let checksum_type = if format_version == 0 { 1 } else { checksum_type };
        // LZ4 is written as from format version 2 on.
        let compresses = flags[0] && format_version >= 2;
        TableShape {
            format_version,
            checksum_type: ChecksumType::from_u8(checksum_type).unwrap(),
            compression: if compresses { CompressionType::Lz4 } else { CompressionType::None },
            entries_per_block,
            restart_interval,
            separates_values: flags[1],
            index_type: IndexType::from_u32(index_type).unwrap(),
            index_restart_interval,
            blocks_per_partition,
            delta_encodes_index_values: flags[2],
            shortens_separators: flags[3],
            gap: if flags[4] { 7 } else { 0 },
            has_filter: flags[5],
        }
    })
}

fn keys() -> impl Strategy<Value = Vec<(Vec<u8>, u64)>> {
    let letter = prop::sample::select(&[0u8, b'a', b'b', 0xff][..]);
    let user_key = prop::collection::vec(letter, 0..4);
    prop::collection::vec((user_key, 0u64..6), 0..60)
}

fn encode(comparator: &InternalKeyComparator, (user_key, sequence): &(Vec<u8>, u64)) -> Vec<u8> {
    let mut user_key = user_key.clone();
    if comparator.timestamp_size() > 0 {
        user_key.extend_from_slice(&(sequence / 2).to_le_bytes());
    }
    InternalKey::new(&user_key, *sequence, ValueType::Value).as_bytes().to_vec()
}

/// All versions at or after the target that have its user key, timestamps left aside.
fn get(table: &BlockBasedTable, target: &[u8]) -> Pairs {
    let mut found = Vec::new();
    let user_key = extract_user_key(target);
    table
        .get(&TableLookup::new(&total_order(), target, None), &mut |parsed, value| {
            let order = table.comparator().compare_without_timestamp(parsed.user_key, user_key);
            if order.is_eq() {
                let mut key = Vec::new();
                parsed.append_to(&mut key);
                found.push((key, value.to_vec()));
            }
            Ok(order.is_eq())
        })
        .unwrap();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn tables_of_every_shape_agree_with_a_sorted_vector(
        shape in shape(),
        keys in keys(),
        others in keys(),
        which in 0usize..4,
    ) {
        let comparator = &comparators()[which];
        let mut pairs: Pairs = keys
            .iter()
            .enumerate()
            .map(|(number, key)| (encode(comparator, key), vec![number as u8; number % 30]))
            .collect();
        pairs.sort_by(|(a, _), (b, _)| comparator.compare(a, b));
        pairs.dedup_by(|(a, _), (b, _)| a == b);
        let table = open(TestTable::new(&shape, comparator).build(&pairs), comparator).unwrap();
        let mut iter = table.new_iterator(&total_order());
        prop_assert_eq!(&forward(&mut iter).unwrap(), &pairs);
        prop_assert_eq!(&backward(&mut iter).unwrap(), &pairs);
        table.verify_checksum(&total_order()).unwrap();

        for (turn, key) in keys.iter().chain(&others).enumerate() {
            let target = encode(comparator, key);
            let start = pairs.partition_point(|(key, _)| comparator.compare(key, &target).is_lt());
            // With any number of the steps that may lead there.
            for step in SeekStep::ALL.into_iter().take(turn % 5) {
                iter.approach(&target, step).unwrap();
                prop_assert!(!iter.valid());
            }
            iter.seek(&target).unwrap();
            let found = iter.valid().then(|| iter.key());
            prop_assert_eq!(found, pairs.get(start).map(|(key, _)| &key[..]));
            let end = pairs.partition_point(|(key, _)| comparator.compare(key, &target).is_le());
            for step in SeekStep::ALL_BEFORE.into_iter().take(turn % 5) {
                iter.approach(&target, step).unwrap();
                prop_assert!(!iter.valid());
            }
            iter.seek_for_prev(&target).unwrap();
            let found = iter.valid().then(|| iter.key());
            prop_assert_eq!(found, end.checked_sub(1).map(|last| &pairs[last].0[..]));
            let user_key = extract_user_key(&target);
            let versions: Pairs = pairs[start..]
                .iter()
                .take_while(|(key, _)| {
                    comparator.compare_without_timestamp(extract_user_key(key), user_key).is_eq()
                })
                .cloned()
                .collect();
            prop_assert_eq!(get(&table, &target), versions);
        }
    }
}

fn pairs(count: u32) -> Pairs {
    (0..count)
        .map(|number| {
            let key = format!("key{number:06}");
            (InternalKey::new(key.as_bytes(), 7, ValueType::Value).as_bytes().to_vec(), vec![1])
        })
        .collect()
}

fn refusal(change: impl FnOnce(&mut TestTable<'_>)) -> base::Status {
    let (comparator, shape) =
        (InternalKeyComparator::bytewise(), TableShape { format_version: 7, ..Default::default() });
    let mut table = TestTable::new(&shape, &comparator);
    change(&mut table);
    let bytes = table.build(&pairs(20));
    let opened = open(bytes, &comparator);
    opened.and_then(|table| forward(&mut table.new_iterator(&total_order()))).unwrap_err()
}

#[test]
fn features_that_are_not_supported_are_refused_by_name() {
    let index_type = |table: &mut TestTable<'_>| {
        let name = names::INDEX_TYPE.into();
        table.properties.user_collected_properties.insert(name, vec![4, 0, 0, 0]);
    };
    assert_eq!(refusal(index_type).to_string(), "Not implemented: /db/000009.sst: index of type 4");
    let compression_manager = |table: &mut TestTable<'_>| {
        table.properties.compression_name = "Mine;80;".into();
    };
    assert_eq!(
        refusal(compression_manager).to_string(),
        "Not implemented: /db/000009.sst: compression manager Mine"
    );
    let user_defined_index = |table: &mut TestTable<'_>| {
        table.leaves_index_empty = true;
        let handle = table.write_stored_block(b"trie", 0);
        let name = format!("{USER_DEFINED_INDEX_PREFIX}trie_index");
        table.metaindex.insert(name.into_bytes(), handle);
    };
    assert_eq!(
        refusal(user_defined_index).to_string(),
        "Not implemented: /db/000009.sst: user-defined index trie_index in place of the standard \
         index"
    );
}

#[test]
fn an_empty_index_over_data_blocks_is_corruption() {
    let status = refusal(|table| table.leaves_index_empty = true);
    assert_eq!(status.code(), Code::Corruption);
    assert!(status.message().contains("the index is empty, expected 5 data blocks"), "{status}");
}

#[test]
fn builtin_compression_managers_are_read() {
    let comparator = InternalKeyComparator::bytewise();
    let shape = TableShape { format_version: 7, ..Default::default() };
    for name in [";;", "BuiltinV2;07;", ""] {
        let mut table = TestTable::new(&shape, &comparator);
        table.properties.compression_name = name.into();
        let table = open(table.build(&pairs(20)), &comparator).unwrap();
        assert_eq!(forward(&mut table.new_iterator(&total_order())).unwrap(), pairs(20));
    }
}

#[test]
fn a_seek_within_the_block_waits_for_nothing() {
    let comparator = InternalKeyComparator::bytewise();
    let shape = TableShape::default();
    let table = open(TestTable::new(&shape, &comparator).build(&pairs(40)), &comparator).unwrap();
    let mut iter = table.new_iterator(&total_order());
    // Blocks have four entries.
    for (target, waits) in [(1, true), (0, false), (3, false), (4, true), (7, false), (0, true)] {
        let (key, _) = &pairs(40)[target];
        assert_eq!(iter.approach(key, SeekStep::FindBlock).unwrap(), waits, "for {target}");
        iter.seek(key).unwrap();
        assert_eq!(iter.key(), key);
    }
    let behind = InternalKey::for_seek(b"m", 9);
    assert!(!iter.approach(behind.as_bytes(), SeekStep::FindBlock).unwrap(), "there is none");
}

#[test]
fn a_get_reads_no_block_that_cannot_matter() {
    use cache::{Cache, LruCache, LruCacheOptions};
    let comparator = InternalKeyComparator::bytewise();
    let shape = TableShape::default();
    let cache = Arc::new(LruCache::new(&LruCacheOptions::with_capacity(1 << 20)).unwrap());
    let options = TableOptions { block_cache: Some(cache.clone()), ..Default::default() };
    let bytes = TestTable::new(&shape, &comparator).build(&pairs(40));
    let size = bytes.len() as u64;
    let table = BlockBasedTable::open(Arc::new(BytesFile(bytes)), size, &options).unwrap();
    // Between the last key of the first block and its separator.
    let target = InternalKey::for_seek(b"key000003x", MAX_SEQUENCE_NUMBER);
    assert_eq!(get(&table, target.as_bytes()), []);
    assert_eq!(cache.occupancy_count(), 1);
}
