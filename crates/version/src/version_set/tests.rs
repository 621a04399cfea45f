use super::*;
use crate::file_metadata::{FileMetaData, NewFile};
use base::dbformat::ValueType;
use base::{InternalKey, InternalKeyComparator};
use env::{FaultInjectionFileSystem, MemFileSystem};

mod faults;

const DB: &str = "/db";

fn family_options() -> VersionOptions {
    VersionOptions::new(InternalKeyComparator::bytewise())
}

fn new_fs() -> Arc<dyn FileSystem> {
    let fs = MemFileSystem::new();
    fs.create_dir(Path::new(DB)).unwrap();
    Arc::new(fs)
}

fn create(fs: &Arc<dyn FileSystem>) -> Result<VersionSet> {
    let options = VersionSetOptions::default();
    VersionSet::create(Arc::clone(fs), Path::new(DB), options, b"the id", &family_options())
}

fn reopen(fs: &Arc<dyn FileSystem>) -> Result<VersionSet> {
    let options = VersionSetOptions::default();
    VersionSet::recover(Arc::clone(fs), Path::new(DB), options, |_| Ok(Some(family_options())))
}

fn key(user_key: &str, sequence: u64) -> InternalKey {
    InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value)
}

/// A table with the keys from `smallest` to `largest`, one for each sequence number.
fn table(number: u64, smallest: (&str, u64), largest: (&str, u64), epoch: u64) -> FileMetaData {
    let (low, high) = (key(smallest.0, smallest.1), key(largest.0, largest.1));
    let mut file = FileMetaData::new(number, 1000 + number, low, high);
    file.smallest_seqno = smallest.1.min(largest.1);
    file.largest_seqno = smallest.1.max(largest.1);
    file.epoch_number = epoch;
    file
}

/// An edit that adds what a flush gives: a table of its own number and epoch.
fn flush(set: &VersionSet, family: u32, sequence: u64) -> (u32, VersionEdit) {
    let number = set.file_numbers().next();
    let log_number = set.file_numbers().next();
    let epoch = set.column_family(family).unwrap().epoch_numbers().next();
    let file = table(number, ("a", sequence), ("b", sequence), epoch);
    let edit = VersionEdit {
        log_number: Some(log_number),
        new_files: vec![NewFile { level: 0, file }],
        ..VersionEdit::default()
    };
    (family, edit)
}

fn apply(set: &mut VersionSet, edit: (u32, VersionEdit)) -> Arc<Version> {
    let mut versions = set.log_and_apply(vec![edit], &ApplyContext::default()).unwrap();
    assert_eq!(versions.len(), 1);
    versions.remove(0).1
}

fn numbers(version: &Version, level: usize) -> Vec<u64> {
    version.level_files(level).iter().map(|file| file.number).collect()
}

#[test]
fn a_new_database_takes_edits_and_opens_again() {
    let fs = new_fs();
    let mut set = create(&fs).unwrap();
    assert_eq!((set.manifest_number(), set.needs_new_manifest()), (1, true));
    let first = flush(&set, 0, 5);
    let number = first.1.new_files[0].file.number;
    let version = apply(&mut set, first);
    assert_eq!(numbers(&version, 0), [number]);
    assert_eq!(set.last_sequence(), 5);
    assert!(set.manifest_number() > number, "a new MANIFEST");
    let second = flush(&set, 0, 7);
    apply(&mut set, second);
    let id = set.create_column_family(b"two", &family_options(), 9).unwrap();
    assert_eq!(id, 1);
    let third = flush(&set, id, 9);
    apply(&mut set, third);

    let again = reopen(&fs).unwrap();
    assert_eq!(again.manifest_number(), set.manifest_number());
    assert_eq!(again.db_id(), Some(&b"the id"[..]));
    assert_eq!(again.last_sequence(), 9);
    assert!(again.file_numbers().peek() >= set.file_numbers().peek());
    for family in set.column_families() {
        let other = again.column_family(family.state().id).unwrap();
        assert_eq!(other.state().name, family.state().name);
        assert_eq!(other.state().log_number, family.state().log_number);
        assert_eq!(other.epoch_numbers().peek(), family.epoch_numbers().peek());
        assert_eq!(numbers(other.version(), 0), numbers(family.version(), 0));
    }
    set.close().unwrap();
}
