//! Blocks that replace others in the block cache (`keep_blocks_warm`).

use crate::fixture::{Fixture, default_family, put, scan};
use db::{CompactRangeOptions, Db, FlushOptions, ReadOptions, ReadTier};
use options::{CompressionType, LruCacheOptions};

const KEYS: usize = 8000;

fn flush(db: &Db, round: usize) {
    for number in (round..KEYS).step_by(2) {
        put(db, &format!("key{number:06}"), &format!("{round}{number:099}"));
    }
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

/// Of how many keys the value is in memory.
fn in_memory(db: &Db) -> usize {
    let options = ReadOptions { read_tier: ReadTier::BlockCache, ..ReadOptions::default() };
    let family = default_family(db);
    let found = |number: &usize| {
        matches!(db.get(&options, &family, format!("key{number:06}").as_bytes()), Ok(Some(_)))
    };
    (0..KEYS).filter(found).count()
}

fn cached_bytes(db: &Db) -> u64 {
    db.property(&default_family(db), "rocksdb.block-cache-usage").unwrap().parse().unwrap()
}

fn fixture(keep_blocks_warm: bool) -> Fixture {
    let mut fixture = Fixture::new();
    fixture.family_options.compression = CompressionType::NoCompression;
    fixture.family_options.disable_auto_compactions = true;
    fixture.family_options.table.keep_blocks_warm = keep_blocks_warm;
    fixture
}

fn tree(keep_blocks_warm: bool) -> Db {
    let db = fixture(keep_blocks_warm).open();
    flush(&db, 0);
    db
}

fn compact(db: &Db) {
    db.compact_range(&CompactRangeOptions::default(), &default_family(db), None, None).unwrap();
}

#[test]
fn what_replaces_blocks_that_were_read_is_in_the_cache() {
    for is_kept in [true, false] {
        let db = tree(is_kept);
        assert_eq!(scan(&db).len(), KEYS / 2);
        assert_eq!(in_memory(&db), KEYS / 2, "a block that was read stays");
        flush(&db, 1);
        // What is older is looked for in the new table first.
        match is_kept {
            true => assert_eq!(in_memory(&db), KEYS),
            false => assert!(in_memory(&db) < KEYS / 100),
        }
        assert_eq!(scan(&db).len(), KEYS);
        let before = cached_bytes(&db);
        compact(&db);
        assert_eq!(in_memory(&db), if is_kept { KEYS } else { 0 });
        let left = cached_bytes(&db);
        match is_kept {
            true => assert!((before / 2..before * 3 / 2).contains(&left), "{left} of {before}"),
            false => assert!(left < before / 10, "{left} of {before}: dead blocks are left"),
        }
    }
}

#[test]
fn what_nobody_reads_does_not_come_into_the_cache() {
    let db = tree(true);
    flush(&db, 1);
    assert_eq!(in_memory(&db), 0);
    // A few reads are not enough.
    let family = default_family(&db);
    for number in 0..50 {
        assert!(
            db.get(&ReadOptions::default(), &family, format!("key{number:06}").as_bytes()).is_ok()
        );
    }
    let read = in_memory(&db);
    assert!((50..KEYS / 4).contains(&read), "{read}");
    compact(&db);
    assert_eq!(in_memory(&db), 0);
}

#[test]
fn a_cache_without_room_keeps_what_it_has() {
    // Enough for one of the two.
    let mut fixture = fixture(true);
    let cache =
        LruCacheOptions { capacity: 800 << 10, num_shard_bits: 0, ..LruCacheOptions::default() };
    fixture.family_options.table.block_cache = Some(cache);
    let db = fixture.open();
    flush(&db, 0);
    assert_eq!(scan(&db).len(), KEYS / 2);
    let before = cached_bytes(&db);
    assert!(before > 400 << 10, "{before}");
    flush(&db, 1);
    assert_eq!(cached_bytes(&db), before);
}
