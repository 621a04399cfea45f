//! How long it takes to open a database of many tables, next to RocksDB.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use db::{
    ColumnFamilyDescriptor, Db, IngestExternalFileOptions, OpenContext, ReadOptions, SstFileWriter,
};
use librocksdb::{Database, Library, Options, ReadOptions as TheirReadOptions};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FAMILY: &str = "disable_auto_compactions=true;compression=kNoCompression;\
                      block_based_table_factory={filter_policy=bloomfilter:10:false}";
/// Tables, entries in each, and keys read after the open.
const TABLES: u64 = 10_000;
const ENTRIES: u64 = 50;
const READS: u64 = 1_000;

fn key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

fn our_options() -> (DbOptions, [ColumnFamilyDescriptor; 1]) {
    let family = ColumnFamilyOptions::from_string(FAMILY).unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    (options, [ColumnFamilyDescriptor::new("default", family)])
}

/// A database of so many tables in its last level.
fn make(directory: &Path, tables: u64) {
    let (options, families) = our_options();
    let context = OpenContext::default();
    let files = directory.join("files");
    std::fs::create_dir(&files).unwrap();
    let mut writer = SstFileWriter::new(&options, &families[0].options, &context);
    let write = |table: u64| -> PathBuf {
        let path = files.join(format!("{table}.sst"));
        writer.open(&path).unwrap();
        for entry in 0..ENTRIES {
            writer.put(&key(table * ENTRIES + entry), &[b'v'; 100]).unwrap();
        }
        writer.finish().unwrap();
        path
    };
    let paths: Vec<PathBuf> = (0..tables).map(write).collect();
    let db = Db::open(&options, &directory.join("db"), &families, &context).unwrap();
    let family = db.column_family("default").unwrap();
    let moving = IngestExternalFileOptions::default().move_files(true);
    db.ingest_external_file(&family, &paths, &moving).unwrap();
}

/// Keys spread over `tables` tables.
fn spread_keys(tables: u64) -> impl Iterator<Item = [u8; 16]> {
    let keys = tables * ENTRIES;
    (0..READS).map(move |read| key(read * 7_919 * ENTRIES % keys + read % ENTRIES))
}

/// Until the database is open, and until all reads have returned.
type Times = (Duration, Duration);

fn by_us(database: &str, directory: &Path, tables: u64) -> Times {
    let families = our_options().1;
    let options = DbOptions::from_string(database).unwrap();
    let start = Instant::now();
    let db = Db::open(&options, &directory.join("db"), &families, &OpenContext::default()).unwrap();
    let opened = start.elapsed();
    let family = db.column_family("default").unwrap();
    for key in spread_keys(tables) {
        let value = db.get(&ReadOptions::default(), &family, &key).unwrap();
        assert_eq!(value.unwrap().len(), 100);
    }
    (opened, start.elapsed())
}

fn by_rocksdb(library: &Arc<Library>, database: &str, directory: &Path, tables: u64) -> Times {
    let defaults = Options::new(library).unwrap();
    let family = defaults.with_string(FAMILY).unwrap();
    let defaults = defaults.with_string(database).unwrap();
    let read = TheirReadOptions::new(library, &[]).unwrap();
    let start = Instant::now();
    let families = [("default", &family)];
    let db = Database::open(library, &directory.join("db"), &defaults, &families, false).unwrap();
    let opened = start.elapsed();
    let family = db.family("default").unwrap();
    for key in spread_keys(tables) {
        assert_eq!(db.get(&read, &family, &key).unwrap().unwrap().len(), 100);
    }
    (opened, start.elapsed())
}

fn rocksdb() -> Option<Arc<Library>> {
    let files = testing::judges::library_files();
    let (_, path) = files.into_iter().find(|(release, _)| *release == "11.8.1")?;
    Some(Library::load(&path).unwrap())
}

#[test]
fn what_was_ingested_is_found_after_an_open_by_either() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path(), 40);
    by_us("", directory.path(), 40);
    if let Some(library) = rocksdb() {
        by_rocksdb(&library, "", directory.path(), 40);
    }
}

/// In turn, in a directory in memory if there is one; then both with `open_files_async`.
#[test]
#[ignore = "takes a minute: a measurement by the command in docs/opening.md"]
fn opening_many_tables_is_fast() {
    let Some(library) = rocksdb() else { return };
    let directory = match Path::new("/dev/shm").is_dir() {
        true => tempfile::tempdir_in("/dev/shm").unwrap(),
        false => tempfile::tempdir().unwrap(),
    };
    make(directory.path(), TABLES);
    for database in ["", "open_files_async=true;skip_stats_update_on_db_open=true"] {
        let mut ratios = Vec::new();
        for round in 0..8 {
            let theirs = by_rocksdb(&library, database, directory.path(), TABLES);
            let ours = by_us(database, directory.path(), TABLES);
            println!("RocksDB {theirs:?}, Touchstone {ours:?}");
            if round > 0 {
                ratios.push(theirs.1.as_secs_f64() / ours.1.as_secs_f64());
            }
        }
        ratios.sort_by(f64::total_cmp);
        println!("[{database}] faster by {:.2} (median), {ratios:.2?}", ratios[ratios.len() / 2]);
    }
}
