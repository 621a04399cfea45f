//! Several keys at once, and operands before they are merged.

use crate::{default_family, scan, total_order, unpack};
use base::FastPath;
use base::filename::FileType;
use base::status::Code;
use cache::{Cache, LruCache, LruCacheOptions};
use db::{
    ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions, OpenContext, ReadOptions,
    WriteOptions,
};
use env::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use env::{FaultInjectionFileSystem, FileSystem, PosixFileSystem, allow_io_uring, has_io_uring};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions};
use statistics::{HistogramType, Statistics, Ticker};
use std::path::Path;
use std::sync::Arc;

#[test]
fn keys_in_any_order_repeated_and_missing() {
    let opened = unpack("10.10.1", "a02");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &total_order(), &family);
    let mut keys: Vec<Vec<u8>> = all.iter().rev().map(|(key, _)| key.clone()).collect();
    keys.extend(all.iter().step_by(3).map(|(key, _)| key.clone()));
    keys.extend(all.iter().map(|(key, _)| [key, &b"?"[..]].concat()));
    keys.push(Vec::new());
    let several = db.multi_get(&ReadOptions::default(), &family, &keys);
    assert_eq!(several.len(), keys.len());
    let mut found_count = 0;
    for (key, found) in keys.iter().zip(several) {
        let expected = all.iter().find(|(other, _)| other == key).map(|(_, value)| &value[..]);
        assert_eq!(found.as_ref().map(|value| value.as_deref()), Ok(expected));
        found_count += usize::from(expected.is_some());
    }
    assert_eq!(found_count, all.len() + all.len().div_ceil(3));
    assert!(db.multi_get::<&[u8]>(&ReadOptions::default(), &family, &[]).is_empty());
}

#[test]
fn several_families() {
    let opened = unpack("11.8.1", "d01");
    let db = opened.db();
    let families: Vec<_> = db.column_families().collect();
    assert!(families.len() > 2);
    let mut keys = Vec::new();
    for family in families.iter().rev() {
        for (key, value) in scan(&db, &total_order(), family) {
            keys.push((family, key, value));
        }
    }
    // In turn from both ends, so that families alternate.
    let half = keys.len() / 2;
    let keys: Vec<_> = (0..half).flat_map(|i| [&keys[i], &keys[keys.len() - 1 - i]]).collect();
    let wanted: Vec<_> = keys.iter().map(|(family, key, _)| (*family, &key[..])).collect();
    let several = db.multi_get_cf(&ReadOptions::default(), &wanted);
    for ((family, key, value), found) in keys.iter().zip(several) {
        let name = family.name();
        assert_eq!(found.unwrap().as_deref(), Some(&value[..]), "{key:02x?} of {name}");
    }
}

#[test]
fn values_beyond_the_soft_limit_are_given_up() {
    let opened = unpack("11.8.1", "a01");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &total_order(), &family);
    let keys: Vec<_> = all.iter().rev().map(|(key, _)| key).collect();
    let limit = (all[0].1.len() + all[1].1.len()) as u64;
    let options = ReadOptions { value_size_soft_limit: limit, ..ReadOptions::default() };
    let several = db.multi_get(&options, &family, &keys);
    // The value that goes beyond the limit is still given.
    for (index, found) in several.iter().rev().enumerate() {
        match found {
            Ok(value) => {
                assert!(index < 3, "value {index} was to be given up");
                assert_eq!(value.as_deref(), Some(&all[index].1[..]));
            }
            Err(error) => {
                assert!(index >= 3, "{error}");
                assert_eq!(error.code(), Code::Aborted);
                assert!(error.message().contains("value_size_soft_limit"), "{error}");
            }
        }
    }
}

/// `golden.append` joins base and operands with `|`, and no operand of the case has one in it.
#[test]
fn merge_operands_join_to_the_value() {
    let mut opened = unpack("11.8.1", "e02");
    let all = {
        let db = opened.db();
        scan(&db, &total_order(), &default_family(&db))
    };
    opened.options.families[0].options.merge_operator = None;
    let db = opened.db();
    let family = default_family(&db);
    let mut counts = Vec::new();
    for (key, value) in &all {
        let operands =
            db.get_merge_operands(&ReadOptions::default(), &family, key).unwrap().unwrap();
        let parts: Vec<&[u8]> = operands.iter().map(|operand| &**operand).collect();
        assert_eq!(parts.join(&b'|'), *value);
        counts.push(parts.len());
    }
    assert!(counts.iter().any(|count| *count > 3) && counts.contains(&1), "{counts:?}");
    let missing = db.get_merge_operands(&ReadOptions::default(), &family, b"no such key");
    assert_eq!(missing.unwrap(), None);
}

const KEYS: u64 = 3000;

fn key(number: u64) -> Vec<u8> {
    format!("key{number:08}").into_bytes()
}

/// What the keys of the test have in the end: the last round that wrote them.
fn value(number: u64) -> Option<Vec<u8>> {
    let round = [5, 3, 2].into_iter().find(|round| number.is_multiple_of(*round))?;
    Some(format!("{round} {}", "v".repeat(100 + number as usize % 50)).into_bytes())
}

/// Options of tables whose index and filter are one block each, and of those that have them in partitions, which
/// the table or the block cache holds.
const TABLES: [&str; 3] = [
    "",
    "index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=256",
    "index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=256;\
     cache_index_and_filter_blocks=true",
];

fn open(
    path: &Path,
    table: &str,
    use_direct_reads: bool,
    context: &OpenContext,
) -> base::Result<Db> {
    let mut family = ColumnFamilyOptions::default();
    let blocks = "block_size=512;filter_policy=bloomfilter:10:false;format_version=5";
    for table in [blocks, table] {
        family.table.apply_string(table, &ConfigOptions::default()).unwrap();
    }
    family.disable_auto_compactions = true;
    let options = DbOptions { create_if_missing: true, use_direct_reads, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", family)];
    Db::open(&options, path, &families, context)
}

/// Files of level 0 above those of a deeper level.
fn fill(path: &Path, table: &str) {
    let db = open(path, table, false, &OpenContext::default()).unwrap();
    let family = default_family(&db);
    for round in [2, 3, 5] {
        for number in (0..KEYS).filter(|number| number.is_multiple_of(round)) {
            let value = format!("{round} {}", "v".repeat(100 + number as usize % 50));
            db.put(&WriteOptions::default(), &family, &key(number), value.as_bytes()).unwrap();
        }
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        if round == 2 {
            let all = CompactRangeOptions::default();
            db.compact_range(&all, &family, None, None).unwrap();
        }
    }
}

fn batch(seed: u64) -> Vec<u64> {
    (0..40).map(|i| (seed * 40 + i).wrapping_mul(2_654_435_761) % KEYS).collect()
}

fn context(capacity: usize, file_system: Arc<dyn FileSystem>) -> OpenContext {
    let cache: Arc<dyn Cache> =
        Arc::new(LruCache::new(&LruCacheOptions::with_capacity(capacity)).unwrap());
    OpenContext {
        block_cache: Some(cache),
        statistics: Some(Arc::new(Statistics::new())),
        file_system,
        ..OpenContext::default()
    }
}

#[test]
fn blocks_read_together_are_those_read_one_by_one() {
    println!("io_uring: {}", has_io_uring());
    TABLES.into_iter().for_each(check_batches);
    allow_io_uring(true);
}

fn check_batches(table: &str) {
    let directory = tempfile::tempdir().unwrap();
    fill(directory.path(), table);
    let mut counts = Vec::new();
    for use_direct_reads in [false, true] {
        for (together, is_ring_allowed) in [(true, true), (true, false), (false, true)] {
            allow_io_uring(is_ring_allowed);
            let options =
                ReadOptions { optimize_multiget_for_io: together, ..ReadOptions::default() };
            let unkept = ReadOptions { fill_cache: false, ..options.clone() };
            for capacity in [64 << 20, 0] {
                let context = context(capacity, Arc::new(PosixFileSystem));
                // Not every file system of a machine that runs tests has direct reads.
                let Ok(db) = open(directory.path(), table, use_direct_reads, &context) else {
                    continue;
                };
                let family = default_family(&db);
                for options in [&unkept, &options, &options] {
                    for seed in 0..60 {
                        let numbers = batch(seed);
                        let keys: Vec<Vec<u8>> =
                            numbers.iter().map(|&number| key(number)).collect();
                        let several = db.multi_get(options, &family, &keys);
                        for (number, found) in numbers.into_iter().zip(several) {
                            assert_eq!(found.unwrap().as_deref(), value(number).as_deref());
                        }
                    }
                }
                let statistics = context.statistics.unwrap();
                let count = |ticker| statistics.ticker_count(ticker);
                let batches = statistics.histogram_data(HistogramType::MultigetIoBatchSize);
                let is_batched = together && FastPath::StagedMultiGet.is_on();
                assert_eq!(batches.count > 0, is_batched, "{table}");
                if capacity > 0 {
                    counts.push([
                        count(Ticker::BlockCacheDataAdd),
                        count(Ticker::BlockCacheIndexAdd),
                        count(Ticker::BlockCacheFilterAdd),
                        count(Ticker::BlockCacheBytesWrite),
                        count(Ticker::BloomFilterUseful),
                        count(Ticker::BloomFilterFullPositive),
                    ]);
                }
            }
        }
    }
    assert!(counts.len() >= 3 && counts[0][0] > 100);
    let are_cached = table.contains("cache_index");
    assert!(counts[0][1..3].iter().all(|count| (*count > 20) == are_cached), "{counts:?}");
    assert!(counts.iter().all(|one| one == &counts[0]), "{counts:?}");
}

#[test]
fn a_block_that_cannot_be_read_fails_the_keys_that_need_it() {
    TABLES.into_iter().for_each(check_faults);
}

fn check_faults(table: &str) {
    let directory = tempfile::tempdir().unwrap();
    fill(directory.path(), table);
    let faults = Arc::new(FaultInjectionFileSystem::new(Arc::new(PosixFileSystem)));
    let db = open(directory.path(), table, false, &context(0, faults.clone())).unwrap();
    let family = default_family(&db);
    let numbers = batch(7);
    let keys: Vec<Vec<u8>> = numbers.iter().map(|&number| key(number)).collect();
    // Opens the tables.
    assert!(db.multi_get(&ReadOptions::default(), &family, &keys).iter().all(Result::is_ok));
    let (mut failed, mut injected) = (0, 0);
    for k in 0..60 {
        faults.plan().reset_counts();
        faults.plan().set_faults(vec![Fault {
            operations: Operations::of(&[OperationKind::Read]).on_files(&[FileType::Table]),
            when: When::Nth(k),
            effect: if k % 2 == 0 { Effect::Error(FaultError::Io) } else { Effect::ShortRead(5) },
        }]);
        let several = db.multi_get(&ReadOptions::default(), &family, &keys);
        let mut errors = 0;
        for (&number, found) in numbers.iter().zip(several) {
            match found {
                Ok(found) => assert_eq!(found.as_deref(), value(number).as_deref()),
                Err(error) => {
                    assert!(error.message().contains(".sst"), "{error}");
                    errors += 1;
                }
            }
        }
        assert_eq!(errors > 0, faults.plan().injected_count() > 0, "read {k}");
        failed += errors;
        injected += faults.plan().injected_count();
    }
    assert!(failed >= injected && injected > 20, "{failed} of {injected}");
}
