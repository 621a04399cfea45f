//! Caches of a newer library than Debian's, in a process of its own: two libraries of RocksDB in one disturb
//! each other.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use cache::{CacheOptions, HyperClockCacheOptions};
use db::ColumnFamilyDescriptor;
use engines::{Engine, Opening, Provider, RocksDbProvider};
use options::{ColumnFamilyOptions, DbOptions};

/// The info log tells the kind of a cache, and that options of tables which a string changed kept it.
#[test]
fn a_hyper_clock_cache_is_given_to_the_library() {
    let files = testing::judges::library_files();
    let Some((_, path)) = files.iter().find(|(release, _)| *release == "11.8.1") else { return };
    let capacity = 3 << 20;
    let wanted = CacheOptions::HyperClock(HyperClockCacheOptions {
        num_shard_bits: 1,
        ..HyperClockCacheOptions::with_capacity(capacity)
    });
    let provider = RocksDbProvider::new(path, Some(&wanted), None).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut options = ColumnFamilyOptions::default();
    options.table.block_size = 12_345;
    let opening = Opening {
        path: directory.path().join("db"),
        options: DbOptions::default().create_if_missing(true),
        families: vec![ColumnFamilyDescriptor::new("default", options)],
        read_only: false,
        secondary_path: None,
    };
    let db = provider.open(&opening).unwrap();
    let family = db.family("default").unwrap();
    let told = db.int_property(&family, "rocksdb.block-cache-capacity").unwrap();
    assert_eq!(told, Some(capacity as u64));
    let log = std::fs::read_to_string(opening.path.join("LOG")).unwrap();
    assert!(log.contains("HyperClockCache") && !log.contains("LRUCache"), "{log}");
    assert!(log.contains("block_size: 12345"), "{log}");
}
