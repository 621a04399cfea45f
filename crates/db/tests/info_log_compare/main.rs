//! The events of the info log beside those of RocksDB 7.8.3 for the same operations: the same
//! names, with the same fields, but for the differences that are listed here.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod errors;
mod stalls;
mod subcompactions;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions,
    IngestExternalFileOptions, OpenContext, SstFileWriter, WaitForCompactOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use serde_json::Value;
use testing::judges::protocol::Operation;
use testing::judges::{self, Judge};

const OPTIONS: &str = "create_if_missing=true";
const FAMILY: &str = "enable_blob_files=true;min_blob_size=100;enable_blob_garbage_collection=true;\
                      blob_garbage_collection_age_cutoff=1.0;level0_file_num_compaction_trigger=9;\
                      level_compaction_dynamic_level_bytes=false";

/// Fields that RocksDB 7.8.3 writes and we do not.
const LEFT_OUT: [(&str, &str, &str); 0] = [];

/// Fields that we write and RocksDB 7.8.3 does not.
const ADDED: [(&str, &str, &str); 8] = [
    ("recovery_finished", "status", "as later releases: an open that fails says so too"),
    ("compaction_started", "cf_name", "as later releases"),
    ("table_file_creation", "status", "as later releases"),
    ("table_file_deletion", "status", "as later releases, which have it where all is well too"),
    ("table_file_creation", "table_properties.key_largest_seqno", "as later releases"),
    ("table_file_creation", "table_properties.key_smallest_seqno", "as later releases"),
    ("table_file_creation", "table_properties.newest_key_time", "as later releases"),
    (
        "table_file_creation",
        "table_properties.user_defined_timestamps_persisted",
        "as later releases",
    ),
];

/// The fields of each event, those of objects inside as `outer.inner`.
type Fields = BTreeMap<String, BTreeSet<String>>;

fn fields_of(directory: &Path) -> Fields {
    let mut fields = Fields::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_string_lossy().starts_with("LOG") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        for (_, json) in text.lines().filter_map(|line| line.split_once(" EVENT_LOG_v1 ")) {
            let event: Value = serde_json::from_str(json).unwrap();
            let event = event.as_object().unwrap();
            let of_event = fields.entry(event["event"].as_str().unwrap().to_owned()).or_default();
            for (name, value) in event {
                match value.as_object() {
                    None => drop(of_event.insert(name.clone())),
                    Some(inner) => {
                        of_event.extend(inner.keys().map(|inner| format!("{name}.{inner}")));
                    }
                }
            }
        }
    }
    fields
}

/// What matters of an event: its name, with numbers that do not depend on time, sizes or names of
/// files.
fn main_facts(event: &Value) -> String {
    let name = event["event"].as_str().unwrap();
    let mut text = name.to_owned();
    let facts: &[&str] = match name {
        "recovery_started" => &["wal_files"],
        // Later releases call the number of entries otherwise.
        "flush_started" => &["num_memtables", "num_deletes", "flush_reason"],
        "flush_finished" => &["lsm_state", "immutable_memtables"],
        "compaction_started" => &["compaction_reason", "files_L0", "files_L1"],
        "compaction_finished" => &[
            "output_level",
            "num_output_files",
            "num_blob_output_files",
            "num_input_records",
            "num_output_records",
            "num_subcompactions",
            "lsm_state",
        ],
        "ingest_finished" => &["lsm_state"],
        "trivial_move" => &["files", "destination_level"],
        "table_file_creation" => &["cf_name"],
        "blob_file_creation" => &["total_blob_count"],
        _ => &[],
    };
    for fact in facts {
        let value = match &event[*fact] {
            // RocksDB lists levels of universal compactions that have no input.
            Value::Array(files) if files.is_empty() => continue,
            // Numbers of files are not compared, but how many there are.
            Value::Array(files) if fact.contains("files") => format!("{} files", files.len()),
            Value::Null => continue,
            value => value.to_string(),
        };
        write!(text, " {fact}={value}").unwrap();
    }
    if name == "table_file_creation" {
        write!(text, " num_entries={}", event["table_properties"]["num_entries"]).unwrap();
    }
    text
}

/// The events of a directory's logs from old to new.
fn events_of(directory: &Path) -> Vec<Value> {
    let mut logs: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("LOG"))
        .collect();
    // `LOG.old.<micros>` come first, by their times; `LOG` is the newest.
    logs.sort_by_key(|name| (name == "LOG", name.clone()));
    let mut events = Vec::new();
    for name in logs {
        let text = std::fs::read_to_string(directory.join(name)).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once(" EVENT_LOG_v1 "));
        events.extend(lines.map(|(_, json)| serde_json::from_str::<Value>(json).unwrap()));
    }
    events
}

/// The events of each job, the first job first: a flush may end after the compaction has begun that
/// follows it.
fn jobs_of(directory: &Path) -> Vec<Vec<String>> {
    let mut jobs = BTreeMap::<u64, Vec<String>>::new();
    for event in events_of(directory) {
        jobs.entry(event["job"].as_u64().unwrap_or(0)).or_default().push(main_facts(&event));
    }
    jobs.into_values().collect()
}

/// The events from old to new. Those of files that one job makes or deletes side by side are sorted.
fn sequence_of(directory: &Path) -> Vec<String> {
    let mut events: Vec<String> = events_of(directory).iter().map(main_facts).collect();
    let is_of_files =
        |event: &String| ["table_file_", "blob_file_"].iter().any(|start| event.starts_with(start));
    // At an open RocksDB deletes once more what it knows to have been deleted.
    let mut is_open = true;
    events.retain(|event| {
        is_open = event == "recovery_finished" || (is_open && event == "blob_file_deletion");
        !(is_open && event == "blob_file_deletion")
    });
    for run in events.chunk_by_mut(|a, b| is_of_files(a) && is_of_files(b)) {
        run.sort();
    }
    events
}

fn key(round: usize) -> [Vec<u8>; 2] {
    [b"small".to_vec(), format!("large{}", round % 2).into_bytes()]
}

fn value(round: usize) -> [Vec<u8>; 2] {
    [vec![b'a'; 10 + round], vec![b'b'; 500 + round]]
}

/// Flushes of tables and blob files, a merge of them, and a WAL that the next open replays.
fn write_by_rocksdb(judge: &Judge, directory: &Path) {
    for round in 0..2 {
        let mut session = judge.session();
        session.open_default(directory, OPTIONS, FAMILY).unwrap();
        for flush in 0..3 {
            let pairs = key(flush).into_iter().zip(value(flush));
            let put = |(key, value): (Vec<u8>, Vec<u8>)| Operation::Put {
                family: "default".into(),
                key: key.as_slice().into(),
                value: value.as_slice().into(),
            };
            session.write(pairs.map(put).collect()).unwrap();
            if flush < 2 || round == 1 {
                session.flush(&[]).unwrap();
            }
        }
        session.compact(b"default").unwrap();
        session
            .write(vec![Operation::Put {
                family: "default".into(),
                key: "in the WAL".into(),
                value: "1".into(),
            }])
            .unwrap();
        session.close().unwrap();
    }
}

fn write_by_us(directory: &Path) {
    for round in 0..2 {
        let options = DbOptions::from_string(OPTIONS).unwrap();
        let family = ColumnFamilyOptions::from_string(FAMILY).unwrap();
        let families = [ColumnFamilyDescriptor::new("default", family)];
        let db = Db::open(&options, directory, &families, &OpenContext::default()).unwrap();
        let family = db.column_family("default").unwrap();
        for flush in 0..3 {
            for (key, value) in key(flush).iter().zip(value(flush)) {
                db.put(&WriteOptions::default(), &family, key, &value).unwrap();
            }
            if flush < 2 || round == 1 {
                db.flush(&FlushOptions::default(), &[&family]).unwrap();
            }
        }
        let forced = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(&forced, &family, None, None).unwrap();
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
        db.put(&WriteOptions::default(), &family, b"in the WAL", b"1").unwrap();
        db.close().unwrap();
    }
}

fn without(mut fields: Fields, differences: &[(&str, &str, &str)]) -> Fields {
    for (event, field, why) in differences {
        let of_event = fields.get_mut(*event).unwrap();
        assert!(of_event.remove(*field), "{event} has no {field}, though {why}");
    }
    fields
}

#[test]
fn events_have_the_fields_of_rocksdb() {
    let Some(judge) = judges::library("7.8.3") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_by_rocksdb(&judge, theirs.path());
    write_by_us(ours.path());
    let found = without(fields_of(ours.path()), &ADDED);
    let expected = without(fields_of(theirs.path()), &LEFT_OUT);
    assert_eq!(found, expected);
    for event in ["recovery_started", "flush_finished", "compaction_finished", "blob_file_deletion"]
    {
        assert!(found.contains_key(event), "{event} is not among {:?}", found.keys());
    }
    // RocksDB opens a directory with our log in it, and puts it aside as its own.
    write_by_rocksdb(&judge, ours.path());
}

#[test]
fn the_same_events_come_in_the_order_of_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_by_rocksdb(&judge, theirs.path());
    write_by_us(ours.path());
    assert_eq!(sequence_of(ours.path()), sequence_of(theirs.path()));
}

/// What begins by itself: the name, options of the family, and whether the flushes have keys in common.
const AUTOMATIC: [(&str, &str, bool); 4] = [
    (
        "leveled",
        "level0_file_num_compaction_trigger=3;level_compaction_dynamic_level_bytes=false",
        true,
    ),
    (
        "moved",
        "level0_file_num_compaction_trigger=1;level_compaction_dynamic_level_bytes=false",
        false,
    ),
    (
        "universal",
        "compaction_style=kCompactionStyleUniversal;level0_file_num_compaction_trigger=3",
        true,
    ),
    (
        "dropped",
        "compaction_style=kCompactionStyleFIFO;\
         compaction_options_fifo={max_table_files_size=350000}",
        false,
    ),
];
/// Flushes of each, after each of which compactions come to rest.
const FLUSHES: usize = 7;

/// The pairs of a flush, large enough for sizes of files to differ by little.
fn pairs(flush: usize, has_common_keys: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
    let key = |index: usize| match has_common_keys {
        true => format!("key{index}"),
        false => format!("flush{flush}key{index}"),
    };
    // Bytes that no codec makes smaller.
    let mut state = flush as u32 + 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..10).map(|index| (key(index).into_bytes(), (0..10_000).map(|_| next()).collect())).collect()
}

fn automatic_by_rocksdb(judge: &Judge, directory: &Path, family: &str, has_common_keys: bool) {
    let mut session = judge.session();
    session.open_default(directory, OPTIONS, family).unwrap();
    for flush in 0..FLUSHES {
        let put = |(key, value): (Vec<u8>, Vec<u8>)| Operation::Put {
            family: "default".into(),
            key: key.as_slice().into(),
            value: value.as_slice().into(),
        };
        session.write(pairs(flush, has_common_keys).into_iter().map(put).collect()).unwrap();
        session.flush(&[]).unwrap();
        session.wait_for_idle().unwrap();
    }
    session.close().unwrap();
}

fn automatic_by_us(directory: &Path, family: &str, has_common_keys: bool) {
    let options = DbOptions::from_string(OPTIONS).unwrap();
    let family = ColumnFamilyOptions::from_string(family).unwrap();
    let families = [ColumnFamilyDescriptor::new("default", family)];
    let db = Db::open(&options, directory, &families, &OpenContext::default()).unwrap();
    let family = db.column_family("default").unwrap();
    for flush in 0..FLUSHES {
        for (key, value) in pairs(flush, has_common_keys) {
            db.put(&WriteOptions::default(), &family, &key, &value).unwrap();
        }
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    }
    db.close().unwrap();
}

#[test]
fn what_begins_by_itself_is_told_in_the_order_of_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    for (name, family, has_common_keys) in AUTOMATIC {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        automatic_by_rocksdb(&judge, theirs.path(), family, has_common_keys);
        automatic_by_us(ours.path(), family, has_common_keys);
        let (found, expected) = (jobs_of(ours.path()), jobs_of(theirs.path()));
        assert_eq!(found, expected, "{name}");
        let mut events = found.iter().flatten();
        let mut is_told = |start: &str| events.any(|event| event.starts_with(start));
        match name {
            "moved" => assert!(is_told("trivial_move"), "{found:?}"),
            "dropped" => assert!(is_told("table_file_deletion"), "{found:?}"),
            _ => assert!(is_told("compaction_finished"), "{found:?}"),
        }
    }
}

/// The tables that are taken in, by their keys: one over what a memtable has, one between what is there,
/// one with a key of the first.
const TAKEN_IN: [&[&str]; 3] = [&["a", "b"], &["x"], &["b", "z"]];

fn put(key: &str) -> Operation {
    Operation::Put { family: "default".into(), key: key.into(), value: "value".into() }
}

fn take_in_by_rocksdb(judge: &Judge, directory: &Path, tables: &Path) {
    let mut session = judge.session();
    session.open_default(directory, OPTIONS, FAMILY).unwrap();
    session.write(vec![put("a"), put("c")]).unwrap();
    for (number, keys) in TAKEN_IN.iter().enumerate() {
        let path = tables.join(format!("{number}.sst"));
        session.write_table(&path, keys.iter().map(|key| put(key)).collect()).unwrap();
        session.ingest(b"default", &[path]).unwrap();
    }
    session.close().unwrap();
}

fn take_in_by_us(directory: &Path, tables: &Path) {
    let (options, context) = (DbOptions::from_string(OPTIONS).unwrap(), OpenContext::default());
    let family_options = ColumnFamilyOptions::from_string(FAMILY).unwrap();
    let families = [ColumnFamilyDescriptor::new("default", family_options.clone())];
    let db = Db::open(&options, directory, &families, &context).unwrap();
    let family = db.column_family("default").unwrap();
    for key in ["a", "c"] {
        db.put(&WriteOptions::default(), &family, key.as_bytes(), b"value").unwrap();
    }
    for (number, keys) in TAKEN_IN.iter().enumerate() {
        let path = tables.join(format!("{number}.sst"));
        let mut writer = SstFileWriter::new(&options, &family_options, &context);
        writer.open(&path).unwrap();
        keys.iter().try_for_each(|key| writer.put(key.as_bytes(), b"value")).unwrap();
        writer.finish().unwrap();
        db.ingest_external_file(&family, &[path], &IngestExternalFileOptions::default()).unwrap();
    }
    db.close().unwrap();
}

#[test]
fn what_is_taken_in_is_told_in_the_order_of_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tables = tempfile::tempdir().unwrap();
    take_in_by_rocksdb(&judge, theirs.path(), tables.path());
    take_in_by_us(ours.path(), tables.path());
    let found = sequence_of(ours.path());
    assert_eq!(found, sequence_of(theirs.path()));
    let ingested = found.iter().filter(|event| event.starts_with("ingest_finished"));
    assert_eq!(ingested.count(), TAKEN_IN.len(), "{found:?}");
}
