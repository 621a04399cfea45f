//! What a secondary refuses, and what it says.

use crate::place::{Place, family, scan};
use base::status::Code;
use db::{Db, FlushOptions, ReadOptions, WriteOptions};
use options::WalIo;
use std::fs;

#[test]
fn nothing_is_written_where_the_primary_is() {
    let place = Place::new();
    let primary = place.open_primary();
    primary.put(&WriteOptions::default(), &family(&primary, "default"), b"a", b"1").unwrap();
    let before = place.primary_files();
    let secondary = place.open_secondary();
    secondary.try_catch_up_with_primary().unwrap();
    drop(secondary);
    assert_eq!(place.primary_files(), before);
    let log = fs::read_to_string(place.secondary().join("LOG")).unwrap();
    assert!(log.contains("Opening the db in secondary mode"), "{log}");
    assert!(log.contains("Last sequence is 1"), "{log}");
}

#[test]
fn the_lock_is_left_to_the_primary() {
    let place = Place::new();
    drop(place.open_primary());
    let secondary = place.open_secondary();
    let primary = place.open_primary();
    primary.put(&WriteOptions::default(), &family(&primary, "default"), b"a", b"1").unwrap();
    let other = place.open_secondary();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(scan(&secondary, "default"), scan(&other, "default"));
}

#[test]
fn what_is_not_possible_is_refused() {
    let mut place = Place::new();
    let status = place.try_open_secondary().unwrap_err();
    assert!(status.is_path_not_found(), "{status}");
    assert!(status.to_string().contains("CURRENT"), "{status}");
    assert!(!place.secondary().exists(), "a wrong path leaves nothing behind");

    let primary = place.open_primary();
    let status = Db::open_as_secondary(
        &place.options,
        &place.primary(),
        &place.primary(),
        &place.descriptors(),
        &place.context,
    );
    assert!(status.unwrap_err().to_string().contains("is the directory of the primary"));
    assert_eq!(primary.try_catch_up_with_primary().unwrap_err().code(), Code::NotSupported);

    let secondary = place.open_secondary();
    let handle = family(&secondary, "default");
    let write = secondary.put(&WriteOptions::default(), &handle, b"a", b"1").unwrap_err();
    assert!(write.to_string().contains("Not supported operation in secondary mode"), "{write}");
    let as_of = ReadOptions { snapshot: Some(0), ..ReadOptions::default() };
    let got = secondary.get(&as_of, &handle, b"a").map(drop);
    let scanned = secondary.new_iterator(&as_of, &handle).map(drop);
    for status in [got, scanned].map(Result::unwrap_err) {
        assert!(status.to_string().contains("snapshot not supported"), "{status}");
    }
    place.families.push("missing".to_owned());
    let status = place.try_open_secondary().unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    assert!(status.to_string().contains("missing"), "{status}");
    place.options.best_efforts_recovery = true;
    assert_eq!(place.try_open_secondary().unwrap_err().code(), Code::NotSupported);
}

#[test]
fn another_database_in_the_same_place_is_refused() {
    let place = Place::new();
    let primary = place.open_primary();
    primary.put(&WriteOptions::default(), &family(&primary, "default"), b"a", b"1").unwrap();
    let secondary = place.open_secondary();
    primary.close().unwrap();
    fs::remove_dir_all(place.primary()).unwrap();
    let gone = secondary.try_catch_up_with_primary().unwrap_err();
    assert!(gone.is_path_not_found(), "{gone}");
    drop(place.open_primary());
    for _ in 0..2 {
        let other = secondary.try_catch_up_with_primary().unwrap_err();
        assert!(other.to_string().contains("another database"), "{other}");
    }
    assert_eq!(scan(&secondary, "default"), [(b"a".to_vec(), b"1".to_vec())]);
}

/// It has files of the same names, and the first one's are still open.
#[test]
fn another_database_that_was_made_between_two_catch_ups_is_noticed() {
    let place = Place::new();
    drop(place.open_primary());
    let secondary = place.open_secondary();
    fs::remove_dir_all(place.primary()).unwrap();
    drop(place.open_primary());
    let other = secondary.try_catch_up_with_primary().unwrap_err();
    assert!(other.to_string().contains("another database"), "{other}");
}

#[test]
fn damage_is_told_and_what_was_read_stays() {
    let mut place = Place::new();
    // Nobody may cut a file that is mapped.
    place.options.wal_io = WalIo::Write;
    let primary = place.open_primary();
    let handle = family(&primary, "default");
    let put = |key: &[u8]| primary.put(&WriteOptions::default(), &handle, key, b"v").unwrap();
    put(b"a");
    let secondary = place.open_secondary();
    put(b"b");
    put(b"c");
    let wal = place.primary_files().into_keys().rfind(|name| name.ends_with(".log")).unwrap();
    let wal = place.primary().join(wal);
    let good = fs::read(&wal).unwrap();
    let mut bad = good.clone();
    let second = good.len() / 3;
    bad[second + 8] ^= 1;
    fs::write(&wal, &bad).unwrap();
    for _ in 0..2 {
        let status = secondary.try_catch_up_with_primary().unwrap_err();
        assert!(status.is_corruption() && status.to_string().contains(".log"), "{status}");
        assert_eq!(scan(&secondary, "default").len(), 1);
    }
    // Once it is in a table the WAL does not matter.
    primary.flush(&FlushOptions::default(), &[&handle]).unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(scan(&secondary, "default").len(), 3);
}
