//! Memory that counts against the block cache, by its use (`cache_usage_options`).

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use base::Result;
use base::status::SubCode;
use cache::{
    Cache, CacheKey, CacheValue, CacheWrapper, Insertion, LruCache, LruCacheOptions, Priority,
};
use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions, OpenContext,
    ReadOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use table::{CacheEntryRole, RoleCharge};

/// What is charged at once, in bytes.
const UNIT: usize = 256 << 10;

/// A cache that keeps count of the units that are charged to it, by role.
#[derive(Debug)]
struct CountedCache {
    target: LruCache,
    roles: Mutex<HashMap<CacheKey, CacheEntryRole>>,
    most: Mutex<HashMap<CacheEntryRole, usize>>,
}

impl CountedCache {
    fn new(capacity: usize, strict_capacity_limit: bool) -> Arc<Self> {
        let options = LruCacheOptions {
            strict_capacity_limit,
            num_shard_bits: 0,
            ..LruCacheOptions::with_capacity(capacity)
        };
        let target = LruCache::new(&options).unwrap();
        Arc::new(Self { target, roles: Mutex::default(), most: Mutex::default() })
    }

    fn units(&self, role: CacheEntryRole) -> usize {
        self.roles.lock().unwrap().values().filter(|of| **of == role).count()
    }

    fn most_units(&self, role: CacheEntryRole) -> usize {
        self.most.lock().unwrap().get(&role).copied().unwrap_or(0)
    }
}

impl CacheWrapper for CountedCache {
    fn target(&self) -> &dyn Cache {
        &self.target
    }

    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        priority: Priority,
    ) -> Result<Insertion> {
        let role = value.downcast_ref::<RoleCharge>().map(|charge| charge.0);
        let inserted = self.target.insert(key, value, charge_bytes, priority)?;
        if let Some(role) = role {
            self.roles.lock().unwrap().insert(key, role);
            let units = self.units(role);
            let mut most = self.most.lock().unwrap();
            let most = most.entry(role).or_default();
            *most = units.max(*most);
        }
        Ok(inserted)
    }

    fn erase(&self, key: &CacheKey) {
        self.roles.lock().unwrap().remove(key);
        self.target.erase(key);
    }
}

fn open(path: &Path, cache: &Arc<CountedCache>, family: &str) -> Result<(Db, ColumnFamilyHandle)> {
    let mut family_options = ColumnFamilyOptions::default();
    let text = format!(
        "disable_auto_compactions=true;level0_slowdown_writes_trigger=10000;\
         level0_stop_writes_trigger=10000;compression=kNoCompression;{family}"
    );
    family_options.apply_string(&text, &ConfigOptions::default()).unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", family_options)];
    let context =
        OpenContext { block_cache: Some(Arc::clone(cache) as _), ..OpenContext::default() };
    let db = Db::open(&options, path, &families, &context)?;
    let family = db.column_family("default").unwrap();
    Ok((db, family))
}

fn fill(db: &Db, family: &ColumnFamilyHandle, keys: std::ops::Range<u64>, value: &[u8]) {
    let options = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    for key in keys {
        db.put(&options, family, format!("key{key:012}").as_bytes(), value).unwrap();
    }
    db.flush(&FlushOptions::default(), &[family]).unwrap();
}

#[test]
fn open_tables_count_and_are_refused_without_room() {
    const ROLE: CacheEntryRole = CacheEntryRole::BlockBasedTableReader;
    const TABLES: u64 = 12;
    let table = |usage: &str| {
        format!(
            "block_based_table_factory={{filter_policy=bloomfilter:10:false;\
             cache_usage_options={{block_based_table_reader={usage}}}}}"
        )
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    {
        let cache = CountedCache::new(64 << 20, false);
        let (db, family) = open(path, &cache, &table("kFallback")).unwrap();
        (0..TABLES)
            .for_each(|table| fill(&db, &family, table * 40_000..(table + 1) * 40_000, b"v"));
        assert_eq!(cache.most_units(ROLE), 0, "it does not count unless that is asked for");
    }
    let read_all = |db: &Db, family: &ColumnFamilyHandle| {
        (0..TABLES).try_for_each(|table| {
            let key = format!("key{:012}", table * 40_000 + 7);
            db.get(&ReadOptions::default(), family, key.as_bytes()).map(drop)
        })
    };
    let cache = CountedCache::new(64 << 20, false);
    let (db, family) = open(path, &cache, &table("kEnabled")).unwrap();
    read_all(&db, &family).unwrap();
    let told = db.int_property(&family, "rocksdb.estimate-table-readers-mem").unwrap() as usize;
    assert!(told > 2 * UNIT, "{told}");
    let charged = cache.units(ROLE) * UNIT;
    assert!(charged.abs_diff(told) <= UNIT + told / 10, "{charged} charged, {told} told");
    let map = db.map_property(&family, "rocksdb.block-cache-entry-stats").unwrap();
    assert_eq!(map["count.block-based-table-reader"], cache.units(ROLE).to_string());
    drop((db, family));
    assert_eq!(cache.units(ROLE), 0, "what is closed does not count");

    let cache = CountedCache::new(UNIT * 2 + UNIT / 2, true);
    let opened = open(path, &cache, &table("kEnabled"));
    let status = opened.and_then(|(db, family)| read_all(&db, &family)).unwrap_err();
    assert_eq!(status.subcode(), SubCode::MemoryLimit, "{status}");
    assert!(status.to_string().contains(".sst"), "{status}");
}

#[test]
fn what_is_known_of_files_counts() {
    const ROLE: CacheEntryRole = CacheEntryRole::FileMetadata;
    let table = "block_based_table_factory={cache_usage_options={file_metadata=kEnabled}}";
    let directory = tempfile::tempdir().unwrap();
    let cache = CountedCache::new(64 << 20, false);
    let (db, family) = open(directory.path(), &cache, table).unwrap();
    assert_eq!(cache.units(ROLE), 0, "there are no files");
    // Long keys, which the MANIFEST has of each file.
    let keys = ["a", "z"].map(|key| key.repeat(4000));
    for _ in 0..100 {
        for key in &keys {
            db.put(&WriteOptions::default(), &family, key.as_bytes(), b"v").unwrap();
        }
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
    }
    let (units, most) = (cache.units(ROLE), cache.most_units(ROLE));
    assert!((units, most) == (4, 4), "{units} of {most} for 100 times 8,000 bytes of keys");
    drop((db, family));
    assert_eq!(cache.units(ROLE), 0);
    let (db, family) = open(directory.path(), &cache, table).unwrap();
    assert_eq!(cache.units(ROLE), 4, "those that are there when it is opened");
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    let files = db.live_files().len();
    assert_eq!((cache.units(ROLE), files), (1, 1), "one file is left");
}

#[test]
fn what_the_blob_cache_holds_counts() {
    const ROLE: CacheEntryRole = CacheEntryRole::BlobCache;
    let options = |usage: &str| {
        format!(
            "enable_blob_files=true;blob_cache={{capacity=32M}};\
             block_based_table_factory={{cache_usage_options={{blob_cache={usage}}}}}"
        )
    };
    let directory = tempfile::tempdir().unwrap();
    for (usage, expected) in [("kEnabled", 4), ("kDisabled", 0)] {
        let cache = CountedCache::new(64 << 20, false);
        let (db, family) = open(directory.path(), &cache, &options(usage)).unwrap();
        fill(&db, &family, 0..100, &[7; 10_000]);
        assert_eq!(cache.units(ROLE), 0, "nothing was read");
        for key in 0..100 {
            let key = format!("key{key:012}");
            db.get(&ReadOptions::default(), &family, key.as_bytes()).unwrap();
        }
        assert_eq!(cache.units(ROLE), expected, "{usage}: a million bytes");
    }
}

#[test]
fn filters_count_while_they_are_made() {
    const ROLE: CacheEntryRole = CacheEntryRole::FilterConstruction;
    for (usage, expected) in [("kEnabled", 6), ("kFallback", 0)] {
        let table = format!(
            "block_based_table_factory={{filter_policy=bloomfilter:10:false;\
             cache_usage_options={{filter_construction={usage}}}}}"
        );
        let directory = tempfile::tempdir().unwrap();
        let cache = CountedCache::new(64 << 20, false);
        let (db, family) = open(directory.path(), &cache, &table).unwrap();
        fill(&db, &family, 0..200_000, b"v");
        let most = cache.most_units(ROLE);
        assert!(
            most == expected || most == expected + usize::from(expected > 0),
            "{usage}: {most}"
        );
        assert_eq!(cache.units(ROLE), 0, "{usage}: it is made");
    }
}

#[test]
fn blocks_held_back_for_a_dictionary_count_and_are_fewer_without_room() {
    const ROLE: CacheEntryRole = CacheEntryRole::CompressionDictionaryBuildingBuffer;
    // What counts at most by the option, and the cache's capacity in units, with a strict limit.
    for (usage, capacity, expected) in
        [("kFallback", 100, 11..=13), ("kDisabled", 100, 0..=0), ("kEnabled", 4, 2..=4)]
    {
        let options = format!(
            "compression=kLZ4Compression;compression_opts={{max_dict_bytes=16K}};\
             block_based_table_factory={{cache_usage_options={{\
             compression_dictionary_building_buffer={usage}}}}}"
        );
        let directory = tempfile::tempdir().unwrap();
        let cache = CountedCache::new(capacity * UNIT, true);
        let (db, family) = open(directory.path(), &cache, &options).unwrap();
        fill(&db, &family, 0..12_000, &[7; 250]);
        let most = cache.most_units(ROLE);
        assert!(expected.contains(&most), "{usage}: {most}");
        assert_eq!(cache.units(ROLE), 0, "{usage}: the dictionary is made");
        let found = db.get(&ReadOptions::default(), &family, b"key000000011999").unwrap();
        assert_eq!(found.as_deref(), Some(&[7; 250][..]), "{usage}");
    }
}
