use super::*;
use db::ColumnFamilyDescriptor;
use options::{ColumnFamilyOptions, DbOptions};

#[test]
fn every_key_is_found_and_scans_end() {
    let provider = NullProvider::new(16, 100, 3);
    let opening = Opening {
        path: PathBuf::from("nowhere"),
        options: DbOptions::default(),
        families: vec![ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())],
        read_only: false,
        secondary_path: None,
    };
    let engine = provider.open(&opening).unwrap();
    engine.family("default").unwrap();
    assert!(engine.family("other").unwrap_err().to_string().contains("other"));
    assert_eq!(engine.get(&(), &(), b"any").unwrap().unwrap().len(), 100);
    let mut cursor = engine.new_iterator(&(), &()).unwrap();
    assert!(!cursor.valid());
    cursor.seek_to_first();
    let mut keys = 0;
    while cursor.valid() {
        assert_eq!((cursor.key().len(), cursor.value().len()), (16, 100));
        keys += 1;
        cursor.next();
    }
    assert_eq!(keys, 3);
}
