//! Reads as of a time, and of every version since one.

use crate::{default_family, forward, unpack};
use base::ParsedInternalKey;
use base::status::Code;
use db::{ColumnFamilyHandle, Db, DbIterator, ReadOptions};
use std::collections::BTreeMap;

fn at(time: u64) -> ReadOptions {
    ReadOptions { timestamp: Some(time.to_le_bytes().to_vec()), ..crate::total_order() }
}

fn since(start: u64, end: u64) -> ReadOptions {
    ReadOptions { iter_start_ts: Some(start.to_le_bytes().to_vec()), ..at(end) }
}

/// User key, time, whether it is a value, and the value.
type Version = (Vec<u8>, u64, bool, Vec<u8>);

fn version(iterator: &DbIterator) -> Version {
    let key = ParsedInternalKey::parse(iterator.key()).unwrap();
    let (user_key, time) = key.user_key.split_last_chunk().unwrap();
    assert_eq!(iterator.timestamp(), time);
    let is_value = !key.value_type.is_point_deletion();
    (user_key.to_vec(), u64::from_le_bytes(*time), is_value, iterator.value().to_vec())
}

fn versions(db: &Db, family: &ColumnFamilyHandle, options: &ReadOptions) -> Vec<Version> {
    let mut iterator = db.new_iterator(options, family).unwrap();
    let mut there = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        there.push(version(&iterator));
        iterator.next();
    }
    iterator.status().unwrap();
    let mut back = Vec::new();
    iterator.seek_to_last();
    while iterator.valid() {
        back.push(version(&iterator));
        iterator.prev();
    }
    iterator.status().unwrap();
    back.reverse();
    assert_eq!(there, back);
    there
}

#[test]
fn every_version_since_a_time() {
    for release in ["7.9.2", "11.8.1"] {
        let opened = unpack(release, "q01");
        let db = opened.db();
        let family = default_family(&db);
        let all = versions(&db, &family, &since(0, u64::MAX));
        assert!(all.is_sorted_by(|a, b| (&a.0, b.1) < (&b.0, a.1)), "newest first of each key");
        assert!(all.iter().any(|version| !version.2), "a deletion");
        // What is live at a time is the newest version of each key until then.
        for time in [5, 10, 15, 20, 25, 30, 35, 40, 45] {
            let mut live = BTreeMap::new();
            for (key, at, is_value, value) in all.iter().rev().filter(|version| version.1 <= time) {
                assert!(*at <= time);
                live.insert(key.clone(), is_value.then(|| value.clone()));
            }
            let live: Vec<_> =
                live.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
            assert_eq!(forward(db.new_iterator(&at(time), &family).unwrap()), (live, Ok(())));
            let some: Vec<_> =
                all.iter().filter(|version| (15..=time).contains(&version.1)).cloned().collect();
            assert_eq!(versions(&db, &family, &since(15, time)), some, "from 15 to {time}");
        }
    }
}

#[test]
fn versions_can_be_sought_and_turned_round_at() {
    let opened = unpack("11.8.1", "q01");
    let db = opened.db();
    let family = default_family(&db);
    let options = since(0, u64::MAX);
    let all = versions(&db, &family, &options);
    let mut iterator = db.new_iterator(&options, &family).unwrap();
    for (index, wanted) in all.iter().enumerate().filter(|(index, _)| index % 5 == 0) {
        let first = all.iter().position(|version| version.0 == wanted.0).unwrap();
        let last = all.iter().rposition(|version| version.0 == wanted.0).unwrap();
        iterator.seek(&wanted.0);
        assert_eq!(version(&iterator), all[first]);
        iterator.seek_for_prev(&wanted.0);
        assert_eq!(version(&iterator), all[last]);
        iterator.seek(&wanted.0);
        for _ in first..index {
            iterator.next();
        }
        assert_eq!(version(&iterator), *wanted);
        if index > 0 {
            iterator.prev();
            assert_eq!(version(&iterator), all[index - 1]);
            iterator.next();
            assert_eq!(version(&iterator), *wanted);
        }
    }
    let upper = all[all.len() / 2].0.clone();
    let options = ReadOptions { iterate_upper_bound: Some(upper.clone()), ..options };
    let below: Vec<_> = all.iter().filter(|version| version.0 < upper).cloned().collect();
    assert_eq!(versions(&db, &family, &options), below);
}

#[test]
fn times_of_the_wrong_size_are_refused() {
    let opened = unpack("11.8.1", "q01");
    let db = opened.db();
    let family = default_family(&db);
    let refused = [
        ReadOptions::default(),
        ReadOptions { timestamp: Some(vec![1; 4]), ..ReadOptions::default() },
        ReadOptions { iter_start_ts: Some(vec![1; 4]), ..at(40) },
    ];
    for options in &refused {
        let error = db.new_iterator(options, &family).err().unwrap();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
    for options in &refused[..2] {
        assert_eq!(db.get(options, &family, b"key").unwrap_err().code(), Code::InvalidArgument);
    }
    let plain = unpack("11.8.1", "a01");
    let db = plain.db();
    let family = default_family(&db);
    assert!(db.new_iterator(&at(1), &family).is_err());
    assert!(db.get(&at(1), &family, b"key").is_err());
    let start = ReadOptions { iter_start_ts: Some(vec![0; 8]), ..ReadOptions::default() };
    assert!(db.new_iterator(&start, &family).is_err());
}

/// Tables without timestamps: what they hold is as old as can be.
#[test]
fn stripped_timestamps_read_at_the_newest_time() {
    for release in ["8.11.4", "11.8.1"] {
        let opened = unpack(release, "q08");
        let db = opened.db();
        let family = default_family(&db);
        let (pairs, status) = forward(db.new_iterator(&at(u64::MAX), &family).unwrap());
        assert_eq!(status, Ok(()));
        assert!(!pairs.is_empty());
        for (key, value) in &pairs {
            let (found, _) = db.get_with_timestamp(&at(u64::MAX), &family, key).unwrap().unwrap();
            assert_eq!(*found, **value);
        }
        let keys: Vec<_> = pairs.iter().map(|(key, _)| key).collect();
        for (found, (_, value)) in db.multi_get(&at(u64::MAX), &family, &keys).iter().zip(&pairs) {
            assert_eq!(found.as_ref().unwrap().as_deref(), Some(&value[..]));
        }
    }
}
