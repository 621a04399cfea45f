use super::*;
use db::ColumnFamilyDescriptor;
use options::{ColumnFamilyOptions, DbOptions};

/// Opens a database with two families.
fn opening(directory: &Path) -> Opening {
    let families = ["default", "other"]
        .map(|name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default()));
    Opening {
        path: directory.join("db"),
        options: DbOptions::default(),
        families: families.into(),
        read_only: false,
        secondary_path: None,
    }
}

/// What every store must do.
fn check<S: Store>() {
    let directory = tempfile::tempdir().unwrap();
    let provider = StoreProvider::<S>::new(1 << 20);
    let opening = opening(directory.path());
    let engine = provider.open(&opening).unwrap();
    let (table, other) = (engine.family("default").unwrap(), engine.family("other").unwrap());
    let mut batch = engine.new_batch();
    for number in 0..600u32 {
        batch.put(&table, &number.to_be_bytes(), format!("value {number}").as_bytes()).unwrap();
    }
    batch.delete(&table, &7u32.to_be_bytes()).unwrap();
    batch.put(&other, b"key", b"other").unwrap();
    engine.write(&false, &mut batch).unwrap();
    engine.put(&true, &table, &9u32.to_be_bytes(), b"new").unwrap();
    engine.flush(&[table.clone(), other.clone()]).unwrap();
    let mut options = engine.read_options(&ReadOptions::default()).unwrap();
    let get = |table: &S::Table, key: &[u8]| {
        engine.get(&KeyBounds::default(), table, key).unwrap().map(|value| value.to_vec())
    };
    assert_eq!(get(&table, &9u32.to_be_bytes()).unwrap(), b"new");
    assert_eq!(get(&table, &7u32.to_be_bytes()), None);
    assert_eq!(get(&other, b"key").unwrap(), b"other");

    let key_of = |cursor: &StoreCursor<'_, S>| {
        cursor.valid().then(|| u32::from_be_bytes(cursor.key().try_into().unwrap()))
    };
    let mut cursor = engine.new_iterator(&options, &table).unwrap();
    cursor.seek_to_first();
    let mut keys = Vec::new();
    while let Some(key) = key_of(&cursor) {
        keys.push(key);
        cursor.next();
    }
    assert_eq!(keys, (0..600).filter(|key| *key != 7).collect::<Vec<_>>());
    cursor.seek(&7u32.to_be_bytes());
    assert_eq!(key_of(&cursor), Some(8));
    cursor.prev();
    assert_eq!(key_of(&cursor), Some(6));
    cursor.next();
    assert_eq!(key_of(&cursor), Some(8));
    cursor.seek_for_prev(&7u32.to_be_bytes());
    assert_eq!(key_of(&cursor), Some(6));
    cursor.status().unwrap();
    drop(cursor);
    engine.set_bounds(&mut options, Some(&5u32.to_be_bytes()), Some(&8u32.to_be_bytes())).unwrap();
    let mut cursor = engine.new_iterator(&options, &table).unwrap();
    cursor.seek_to_last();
    assert_eq!(key_of(&cursor), Some(6));
    cursor.seek(&1u32.to_be_bytes());
    assert_eq!(key_of(&cursor), Some(5));
    cursor.prev();
    assert_eq!(key_of(&cursor), None);
    cursor.seek(&8u32.to_be_bytes());
    assert_eq!(key_of(&cursor), None);
    drop(cursor);
    assert!(engine.snapshot().is_err());
    drop((table, other, batch));
    engine.close().unwrap();

    check_reading_only(&provider, &opening);
    provider.destroy(&opening.path, None).unwrap();
    assert!(!opening.path.join(S::NAME).exists());
}

/// A store that is opened for reading has what was written, and takes no more.
fn check_reading_only<S: Store>(provider: &StoreProvider<S>, opening: &Opening) {
    let reading = Opening { read_only: true, ..opening.clone() };
    let engine = provider.open(&reading).unwrap();
    let table = engine.family("default").unwrap();
    let value = engine.get(&KeyBounds::default(), &table, &9u32.to_be_bytes()).unwrap();
    assert_eq!(value.unwrap().to_vec(), b"new");
    assert!(engine.put(&false, &table, b"key", b"value").is_err());
    drop(table);
    engine.close().unwrap();
    let nothing = Opening { path: opening.path.join("nothing"), ..reading };
    assert!(provider.open(&nothing).is_err());
}

#[cfg(feature = "fjall")]
#[test]
fn fjall_is_a_store() {
    check::<FjallStore>();
}

#[cfg(feature = "redb")]
#[test]
fn redb_is_a_store() {
    check::<RedbStore>();
}

#[cfg(feature = "lmdb")]
#[test]
fn lmdb_is_a_store() {
    check::<LmdbStore>();
}
