//! What this engine carries without acting on all of it: nothing of it may be lost because a
//! directory was opened for writing.

use crate::copies::Copied;
use base::filename::{FileType, parse_file_name};
use db::{Db, FlushOptions, WriteOptions};
use options::ConfigOptions;
use std::collections::BTreeMap;
use std::sync::Arc;
use testing::fixtures;
use version::{BlobFileMetaData, FileMetaData};

/// Everything that the MANIFEST says of files, by number.
pub(crate) type Files = (BTreeMap<u64, Arc<FileMetaData>>, BTreeMap<u64, Arc<BlobFileMetaData>>);

/// The files of all column families.
pub(crate) fn files_of(db: &Db) -> Files {
    let (mut tables, mut blob_files) = Files::default();
    for family in db.column_families() {
        let version = family.version();
        tables.extend(version.files().map(|(_, file)| (file.number, file.clone())));
        blob_files.extend(version.blob_files().iter().map(|file| (file.number(), file.clone())));
    }
    (tables, blob_files)
}

/// Of files that are still there the MANIFEST says what it said: temperatures, checksums, unique
/// ids, epochs, times, tags of later releases.
pub(crate) fn check_files(copied: &Copied, before: &Files) -> Result<(), String> {
    let db = copied.options.open().map_err(|error| error.to_string())?;
    let (tables, blob_files) = files_of(&db);
    for (number, file) in &tables {
        if before.0.get(number).is_some_and(|before| before != file) {
            return Err(format!("of {number:06}.sst now {file:?}, before {:?}", before.0[number]));
        }
    }
    for (number, file) in &blob_files {
        if before.1.get(number).is_some_and(|before| before != file) {
            return Err(format!("of {number:06}.blob now {file:?}, before {:?}", before.1[number]));
        }
    }
    let gone = before.0.keys().filter(|number| !tables.contains_key(number)).count();
    match gone {
        0 => Ok(()),
        // Compacted by itself.
        _ if copied.options.families.iter().any(|f| !f.options.disable_auto_compactions) => Ok(()),
        _ => Err(format!("{gone} tables are gone")),
    }
}

fn put_and_flush(db: &Db, key: &str) {
    let family = db.column_family("default").unwrap();
    db.put(&WriteOptions::default(), &family, key.as_bytes(), b"value").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
}

fn wal_numbers(copied: &Copied) -> Vec<u64> {
    let names = copied.options.context.file_system.get_children(&copied.options.path).unwrap();
    let numbers = names.iter().filter_map(|name| parse_file_name(name));
    let mut wals: Vec<u64> =
        numbers.filter(|(_, kind)| *kind == FileType::Wal).map(|(number, _)| number).collect();
    wals.sort_unstable();
    wals
}

#[test]
fn a_wal_with_a_prepared_transaction_is_kept_through_flushes_and_reopens() {
    for fixture in fixtures::of_case("k02") {
        let copied = Copied::of(&fixture).unwrap();
        let expected = fixture.case.expect.prepared.clone().unwrap();
        assert!(!expected.is_empty(), "{fixture}");
        let prepared_in = {
            let db = copied.options.open().unwrap();
            let numbers = db.prepared_transactions().values().map(|one| one.wal_number);
            numbers.min().unwrap()
        };
        for round in 0..3 {
            let db = copied.open_for_writing().unwrap();
            put_and_flush(&db, &format!("key {round}"));
            put_and_flush(&db, &format!("other key {round}"));
            assert_eq!(wal_numbers(&copied).first(), Some(&prepared_in), "{fixture}");
            let names: Vec<_> = db.prepared_transactions().keys().cloned().collect();
            let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
            assert_eq!(names, expected, "{fixture}");
            db.close().unwrap();
            assert_eq!(wal_numbers(&copied).first(), Some(&prepared_in), "{fixture}");
        }
        // Without two-phase commit the transactions could only be lost, so the open is refused.
        let mut plain = Copied::of(&fixture).unwrap();
        plain.options.db.allow_2pc = false;
        let error = plain.open_for_writing().unwrap_err();
        assert!(error.message().contains("prepared transactions"), "{fixture}: {error}");
        plain.check_unchanged().unwrap();
    }
}

#[test]
fn checksums_of_files_are_kept_and_go_on() {
    for fixture in fixtures::of_case("q09") {
        let mut copied = Copied::of(&fixture).unwrap();
        let set = copied.options.db.apply(
            "file_checksum_gen_factory",
            "FileChecksumGenCrc32cFactory",
            &ConfigOptions::default(),
        );
        set.unwrap();
        let (before, _) = files_of(&copied.options.open().unwrap());
        assert!(before.values().all(|file| file.file_checksum.is_some()), "{fixture}");
        let db = copied.open_for_writing().unwrap();
        put_and_flush(&db, "new");
        db.close().unwrap();
        let (after, _) = files_of(&copied.options.open().unwrap());
        let function = b"FileChecksumCrc32c".to_vec();
        let mut new = after.values().filter(|file| !before.contains_key(&file.number)).peekable();
        assert!(new.peek().is_some(), "{fixture}");
        for file in new {
            let checksum = file.checksum().unwrap();
            assert_eq!(checksum.function_name, function, "{fixture}");
            assert_eq!(checksum.value.len(), 4, "{fixture}");
        }
    }
}

#[test]
fn a_table_keeps_its_temperature() {
    for fixture in fixtures::of_case("q10") {
        let copied = Copied::of(&fixture).unwrap();
        let (before, _) = files_of(&copied.options.open().unwrap());
        assert!(before.values().any(|file| file.temperature.0 != 0), "{fixture}");
        let db = copied.open_for_writing().unwrap();
        put_and_flush(&db, "new");
        db.close().unwrap();
        check_files(&copied, &(before, BTreeMap::new())).unwrap();
    }
}
