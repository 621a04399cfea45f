//! What a block cache held is there again after a database was opened anew.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use base::status::Code;
use db::{
    CacheDumpInfo, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    FlushOptions, OpenContext, ReadOptions, ReadTier, WriteOptions,
};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions};
use std::path::Path;

const KEYS: u64 = 20_000;

fn open(path: &Path, table: &str) -> (Db, ColumnFamilyHandle) {
    let mut family_options = ColumnFamilyOptions::default();
    let text = format!(
        "disable_auto_compactions=true;compression=kNoCompression;\
         block_based_table_factory={{{table}}}"
    );
    family_options.apply_string(&text, &ConfigOptions::default()).unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", family_options)];
    let db = Db::open(&options, path, &families, &OpenContext::default()).unwrap();
    let family = db.column_family("default").unwrap();
    (db, family)
}

fn key(number: u64) -> String {
    format!("key{number:08}")
}

fn fill(db: &Db, family: &ColumnFamilyHandle) {
    for part in 0..4 {
        for number in (part..KEYS).step_by(4) {
            db.put(&WriteOptions::default(), family, key(number).as_bytes(), &[7; 100]).unwrap();
        }
        db.flush(&FlushOptions::default(), &[family]).unwrap();
    }
}

/// Keys that are looked at: some of each table.
const STEP: usize = 101;

/// How many of these are found without reading files.
fn cached_keys(db: &Db, family: &ColumnFamilyHandle) -> usize {
    let options = ReadOptions { read_tier: ReadTier::BlockCache, ..ReadOptions::default() };
    let is_cached = |number: &u64| {
        db.get(&options, family, key(*number).as_bytes()).is_ok_and(|value| value.is_some())
    };
    (0..KEYS).step_by(STEP).filter(is_cached).count()
}

fn read(db: &Db, family: &ColumnFamilyHandle, numbers: std::ops::Range<u64>) {
    for number in numbers.step_by(STEP) {
        db.get(&ReadOptions::default(), family, key(number).as_bytes()).unwrap().unwrap();
    }
}

#[test]
fn blocks_that_were_cached_are_cached_again() {
    for table in [
        "block_cache=64M",
        "block_cache=64M;cache_index_and_filter_blocks=true",
        "block_cache=64M;index_type=kTwoLevelIndexSearch;partition_filters=true;\
         filter_policy=bloomfilter:10:false;metadata_block_size=512",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let (path, dump) = (directory.path().join("db"), directory.path().join("dump"));
        let (db, family) = open(&path, table);
        fill(&db, &family);
        drop((db, family));
        let (db, family) = open(&path, table);
        assert_eq!(db.dump_block_cache(&dump).unwrap(), CacheDumpInfo::default());
        read(&db, &family, 0..KEYS / 2);
        let before = cached_keys(&db, &family);
        assert!(before >= KEYS as usize / 2 / STEP, "{table}: {before}");
        let dumped = db.dump_block_cache(&dump).unwrap();
        assert_eq!(dumped.files, 4, "{table}");
        assert!(dumped.blocks >= before as u64, "{table}: {dumped:?}");
        drop((db, family));

        let (db, family) = open(&path, table);
        assert_eq!(cached_keys(&db, &family), 0, "{table}");
        let loaded = db.load_block_cache(&dump).unwrap();
        assert_eq!((loaded.blocks, loaded.files_gone), (dumped.blocks, 0), "{table}");
        assert!(loaded.bytes > loaded.blocks * 2000 && !loaded.is_full, "{table}: {loaded:?}");
        assert_eq!(cached_keys(&db, &family), before, "{table}");
        let again = db.load_block_cache(&dump).unwrap();
        assert_eq!(again.blocks, 0, "{table}: they are there");
    }
}

#[test]
fn tables_that_are_gone_are_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let (path, dump) = (directory.path().join("db"), directory.path().join("dump"));
    let (db, family) = open(&path, "block_cache=64M");
    fill(&db, &family);
    read(&db, &family, 0..KEYS);
    let dumped = db.dump_block_cache(&dump).unwrap();
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    let loaded = db.load_block_cache(&dump).unwrap();
    assert_eq!((loaded.blocks, loaded.files_gone), (0, dumped.files));

    // Numbers of files of another database may be the same.
    let other = directory.path().join("other");
    let (db, family) = open(&other, "block_cache=64M");
    fill(&db, &family);
    let loaded = db.load_block_cache(&dump).unwrap();
    assert_eq!((loaded.blocks, loaded.files_gone), (0, dumped.files));
}

#[test]
fn no_more_is_read_than_has_room() {
    let directory = tempfile::tempdir().unwrap();
    let (path, dump) = (directory.path().join("db"), directory.path().join("dump"));
    let (db, family) = open(&path, "block_cache=64M");
    fill(&db, &family);
    for number in 0..KEYS {
        db.get(&ReadOptions::default(), &family, key(number).as_bytes()).unwrap();
    }
    let dumped = db.dump_block_cache(&dump).unwrap();
    drop((db, family));
    let (db, family) = open(&path, "block_cache={capacity=1M;num_shard_bits=0}");
    let loaded = db.load_block_cache(&dump).unwrap();
    assert!(loaded.is_full && loaded.blocks < dumped.blocks && loaded.blocks > 100, "{loaded:?}");
    assert!(cached_keys(&db, &family) > 20);
}

#[test]
fn what_is_no_dump_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (path, dump) = (directory.path().join("db"), directory.path().join("dump"));
    let (db, _) = open(&path, "block_cache=64M");
    let status = db.load_block_cache(&dump).unwrap_err();
    assert!(status.code() == Code::IoError && status.to_string().contains("dump"), "{status}");
    std::fs::write(&dump, b"tschdump and more").unwrap();
    let status = db.load_block_cache(&dump).unwrap_err();
    assert_eq!(status.code(), Code::Corruption);
    assert!(status.to_string().contains("dump at offset 13: not a dump"), "{status}");
    let status = db.dump_block_cache(&directory.path().join("no/where")).unwrap_err();
    assert!(status.code() == Code::IoError && status.to_string().contains("no/where"), "{status}");
}
