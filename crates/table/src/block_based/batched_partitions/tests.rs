use super::*;
use crate::block_based::filter_reader::{PartitionedFilter, TableFilter};
use crate::block_based::tests::nothing_pinned;
use crate::block_based::{TableLookup, read_missing_blocks};
use crate::filter::FilterPolicy;
use crate::format::BlockHandle;
use crate::index::{FlatIndex, IndexType};
use crate::read_options::{ReadOptions, ReadTier};
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::{MetadataPinning, TableOptions};
use crate::test_files::{BytesFile, build_table};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::slice_transform::FixedPrefix;
use base::status::Code;
use base::{InternalKey, ValueType};
use cache::{LruCache, LruCacheOptions};
use perf_context::{PerfLevel, PerfMetric, perf_context, reset_perf_context, set_perf_level};
use statistics::{HistogramType, Statistics, Ticker};
use std::sync::Arc;

const KEYS: u32 = 2000;

type Found = Result<Option<Vec<u8>>>;

fn user_key(number: u32) -> Vec<u8> {
    format!("key{number:06}").into_bytes()
}

fn value(number: u32) -> Vec<u8> {
    format!("value {number} ").repeat(5).into_bytes()
}

/// Of keys with even numbers, in many partitions.
fn bytes(writing: &TableBuilderOptions) -> Vec<u8> {
    let entry = |number: u32| {
        let key = InternalKey::new(&user_key(number), 7, ValueType::Value);
        (key.as_bytes().to_vec(), value(number))
    };
    let entries: Vec<_> = (0..KEYS).step_by(2).map(entry).collect();
    build_table(writing, &entries).unwrap().0
}

fn partitioned() -> TableBuilderOptions {
    TableBuilderOptions {
        index_type: IndexType::TwoLevel,
        partition_filters: true,
        metadata_block_size: 256,
        block_size: 512,
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..TableBuilderOptions::default()
    }
}

/// Partitions are in a cache of so many bytes, or in the table.
fn reading(capacity: Option<usize>, metadata_pinning: MetadataPinning) -> TableOptions {
    let cache = |capacity| LruCache::new(&LruCacheOptions::with_capacity(capacity)).unwrap();
    TableOptions {
        block_cache: capacity.map(|capacity| Arc::new(cache(capacity)) as _),
        cache_index_and_filter_blocks: capacity.is_some(),
        metadata_pinning,
        statistics: Some(Arc::new(Statistics::new())),
        ..TableOptions::default()
    }
}

/// All places where partitions may live, each time anew.
fn all_readings() -> Vec<TableOptions> {
    let in_cache = [None, Some(0), Some(20_000), Some(10 << 20)];
    let pinning = [MetadataPinning::default(), nothing_pinned()];
    in_cache.into_iter().flat_map(|cache| pinning.map(|pinning| reading(cache, pinning))).collect()
}

fn open(bytes: &[u8], options: &TableOptions) -> Arc<BlockBasedTable> {
    let size = bytes.len() as u64;
    BlockBasedTable::open(Arc::new(BytesFile(bytes.to_vec())), size, options).unwrap()
}

/// What a key has in each table, by lookups of one after the other, or of all of them together.
fn get(
    tables: &[&BlockBasedTable],
    options: &ReadOptions,
    numbers: &[u32],
    together: bool,
) -> Vec<Found> {
    let target = |&number: &u32| InternalKey::for_seek(&user_key(number), MAX_SEQUENCE_NUMBER);
    let targets: Vec<InternalKey> = numbers.iter().map(target).collect();
    let recorder = tables[0].stats.recorder();
    let lookups: Vec<_> = targets
        .iter()
        .map(|target| TableLookup::new(options, target.as_bytes(), recorder))
        .collect();
    let mut found: Vec<Found> = vec![Ok(None); lookups.len() * tables.len()];
    let places =
        || tables.iter().flat_map(|table| lookups.iter().map(move |lookup| (table, lookup)));
    if !together {
        for ((table, lookup), found) in places().zip(&mut found) {
            *found = value_by(lookup, |visit| table.get(lookup, visit));
        }
        return found;
    }
    let staged = places().map(|(table, lookup)| StagedGet::begin(table, lookup));
    let mut staged: Vec<_> = staged.enumerate().collect();
    ask_partitioned_filters(staged.iter_mut().map(|(_, get)| get));
    staged.retain_mut(|(at, get)| {
        get.pass_filter().unwrap_or_else(|status| {
            found[*at] = Err(status);
            false
        })
    });
    find_blocks(staged.iter_mut().map(|(_, get)| get));
    read_missing_blocks(staged.iter_mut().map(|(_, get)| get));
    for (at, get) in staged {
        found[at] = value_by(&lookups[at % lookups.len()], |visit| get.visit(visit));
    }
    found
}

type Visit<'v> = dyn FnMut(base::ParsedInternalKey<'_>, crate::EntryValue<'_>) -> Result<bool> + 'v;

/// What `visit` shows of the key of `lookup`.
fn value_by(lookup: &TableLookup<'_>, visit: impl FnOnce(&mut Visit<'_>) -> Result<()>) -> Found {
    let wanted = base::dbformat::extract_user_key(lookup.internal_key);
    let mut found = None;
    visit(&mut |key, value| {
        found = (key.user_key == wanted).then(|| value.pin().to_vec());
        Ok(false)
    })?;
    Ok(found)
}

fn expected(number: u32) -> Option<Vec<u8>> {
    (number < KEYS && number.is_multiple_of(2)).then(|| value(number))
}

/// Keys that are there, keys that are not, some of them more than once.
fn batch(seed: u32) -> Vec<u32> {
    (0..30).map(|i| (seed * 30 + i).wrapping_mul(2_654_435_761) % (KEYS + 20)).collect()
}

#[test]
fn values_are_those_of_single_lookups() {
    let prefixes = TableBuilderOptions {
        whole_key_filtering: false,
        prefix_extractor: Some(Arc::new(FixedPrefix::new(8))),
        ..partitioned()
    };
    let coupled = TableBuilderOptions { decouple_partitioned_filters: false, ..partitioned() };
    let flat = TableBuilderOptions { index_type: IndexType::BinarySearch, ..partitioned() };
    for writing in [partitioned(), prefixes, coupled, flat] {
        let bytes = bytes(&writing);
        for reading in all_readings() {
            let prefix_extractor = writing.prefix_extractor.clone();
            let table = open(&bytes, &TableOptions { prefix_extractor, ..reading });
            for fill_cache in [false, true, true] {
                let options = ReadOptions { fill_cache, ..ReadOptions::default() };
                for seed in 0..40 {
                    let numbers = batch(seed);
                    let found = get(&[&table], &options, &numbers, true);
                    for (number, found) in numbers.into_iter().zip(found) {
                        assert_eq!(found, Ok(expected(number)), "{number}");
                    }
                }
            }
        }
    }
}

/// How many blocks have been read together, and in how many batches.
fn batches(statistics: &Statistics) -> (u64, u64) {
    let sizes = statistics.histogram_data(HistogramType::MultigetIoBatchSize);
    (sizes.sum, sizes.count)
}

#[test]
fn partitions_of_all_keys_are_read_in_one_batch() {
    set_perf_level(PerfLevel::EnableCount);
    let bytes = bytes(&partitioned());
    let pinned = [None, Some(0), Some(10 << 20)].map(|of| reading(of, MetadataPinning::default()));
    for reading in pinned.into_iter().chain([reading(Some(10 << 20), nothing_pinned())]) {
        let (one, other) = (open(&bytes, &reading), open(&bytes, &reading));
        let numbers: Vec<u32> = (0..20).map(|i| i * 100).collect();
        reset_perf_context();
        // The filters' top levels.
        for table in [&one, &other] {
            get(&[table], &ReadOptions::default(), &[KEYS], true);
        }
        let before = (batches(reading.statistics.as_ref().unwrap()), perf_context());
        let found = get(&[&one, &other], &ReadOptions::default(), &numbers, true);
        for (at, found) in found.into_iter().enumerate() {
            assert_eq!(found, Ok(expected(numbers[at % numbers.len()])));
        }
        let after = (batches(reading.statistics.as_ref().unwrap()), perf_context());
        let reads = |metric| after.1.get(metric) - before.1.get(metric);
        assert_eq!(after.0.1 - before.0.1, 3, "filters, indexes, data");
        assert_eq!(after.0.0 - before.0.0, reads(PerfMetric::BlockReadCount), "all are read so");
        assert!(reads(PerfMetric::IndexBlockReadCount) > 20);
        assert!(reads(PerfMetric::FilterBlockReadCount) > 10);
        // Once more, with what has stayed.
        let found = get(&[&one, &other], &ReadOptions::default(), &numbers, true);
        assert!(found.into_iter().all(|found| found.is_ok_and(|value| value.is_some())));
    }
    set_perf_level(PerfLevel::Disable);
}

/// What some batches find, and all that is counted of them.
#[derive(Debug, PartialEq)]
struct Counted {
    tickers: Vec<u64>,
    perf_context: Vec<(String, u64)>,
    found: Vec<Found>,
    /// Bytes in the cache in the end.
    usage: usize,
}

fn counted(bytes: &[u8], reading: &TableOptions, options: &ReadOptions, together: bool) -> Counted {
    let table = open(bytes, reading);
    reset_perf_context();
    let found = (0..60).flat_map(|seed| get(&[&table], options, &batch(seed), together)).collect();
    Counted {
        tickers: reading.statistics.as_ref().unwrap().ticker_counts(),
        perf_context: perf_context().non_zero().collect(),
        found,
        usage: reading.block_cache.as_ref().map_or(0, |cache| cache.usage_bytes()),
    }
}

#[test]
fn what_is_counted_is_that_of_single_lookups() {
    set_perf_level(PerfLevel::EnableCount);
    let bytes = bytes(&partitioned());
    for pinning in [MetadataPinning::default(), nothing_pinned()] {
        for capacity in [None, Some(10 << 20)] {
            for read_tier in [ReadTier::ReadAll, ReadTier::BlockCache] {
                let options = ReadOptions { read_tier, ..ReadOptions::default() };
                let [alone, together] = [false, true].map(|together| {
                    counted(&bytes, &reading(capacity, pinning), &options, together)
                });
                let count = |of: &Counted, ticker: Ticker| of.tickers[ticker as usize];
                for ticker in [
                    Ticker::BlockCacheIndexMiss,
                    Ticker::BlockCacheIndexHit,
                    Ticker::BlockCacheIndexAdd,
                    Ticker::BlockCacheFilterMiss,
                    Ticker::BlockCacheFilterHit,
                    Ticker::BlockCacheFilterAdd,
                    Ticker::BloomFilterUseful,
                ] {
                    assert_eq!(count(&alone, ticker), count(&together, ticker), "{ticker:?}");
                }
                assert_eq!(alone, together, "{capacity:?} {read_tier:?}");
            }
        }
    }
    set_perf_level(PerfLevel::Disable);
}

#[test]
fn where_files_must_not_be_read_keys_are_incomplete() {
    let bytes = bytes(&partitioned());
    for reading in all_readings() {
        let table = open(&bytes, &reading);
        let read_tier = ReadTier::BlockCache;
        let options = ReadOptions { read_tier, ..ReadOptions::default() };
        let numbers: Vec<u32> = (0..KEYS).step_by(100).collect();
        for found in get(&[&table], &options, &numbers, true) {
            assert_eq!(found.unwrap_err().code(), Code::Incomplete);
        }
        assert_eq!(batches(reading.statistics.as_ref().unwrap()), (0, 0));
    }
}

/// The middle one of the blocks that a top level leads to.
fn middle(top: &FlatIndex) -> BlockHandle {
    top.handle(top.len() / 2)
}

/// A partition of the index, and one of the filter.
fn partitions_of(table: &BlockBasedTable) -> [BlockHandle; 2] {
    let options = (&ReadOptions::default()).into();
    let Some(TableFilter::Partitioned(PartitionedFilter { top, layout, .. })) = &table.filter
    else {
        panic!("the filter is not partitioned");
    };
    let filter = layout.top(top, table, options, None).unwrap();
    [middle(&table.index.top(table, options, None).unwrap()), middle(&filter)]
}

#[test]
fn a_damaged_partition_fails_the_keys_that_need_it() {
    let whole = bytes(&partitioned());
    let sound = open(&whole, &TableOptions::default());
    let numbers: Vec<u32> = (0..KEYS).step_by(14).collect();
    for handle in partitions_of(&sound) {
        let mut damaged = whole.clone();
        damaged[handle.offset as usize + 10] ^= 1;
        for reading in all_readings() {
            let [alone, together] = [false, true].map(|together| {
                get(&[&open(&damaged, &reading)], &ReadOptions::default(), &numbers, together)
            });
            let failed = together.iter().filter_map(|found| found.as_ref().err());
            let text = failed.clone().next().unwrap().to_string();
            assert!(text.contains("/db/000009.sst"), "{text}");
            assert!(text.contains(&handle.offset.to_string()), "{text}");
            let failed_count = failed.count();
            assert!((2..40).contains(&failed_count), "{failed_count} of {}", numbers.len());
            assert_eq!(alone, together);
        }
    }
}
