//! Directories and files that may not be read or written to.

use crate::machine::without_privileges;
use crate::place::{Place, expect_error, name_in};
use base::status::Code;
use db::{Db, FlushOptions, OpenContext};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

const DENIED: &str = "Permission denied";

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// With a table, and something that only the WAL has.
fn database(directory: &TempDir) -> Place {
    let mut place = Place::new(&directory.path().join("db"));
    let db = place.open();
    let family = db.column_family("default").unwrap();
    place.try_put(&db, &family, b"in a table", b"1").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    place.try_put(&db, &family, b"in the WAL", b"2").unwrap();
    place
}

/// Reading works, and nothing is other than before.
fn check_reading(place: &Place) {
    let before = place.files();
    let db = place.try_open_for_reading().unwrap();
    place.check(&db);
    let family = db.column_family("default").unwrap();
    let refused = db.put(&db::WriteOptions::default(), &family, b"a", b"b");
    expect_error(refused, Code::NotSupported, &["read only"]);
    drop((family, db));
    let listed = Db::list_column_families(&place.path, &OpenContext::default()).unwrap();
    assert_eq!(listed.len(), 1);
    assert!(place.files() == before);
}

#[test]
fn a_directory_that_takes_no_new_files() {
    without_privileges(|| {
        let directory = TempDir::new().unwrap();
        let place = database(&directory);
        set_mode(&place.path, 0o555);
        let before = place.files();
        let path = place.path.display().to_string();
        expect_error(place.try_open(), Code::IoError, &[&path, DENIED]);
        assert!(place.files() == before, "{:?}", place.files().keys());
        check_reading(&place);
        set_mode(&place.path, 0o755);
        place.check(&place.open());
    });
}

#[test]
fn files_of_somebody_else() {
    without_privileges(|| {
        let directory = TempDir::new().unwrap();
        let place = database(&directory);
        for name in place.files().into_keys() {
            set_mode(&place.path.join(name), 0o444);
        }
        set_mode(&place.path, 0o555);
        expect_error(place.try_open(), Code::IoError, &[&name_in(&place, "LOCK"), DENIED]);
        check_reading(&place);
        set_mode(&place.path, 0o755);
    });
}

#[test]
fn files_that_may_not_be_read_are_not_missing() {
    without_privileges(|| {
        let directory = TempDir::new().unwrap();
        let mut place = database(&directory);
        let before: Vec<String> = place.files().into_keys().collect();
        let manifest = before.iter().find(|name| name.starts_with("MANIFEST")).unwrap();
        let wal = before.iter().find(|name| name.ends_with(".log")).unwrap();
        let table = before.iter().find(|name| name.ends_with(".sst")).unwrap();
        for name in ["CURRENT", manifest, wal, table] {
            set_mode(&place.path.join(name), 0o000);
            let words = [&*name_in(&place, name), DENIED];
            expect_error(place.try_open(), Code::IoError, &words);
            let read = place.try_open_for_reading();
            match read {
                // Tables are opened when they are read.
                Ok(db) if name == table => {
                    let family = db.column_family("default").unwrap();
                    let read = db.get(&Default::default(), &family, b"in a table");
                    expect_error(read, Code::IoError, &words);
                }
                read => expect_error(read, Code::IoError, &words),
            }
            if name == table || name == manifest {
                place.options.best_efforts_recovery = true;
                expect_error(place.try_open(), Code::IoError, &words);
                place.options.best_efforts_recovery = false;
            }
            set_mode(&place.path.join(name), 0o644);
            for kept in &before {
                assert!(place.path.join(kept).exists() || kept.starts_with("LOG"), "{kept}");
            }
        }
        // Nor is a directory whose files cannot even be looked for empty.
        set_mode(&place.path, 0o600);
        expect_error(place.try_open(), Code::IoError, &[&place.path.display().to_string(), DENIED]);
        let read = place.try_open_for_reading();
        expect_error(read, Code::IoError, &[&name_in(&place, "CURRENT"), DENIED]);
        set_mode(&place.path, 0o755);
        place.check(&place.open());
    });
}

#[test]
fn a_directory_that_cannot_be_made() {
    without_privileges(|| {
        let directory = TempDir::new().unwrap();
        let parent = directory.path().join("parent");
        fs::create_dir(&parent).unwrap();
        set_mode(&parent, 0o555);
        let mut place = Place::new(&parent.join("db"));
        let path = place.path.display().to_string();
        expect_error(place.try_open(), Code::IoError, &["create directory", &path, DENIED]);
        place.options.create_if_missing = false;
        expect_error(place.try_open(), Code::InvalidArgument, &[&path, "does not exist"]);
        set_mode(&parent, 0o755);
    });
}

#[test]
fn a_path_that_is_missing_or_a_file() {
    let directory = TempDir::new().unwrap();
    let mut place = Place::new(&directory.path().join("nowhere"));
    let current = name_in(&place, "CURRENT");
    expect_error(place.try_open_for_reading(), Code::IoError, &[&current, "No such file"]);
    assert!(!place.path.exists());
    place.path = directory.path().join("file");
    fs::write(&place.path, "content").unwrap();
    let path = place.path.display().to_string();
    for create in [true, false] {
        place.options.create_if_missing = create;
        expect_error(place.try_open(), Code::IoError, &[&path, "File exists"]);
        expect_error(place.try_open_for_reading(), Code::IoError, &[&path, "Not a directory"]);
    }
    assert_eq!(fs::read(&place.path).unwrap(), b"content");
    // Nor can one be made below it.
    place.path.push("db");
    place.options.create_if_missing = true;
    expect_error(place.try_open(), Code::IoError, &[&path, "Not a directory"]);
}
