//! When sequence numbers were given out: maps in the tables that RocksDB wrote, and in those that
//! this engine makes of them.

use crate::{engine, tables};
use base::SequenceNumber;
use db::{
    ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions, OpenContext, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use testing::judges::protocol::{FamilyOpening, Mode, Opening, Operation};
use testing::judges::{self, Judge, Session};
use testing::parallel;

const DEFAULT: &str = "default";
const PRESERVING: &str = "preserve_internal_time_seconds=86400;disable_auto_compactions=true";
const PLAIN: &str = "disable_auto_compactions=true";

fn open(judge: &Judge, directory: &Path, options: &str) -> Session {
    let mut session = judge.session();
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true".to_owned(),
        families: vec![FamilyOpening::new(DEFAULT.as_bytes(), options)],
        ..Opening::default()
    };
    session.open(&opening).unwrap();
    session
}

fn open_for_writing(directory: &Path, options: &str) -> Db {
    let family = ColumnFamilyOptions::from_string(options).unwrap();
    let families = [ColumnFamilyDescriptor::new(DEFAULT, family)];
    Db::open(&DbOptions::default(), directory, &families, &OpenContext::default()).unwrap()
}

/// The pairs of every table.
fn times(directory: &Path) -> BTreeMap<u64, Vec<(SequenceNumber, u64)>> {
    let properties = tables::properties(directory).into_iter();
    let pairs = properties.map(|(number, properties)| {
        (number, properties.seqno_to_time_mapping().unwrap().pairs().to_vec())
    });
    pairs.collect()
}

fn write_rounds(mut put: impl FnMut(&str), mut flush: impl FnMut()) {
    for round in 0..3 {
        for key in 0..5 {
            put(&format!("{key}-{round}"));
        }
        flush();
    }
}

fn libraries() -> Vec<Judge> {
    let mut libraries = judges::all();
    // 7.8.3 writes another form of it.
    libraries
        .retain(|judge| judge.is_since("8.0.0") && !judge.to_string().starts_with("rocksdict"));
    libraries
}

#[test]
fn maps_of_rocksdb_go_through_flushes_and_compactions_and_back() {
    let libraries = libraries();
    let cases: Vec<usize> = (0..libraries.len() * 2).collect();
    parallel::for_each(&cases, |case| -> Result<(), String> {
        check(&libraries[case / 2], [PRESERVING, PLAIN][case % 2]);
        Ok(())
    });
}

fn check(judge: &Judge, options: &str) {
    let scratch = crate::scratch();
    let directory = scratch.path().join("db");
    let mut session = open(judge, &directory, PRESERVING);
    for round in 0..3 {
        let keys = (0..5).map(|key| Operation::Put {
            family: DEFAULT.into(),
            key: format!("{key}-{round}").as_str().into(),
            value: "theirs".into(),
        });
        session.write(keys.collect()).unwrap();
        session.flush(&[]).unwrap();
    }
    session.kill();
    let before = times(&directory);
    let known: Vec<_> = before.values().flatten().copied().collect();
    assert!(before.len() == 3 && !known.is_empty(), "{judge}: {before:?}");
    // Of samples in one second only the last is kept.
    std::thread::sleep(Duration::from_millis(1100));

    let db = open_for_writing(&directory, options);
    let family = db.column_family(DEFAULT).unwrap();
    write_rounds(
        |key| db.put(&WriteOptions::default(), &family, key.as_bytes(), b"ours").unwrap(),
        || db.flush(&FlushOptions::default(), &[&family]).unwrap(),
    );
    let is_preserving = options == PRESERVING;
    let mut flushed = times(&directory);
    flushed.retain(|number, _| !before.contains_key(number));
    assert!(flushed.len() == 3, "{judge}: {flushed:?}");
    assert!(
        flushed.values().all(|pairs| pairs.is_empty() != is_preserving),
        "{judge}: {flushed:?}"
    );
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    drop(family);
    db.close().unwrap();
    let compacted = times(&directory);
    assert_eq!(compacted.len(), 1, "{judge}: {compacted:?}");
    let pairs = compacted.into_values().next().unwrap();
    // All of it is recent: where that counts nothing has lost its number, and what was known before
    // is known still.
    let ours = |(sequence, _): &(SequenceNumber, u64)| !known.iter().any(|(n, _)| n == sequence);
    assert_eq!(pairs.iter().any(|pair| known.contains(pair)), is_preserving, "{judge}: {pairs:?}");
    assert_eq!(pairs.iter().any(ours), is_preserving, "{judge}: {pairs:?}");

    // RocksDB reads it, and makes one more of it.
    let content = engine::read(&directory, &[FamilyOpening::new(DEFAULT.as_bytes(), "")]);
    let mut session = open(judge, &directory, PRESERVING);
    judges::compare(&content.unwrap().0, &session.dump().unwrap()).unwrap();
    session.compact(DEFAULT.as_bytes()).unwrap();
    session.close().unwrap();
    let theirs: Vec<_> = times(&directory).into_values().flatten().collect();
    assert!(pairs.iter().all(|pair| theirs.contains(pair)), "{judge}: {theirs:?}, of {pairs:?}");
}
