//! OPTIONS files that this engine writes, read by RocksDB 11: it loads them, opens a new database
//! with them, and writes down the same options.

use base::filename::{FileType, parse_file_name};
use db::{ColumnFamilyDescriptor, Db, OpenContext};
use options::difference::{OptionChange, SectionChange, difference};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions, OptionsFile, Release};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use testing::fixtures;
use testing::judges::protocol::{FamilyOpening, Mode, Opening};
use testing::judges::{self, Session};

const RELEASE: (&str, Release) = ("11.8.1", Release::new(11, 8, 1));

/// Options that RocksDB 11 writes down otherwise than it was told.
const MAY_DIFFER: &[&str] = &[
    // Corrected when a database is opened.
    "arena_block_size",
    "delayed_write_rate",
    "format_version",
    "max_compaction_bytes",
    "periodic_compaction_seconds",
    "recycle_log_file_num",
    "ttl",
    // Given to each open of this test.
    "create_if_missing",
    // Objects that this program does not have, or that are no more.
    "comparator",
    "compaction_filter_factory",
    "filter_policy",
    "listeners",
    "merge_operator",
];

/// Its codec is none to RocksDB 11.
const UNKNOWN_CODEC: &str = "b08-zstd-notfinal";

fn newest(directory: &Path) -> OptionsFile {
    let fs = env::default_file_system();
    OptionsFile::latest(&*fs, directory, &ConfigOptions::default()).unwrap().1
}

/// Lets RocksDB make a database by the OPTIONS file in `directory`, and reads what it wrote.
fn by_rocksdb(session: &mut Session, directory: &Path) -> Result<OptionsFile, String> {
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true;error_if_exists=false;wal_dir=;db_log_dir=".to_owned(),
        latest: true,
        families: vec![FamilyOpening::new(b"default", "")],
        transactions: None,
    };
    session.open(&opening).map_err(|failure| failure.to_string())?;
    session.close().map_err(|failure| failure.to_string())?;
    Ok(newest(directory))
}

/// Names of options that differ, in the database and in the family `default`.
fn differing(ours: &OptionsFile, theirs: &OptionsFile) -> BTreeMap<&'static str, OptionChange> {
    let changes = difference(ours, theirs).into_iter().flat_map(|section| match section {
        SectionChange::Db(changes) => changes,
        SectionChange::ColumnFamily(family, changes) | SectionChange::Table(family, changes) => {
            if family == *"default" {
                changes
            } else {
                Vec::new()
            }
        }
        SectionChange::Removed(_) | SectionChange::Added(_) => Vec::new(),
    });
    changes.map(|change| (change.option, change)).collect()
}

#[test]
fn rocksdb_loads_the_file_of_a_new_database() {
    let Some(judge) = judges::library(RELEASE.0) else { return };
    let directory = tempfile::tempdir().unwrap();
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let options = DbOptions::default().create_if_missing(true);
    let context = OpenContext::default();
    drop(Db::open(&options, directory.path(), &families, &context).unwrap());
    let ours = newest(directory.path());
    let theirs = by_rocksdb(&mut judge.session(), directory.path()).unwrap();
    let differing = differing(&ours, &theirs);
    let unexpected: Vec<_> =
        differing.values().filter(|change| !MAY_DIFFER.contains(&change.option)).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
}

#[test]
fn rocksdb_loads_the_files_of_all_releases_saved_for_it() {
    let Some(judge) = judges::library(RELEASE.0) else { return };
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut unexpected = BTreeMap::new();
    for fixture in fixtures::all() {
        for (name, content) in fixture.files() {
            if !matches!(parse_file_name(&name), Some((_, FileType::Options))) {
                continue;
            }
            let path = Path::new(&name);
            let mut file = OptionsFile::parse(path, &content, &ConfigOptions::default()).unwrap();
            // Of a directory that is not here.
            file.db.wal_dir.clear();
            file.db.db_log_dir.clear();
            let saved = file.to_content(RELEASE.1);
            if !seen.insert(saved.clone()) {
                continue;
            }
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("OPTIONS-000005"), &saved).unwrap();
            let mut session = judge.session();
            session.set_patience(Duration::from_secs(20));
            match by_rocksdb(&mut session, directory.path()) {
                Ok(theirs) => unexpected.extend(differing(&file, &theirs)),
                Err(error) if fixture.to_string().contains(UNKNOWN_CODEC) => {
                    assert!(error.contains("compression"), "{fixture}: {name}: {error}");
                }
                Err(error) => wrong.push(format!("{fixture}: {name}: {error}")),
            }
        }
    }
    unexpected.retain(|option, _| !MAY_DIFFER.contains(option));
    assert!(wrong.is_empty() && unexpected.is_empty(), "{wrong:#?} {unexpected:#?}");
    assert!(seen.len() > 100, "{}", seen.len());
}
