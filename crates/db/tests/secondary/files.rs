//! Tables that the primary deletes while a secondary needs them.

use crate::place::{Place, family, scan, try_scan};
use db::{CompactRangeOptions, Db, FlushOptions, ReadOptions, WriteOptions};

/// A primary with a table, which [`replace`] replaces.
fn primary_with_a_table(place: &Place) -> Db {
    let primary = place.open_primary();
    let handle = family(&primary, "default");
    for number in 0..100 {
        let key = format!("key{number:03}");
        primary.put(&WriteOptions::default(), &handle, key.as_bytes(), b"old").unwrap();
    }
    primary.flush(&FlushOptions::default(), &[&handle]).unwrap();
    primary
}

fn replace(primary: &Db) {
    let handle = family(primary, "default");
    for number in 0..100 {
        let key = format!("key{number:03}");
        primary.put(&WriteOptions::default(), &handle, key.as_bytes(), b"new").unwrap();
    }
    primary.flush(&FlushOptions::default(), &[&handle]).unwrap();
    primary.compact_range(&CompactRangeOptions::default(), &handle, None, None).unwrap();
}

fn tables(place: &Place) -> Vec<String> {
    place.primary_files().into_keys().filter(|name| name.ends_with(".sst")).collect()
}

#[test]
fn tables_that_were_opened_stay_readable() {
    let place = Place::new();
    let primary = primary_with_a_table(&place);
    let before = tables(&place);
    let secondary = place.open_secondary();
    replace(&primary);
    println!(
        "{before:?} {:?} {:?}",
        tables(&place),
        primary.property(&family(&primary, "default"), "rocksdb.levelstats")
    );
    assert!(tables(&place).iter().all(|name| !before.contains(name)), "nothing was deleted");
    // Nothing was read from it before.
    let old = scan(&secondary, "default");
    assert_eq!((old.len(), &old[0].1[..]), (100, &b"old"[..]));
    let handle = family(&secondary, "default");
    let mut iterator = secondary.new_iterator(&ReadOptions::default(), &handle).unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    iterator.seek_to_first();
    assert_eq!(iterator.value(), b"old");
    assert_eq!(&scan(&secondary, "default")[0].1[..], b"new");
}

#[test]
fn a_table_that_is_gone_before_it_was_opened_is_an_error_until_the_next_catch_up() {
    let mut place = Place::new();
    place.options.max_open_files = 20;
    let primary = primary_with_a_table(&place);
    let secondary = place.open_secondary();
    let table = tables(&place).remove(0);
    replace(&primary);
    let handle = family(&secondary, "default");
    let status = secondary.get(&ReadOptions::default(), &handle, b"key000").unwrap_err();
    assert!(status.is_path_not_found() && status.to_string().contains(&table), "{status}");
    assert!(try_scan(&secondary, "default").unwrap_err().is_path_not_found());
    secondary.try_catch_up_with_primary().unwrap();
    let value = secondary.get(&ReadOptions::default(), &handle, b"key000").unwrap();
    assert_eq!(value.as_deref(), Some(&b"new"[..]));
}

#[test]
fn a_table_that_is_missing_although_the_manifest_has_it_is_told() {
    let place = Place::new();
    let primary = primary_with_a_table(&place);
    let secondary = place.open_secondary();
    let old = scan(&secondary, "default");
    let before = tables(&place);
    let handle = family(&primary, "default");
    primary.put(&WriteOptions::default(), &handle, b"key000", b"new").unwrap();
    primary.flush(&FlushOptions::default(), &[&handle]).unwrap();
    let new = tables(&place).into_iter().find(|name| !before.contains(name)).unwrap();
    let (path, aside) = (place.primary().join(&new), place.primary().join("aside"));
    std::fs::rename(&path, &aside).unwrap();
    let status = secondary.try_catch_up_with_primary().unwrap_err();
    assert!(status.to_string().contains(&new), "{status}");
    assert!(scan(&secondary, "default") == old);
    std::fs::rename(&aside, &path).unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(&scan(&secondary, "default")[0].1[..], b"new");
}
