//! Options change while others write, read, flush, compact, make and drop column families.

use crate::open;
use db::{Db, FlushOptions, OpenContext, ReadOptions, WaitForCompactOptions, WriteOptions};
use env::MemFileSystem;
use options::ColumnFamilyOptions;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use testing::random::Random;

const KEYS: u64 = 400;
const WRITERS: u64 = 2;

/// Changes of a column family: values that all go with each other.
const OF_FAMILIES: &[(&str, &[&str])] = &[
    ("write_buffer_size", &["16K", "64K", "1M"]),
    ("max_write_buffer_number", &["2", "3", "6"]),
    ("level0_file_num_compaction_trigger", &["1", "2", "4"]),
    ("level0_slowdown_writes_trigger", &["4", "20"]),
    ("level0_stop_writes_trigger", &["5", "36"]),
    ("disable_auto_compactions", &["true", "false", "false"]),
    ("target_file_size_base", &["4K", "64K"]),
    ("max_bytes_for_level_base", &["16K", "256K"]),
    ("compression", &["kNoCompression", "kLZ4Compression", "kZSTD"]),
    ("prefix_extractor", &["fixed:3", "fixed:5", "capped:4", "nullptr"]),
    ("enable_blob_files", &["true", "false"]),
    ("min_blob_size", &["0", "20"]),
    ("enable_blob_garbage_collection", &["true", "false"]),
    ("max_sequential_skip_in_iterations", &["1", "8"]),
    ("memtable_prefix_bloom_size_ratio", &["0", "0.1"]),
    ("max_successive_merges", &["0", "2"]),
    ("paranoid_file_checks", &["true", "false"]),
    ("block_based_table_factory", &["{block_size=512}", "{filter_policy=bloomfilter:10:false}"]),
    ("block_based_table_factory", &["{whole_key_filtering=false}", "{no_block_cache=true}"]),
    ("block_based_table_factory", &["{no_block_cache=false;block_cache={capacity=64K}}"]),
    ("table_factory.use_delta_encoding", &["true", "false"]),
];

const OF_DATABASES: &[(&str, &[&str])] = &[
    ("max_background_jobs", &["1", "2", "6"]),
    ("max_open_files", &["-1", "12", "40"]),
    ("max_total_wal_size", &["0", "20K"]),
    ("wal_bytes_per_sync", &["0", "4K"]),
    ("delayed_write_rate", &["1M", "16M"]),
    ("max_subcompactions", &["1", "3"]),
    ("stats_dump_period_sec", &["0", "1"]),
    ("max_manifest_file_size", &["1K", "1M"]),
    ("writable_file_max_buffer_size", &["4K", "1M"]),
];

fn pick<'c>(random: &mut Random, changes: &'c [(&'c str, &'c [&'c str])]) -> (&'c str, &'c str) {
    let mut below = |count: usize| usize::try_from(random.next() % count as u64).unwrap();
    let (name, values) = changes[below(changes.len())];
    (name, values[below(values.len())])
}

fn key(number: u64) -> Vec<u8> {
    format!("{number:06}").into_bytes()
}

/// Puts its share of the keys again and again, each time with a higher number, and notes the last.
fn write(db: &Db, writer: u64, written: &[AtomicU64], is_over: &AtomicBool) {
    let family = db.column_family("default").unwrap();
    let mut round = 1;
    while !is_over.load(Ordering::Acquire) {
        for number in (writer..KEYS).step_by(WRITERS as usize) {
            let value = [round.to_string().into_bytes(), vec![b'-'; 60]].concat();
            db.put(&WriteOptions::default(), &family, &key(number), &value).unwrap();
            written[number as usize].store(round, Ordering::Release);
        }
        round += 1;
    }
}

fn round_of(value: &[u8]) -> u64 {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

/// What was written is found, by lookups and by scans of all keys or of one prefix.
fn read(db: &Db, written: &[AtomicU64], is_over: &AtomicBool) {
    let family = db.column_family("default").unwrap();
    let mut random = Random::new(7);
    while !is_over.load(Ordering::Acquire) {
        let number = random.next() % KEYS;
        let at_least = written[number as usize].load(Ordering::Acquire);
        let found = db.get(&ReadOptions::default(), &family, &key(number)).unwrap();
        let round = found.map_or(0, |value| round_of(&value));
        assert!(round >= at_least, "{number}: {round} of {at_least}");
        let total = random.next().is_multiple_of(2);
        let options = ReadOptions { total_order_seek: total, ..ReadOptions::default() };
        let mut iterator = db.new_iterator(&options, &family).unwrap();
        iterator.seek(&key(number));
        iterator.status().unwrap();
        if at_least > 0 {
            assert!(iterator.valid() && iterator.key() == key(number), "{number}");
            assert!(round_of(iterator.value()) >= at_least);
        }
    }
}

/// Changes options; what is refused would be a fault.
fn change(db: &Db, seed: u64, is_over: &AtomicBool) {
    let family = db.column_family("default").unwrap();
    let mut random = Random::new(seed);
    while !is_over.load(Ordering::Acquire) {
        let result = match random.next() % 4 {
            0 => db.set_db_options(&[pick(&mut random, OF_DATABASES)]),
            _ => {
                let changes = [pick(&mut random, OF_FAMILIES), pick(&mut random, OF_FAMILIES)];
                db.set_options(&family, &changes)
            }
        };
        result.unwrap();
    }
}

/// Flushes, compacts, and has column families come and go, whose options change too.
fn disturb(db: &Db, is_over: &AtomicBool) {
    let family = db.column_family("default").unwrap();
    let mut round = 0;
    while !is_over.load(Ordering::Acquire) {
        round += 1;
        let name = format!("family{round}");
        let short = db.create_column_family(&ColumnFamilyOptions::default(), name).unwrap();
        db.put(&WriteOptions::default(), &short, b"key", b"value").unwrap();
        db.set_options(&short, &[("write_buffer_size", "32K")]).unwrap();
        db.flush(&FlushOptions::default(), &[&family, &short]).unwrap();
        if round % 4 == 0 {
            db.compact_range(&Default::default(), &family, None, None).unwrap();
        }
        db.drop_column_family(&short).unwrap();
    }
}

#[test]
fn changes_race_with_everything_else() {
    let context =
        OpenContext { file_system: Arc::new(MemFileSystem::new()), ..OpenContext::default() };
    let db = open(Path::new("/db"), "", "write_buffer_size=16K;prefix_extractor=fixed:3", &context);
    let written: Vec<AtomicU64> = (0..KEYS).map(|_| AtomicU64::new(0)).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let threads = [
            scope.spawn(|| write(&db, 0, &written, &is_over)),
            scope.spawn(|| write(&db, 1, &written, &is_over)),
            scope.spawn(|| read(&db, &written, &is_over)),
            scope.spawn(|| change(&db, 1, &is_over)),
            scope.spawn(|| change(&db, 2, &is_over)),
            scope.spawn(|| disturb(&db, &is_over)),
        ];
        let until = Instant::now() + Duration::from_secs(3);
        while Instant::now() < until && threads.iter().all(|thread| !thread.is_finished()) {
            thread::sleep(Duration::from_millis(10));
        }
        is_over.store(true, Ordering::Release);
        // Nobody is left waiting for compactions that are turned off.
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            let family = db.column_family("default").unwrap();
            db.set_options(&family, &[("disable_auto_compactions", "false")]).unwrap();
            thread::sleep(Duration::from_millis(5));
        }
    });
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    let options = db.get_options(&db.column_family("default").unwrap());
    db.close().unwrap();
    let db = open(Path::new("/db"), "", &options.to_option_string(), &context);
    let family = db.column_family("default").unwrap();
    for (number, round) in written.iter().enumerate() {
        let found = db.get(&ReadOptions::default(), &family, &key(number as u64)).unwrap();
        let found = found.map_or(0, |value| round_of(&value));
        assert!(found >= round.load(Ordering::Acquire), "{number}");
    }
}
