//! What goes wrong is said with the status that RocksDB gives, in a sentence that names the file or
//! the column family; and nothing is lost by it.

use crate::fixture::{Fixture, default_family, get, put, scan};
use base::status::Code;
use base::{comparator, merge_operator};
use db::{ColumnFamilyDescriptor, Db, FlushOptions, WriteOptions};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use tempfile::TempDir;
use testing::long_mode::is_long;
use testing::peer;

/// A fixture on the disk.
fn on_disk(place: &TempDir) -> Fixture {
    let mut fixture = Fixture::new();
    fixture.context.file_system = env::default_file_system();
    fixture.path = place.path().join("db");
    fixture
}

fn expect_error(result: base::Result<Db>, code: Code, words: &[&str]) {
    let error = result.map(drop).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    for word in words {
        assert!(error.message().contains(word), "{word}: {error}");
    }
}

#[test]
fn a_second_opener_is_told_of_the_lock() {
    let place = TempDir::new().unwrap();
    for fixture in [Fixture::new(), on_disk(&place)] {
        let db = fixture.open();
        let lock = fixture.path.join("LOCK").display().to_string();
        expect_error(fixture.try_open(), Code::IoError, &[&lock, "this process holds it already"]);
        // Reading needs no lock.
        let families = fixture.descriptors();
        Db::open_for_read_only(&fixture.options, &fixture.path, &families, &fixture.context)
            .unwrap();
        put(&db, "a", "1");
        drop(db);
        assert_eq!(get(&fixture.open(), "a"), Some("1".into()));
    }
}

#[test]
fn another_process_cannot_open_it_either() {
    let Some(ldb) = peer::find("ldb") else { return };
    let place = TempDir::new().unwrap();
    let fixture = on_disk(&place);
    let db = fixture.open();
    let path = format!("--db={}", fixture.path.display());
    let put_by_ldb = || {
        let output = ldb.run(&[&path, "put", "b", "2"]);
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
    };
    let said = put_by_ldb();
    assert!(said.contains("LOCK") && said.contains("IO error"), "{said}");
    db.close().unwrap();
    assert_eq!(put_by_ldb().trim(), "OK");
    assert_eq!(get(&fixture.open(), "b"), Some("2".into()));
}

#[test]
fn a_directory_that_may_not_be_written_to_is_named() {
    let place = TempDir::new().unwrap();
    let fixture = on_disk(&place);
    let db = fixture.open();
    put(&db, "a", "1");
    drop(db);
    let set_mode = |mode| {
        std::fs::set_permissions(&fixture.path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(0o555);
    let is_root = std::fs::write(fixture.path.join("probe"), b"").is_ok();
    if !is_root {
        let path = fixture.path.display().to_string();
        expect_error(fixture.try_open(), Code::IoError, &[&path, "ermission denied"]);
    }
    set_mode(0o755);
    assert_eq!(get(&fixture.open(), "a"), Some("1".into()));
}

#[test]
fn a_database_that_is_not_there_or_should_not_be_is_named() {
    let mut fixture = Fixture::new();
    fixture.options.create_if_missing = false;
    let missing = ["/db", "does not exist (create_if_missing is false)"];
    expect_error(fixture.try_open(), Code::InvalidArgument, &missing);
    fixture.options.create_if_missing = true;
    fixture.open().close().unwrap();
    fixture.options.error_if_exists = true;
    let exists = ["/db", "exists (error_if_exists is true)"];
    expect_error(fixture.try_open(), Code::InvalidArgument, &exists);
    fixture.options.error_if_exists = false;
    fixture.families.push("nobody".to_owned());
    let not_found = ["Column family not found", "nobody"];
    expect_error(fixture.try_open(), Code::InvalidArgument, &not_found);
    fixture.options.create_missing_column_families = true;
    fixture.open().close().unwrap();
    fixture.families.pop();
    expect_error(fixture.try_open(), Code::InvalidArgument, &["not opened", "nobody"]);
}

#[test]
fn another_comparator_is_refused() {
    let mut fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    drop(db);
    fixture.family_options.comparator = Arc::new(comparator::ReverseBytewiseComparator);
    let words = ["leveldb.BytewiseComparator", "rocksdb.ReverseBytewiseComparator"];
    expect_error(fixture.try_open(), Code::InvalidArgument, &words);
}

#[test]
fn operands_wait_for_their_merge_operator() {
    let mut fixture = Fixture::new();
    let operator = merge_operator::builtin_with_delimiter("stringappend", b",");
    fixture.family_options.merge_operator = operator.clone();
    let db = fixture.open();
    let family = default_family(&db);
    put(&db, "a", "1");
    db.merge(&WriteOptions::default(), &family, b"a", b"2").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    db.merge(&WriteOptions::default(), &family, b"a", b"3").unwrap();
    drop((family, db));
    // Without it what is in the WAL cannot become a table: nothing may be lost, nothing made up.
    fixture.family_options.merge_operator = None;
    let before = fixture.files();
    expect_error(
        fixture.try_open(),
        Code::InvalidArgument,
        &["merge_operator is not properly initialized", "column family default"],
    );
    let after = fixture.files();
    assert!(before.iter().all(|name| after.contains(name)), "{before:?}, then {after:?}");
    fixture.options.avoid_flush_during_recovery = true;
    let db = fixture.open();
    let family = default_family(&db);
    let refused = db.merge(&WriteOptions::default(), &family, b"a", b"4").unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("merge_operator"), "{refused}");
    put(&db, "b", "5");
    let read = db.get(&db::ReadOptions::default(), &family, b"a").unwrap_err();
    assert_eq!(read.code(), Code::InvalidArgument, "{read}");
    drop((family, db));
    fixture.options.avoid_flush_during_recovery = false;
    fixture.family_options.merge_operator = operator;
    let db = fixture.open();
    assert_eq!(get(&db, "a"), Some("1,2,3".into()));
    assert_eq!(get(&db, "b"), Some("5".into()));
}

#[test]
fn options_are_checked_before_anything_is_made() {
    let mut fixture = Fixture::new();
    fixture.options.keep_log_file_num = 0;
    expect_error(fixture.try_open(), Code::InvalidArgument, &["keep_log_file_num"]);
    assert!(!fixture.context.file_system.file_exists(&fixture.path).unwrap());
    fixture.options.keep_log_file_num = 1;
    let db = fixture.open();
    let mut bad = fixture.family_options.clone();
    bad.inplace_update_support = true;
    let error = db.create_column_family(&bad, "other").unwrap_err();
    assert_eq!(error.code(), Code::NotSupported);
    assert!(error.message().contains("column family other"), "{error}");
    let error = db.create_column_family(&fixture.family_options, "default").unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[test]
fn keys_and_values_may_have_any_size() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let family = default_family(&db);
    let options = WriteOptions::default();
    let long_key = vec![b'k'; 16 << 20];
    // In CI a tenth of what the format allows for.
    let value_size = if is_long() { 1 << 30 } else { 100 << 20 };
    let value = vec![b'v'; value_size];
    db.put(&options, &family, b"", b"of the empty key").unwrap();
    db.put(&options, &family, &long_key, b"of a long key").unwrap();
    db.put(&options, &family, b"large", &value).unwrap();
    drop((family, db));
    for _ in 0..2 {
        let db = fixture.open();
        let family = default_family(&db);
        let read = |key: &[u8]| db.get(&db::ReadOptions::default(), &family, key).unwrap().unwrap();
        assert_eq!(&*read(b""), b"of the empty key");
        assert_eq!(&*read(&long_key), b"of a long key");
        assert!(*read(b"large") == *value);
        assert!(!fixture.files_with(".sst").is_empty());
    }
}

#[test]
fn names_of_families_are_free() {
    let mut fixture = Fixture::new();
    fixture.options.create_missing_column_families = true;
    let names = ["", " ", "a\nb", "x\"]\n[y", "naïve 名", "default2", "a;b={c}#d\\"];
    fixture.families.extend(names.map(str::to_owned));
    for round in 0..2 {
        let db = fixture.open();
        for name in names {
            let family = db.column_family(name).unwrap();
            let found = db.get(&db::ReadOptions::default(), &family, b"name").unwrap();
            assert_eq!(found.is_some(), round == 1, "{name:?}");
            db.put(&WriteOptions::default(), &family, b"name", name.as_bytes()).unwrap();
        }
        drop(db);
    }
    let fs = &*fixture.context.file_system;
    let config = options::ConfigOptions::default();
    let (_, file) = options::OptionsFile::latest(fs, &fixture.path, &config).unwrap();
    for name in names {
        assert!(file.column_family(name).is_some(), "{name:?}");
    }
}

#[test]
fn a_new_family_goes_on_with_the_others() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    let descriptors: Vec<ColumnFamilyDescriptor> = fixture.descriptors();
    assert_eq!(descriptors.len(), 1);
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    db.put(&WriteOptions::default(), &other, b"a", b"2").unwrap();
    assert_eq!(scan(&db), [("a".into(), "1".into())]);
}
