//! Thousands of column families: nothing that is done for one of them walks over all.

use crate::fixture::{Fixture, put};
use base::ColumnFamilyName;
use db::{ColumnFamilyDescriptor, Db, FlushOptions, ReadOptions, WriteOptions};
use options::{ConfigOptions, OptionsFile};
use std::time::Instant;
use testing::long_mode::is_long;
use testing::wait::until;

/// In CI fewer, for a machine that is slow and has other things to do.
fn count() -> usize {
    if is_long() { 10_000 } else { 1_000 }
}

fn names() -> impl Iterator<Item = String> {
    (1..count()).map(|index| format!("family{index}"))
}

fn put_to_each(db: &Db) {
    for family in db.column_families() {
        db.put(&WriteOptions::default(), &family, b"key", b"value").unwrap();
    }
}

fn check_each(db: &Db) {
    assert_eq!(db.column_families().count(), count());
    for family in db.column_families() {
        assert!(db.get(&ReadOptions::default(), &family, b"key").unwrap().is_some());
    }
}

/// The names in the newest OPTIONS file.
fn written(fixture: &Fixture) -> Vec<ColumnFamilyName> {
    let fs = &*fixture.context.file_system;
    let (_, file) = OptionsFile::latest(fs, &fixture.path, &ConfigOptions::default()).unwrap();
    file.column_families.into_iter().map(|section| section.name).collect()
}

/// Says how long steps take, to whoever wants to see it.
fn timed<T>(what: &str, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    println!("{what}: {:?}", start.elapsed());
    result
}

#[test]
fn created_one_by_one_and_opened_again() {
    let mut fixture = Fixture::new();
    let db = fixture.open();
    let options = fixture.family_options.clone();
    timed("creating one by one", || {
        for (index, name) in names().enumerate() {
            db.create_column_family(&options, name).unwrap();
            if index < 98 {
                assert_eq!(written(&fixture).len(), index + 2, "few are written at once");
            }
        }
    });
    timed("a put to each", || put_to_each(&db));
    until("all are in the OPTIONS file", || written(&fixture).len() == count());
    // That of the last one may still wait.
    db.create_column_family(&options, "last").unwrap();
    timed("closing", || db.close().unwrap());
    assert_eq!(written(&fixture).len(), count() + 1);
    fixture.families.extend(names());
    fixture.families.push("last".to_owned());
    let db = timed("opening", || fixture.open());
    db.drop_column_family(&db.column_family("last").unwrap()).unwrap();
    check_each(&db);
    timed("a put to each", || put_to_each(&db));
    timed("flushing all", || {
        let families: Vec<_> = db.column_families().collect();
        db.flush(&FlushOptions::default(), &families.iter().collect::<Vec<_>>()).unwrap();
    });
    db.close().unwrap();
    fixture.families.pop();
    check_each(&timed("opening with tables", || fixture.open()));
}

#[test]
fn created_at_once() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let files_before = fixture.files_with("").len();
    let descriptors: Vec<_> =
        names().map(|name| ColumnFamilyDescriptor::new(name, Default::default())).collect();
    let handles = timed("creating", || db.create_column_families(&descriptors).unwrap());
    assert!(handles.iter().map(|handle| handle.name().to_string()).eq(names()));
    assert_eq!(written(&fixture).len(), count());
    assert_eq!(fixture.files_with("").len(), files_before + 1, "one OPTIONS file more");
    put_to_each(&db);
    // All or none.
    let mut more = vec![ColumnFamilyDescriptor::new("new", Default::default())];
    more.push(ColumnFamilyDescriptor::new("family7", Default::default()));
    assert!(db.create_column_families(&more).is_err());
    more[1].name = "new".into();
    assert!(db.create_column_families(&more).is_err());
    assert!(db.column_family("new").is_none());
    check_each(&db);
}

#[test]
fn names_are_any_bytes() {
    let long = vec![b'"'; 1 << 20];
    let names: [&[u8]; 9] = [
        b"",
        b"\xff\xfe",
        b"\n[x]\r=\\",
        b"\0",
        b"\"",
        b"\xc3",
        b" \\\xff#",
        b"[CFOptions \"default\"]",
        &long,
    ];
    let fixture = Fixture::new();
    let db = fixture.open();
    for name in names {
        let family = db.create_column_family(&fixture.family_options, name).unwrap();
        db.put(&WriteOptions::default(), &family, b"name", name).unwrap();
        assert!(db.create_column_family(&fixture.family_options, name).is_err());
    }
    put(&db, "a", "1");
    db.close().unwrap();
    let mut listed = Db::list_column_families(&fixture.path, &fixture.context).unwrap();
    assert_eq!(listed.len(), names.len() + 1);
    assert_eq!(written(&fixture), listed);
    for round in 0..2 {
        let descriptor = |name: &ColumnFamilyName| {
            ColumnFamilyDescriptor::new(name, fixture.family_options.clone())
        };
        let descriptors: Vec<_> = listed.iter().map(descriptor).collect();
        let open =
            |descriptors| Db::open(&fixture.options, &fixture.path, descriptors, &fixture.context);
        let missing = open(&descriptors[..2]).unwrap_err();
        assert!(missing.message().contains("not opened"), "{missing}");
        let db = open(&descriptors).unwrap();
        for name in &listed[1..] {
            let family = db.column_family(name).unwrap();
            let found = db.get(&ReadOptions::default(), &family, b"name").unwrap().unwrap();
            assert_eq!(&*found, &**name);
        }
        if round == 0 {
            db.drop_column_family(&db.column_family(b"\xff\xfe").unwrap()).unwrap();
            listed.retain(|name| **name != *b"\xff\xfe");
        }
        db.flush(&FlushOptions::default(), &[&db.column_family(&long).unwrap()]).unwrap();
        db.close().unwrap();
        assert_eq!(Db::list_column_families(&fixture.path, &fixture.context).unwrap(), listed);
        assert_eq!(written(&fixture), listed);
    }
}
