//! Options of iterators.

use crate::{backward, default_family, forward, scan, total_order, unpack};
use base::status::Code;
use db::{DbIterator, ReadOptions};

fn keys(mut iterator: DbIterator, mut step: impl FnMut(&mut DbIterator)) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    while iterator.valid() {
        keys.push(iterator.key().to_vec());
        step(&mut iterator);
    }
    iterator.status().unwrap();
    keys
}

#[test]
fn too_many_hidden_entries_end_a_scan() {
    // Everything is deleted: every entry is hidden.
    let opened = unpack("11.8.1", "a08");
    let db = opened.db();
    let family = default_family(&db);
    let scan = |max: u64| {
        let options = ReadOptions { max_skippable_internal_keys: max, ..total_order() };
        let there = forward(db.new_iterator(&options, &family).unwrap()).1;
        let back = backward(db.new_iterator(&options, &family).unwrap()).1;
        (there, back)
    };
    assert_eq!(scan(0), (Ok(()), Ok(())));
    let (there, back) = scan(5);
    let error = there.unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (Code::Incomplete, "Too many internal keys skipped.")
    );
    assert_eq!(back.unwrap_err().code(), Code::Incomplete);
    // One entry is at most passed before the first check, as RocksDB does.
    let counts = (1..10_000u64).find(|max| scan(*max) == (Ok(()), Ok(())));
    assert!(counts.is_some_and(|max| max > 100), "{counts:?}");
}

#[test]
fn a_scan_that_gave_up_can_go_on_elsewhere() {
    let opened = unpack("11.8.1", "a08");
    let db = opened.db();
    let family = default_family(&db);
    let options = ReadOptions { max_skippable_internal_keys: 1, ..total_order() };
    let mut iterator = db.new_iterator(&options, &family).unwrap();
    iterator.seek_to_first();
    assert!(!iterator.valid() && iterator.status().is_err());
    iterator.seek(&[0xff; 40]);
    assert!(!iterator.valid());
    assert_eq!(iterator.status(), Ok(()));
}

#[test]
fn refresh_forgets_position_and_snapshot() {
    let opened = unpack("11.8.1", "a05");
    let db = opened.db();
    let family = default_family(&db);
    let newest = scan(&db, &total_order(), &family);
    let options = ReadOptions { snapshot: Some(5), tailing: true, ..total_order() };
    let old = scan(&db, &options, &family);
    assert_ne!(old, newest);
    let mut iterator = db.new_iterator(&options, &family).unwrap();
    iterator.seek_to_first();
    assert_eq!((iterator.key(), iterator.value()), (&old[0].0[..], &old[0].1[..]));
    iterator.refresh();
    assert!(!iterator.valid());
    assert_eq!(iterator.status(), Ok(()));
    assert_eq!(forward(iterator), (newest, Ok(())));
}

#[test]
fn properties() {
    let opened = unpack("11.8.1", "a01");
    let db = opened.db();
    let family = default_family(&db);
    for (pin_data, pinned) in [(false, "0"), (true, "1")] {
        let options = ReadOptions { pin_data, ..total_order() };
        let mut iterator = db.new_iterator(&options, &family).unwrap();
        let text = |iterator: &DbIterator, name: &str| {
            let name = format!("rocksdb.iterator.{name}");
            iterator.property(&name).map(|value| String::from_utf8_lossy(&value).into_owned())
        };
        assert_eq!(text(&iterator, "super-version-number").unwrap(), "1");
        for name in ["is-key-pinned", "is-value-pinned", "internal-key"] {
            assert_eq!(text(&iterator, name).unwrap(), "Iterator is not valid.");
        }
        iterator.seek_to_first();
        assert_eq!(text(&iterator, "is-key-pinned").unwrap(), "0");
        assert_eq!(text(&iterator, "is-value-pinned").unwrap(), pinned);
        assert_eq!(iterator.property("rocksdb.iterator.internal-key").unwrap(), iterator.key());
        assert_eq!(text(&iterator, "colour").unwrap_err().code(), Code::InvalidArgument);
    }
}

#[test]
fn pinned_values_outlive_the_iterator() {
    let opened = unpack("11.8.1", "g01");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &total_order(), &family);
    let mut iterator = db.new_iterator(&total_order(), &family).unwrap();
    let mut pinned = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        pinned.push(iterator.pinned_value());
        iterator.next();
    }
    drop((iterator, family, db));
    assert_eq!(pinned.len(), all.len());
    assert!(pinned.iter().zip(&all).all(|(value, (_, expected))| **value == **expected));
}

#[test]
fn bounds_hold_whatever_is_sought() {
    let opened = unpack("10.10.1", "a02");
    let db = opened.db();
    let family = default_family(&db);
    let all: Vec<_> = scan(&db, &total_order(), &family).into_iter().map(|(key, _)| key).collect();
    let (lower, upper) = (all.len() / 4, all.len() / 2);
    let options = ReadOptions {
        iterate_lower_bound: Some(all[lower].clone()),
        iterate_upper_bound: Some(all[upper].clone()),
        ..total_order()
    };
    let within = &all[lower..upper];
    let iterator = || db.new_iterator(&options, &family).unwrap();
    let sought = |seek: &dyn Fn(&mut DbIterator), step: fn(&mut DbIterator)| {
        let mut iterator = iterator();
        seek(&mut iterator);
        keys(iterator, step)
    };
    assert_eq!(sought(&|i| i.seek(&all[0]), DbIterator::next), within);
    assert_eq!(sought(&|i| i.seek(&all[lower + 3]), DbIterator::next), &within[3..]);
    assert!(sought(&|i| i.seek(&all[upper]), DbIterator::next).is_empty());
    let reversed: Vec<_> = within.iter().rev().cloned().collect();
    assert_eq!(sought(&|i| i.seek_for_prev(&all[all.len() - 1]), DbIterator::prev), reversed);
    assert!(sought(&|i| i.seek_for_prev(&all[lower - 1]), DbIterator::prev).is_empty());
}

#[test]
fn between_bounds_in_the_wrong_order_is_nothing() {
    let opened = unpack("10.10.1", "a02");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &total_order(), &family);
    let options = ReadOptions {
        iterate_lower_bound: Some(all[9].0.clone()),
        iterate_upper_bound: Some(all[3].0.clone()),
        ..total_order()
    };
    let iterator = || db.new_iterator(&options, &family).unwrap();
    assert_eq!(forward(iterator()), (Vec::new(), Ok(())));
    assert_eq!(backward(iterator()), (Vec::new(), Ok(())));
    for (key, _) in &all[..12] {
        let mut iterator = iterator();
        iterator.seek(key);
        assert!(!iterator.valid());
        iterator.seek_for_prev(key);
        assert!(!iterator.valid());
    }
}

/// The prefix of `fixed:4`.
fn prefix(key: &[u8]) -> Option<&[u8]> {
    key.get(..4)
}

#[test]
fn prefixes_confine_both_ways() {
    for case in ["l01", "l02", "l03"] {
        let opened = unpack("11.8.1", case);
        let db = opened.db();
        let family = default_family(&db);
        let all: Vec<_> =
            scan(&db, &total_order(), &family).into_iter().map(|(key, _)| key).collect();
        let options = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
        for index in (0..all.len()).step_by(all.len() / 20) {
            let key = &all[index];
            let Some(wanted) = prefix(key) else { continue };
            let same = |other: &&Vec<u8>| prefix(other) == Some(wanted);
            let mut iterator = db.new_iterator(&options, &family).unwrap();
            iterator.seek(key);
            let there: Vec<_> = all[index..].iter().take_while(same).cloned().collect();
            assert_eq!(keys(iterator, DbIterator::next), there, "{case}");
            let mut iterator = db.new_iterator(&options, &family).unwrap();
            iterator.seek_for_prev(key);
            let back: Vec<_> = all[..=index].iter().rev().take_while(same).cloned().collect();
            assert_eq!(keys(iterator, DbIterator::prev), back, "{case}");
        }
    }
}

/// Whatever may be skipped by a filter, `auto_prefix_mode` and `prefix_seek_opt_in_only` show all.
#[test]
fn prefix_filters_hide_nothing_where_all_keys_are_wanted() {
    for case in ["l01", "l02", "l03", "l04"] {
        for opt_in_only in [false, true] {
            let mut opened = unpack("11.8.1", case);
            opened.options.db.prefix_seek_opt_in_only = opt_in_only;
            let db = opened.db();
            let family = default_family(&db);
            let all: Vec<_> =
                scan(&db, &total_order(), &family).into_iter().map(|(key, _)| key).collect();
            let auto_prefix_mode = !opt_in_only;
            for (index, key) in all.iter().enumerate().step_by(7) {
                let upper = all.get(index + 9).cloned();
                let end = (index + 9).min(all.len());
                let options = ReadOptions {
                    auto_prefix_mode,
                    iterate_upper_bound: upper,
                    ..ReadOptions::default()
                };
                let mut iterator = db.new_iterator(&options, &family).unwrap();
                iterator.seek(key);
                assert_eq!(keys(iterator, DbIterator::next), &all[index..end], "{case}");
                // A prefix that no key has.
                let mut iterator = db.new_iterator(&options, &family).unwrap();
                let between = [&key[..], b"\0"].concat();
                iterator.seek(&between);
                assert_eq!(keys(iterator, DbIterator::next), &all[index + 1..end], "{case}");
            }
        }
    }
}

#[test]
fn range_deletions_can_be_left_out_of_account() {
    for case in ["f01", "f02", "f03"] {
        let opened = unpack("11.8.1", case);
        let db = opened.db();
        let family = default_family(&db);
        let all = scan(&db, &total_order(), &family);
        let options = ReadOptions { ignore_range_deletions: true, ..total_order() };
        let more = scan(&db, &options, &family);
        assert!(more.len() > all.len(), "{case}: {} and {}", more.len(), all.len());
        assert_eq!(backward(db.new_iterator(&options, &family).unwrap()), (more.clone(), Ok(())));
        for (key, value) in &more {
            assert_eq!(db.get(&options, &family, key).unwrap().as_deref(), Some(&value[..]));
        }
    }
}
