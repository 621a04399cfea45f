//! External tables and RocksDB: each takes in what the other wrote, and both place it alike.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use db::{
    ColumnFamilyDescriptor, Db, FlushOptions, IngestExternalFileOptions, OpenContext, ReadOptions,
    SstFileWriter, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::{Path, PathBuf};
use testing::judges::protocol::Operation;
use testing::judges::{self, Judge, Session};

const OPTIONS: &str = "create_if_missing=true";
const FAMILY: &str = "level_compaction_dynamic_level_bytes=false;disable_auto_compactions=true";

/// A step: a write with a flush or without, or tables to be taken in, each with its keys.
enum Step {
    Write(&'static [&'static str], bool),
    Ingest(&'static [&'static [&'static str]]),
}

/// Keys that begin with `-` are ranges to be deleted.
const STEPS: [Step; 9] = [
    Step::Ingest(&[&["b", "d"]]),
    Step::Ingest(&[&["c"], &["e", "g"]]),
    Step::Write(&["c", "f"], true),
    Step::Ingest(&[&["f", "h"]]),
    Step::Write(&["a", "h", "z"], false),
    // One that overlaps a memtable, and two that overlap one another.
    Step::Ingest(&[&["z"]]),
    Step::Ingest(&[&["m", "p"], &["n", "q"]]),
    Step::Ingest(&[&["i", "-b:d"]]),
    Step::Write(&["y"], false),
];

fn value(step: usize, table: usize, key: &str) -> String {
    format!("{key} of table {table} in step {step}")
}

/// What a table of these keys holds; ranges come last.
fn operations(step: usize, table: usize, keys: &[&str]) -> Vec<Operation> {
    let family = || "default".into();
    let operation = |key: &&str| match key.strip_prefix('-').and_then(|key| key.split_once(':')) {
        Some((begin, end)) => {
            Operation::DeleteRange { family: family(), begin: begin.into(), end: end.into() }
        }
        None => Operation::Put {
            family: family(),
            key: (*key).into(),
            value: value(step, table, key).as_str().into(),
        },
    };
    keys.iter().map(operation).collect()
}

fn write_table_by_us(path: &Path, operations: &[Operation]) {
    let (db, family) = (DbOptions::default(), ColumnFamilyOptions::from_string(FAMILY).unwrap());
    let mut writer = SstFileWriter::new(&db, &family, &OpenContext::default());
    writer.open(path).unwrap();
    for operation in operations {
        match operation {
            Operation::Put { key, value, .. } => writer.put(&key.0, &value.0).unwrap(),
            Operation::DeleteRange { begin, end, .. } => {
                writer.delete_range(&begin.0, &end.0).unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
    writer.finish().unwrap();
}

fn open_by_us(directory: &Path) -> Db {
    let options = DbOptions::from_string(OPTIONS).unwrap();
    let family = ColumnFamilyOptions::from_string(FAMILY).unwrap();
    let families = [ColumnFamilyDescriptor::new("default", family)];
    Db::open(&options, directory, &families, &OpenContext::default()).unwrap()
}

fn open_by_rocksdb(judge: &Judge, directory: &Path) -> Session {
    let mut session = judge.session();
    session.open_default(directory, OPTIONS, FAMILY).unwrap();
    session
}

fn table_path(tables: &Path, step: usize, table: usize) -> PathBuf {
    tables.join(format!("{step}-{table}.sst"))
}

/// Levels of the tables, then all pairs, then the last sequence number.
type State = (Vec<usize>, Vec<(Vec<u8>, Vec<u8>)>, u64);

/// Releases before 9 put files that overlap one another into level 0, all of them.
fn comparable(mut state: State, release: &str) -> State {
    if release.starts_with("7.") {
        state.0.clear();
    }
    state
}

fn run_by_us(directory: &Path, tables: &Path) -> State {
    let db = open_by_us(directory);
    let family = db.column_family("default").unwrap();
    for (number, step) in STEPS.iter().enumerate() {
        match step {
            Step::Write(keys, flushes) => {
                for key in *keys {
                    let value = value(number, 0, key);
                    let write = WriteOptions::default();
                    db.put(&write, &family, key.as_bytes(), value.as_bytes()).unwrap();
                }
                if *flushes {
                    db.flush(&FlushOptions::default(), &[&family]).unwrap();
                }
            }
            Step::Ingest(files) => {
                let paths: Vec<_> =
                    (0..files.len()).map(|table| table_path(tables, number, table)).collect();
                db.ingest_external_file(&family, &paths, &IngestExternalFileOptions::default())
                    .unwrap();
            }
        }
    }
    state_by_us(&db)
}

fn state_by_us(db: &Db) -> State {
    let family = db.column_family("default").unwrap();
    let levels = family.version().files().map(|(level, _)| level).collect();
    let mut entries = db.new_iterator(&ReadOptions::default(), &family).unwrap();
    entries.seek_to_first();
    let mut pairs = Vec::new();
    while entries.valid() {
        pairs.push((entries.key().to_vec(), entries.value().to_vec()));
        entries.next();
    }
    entries.status().unwrap();
    (levels, pairs, db.latest_sequence_number())
}

fn run_by_rocksdb(judge: &Judge, directory: &Path, tables: &Path) -> State {
    let mut session = open_by_rocksdb(judge, directory);
    for (number, step) in STEPS.iter().enumerate() {
        match step {
            Step::Write(keys, flushes) => {
                session.write(operations(number, 0, keys)).unwrap();
                if *flushes {
                    session.flush(&[]).unwrap();
                }
            }
            Step::Ingest(files) => {
                let paths: Vec<_> =
                    (0..files.len()).map(|table| table_path(tables, number, table)).collect();
                session.ingest(b"default", &paths).unwrap();
            }
        }
    }
    let state = state_by_rocksdb(&mut session);
    session.close().unwrap();
    state
}

fn state_by_rocksdb(session: &mut Session) -> State {
    use testing::judges::protocol::Move;
    let mut levels: Vec<usize> = session
        .live_files()
        .unwrap()
        .iter()
        .map(|file| usize::try_from(file.level).unwrap())
        .collect();
    levels.sort_unstable();
    let iterator = session.iterator(b"default", None).unwrap();
    let mut pairs = Vec::new();
    let mut entry = session.go(iterator, Move::SeekToFirst).unwrap();
    while let Some(pair) = entry {
        pairs.push(pair);
        entry = session.go(iterator, Move::Next).unwrap();
    }
    session.drop_iterator(iterator).unwrap();
    (levels, pairs, session.latest_sequence().unwrap())
}

#[test]
fn each_takes_in_what_the_other_wrote_and_places_it_alike() {
    let releases: Vec<Judge> =
        ["7.8.3", "11.8.1"].iter().filter_map(|release| judges::library(release)).collect();
    for judge in releases {
        let release = judge.release().to_owned();
        let (by_us, by_them) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let scratch = tempfile::tempdir().unwrap();
        let mut writer = open_by_rocksdb(&judge, &scratch.path().join("db"));
        for (number, step) in STEPS.iter().enumerate() {
            let Step::Ingest(files) = step else { continue };
            for (table, keys) in files.iter().enumerate() {
                let operations = operations(number, table, keys);
                write_table_by_us(&table_path(by_us.path(), number, table), &operations);
                let path = table_path(by_them.path(), number, table);
                writer.write_table(&path, operations).unwrap();
            }
        }
        writer.close().unwrap();
        let directory = scratch.path().join("theirs of theirs");
        let expected = run_by_rocksdb(&judge, &directory, by_them.path());
        let expected = comparable(expected, &release);
        for (what, tables) in [("ours", by_us.path()), ("theirs", by_them.path())] {
            let directory = scratch.path().join(format!("ours of {what}"));
            let found = comparable(run_by_us(&directory, tables), &release);
            assert_eq!(found, expected, "{release}: we, of {what}");
            // It is there after a reopen, and RocksDB finds the same.
            assert_eq!(state_by_us(&open_by_us(&directory)).1, expected.1);
            let mut session = open_by_rocksdb(&judge, &directory);
            assert_eq!(state_by_rocksdb(&mut session).1, expected.1, "{release}: read by it");
            session.close().unwrap();
        }
        let directory = scratch.path().join("theirs of ours");
        let found = run_by_rocksdb(&judge, &directory, by_us.path());
        assert_eq!(comparable(found, &release), expected, "{release}: it, of ours");
    }
}
