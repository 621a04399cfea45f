//! Names and values are taken and refused as RocksDB does it.

use crate::open;
use db::{Db, OpenContext};
use env::MemFileSystem;
use options::{BlockBasedTableOptions, ColumnFamilyOptions, DbOptions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use testing::judges::protocol::{FamilyOpening, Mode, Opening};
use testing::judges::{self, Session};

/// What differs from RocksDB 11.8.1, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("memtable_insert_with_hint_prefix_extractor=nullptr", NO_CHANGE),
    ("blob_direct_write_partition_strategy=nullptr", NO_CHANGE),
    ("merge_operator=nullptr", NO_CHANGE),
    ("deletion_pass_trigger=", "an option of this engine's own"),
];

const NO_CHANGE: &str = "none where there is none is no change, as for other objects";

/// A name to be set, with a value.
type Named = (String, String);

/// Every name of an option of the database: with the value that it has, those RocksDB gave up with a
/// number.
fn database_names() -> Vec<Named> {
    let present = DbOptions::default();
    let names = DbOptions::infos().map(|info| info.name);
    let mut all: Vec<Named> =
        names.map(|name| (name.to_owned(), present.get(name).unwrap())).collect();
    all.extend(DbOptions::legacy_options().iter().map(|one| (one.name.to_owned(), "1".to_owned())));
    all.push(("no_such_option".to_owned(), "1".to_owned()));
    all.push(("write_buffer_size".to_owned(), "1".to_owned()));
    all
}

/// As [`database_names`], of a column family, its structs and its tables.
fn family_names() -> Vec<Named> {
    let present = ColumnFamilyOptions::default();
    let named = |name: &str, value: String| (name.to_owned(), value);
    let mut all: Vec<Named> = ColumnFamilyOptions::infos()
        .map(|info| named(info.name, present.get(info.name).unwrap()))
        .collect();
    let legacy = ColumnFamilyOptions::legacy_options().iter();
    all.extend(legacy.map(|one| named(one.name, "1".to_owned())));
    for owner in [
        "compaction_options_universal",
        "compaction_options_fifo",
        "compression_opts",
        "bottommost_compression_opts",
        "blob_compression_opts",
    ] {
        let text = present.get(owner).unwrap();
        for pair in text.trim_matches(['{', '}']).split(';').filter(|pair| !pair.is_empty()) {
            let (field, value) = pair.split_once('=').unwrap();
            all.push(named(&format!("{owner}.{field}"), value.to_owned()));
            all.push(named(owner, format!("{{{field}={value}}}")));
        }
        all.push(named(owner, "{no_such_field=1}".to_owned()));
    }
    let table = BlockBasedTableOptions::default();
    for info in BlockBasedTableOptions::infos().filter(|info| info.written) {
        let value = table.get(info.name).unwrap();
        all.push(named(&format!("table_factory.{}", info.name), value.clone()));
        all.push(named("block_based_table_factory", format!("{{{}={value}}}", info.name)));
    }
    for (name, value) in [
        ("no_such_option", "1"),
        ("max_open_files", "1"),
        ("write_buffer_size", "1M"),
        ("write_buffer_size", "much"),
        ("compression", "kZSTD"),
        ("compression", "kNothing"),
        ("disable_auto_compactions", "maybe"),
        ("max_bytes_for_level_multiplier_additional", "1:2:x"),
        ("prefix_extractor", "fixed:3"),
        ("prefix_extractor", "rocksdb.CappedPrefix.4"),
        ("prefix_extractor", "nullptr"),
        ("comparator", "rocksdb.ReverseBytewiseComparator"),
        ("memtable_factory", "vector"),
        ("block_based_table_factory", "{block_size=much}"),
        ("block_based_table_factory", "{no_such_field=1}"),
        ("plain_table_factory", "{bloom_bits_per_key=1}"),
        ("memtable_protection_bytes_per_key", "3"),
        ("enable_blob_garbage_collection", "true"),
        ("blob_garbage_collection_age_cutoff", "2"),
        ("paranoid_file_checks", "{true}"),
    ] {
        all.push(named(name, value.to_owned()));
    }
    all
}

fn ours() -> Db {
    let context =
        OpenContext { file_system: Arc::new(MemFileSystem::new()), ..OpenContext::default() };
    open(Path::new("/db"), "", "", &context)
}

fn opened(release: &str, directory: &Path) -> Option<Session> {
    let mut session = judges::library(release)?.session();
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true".to_owned(),
        families: vec![FamilyOpening::new(b"default", "")],
        ..Opening::default()
    };
    session.open(&opening).unwrap();
    Some(session)
}

/// Names that this engine and RocksDB do not treat alike.
fn compare(
    names: &[Named],
    ours: impl Fn(&[(&str, &str)]) -> Result<(), String>,
    mut theirs: impl FnMut(&[(&str, &str)]) -> Result<(), String>,
) -> Vec<String> {
    let mut different = Vec::new();
    for (name, value) in names {
        let change = [(name.as_str(), value.as_str())];
        let (here, there) = (ours(&change), theirs(&change));
        if here.is_ok() != there.is_ok() {
            different.push(format!("{name}={value}: here {here:?}, RocksDB {there:?}"));
        }
    }
    let is_known = |line: &String| DIFFERENT.iter().any(|(start, _)| line.starts_with(start));
    different.retain(|line| !is_known(line));
    different
}

#[test]
fn the_same_changes_of_column_families_are_taken() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mut session) = opened("11.8.1", directory.path()) else { return };
    let db = ours();
    let family = db.column_family("default").unwrap();
    let different = compare(
        &family_names(),
        |change| db.set_options(&family, change).map(drop).map_err(|status| status.to_string()),
        |change| {
            session.set_options(Some(b"default"), change).map_err(|failure| failure.to_string())
        },
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn the_same_changes_of_databases_are_taken() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mut session) = opened("11.8.1", directory.path()) else { return };
    let db = ours();
    let different = compare(
        &database_names(),
        |change| db.set_db_options(change).map(drop).map_err(|status| status.to_string()),
        |change| session.set_options(None, change).map_err(|failure| failure.to_string()),
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn whatever_an_older_release_takes_is_taken() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mut session) = opened("7.8.3", directory.path()) else { return };
    let db = ours();
    let family = db.column_family("default").unwrap();
    let mut refused = BTreeSet::new();
    for (name, value) in family_names() {
        let change = [(name.as_str(), value.as_str())];
        if session.set_options(Some(b"default"), &change).is_ok()
            && let Err(status) = db.set_options(&family, &change)
        {
            refused.insert(format!("{name}={value}: {status}"));
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}
