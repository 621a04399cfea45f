//! What operations count and time in their thread: every metric that is marked as measured is.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions,
    IngestExternalFileOptions, OpenContext, ReadOptions, SstFileWriter, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use perf_context::{
    IoMetric, LevelMetric, PerfLevel, PerfMetric, enable_per_level_perf_context, io_stats_context,
    perf_context, reset_io_stats_context, reset_perf_context, set_perf_level,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

const FAMILY: &str = "merge_operator=stringappend;compression=kLZ4Compression;\
    compression_opts={max_dict_bytes=4096};write_buffer_size=1M;disable_auto_compactions=true;\
    memtable_whole_key_filtering=true;memtable_prefix_bloom_size_ratio=0.1;\
    table_factory.filter_policy=bloomfilter:10;table_factory.block_cache=8M;\
    table_factory.cache_index_and_filter_blocks=true;blob_cache=8M";

fn open(path: &Path, db: &str, family: &str) -> Db {
    let options = DbOptions::from_string(&format!("create_if_missing=true;{db}")).unwrap();
    let family = ColumnFamilyOptions::from_string(&format!("{FAMILY};{family}")).unwrap();
    let families = [ColumnFamilyDescriptor { name: "default".into(), options: family }];
    Db::open(&options, path, &families, &OpenContext::default()).unwrap()
}

fn default_family(db: &Db) -> ColumnFamilyHandle {
    db.column_family("default").unwrap()
}

fn key(number: u32) -> Vec<u8> {
    format!("key{number:05}").into_bytes()
}

fn put_all(db: &Db, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let value = format!("a value of key {number}, long enough to be compressed {number:050}");
        db.put(&WriteOptions::default(), &default_family(db), &key(number), value.as_bytes())
            .unwrap();
    }
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

/// What `operation` counted, of all kinds, by name.
fn counted(operation: impl FnOnce()) -> BTreeMap<String, u64> {
    reset_perf_context();
    reset_io_stats_context();
    operation();
    let io = io_stats_context();
    let of_io =
        IoMetric::ALL.iter().map(|&metric| (format!("io.{}", metric.name()), io.get(metric)));
    perf_context().non_zero().chain(of_io).filter(|(_, value)| *value > 0).collect()
}

/// In a thread of its own that measures all.
fn measured(test: impl FnOnce() + Send + 'static) {
    let all = || {
        set_perf_level(PerfLevel::EnableTime);
        enable_per_level_perf_context();
        test();
    };
    thread::spawn(all).join().unwrap();
}

/// A table made apart becomes part of the database.
fn ingest(db: &Db, file: &Path) {
    let (options, family_options) = (DbOptions::default(), ColumnFamilyOptions::default());
    let mut writer = SstFileWriter::new(&options, &family_options, &OpenContext::default());
    writer.open(file).unwrap();
    writer.put(b"made apart", b"value").unwrap();
    writer.finish().unwrap();
    let options = IngestExternalFileOptions::default();
    db.ingest_external_file(&default_family(db), &[file.to_path_buf()], &options).unwrap();
}

/// Works that use every part of a database.
fn everything(path: &Path) {
    let write = WriteOptions::default();
    let db = open(path, "wal_bytes_per_sync=1024", "");
    let family = default_family(&db);
    put_all(&db, 0..2_000);
    db.merge(&write, &family, b"merged", b"one").unwrap();
    flush(&db);
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    put_all(&db, 500..600);
    db.merge(&write, &family, b"merged", b"two").unwrap();
    flush(&db);
    db.put(&WriteOptions { sync: true, ..write }, &family, &key(7), b"in memory").unwrap();
    let snapshot = db.snapshot();
    db.put(&write, &family, &key(7), b"newer").unwrap();
    db.delete(&write, &family, &key(8)).unwrap();
    let read = ReadOptions::default();
    for number in [7, 8, 9, 510, 90_000] {
        db.get(&read, &family, &key(number)).unwrap();
    }
    db.get(&read, &family, b"merged").unwrap();
    db.multi_get(&read, &family, &[key(1), key(2)])
        .into_iter()
        .for_each(|value| drop(value.unwrap()));
    let mut iterator = db.new_iterator(&read, &family).unwrap();
    iterator.seek_to_first();
    while iterator.valid() {
        iterator.next();
    }
    iterator.seek_to_last();
    while iterator.valid() {
        iterator.prev();
    }
    iterator.seek(b"key01");
    iterator.seek_for_prev(b"key01");
    drop(iterator);
    let old = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    let mut iterator = db.new_iterator(&old, &family).unwrap();
    iterator.seek(&key(6));
    iterator.next();
    drop(iterator);
    ingest(&db, &path.with_extension("apart"));
    // Large enough that the log is written out piece by piece.
    db.put(&write, &family, b"large", &[1; 3 << 20]).unwrap();
    db.close().unwrap();

    let db = open(path, "", "enable_blob_files=true;blob_compression_type=kLZ4Compression");
    put_all(&db, 0..10);
    flush(&db);
    for _ in 0..2 {
        db.get(&read, &default_family(&db), &key(3)).unwrap();
    }
    db.close().unwrap();
    let db = open(path, "recycle_log_file_num=2", "");
    for _ in 0..4 {
        put_all(&db, 0..2);
        flush(&db);
    }
    Db::list_column_families(path, &OpenContext::default()).unwrap();
    db.close().unwrap();
}

/// What a thread of a user cannot meet in such work, and where it is seen instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("internal_range_del_reseek_count", "many keys under a range tombstone: tests of scans"),
    ("write_thread_wait_nanos", "another writer must lead: a test of its own"),
    ("write_delay_time", "writes must be held back: a test of its own"),
    ("db_condition_wait_nanos", "writes must be held back: a test of its own"),
    ("env_create_dir_nanos", "tests of the file system"),
    ("env_delete_dir_nanos", "tests of the file system"),
    ("env_get_file_modification_time_nanos", "tests of the file system"),
    ("env_link_file_nanos", "tests of the file system"),
    ("allocate_nanos", "flushes and compactions preallocate in threads of their own"),
    ("secondary_cache_hit_count", "a secondary cache: tests of reads"),
    ("compressed_sec_cache_insert_real_count", "a secondary cache: tests of reads"),
    ("compressed_sec_cache_insert_dummy_count", "a secondary cache: tests of reads"),
    ("compressed_sec_cache_uncompressed_bytes", "a secondary cache: tests of reads"),
    ("compressed_sec_cache_compressed_bytes", "a secondary cache: tests of reads"),
    ("hot_file_bytes_read", "files of a temperature: tests of counted files"),
    ("hot_file_read_count", "files of a temperature: tests of counted files"),
    ("warm_file_bytes_read", "files of a temperature: tests of counted files"),
    ("warm_file_read_count", "files of a temperature: tests of counted files"),
    ("cool_file_bytes_read", "files of a temperature: tests of counted files"),
    ("cool_file_read_count", "files of a temperature: tests of counted files"),
    ("cold_file_bytes_read", "files of a temperature: tests of counted files"),
    ("cold_file_read_count", "files of a temperature: tests of counted files"),
    ("ice_file_bytes_read", "files of a temperature: tests of counted files"),
    ("ice_file_read_count", "files of a temperature: tests of counted files"),
    ("unknown_last_level_bytes_read", "tables of the last level: tests of counted files"),
    ("unknown_last_level_read_count", "tables of the last level: tests of counted files"),
];

#[test]
fn whatever_is_marked_as_measured_is() {
    measured(|| {
        let directory = tempfile::tempdir().unwrap();
        let found = counted(|| everything(&directory.path().join("db")));
        let mut missing = Vec::new();
        for info in PerfMetric::ALL.iter().map(|metric| metric.info()) {
            let is_found = found.contains_key(info.name);
            let is_elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == info.name);
            if is_found == info.idle.is_some() && !is_elsewhere {
                missing.push(info.name);
            }
        }
        for info in LevelMetric::ALL.iter().map(|metric| metric.info()) {
            let is_found = found.keys().any(|name| name.starts_with(&format!("{}@", info.name)));
            if is_found == info.idle.is_some() {
                missing.push(info.name);
            }
        }
        for info in IoMetric::ALL.iter().map(|metric| metric.info()) {
            let is_found = found.contains_key(&format!("io.{}", info.name));
            let is_elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == info.name);
            if is_found == info.idle.is_some() && !is_elsewhere {
                missing.push(info.name);
            }
        }
        assert_eq!(missing, [""; 0], "found: {found:#?}");
    });
}

#[test]
fn a_lookup_counts_what_it_did() {
    measured(|| {
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path(), "", "table_factory.no_block_cache=false");
        let family = default_family(&db);
        put_all(&db, 0..1_000);
        flush(&db);
        let read = ReadOptions::default();
        let look_up = |number| counted(|| drop(db.get(&read, &family, &key(number)).unwrap()));
        look_up(1);
        let cold = look_up(900);
        assert_eq!(cold["block_read_count"], 1, "{cold:?}");
        assert_eq!(cold["block_read_byte"], cold["data_block_read_byte"]);
        assert_eq!(cold["io.bytes_read"], cold["block_read_byte"]);
        assert_eq!(cold["block_decompress_count"], 1);
        let warm = look_up(900);
        assert!(!warm.contains_key("block_read_count"), "{warm:?}");
        // Index, filter and data.
        assert_eq!(warm["block_cache_hit_count"], 3);
        assert_eq!(warm["block_cache_index_hit_count"], 1);
        assert_eq!(warm["block_cache_filter_hit_count"], 1);
        assert_eq!(warm["bloom_sst_hit_count"], 1);
        // There is nothing in the memtable, so nothing is looked for in it.
        assert!(!warm.contains_key("get_from_memtable_count"), "{warm:?}");
        assert!(!warm.contains_key("bloom_memtable_miss_count"), "{warm:?}");
        assert_eq!(warm["user_key_return_count@level0"], 1);
        let value = db.get(&read, &family, &key(900)).unwrap().unwrap();
        assert_eq!(warm["get_read_bytes"], value.len() as u64);
        let missing = counted(|| drop(db.get(&read, &family, b"key00500x").unwrap()));
        assert_eq!(missing["bloom_sst_miss_count"], 1, "{missing:?}");
        assert!(!missing.contains_key("user_key_return_count@level0"));
        put_all(&db, 2_000..2_001);
        let beside = look_up(900);
        assert_eq!(beside["get_from_memtable_count"], 1);
        assert_eq!(beside["bloom_memtable_miss_count"], 1);
    });
}

#[test]
fn a_scan_counts_what_it_passed_over() {
    measured(|| {
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path(), "", "");
        let family = default_family(&db);
        let write = WriteOptions::default();
        put_all(&db, 0..10);
        db.put(&write, &family, &key(3), b"again").unwrap();
        db.delete(&write, &family, &key(5)).unwrap();
        let snapshot = db.snapshot();
        db.put(&write, &family, &key(4), b"too new").unwrap();
        let read = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
        let found = counted(|| {
            let mut iterator = db.new_iterator(&read, &family).unwrap();
            iterator.seek(b"");
            let mut keys = 0;
            while iterator.valid() {
                keys += 1;
                iterator.next();
            }
            assert_eq!(keys, 9);
        });
        assert_eq!(found["iter_seek_count"], 1, "{found:?}");
        assert_eq!(found["iter_next_count"], 9);
        assert_eq!(found["internal_recent_skipped_count"], 1);
        assert_eq!(found["internal_delete_skipped_count"], 1);
        // Each entry left behind, the older version of one key, and what the deletion hides.
        assert_eq!(found["internal_key_skipped_count"], 9 + 1 + 1);
        assert_eq!(found["seek_on_memtable_count"], 1);
        // The last step finds the end.
        assert_eq!(found["next_on_memtable_count"], 13);
    });
}

#[test]
fn below_its_level_nothing_is_measured() {
    thread::spawn(|| {
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path(), "", "");
        set_perf_level(PerfLevel::Disable);
        let found = counted(|| put_all(&db, 0..3));
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["io.bytes_written", "io.thread_pool_id"]);
        set_perf_level(PerfLevel::EnableCount);
        let found =
            counted(|| drop(db.get(&ReadOptions::default(), &default_family(&db), &key(1))));
        assert!(found.contains_key("get_read_bytes"), "{found:?}");
        assert!(found.keys().all(|name| !name.contains("nanos") && !name.contains("time")));
    })
    .join()
    .unwrap();
}

#[test]
fn waits_of_writes_are_timed() {
    measured(|| {
        let directory = tempfile::tempdir().unwrap();
        let db = open(
            directory.path(),
            "delayed_write_rate=1000000",
            "level0_file_num_compaction_trigger=1;level0_slowdown_writes_trigger=2;\
             disable_auto_compactions=false;compaction_style=kCompactionStyleNone",
        );
        for number in 0..3 {
            put_all(&db, number..number + 1);
            flush(&db);
        }
        let found = counted(|| put_all(&db, 0..200));
        let (delay, wait) = (found["write_delay_time"], found["db_condition_wait_nanos"]);
        assert!(delay > 1_000_000 && wait > 1_000_000 && wait <= delay, "{found:?}");
    });
}

#[test]
fn the_time_behind_another_writer_is_timed() {
    measured(|| {
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path(), "", "");
        let found = thread::scope(|scope| {
            let sync = || {
                for _ in 0..50 {
                    let write = WriteOptions { sync: true, ..WriteOptions::default() };
                    db.put(&write, &default_family(&db), b"other", b"value").unwrap();
                }
            };
            scope.spawn(sync);
            counted(sync)
        });
        assert!(found["write_thread_wait_nanos"] > 1_000_000, "{found:?}");
    });
}
