use super::*;
use crate::engine::{Batch, Cursor, Engine, MultiGetApi};
use base::status::Code;
use db::{ColumnFamilyDescriptor, CompactRangeOptions, ReadOptions, WriteOptions};
use std::path::PathBuf;

fn debian() -> Option<RocksDbProvider> {
    let library = match debian_library() {
        Ok(library) => library,
        Err(status) => {
            eprintln!("skipped: {status}");
            return None;
        }
    };
    let cache = CacheOptions::Lru(LruCacheOptions::with_capacity(1 << 20));
    Some(RocksDbProvider::new(&library, Some(&cache), Some(StatsLevel::default())).unwrap())
}

fn opening(path: PathBuf) -> Opening {
    let families = ["default", "other"]
        .map(|name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default()));
    let options = DbOptions::default().create_if_missing(true).create_missing_column_families(true);
    Opening { path, options, families: families.into(), read_only: false, secondary_path: None }
}

#[test]
fn what_is_no_library_is_said() {
    let error = |path: &str| match RocksDbProvider::new(Path::new(path), None, None) {
        Ok(_) => panic!("{path} was loaded"),
        Err(status) => status.to_string(),
    };
    assert!(error("/nowhere/librocksdb.so").contains("/nowhere/librocksdb.so"));
    assert!(error("/proc/self/exe").contains("/proc/self/exe"));
}

#[test]
fn a_library_reads_what_it_wrote() {
    let Some(provider) = debian() else { return };
    let identity = provider.identity();
    assert!(identity.assertions && identity.version.starts_with("7."), "{identity:?}");
    let directory = tempfile::tempdir().unwrap();
    let opening = opening(directory.path().join("db"));
    let db = provider.open(&opening).unwrap();
    let (family, other) = (db.family("default").unwrap(), db.family("other").unwrap());
    let writes = db.write_options(&WriteOptions::default()).unwrap();
    let mut batch = db.new_batch();
    for key in ["a", "b", "c"] {
        batch.put(&family, key.as_bytes(), key.repeat(3).as_bytes()).unwrap();
    }
    batch.put(&other, b"d", b"").unwrap();
    batch.delete(&family, b"b").unwrap();
    assert_eq!(batch.count(), 5);
    db.write(&writes, &mut batch).unwrap();
    let snapshot = db.snapshot().unwrap();
    db.put(&writes, &family, b"a", b"new").unwrap();

    let mut reads = db.read_options(&ReadOptions::default()).unwrap();
    assert_eq!(&*db.get(&reads, &family, b"a").unwrap().unwrap(), b"new");
    assert!(db.get(&reads, &family, b"b").unwrap().is_none());
    assert_eq!(&*db.get(&reads, &other, b"d").unwrap().unwrap(), b"");
    for api in [MultiGetApi::Array, MultiGetApi::Vector] {
        let keys = [b"c".to_vec(), b"b".to_vec(), b"a".to_vec()];
        let mut values = vec![None; 3];
        let visit = |index: usize, value: Option<&[u8]>| values[index] = value.map(<[u8]>::to_vec);
        db.multi_get(&reads, &family, &keys, api, &mut Default::default(), visit).unwrap();
        assert_eq!(values, [Some(b"ccc".to_vec()), None, Some(b"new".to_vec())]);
    }
    db.set_snapshot(&mut reads, Some(&snapshot)).unwrap();
    drop(snapshot);
    db.flush(&[family.clone(), other]).unwrap();
    assert_eq!(&*db.get(&reads, &family, b"a").unwrap().unwrap(), b"aaa");
    db.set_bounds(&mut reads, Some(b"b"), Some(b"d")).unwrap();
    let reads = reads.clone();
    let mut cursor = db.new_iterator(&reads, &family).unwrap();
    cursor.next();
    assert!(!cursor.valid() && cursor.key().is_empty());
    cursor.seek_to_first();
    assert_eq!((cursor.key(), cursor.value()), (&b"c"[..], &b"ccc"[..]));
    cursor.prev();
    assert!(!cursor.valid());
    cursor.status().unwrap();
    drop(cursor);

    let shape = db.tree_shape(&family).unwrap();
    assert_eq!((shape.levels.len(), shape.levels[0].files), (7, 1));
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    db.wait_for_compaction().unwrap();
    assert_eq!(db.tree_shape(&family).unwrap().levels[0].files, 0);
    assert_eq!(db.live_files().unwrap().len(), 2);
    assert_eq!(provider.ticker("rocksdb.number.keys.written"), Some(6));

    let error = provider.open(&opening).err().unwrap();
    assert_eq!(error.code(), Code::IoError);
    assert!(error.message().contains("LOCK"), "{error}");
}

#[test]
fn what_a_release_lacks_is_not_supported() {
    let Some(provider) = debian() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut opening = opening(directory.path().join("db"));
    let db = provider.open(&opening).unwrap();
    let reads = ReadOptions { auto_prefix_mode: true, ..ReadOptions::default() };
    let status = db.read_options(&reads).err().unwrap();
    assert_eq!(status.code(), Code::NotSupported);
    assert!(status.message().contains("auto_prefix_mode"), "{status}");
    drop(db);
    opening.families[0].options.table.detect_filter_construct_corruption = true;
    provider.open(&opening).unwrap();
    opening.families[0].options.blob_direct_write_partitions = 7;
    let status = provider.open(&opening).err().unwrap();
    assert!(status.message().contains("blob_direct_write_partitions=7"), "{status}");
}

#[test]
fn a_release_without_hyper_clock_caches_says_so() {
    let Ok(library) = debian_library() else { return };
    let wanted = CacheOptions::HyperClock(HyperClockCacheOptions::default());
    let status = RocksDbProvider::new(&library, Some(&wanted), None).err().unwrap();
    assert_eq!(status.code(), Code::NotSupported);
    assert!(status.message().contains("RocksDB 7."), "{status}");
    assert!(status.message().contains("has no hyper clock cache"), "{status}");
}
