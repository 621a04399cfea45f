//! Reads that may not reach for files.

use crate::{default_family, forward, scan, total_order, unpack};
use base::status::Code;
use db::{KeyPresence, ReadOptions, ReadTier};

fn tier(read_tier: ReadTier) -> ReadOptions {
    ReadOptions { read_tier, ..total_order() }
}

#[test]
fn without_files_a_table_that_is_not_open_is_incomplete() {
    for max_open_files in [-1, 10] {
        let mut opened = unpack("11.8.1", "a01");
        opened.options.db.max_open_files = max_open_files;
        let db = opened.db();
        let family = default_family(&db);
        let pairs = opened.fixture.case.expect.cf["default"].first.clone();
        let key = &pairs[0].0.0;
        let cached = tier(ReadTier::BlockCache);
        let error = db.get(&cached, &family, key).unwrap_err();
        assert_eq!(error.code(), Code::Incomplete);
        assert!(error.message().contains(".sst is not open"), "{error}");
        let (none, status) = forward(db.new_iterator(&cached, &family).unwrap());
        assert_eq!((none.len(), status.unwrap_err().code()), (0, Code::Incomplete));
        assert_eq!(db.key_may_exist(&cached, &family, key), Ok(KeyPresence::Unknown));
    }
}

#[test]
fn without_files_what_was_read_before_is_there() {
    for max_open_files in [-1, 10] {
        let mut opened = unpack("11.8.1", "a01");
        opened.options.db.max_open_files = max_open_files;
        let db = opened.db();
        let family = default_family(&db);
        let all = scan(&db, &total_order(), &family);
        let cached = tier(ReadTier::BlockCache);
        assert_eq!(scan(&db, &cached, &family), all);
        for (key, value) in &all {
            assert_eq!(db.get(&cached, &family, key).unwrap().as_deref(), Some(&value[..]));
        }
        assert_eq!(
            db.key_may_exist(&cached, &family, &all[0].0),
            Ok(KeyPresence::Present(all[0].1.clone().into()))
        );
        assert_eq!(db.key_may_exist(&cached, &family, b"no such key"), Ok(KeyPresence::Absent));
    }
}

#[test]
fn without_fill_cache_nothing_is_kept() {
    let opened = unpack("11.8.1", "a01");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &ReadOptions { fill_cache: false, ..total_order() }, &family);
    // The tables are open by now, their blocks were not kept.
    let error = db.get(&tier(ReadTier::BlockCache), &family, &all[0].0).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Incomplete, "no blocking io"));
    let (none, status) = forward(db.new_iterator(&tier(ReadTier::BlockCache), &family).unwrap());
    assert_eq!((none.len(), status.unwrap_err().code()), (0, Code::Incomplete));
}

#[test]
fn without_files_blobs_must_be_in_the_blob_cache() {
    for (blob_cache, is_kept) in [(None, false), (Some("{capacity=1M}"), true)] {
        let mut opened = unpack("11.8.1", "g01");
        if let Some(cache) = blob_cache {
            let family = &mut opened.options.families[0].options;
            family.apply("blob_cache", cache, &options::ConfigOptions::default()).unwrap();
        }
        let db = opened.db();
        let family = default_family(&db);
        assert_eq!(
            scan(&db, &ReadOptions { fill_cache: false, ..total_order() }, &family).len(),
            opened.fixture.case.expect.cf["default"].count.unwrap() as usize
        );
        let all = scan(&db, &ReadOptions { fill_cache: true, ..total_order() }, &family);
        let cached = tier(ReadTier::BlockCache);
        let (found, status) = forward(db.new_iterator(&cached, &family).unwrap());
        let gets = all.iter().map(|(key, _)| db.get(&cached, &family, key));
        let incomplete = gets.filter(|got| match got {
            Ok(value) => value.is_none(),
            Err(error) => error.code() == Code::Incomplete,
        });
        if is_kept {
            assert_eq!((found, status, incomplete.count()), (all.clone(), Ok(()), 0));
        } else {
            assert!(found.len() < all.len());
            assert_eq!(status.unwrap_err().code(), Code::Incomplete);
            assert!(incomplete.count() > 0);
        }
    }
}

#[test]
fn the_memtable_alone() {
    let opened = unpack("10.10.1", "a02");
    let db = opened.db();
    let family = default_family(&db);
    let memtable = tier(ReadTier::Memtable);
    let all = scan(&db, &total_order(), &family);
    let found = scan(&db, &memtable, &family);
    assert!(!found.is_empty() && found.len() < all.len(), "{} of {}", found.len(), all.len());
    for (key, value) in &all {
        let in_memtable = found.iter().any(|(other, _)| other == key);
        let expected = in_memtable.then_some(&value[..]);
        assert_eq!(db.get(&memtable, &family, key).unwrap().as_deref(), expected);
    }
    // Everything in a directory would survive a crash.
    assert_eq!(scan(&db, &tier(ReadTier::Persisted), &family), all);
}

/// A flipped bit in a value is found by checksums, and only by them.
#[test]
fn checksums_of_blobs_are_verified_unless_told_not_to() {
    let opened = unpack("11.8.1", "o16");
    let db = opened.db();
    let family = default_family(&db);
    let (_, status) = forward(db.new_iterator(&total_order(), &family).unwrap());
    let error = status.unwrap_err();
    assert_eq!(error.code(), Code::Corruption);
    assert!(error.message().contains(".blob"), "{error}");
    let trusting = ReadOptions { verify_checksums: false, ..total_order() };
    let (pairs, status) = forward(db.new_iterator(&trusting, &family).unwrap());
    assert_eq!(status, Ok(()));
    let damaged: Vec<_> =
        pairs.iter().filter(|(key, _)| db.get(&total_order(), &family, key).is_err()).collect();
    assert_eq!(damaged.len(), 1);
    let (key, value) = damaged[0];
    assert_eq!(db.get(&trusting, &family, key).unwrap().as_deref(), Some(&value[..]));
    // Nor did the unverified value stay anywhere where a verified read would find it.
    assert!(db.get(&total_order(), &family, key).is_err());
}

#[test]
fn checksums_of_blocks_are_verified_unless_told_not_to() {
    let opened = unpack("11.8.1", "o07");
    let db = opened.db();
    let family = default_family(&db);
    let (before, status) = forward(db.new_iterator(&total_order(), &family).unwrap());
    assert_eq!(status.unwrap_err().code(), Code::Corruption);
    let trusting = ReadOptions { verify_checksums: false, fill_cache: false, ..total_order() };
    let (pairs, _) = forward(db.new_iterator(&trusting, &family).unwrap());
    assert!(pairs.len() > before.len(), "{} and {}", pairs.len(), before.len());
}
