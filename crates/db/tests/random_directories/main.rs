//! Directories that RocksDB writes by random operations read, at every snapshot, as it read them.
//!
//! `writer.cc` is built against the installed RocksDB and makes a directory per seed: puts, merges,
//! single and range deletions, ingested tables, compactions and blobs under random options. Here
//! every snapshot is scanned, looked up, and walked with random bounds. RocksDB's own iterators are
//! no guide where they rely on prefix filters, so walks are compared with the scan. Without a
//! compiler or RocksDB's headers the test says so. `TOUCHSTONE_LONG=1` makes many more directories.

#[allow(dead_code, reason = "the judges use all of it")]
#[path = "../rocksdb_judges/engine.rs"]
mod engine;
mod peers;

use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, DbIterator, OpenContext, ReadOptions};
use options::{ConfigOptions, OptionsFile};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::hexes::unhex;
use testing::long_mode::is_long;
use testing::parallel;

type Pair = (Vec<u8>, Vec<u8>);

const FAMILIES: [&str; 2] = ["default", "two"];
const WALKS_PER_SNAPSHOT: u64 = 6;
const STEPS_PER_WALK: usize = 60;

/// What RocksDB read at one snapshot.
struct Expected {
    family: usize,
    sequence: u64,
    pairs: Vec<Pair>,
    lookups: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

#[test]
fn directories_of_random_operations_read_as_rocksdb_reads_them() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let writer = directory.path().join("writer");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random_directories/writer.cc");
    let built = Command::new("c++")
        .args(["-std=c++17", "-O1", source, "-lrocksdb", "-o"])
        .arg(&writer)
        .output();
    if !built.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: writer.cc cannot be built: no C++ compiler, or no headers of RocksDB");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "writer.cc cannot be built");
        return;
    }
    let seeds: Vec<u32> = (0..if is_long() { 500 } else { 24 }).collect();
    parallel::for_each(&seeds, |seed| check(&writer, *seed));
}

fn check(writer: &Path, seed: u32) -> Result<(), String> {
    // Each flush is synced, which takes no time in memory.
    let in_memory = Path::new("/dev/shm");
    let parent = match in_memory.is_dir() {
        true => in_memory.to_owned(),
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    };
    let directory = tempfile::tempdir_in(parent).map_err(|error| error.to_string())?;
    let path = directory.path().join("db");
    let output = Command::new(writer).arg(seed.to_string()).arg(&path).output();
    let output = output.map_err(|error| format!("writer: {error}"))?;
    if !output.status.success() {
        return Err(format!("writer: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let trace = std::fs::read_to_string(path.with_extension("trace"));
    let db = open(&path)?;
    for expected in parse_trace(&trace.map_err(|error| error.to_string())?) {
        let name = FAMILIES[expected.family];
        let family = db.column_family(name).ok_or_else(|| format!("no family {name}"))?;
        check_snapshot(&db, &family, &expected)
            .map_err(|why| format!("family {name} at {}: {why}", expected.sequence))?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<Db, String> {
    let context = OpenContext::default();
    let (_, file) = OptionsFile::latest(&*context.file_system, path, &ConfigOptions::default())
        .map_err(|error| format!("OPTIONS: {error}"))?;
    let families: Vec<_> = file
        .column_families
        .iter()
        .map(|section| ColumnFamilyDescriptor::new(&section.name, section.options.clone()))
        .collect();
    Db::open_for_read_only(&file.db, path, &families, &context)
        .map_err(|error| format!("open: {error}"))
}

fn bytes(text: &str) -> Vec<u8> {
    if text == "_" { Vec::new() } else { unhex(text) }
}

fn parse_trace(trace: &str) -> Vec<Expected> {
    let mut snapshots: Vec<Expected> = Vec::new();
    for line in trace.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match (words[0], snapshots.last_mut()) {
            ("S", _) => snapshots.push(Expected {
                family: words[1].parse().expect("a family"),
                sequence: words[2].parse().expect("a sequence number"),
                pairs: Vec::new(),
                lookups: Vec::new(),
            }),
            ("P", Some(last)) => last.pairs.push((bytes(words[1]), bytes(words[2]))),
            ("G", Some(last)) => {
                let value = (words[2] != "-").then(|| bytes(words[2]));
                last.lookups.push((bytes(words[1]), value));
            }
            _ => panic!("line of trace: {line}"),
        }
    }
    snapshots
}

fn check_snapshot(db: &Db, family: &ColumnFamilyHandle, expected: &Expected) -> Result<(), String> {
    let options = ReadOptions { snapshot: Some(expected.sequence), ..ReadOptions::default() };
    for (key, value) in &expected.lookups {
        let found = db.get(&options, family, key).map_err(|error| error.to_string())?;
        if found.as_deref() != value.as_deref() {
            return Err(format!("{key:02x?} is {found:02x?}, expected {value:02x?}"));
        }
    }
    for total_order_seek in [false, true] {
        let options = ReadOptions { total_order_seek, ..options.clone() };
        let mut iterator = db.new_iterator(&options, family).map_err(|error| error.to_string())?;
        iterator.seek_to_first();
        for pair in &expected.pairs {
            expect(&iterator, Some(pair), "forward")?;
            iterator.next();
        }
        expect(&iterator, None, "forward")?;
        iterator.seek_to_last();
        for pair in expected.pairs.iter().rev() {
            expect(&iterator, Some(pair), "backward")?;
            iterator.prev();
        }
        expect(&iterator, None, "backward")?;
    }
    (0..WALKS_PER_SNAPSHOT).try_for_each(|walk| {
        let random = Random(expected.sequence * WALKS_PER_SNAPSHOT + walk);
        check_walk(db, family, &options, &expected.pairs, random)
    })
}

fn expect(iterator: &DbIterator, wanted: Option<&Pair>, what: &str) -> Result<(), String> {
    iterator.status().map_err(|error| format!("{what}: {error}"))?;
    let found = iterator.valid().then(|| (iterator.key(), iterator.value()));
    match found == wanted.map(|(key, value)| (key.as_slice(), value.as_slice())) {
        true => Ok(()),
        false => Err(format!("{what}: found {found:02x?}, expected {wanted:02x?}")),
    }
}

/// Goes about at random within random bounds.
fn check_walk(
    db: &Db,
    family: &ColumnFamilyHandle,
    options: &ReadOptions,
    pairs: &[Pair],
    mut random: Random,
) -> Result<(), String> {
    let lower = random.one_in(3).then(|| random.key());
    let upper = random.one_in(3).then(|| random.key());
    let options = ReadOptions {
        total_order_seek: true,
        iterate_lower_bound: lower.clone(),
        iterate_upper_bound: upper.clone(),
        ..options.clone()
    };
    let pairs: Vec<&Pair> = pairs
        .iter()
        .filter(|(key, _)| lower.as_ref().is_none_or(|lower| key >= lower))
        .filter(|(key, _)| upper.as_ref().is_none_or(|upper| key < upper))
        .collect();
    let mut iterator = db.new_iterator(&options, family).map_err(|error| error.to_string())?;
    let mut at: Option<usize> = None;
    let mut goes_on = true;
    for _ in 0..STEPS_PER_WALK {
        goes_on ^= random.one_in(5);
        let key = random.key();
        let what = match (at, random.below(12)) {
            (Some(index), 4..) if goes_on => {
                iterator.next();
                at = Some(index + 1);
                "next"
            }
            (Some(index), 4..) => {
                iterator.prev();
                at = index.checked_sub(1);
                "prev"
            }
            (_, 0) => {
                iterator.seek_to_first();
                at = Some(0);
                "seek to first"
            }
            (_, 1) => {
                iterator.seek_to_last();
                at = pairs.len().checked_sub(1);
                "seek to last"
            }
            (_, step) if step % 2 == 0 => {
                iterator.seek(&key);
                at = Some(pairs.partition_point(|pair| pair.0 < key));
                "seek"
            }
            _ => {
                iterator.seek_for_prev(&key);
                at = pairs.partition_point(|pair| pair.0 <= key).checked_sub(1);
                "seek for prev"
            }
        };
        at = at.filter(|index| *index < pairs.len());
        let place = format!("{what} ({key:02x?}) within {lower:02x?}..{upper:02x?}");
        expect(&iterator, at.map(|index| pairs[index]), &place)?;
    }
    Ok(())
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        self.0 = hasher.finish();
        self.0 as usize % limit
    }

    fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }

    /// As the writer makes them.
    fn key(&mut self) -> Vec<u8> {
        let length = 1 + self.below(4);
        (0..length).map(|index| b"abc\0\xff"[self.below(if index == 0 { 3 } else { 5 })]).collect()
    }
}
