use super::*;
use crate::file_metadata::{FileMetaData, NewFile};
use crate::test_manifest::{Manifest, edit};
use base::InternalKey;
use base::dbformat::ValueType;

/// The edits of a new database, then one that adds a table to level 0 and one that moves it.
fn edits() -> Vec<VersionEdit> {
    let key = InternalKey::new(b"k", 7, ValueType::Value);
    let file =
        |level| NewFile { level, file: FileMetaData::new(9, 1000, key.clone(), key.clone()) };
    let first = VersionEdit {
        log_number: Some(3),
        next_file_number: Some(6),
        last_sequence: Some(0),
        ..VersionEdit::default()
    };
    let flush = VersionEdit {
        log_number: Some(8),
        last_sequence: Some(77),
        new_files: vec![file(0)],
        ..VersionEdit::default()
    };
    let moved = VersionEdit {
        deleted_files: BTreeSet::from([(0, 9)]),
        new_files: vec![file(1)],
        ..VersionEdit::default()
    };
    vec![first, flush, moved]
}

#[test]
fn edits_take_effect_when_the_last_byte_of_them_is_there() {
    let whole = Manifest::with(&edits());
    let bytes = whole.bytes();
    let growing = Manifest::with(&edits()[..1]);
    let before = growing.bytes().len();
    let mut activity = ManifestActivity::default();
    let mut tail = ManifestTail::open(growing.fs(), growing.db_path()).unwrap();
    assert!(tail.read(&mut activity).unwrap());
    assert_eq!(activity, ManifestActivity::default(), "what was there is no news");
    assert_eq!(tail.take_changed(), BTreeSet::from([0]));

    let mut news = Vec::new();
    for end in before + 1..=bytes.len() {
        growing.append_bytes(&bytes[end - 1..end]);
        if tail.read(&mut activity).unwrap() {
            news.push((tail.database().last_sequence, activity.flushes, activity.moves));
        }
    }
    assert_eq!(news, [(Some(77), 1, 0), (Some(77), 1, 1)]);
    assert_eq!(activity.flushed_bytes, 1000);
    assert_eq!(tail.size_bytes(), bytes.len() as u64);
    assert_eq!(tail.take_changed(), BTreeSet::from([0]));
    let levels: Vec<u32> = tail.families()[&0].builder.files().map(|(level, _)| level).collect();
    assert_eq!(levels, [1]);
}

#[test]
fn a_manifest_that_is_not_complete_is_refused() {
    let manifest = Manifest::with(&[edit("")]);
    let mut tail = ManifestTail::open(manifest.fs(), manifest.db_path()).unwrap();
    let status = tail.read(&mut ManifestActivity::default()).unwrap_err();
    assert!(status.to_string().contains("log_file_number"), "{status}");
}

#[test]
fn damage_is_told_with_its_place() {
    let manifest = Manifest::with(&edits());
    let mut bytes = manifest.bytes();
    bytes[10] ^= 1;
    manifest.write_bytes(&bytes);
    let mut tail = ManifestTail::open(manifest.fs(), manifest.db_path()).unwrap();
    let status = tail.read(&mut ManifestActivity::default()).unwrap_err();
    assert!(status.to_string().contains("MANIFEST-000005"), "{status}");
    assert!(status.is_corruption(), "{status}");
}
