//! Range tombstones that scans have added beside deletions (`min_tombstones_for_range_conversion`): releases
//! of RocksDB, which may order files of level 0 by sequence numbers, find what is there without.

use std::collections::BTreeMap;
use std::path::Path;

use base::Result;
use db::{ColumnFamilyDescriptor, Db, FlushOptions, OpenContext, ReadOptions, WriteOptions};
use options::{ColumnFamilyOptions, DbOptions};
use testing::judges::protocol::FamilyOpening;
use testing::judges::{self, Expectation, ExpectedFamily};

const KEYS: u32 = 200;

fn open(directory: &Path, family: &str) -> Result<Db> {
    let options = DbOptions::from_string("create_if_missing=true")?;
    let family =
        ColumnFamilyOptions::from_string(&format!("disable_auto_compactions=true;{family}"))?;
    let families = [ColumnFamilyDescriptor::new("default", family)];
    Db::open(&options, directory, &families, &OpenContext::default())
}

/// What a walk shows.
fn walk(db: &Db) -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let family = db.column_family("default").unwrap();
    let mut iterator = db.new_iterator(&ReadOptions::default(), &family)?;
    let mut found = BTreeMap::new();
    iterator.seek_to_first();
    while iterator.valid() {
        found.insert(iterator.key().to_vec(), iterator.value().to_vec());
        iterator.next();
    }
    iterator.status()?;
    Ok(found)
}

/// Rounds of puts and deletions in a table each, scanned before the flush or after it, so that range
/// tombstones are among the entries of their table, or alone in the next.
fn write(directory: &Path, min: u32) -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let db = open(directory, &format!("min_tombstones_for_range_conversion={min}"))?;
    let family = db.column_family("default").unwrap();
    let options = WriteOptions::default();
    for round in 0..6 {
        for key in (0..KEYS).filter(|key| round == 0 || key % 29 == round) {
            db.put(&options, &family, format!("{key:05}").as_bytes(), b"value")?;
        }
        for key in (0..KEYS).filter(|key| key / 16 % 6 == round) {
            db.delete(&options, &family, format!("{key:05}").as_bytes())?;
        }
        if round % 2 == 0 {
            walk(&db)?;
        }
        db.flush(&FlushOptions::default(), &[&family])?;
        walk(&db)?;
        if round % 3 == 0 {
            db.flush(&FlushOptions::default(), &[&family])?;
        }
    }
    let found = walk(&db)?;
    db.close()?;
    // The OPTIONS file is to be one that older releases know.
    open(directory, "")?.close()?;
    Ok(found)
}

#[test]
fn range_tombstones_of_scans_change_nothing_for_any_release() {
    let scratch = tempfile::TempDir::new().unwrap();
    let [with, without] = ["with", "without"].map(|name| scratch.path().join(name));
    assert_eq!(write(&with, 4).unwrap(), write(&without, 0).unwrap());
    let opening = FamilyOpening::new(b"default", "");
    let read = |directory: &Path| crate::engine::read(directory, std::slice::from_ref(&opening));
    let (contents, files, _) = read(&with).unwrap();
    let (plain, plain_files, _) = read(&without).unwrap();
    judges::compare(&plain, &contents).unwrap();
    assert!(files.len() > plain_files.len(), "some have nothing but range tombstones");
    let content = contents[&opening.name].clone();
    let expectation = Expectation {
        families: vec![ExpectedFamily { opening: opening.clone(), content }],
        live_files: Some(files),
        has_options_file: true,
        ..Expectation::default()
    };
    judges::judge_by_tools(&with, &expectation).unwrap();
    let read_back = |copy: &Path| Ok(read(copy)?.0);
    judges::judge_all(&with, &expectation, &read_back).unwrap();
}
