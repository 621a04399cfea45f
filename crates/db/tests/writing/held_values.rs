//! What a lookup gave may be kept for long: it holds back nothing but, where it is large, its block.

use crate::fixture::{Fixture, default_family, put};
use base::PinnableSlice;
use db::{CompactRangeOptions, Db, FlushOptions, ReadOptions};

fn value_of(db: &Db, key: &str) -> PinnableSlice {
    db.get(&ReadOptions::default(), &default_family(db), key.as_bytes()).unwrap().unwrap()
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn number(db: &Db, property: &str) -> u64 {
    db.int_property(&default_family(db), property).unwrap()
}

#[test]
fn small_values_and_those_of_memtables_are_copies() {
    let db = Fixture::new().open();
    for size in [0, 10, 256, 257, 100_000] {
        let key = format!("{size:06}");
        put(&db, &key, &"v".repeat(size));
        assert!(!value_of(&db, &key).is_pinned(), "{size} bytes in a memtable");
        flush(&db);
        assert_eq!(value_of(&db, &key).is_pinned(), size > 256, "{size} bytes in a table");
        assert_eq!(&*value_of(&db, &key), "v".repeat(size).as_bytes());
        let together = db.multi_get(
            &ReadOptions::default(),
            &default_family(&db),
            &[key.as_bytes(), b"missing"],
        );
        let value = together.into_iter().next().unwrap().unwrap().unwrap();
        assert_eq!((value.is_pinned(), value.len()), (size > 256, size));
    }
}

#[test]
fn a_held_value_keeps_no_file_no_version_and_no_memtable() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let fill = |byte: &str| ["a", "key", "z"].map(|key| put(&db, key, &byte.repeat(1000)));
    fill("a");
    let of_memtable = value_of(&db, "key");
    assert!(!of_memtable.is_pinned(), "a reference would hold the memtable");
    flush(&db);
    let of_table = value_of(&db, "key");
    assert!(of_table.is_pinned());
    let old = fixture.files_with(".sst");
    fill("b");
    flush(&db);
    let (family, all) = (default_family(&db), CompactRangeOptions::default());
    db.compact_range(&all, &family, None, None).unwrap();
    let new = fixture.files_with(".sst");
    assert!(new.len() == 1 && new != old, "{old:?}, {new:?}");
    assert_eq!(number(&db, "rocksdb.num-live-versions"), 1);
    assert_eq!(number(&db, "rocksdb.block-cache-pinned-usage"), 0);
    drop(db);
    assert_eq!((&*of_memtable, &*of_table), (&[b'a'; 1000][..], &[b'a'; 1000][..]));
    assert!(fixture.try_open().is_ok());
}
