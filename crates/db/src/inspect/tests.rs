use super::*;
use crate::{ColumnFamilyDescriptor, OpenContext, ReadOptions};
use base::{InternalIterator, InternalKey, ParsedInternalKey, ValueType};
use options::{ConfigOptions, DbOptions, OptionsFile};
use testing::fixtures::{self, Fixture, Unpacked};

fn open(fixture: &Fixture) -> (Unpacked, Db) {
    let unpacked = fixture.unpack_to_temp();
    let context = OpenContext::default();
    let fs = &*context.file_system;
    let config = ConfigOptions::default();
    let (_, file) = OptionsFile::latest(fs, &unpacked.path(), &config).expect("options");
    let families: Vec<_> = file
        .column_families
        .into_iter()
        .map(|section| ColumnFamilyDescriptor::new(section.name, section.options))
        .collect();
    let options = DbOptions::default();
    let db = Db::open_for_read_only(&options, &unpacked.path(), &families, &context);
    (unpacked, db.expect("opened"))
}

#[test]
fn entries_come_in_the_order_of_internal_keys_with_every_version() {
    let (_unpacked, db) = open(&fixtures::one("6.29.5", "a05"));
    let family = db.column_family("default").expect("a family");
    let mut entries = db.new_internal_iterator(&family);
    entries.seek_to_first().expect("read");
    let mut keys = Vec::<Vec<u8>>::new();
    while entries.valid() {
        keys.push(entries.key().to_vec());
        entries.next().expect("read");
    }
    let comparator = family.comparator();
    assert!(keys.is_sorted_by(|a, b| comparator.compare(a, b).is_lt()));
    let user_keys: std::collections::BTreeSet<_> =
        keys.iter().map(|key| &key[..key.len() - 8]).collect();
    assert!(user_keys.len() < keys.len(), "several versions of some key");
    let middle = keys[keys.len() / 2].clone();
    entries.seek(&middle).expect("read");
    assert_eq!(entries.key(), middle);
    entries.seek_to_last().expect("read");
    let mut backward = Vec::new();
    while entries.valid() {
        backward.push(entries.key().to_vec());
        entries.prev().expect("read");
    }
    backward.reverse();
    assert!(backward == keys);
}

#[test]
fn what_a_range_tombstone_hides_is_left_out_and_so_is_the_tombstone() {
    let (_unpacked, db) = open(&fixtures::one("6.29.5", "f01"));
    let family = db.column_family("default").expect("a family");
    let mut entries = db.new_internal_iterator(&family);
    entries.seek_to_first().expect("read");
    let mut newest = std::collections::BTreeMap::new();
    while entries.valid() {
        let key = ParsedInternalKey::parse(entries.key()).expect("a key");
        assert_ne!(key.value_type, ValueType::RangeDeletion);
        newest.entry(key.user_key.to_vec()).or_insert(key.value_type);
        entries.next().expect("read");
    }
    newest.retain(|_, value_type| !value_type.is_point_deletion());
    let mut iterator = db.new_iterator(&ReadOptions::default(), &family).expect("an iterator");
    iterator.seek_to_first();
    let mut live = Vec::new();
    while iterator.valid() {
        live.push(iterator.key().to_vec());
        iterator.next();
    }
    assert_eq!(newest.into_keys().collect::<Vec<_>>(), live);
}

#[test]
fn a_table_that_cannot_be_opened_is_met() {
    let (unpacked, db) = open(&fixtures::one("6.29.5", "a04"));
    db.open_tables().expect("good tables");
    let family = db.column_family("default").expect("a family");
    let version = family.version();
    let (_, file) = version.files().next().expect("a file");
    assert_eq!(family.table_directory(file), unpacked.path());
    let target = InternalKey::for_seek(b"key", 1);
    let table = family.open_table(0, file).expect("a table");
    assert!(table.approximate_offset_of(target.as_bytes()).is_ok());
    let (unpacked, _) = open(&fixtures::one("6.29.5", "a04"));
    let path = unpacked.path().join(format!("{:06}.sst", file.number));
    let size = std::fs::metadata(&path).expect("metadata").len() as usize;
    std::fs::write(&path, vec![0; size]).expect("written");
    let context = OpenContext::default();
    let descriptor = ColumnFamilyDescriptor::new("default", Default::default());
    let db =
        Db::open_for_read_only(&DbOptions::default(), &unpacked.path(), &[descriptor], &context);
    let status = db.expect("opened").open_tables().expect_err("a bad table");
    assert!(status.is_corruption(), "{status}");
}
