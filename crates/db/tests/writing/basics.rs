//! Puts, deletions, flushes, snapshots, column families; each again after a reopen.

use crate::fixture::{Fixture, default_family, get, get_as_of, put, scan};
use db::{FlushOptions, WriteBatch, WriteOptions};

#[test]
fn what_was_put_is_there_before_and_after_a_reopen() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    put(&db, "b", "2");
    put(&db, "a", "3");
    assert_eq!(
        (get(&db, "a"), get(&db, "b"), get(&db, "c")),
        (Some("3".into()), Some("2".into()), None)
    );
    db.close().unwrap();
    let db = fixture.open();
    assert_eq!(scan(&db), [("a".into(), "3".into()), ("b".into(), "2".into())]);
    assert_eq!(db.latest_sequence_number(), 3);
}

#[test]
fn a_flush_makes_a_table_and_lets_the_wal_go() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    assert_eq!(fixture.files_with(".sst").len(), 0);
    let wals = fixture.files_with(".log");
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    assert_eq!(fixture.files_with(".sst").len(), 1);
    put(&db, "b", "2");
    assert_eq!(scan(&db), [("a".into(), "1".into()), ("b".into(), "2".into())]);
    db.close().unwrap();
    let left = fixture.files_with(".log");
    assert!(left.len() == 1 && left != wals, "{left:?}, before {wals:?}");
    let db = fixture.open();
    assert_eq!(scan(&db), [("a".into(), "1".into()), ("b".into(), "2".into())]);
}

#[test]
fn a_snapshot_shows_what_was_there_when_it_was_taken() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    let snapshot = db.snapshot();
    put(&db, "a", "2");
    db.delete(&WriteOptions::default(), &default_family(&db), b"a").unwrap();
    assert_eq!(get_as_of(&db, "a", Some(snapshot.sequence())), Some("1".into()));
    assert_eq!(get(&db, "a"), None);
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    assert_eq!(get_as_of(&db, "a", Some(snapshot.sequence())), Some("1".into()));
    assert_eq!(get(&db, "a"), None);
}

#[test]
fn a_batch_goes_to_several_column_families_at_once() {
    let mut fixture = Fixture::new();
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    let mut batch = WriteBatch::new();
    batch.put(0, b"a", b"1").unwrap();
    batch.put(other.id(), b"a", b"2").unwrap();
    batch.delete_range(other.id(), b"x", b"z").unwrap();
    db.write(&WriteOptions::default(), batch).unwrap();
    drop((other, db));

    assert!(fixture.try_open().unwrap_err().message().contains("other"));
    fixture.families.push("other".to_owned());
    let db = fixture.open();
    let other = db.column_family("other").unwrap();
    let value = db.get(&db::ReadOptions::default(), &other, b"a").unwrap();
    assert_eq!(value.unwrap().to_vec(), b"2");
    assert_eq!(get(&db, "a"), Some("1".into()));
    db.drop_column_family(&other).unwrap();
    assert!(db.drop_column_family(&other).is_err());
    drop((other, db));
    fixture.families.pop();
    assert_eq!(get(&fixture.open(), "a"), Some("1".into()));
}

#[test]
fn full_memtables_are_flushed_by_themselves() {
    let mut fixture = Fixture::new();
    fixture.family_options.write_buffer_size = 64 << 10;
    let db = fixture.open();
    for index in 0..5_000 {
        put(&db, &format!("key{index:06}"), &"v".repeat(100));
    }
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    assert!(fixture.files_with(".sst").len() > 3);
    assert_eq!(scan(&db).len(), 5_000);
    drop(db);
    let db = fixture.open();
    assert_eq!(scan(&db).len(), 5_000);
}

#[test]
fn a_column_family_dropped_while_it_is_flushed_leaves_the_others_alone() {
    let mut fixture = Fixture::new();
    fixture.family_options.write_buffer_size = 64 << 10;
    let db = fixture.open();
    for round in 0..10 {
        let other = db.create_column_family(&fixture.family_options, format!("{round}")).unwrap();
        for index in 0..2_000 {
            let key = format!("key{index:06}");
            db.put(&WriteOptions::default(), &other, key.as_bytes(), &[b'v'; 100]).unwrap();
        }
        let begun = FlushOptions::default().wait(false).allow_write_stall(true);
        db.flush(&begun, &[&other]).unwrap();
        db.drop_column_family(&other).unwrap();
        put(&db, &format!("{round}"), "there");
    }
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    assert_eq!(scan(&db).len(), 10);
    let live = db.live_files().len();
    db.close().unwrap();
    assert_eq!(fixture.files_with(".sst").len(), live, "{:?}", fixture.files());
    assert_eq!(scan(&fixture.open()).len(), 10);
}

#[test]
fn a_batch_that_could_not_be_replayed_is_refused_before_it_is_logged() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "key", "value");
    let mut timed = WriteBatch::new();
    timed.timed_put(0, b"timed", b"", 7).unwrap();
    let mut bytes = timed.into_bytes();
    // The value, which ends in a time of eight bytes, loses one.
    bytes.pop();
    let at = bytes.len() - 8;
    assert_eq!(bytes[at], 8);
    bytes[at] = 7;
    let cut = WriteBatch::from_bytes(bytes).unwrap();
    let error = db.write(&WriteOptions::default(), cut).unwrap_err();
    assert!(error.to_string().contains("timed value of 7 bytes"), "{error}");
    put(&db, "next", "value");
    drop(db);
    let db = fixture.open();
    assert_eq!(get(&db, "next").as_deref(), Some("value"));
    assert_eq!(get(&db, "timed"), None);
}
