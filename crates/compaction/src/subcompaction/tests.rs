use super::*;
use crate::in_progress::CompactionsInProgress;
use crate::picker::options::PickerOptions;
use crate::picker::{PickerInput, pick_compaction};
use base::{InternalKey, ValueType};
use std::collections::HashMap;
use std::sync::Arc;
use version::{NewFile, Version, VersionBuilder, VersionEdit, VersionOptions};

/// Four overlapping L0 files to be merged into one level, with targets of `target_file_size` bytes.
fn l0_compaction(max_subcompactions: u32, target_file_size: u64) -> Compaction {
    let comparator = InternalKeyComparator::bytewise();
    let mut edit = VersionEdit::default();
    for number in 1..=4 {
        let key = |text: &[u8]| InternalKey::new(text, number, ValueType::Value);
        let mut file = FileMetaData::new(number, 1000, key(b"a"), key(b"z"));
        (file.smallest_seqno, file.largest_seqno) = (number, number);
        file.epoch_number = number;
        edit.new_files.push(NewFile { level: 0, file });
    }
    let mut builder = VersionBuilder::new();
    builder.apply(edit).unwrap();
    let version: Version = builder.build(&VersionOptions::new(comparator.clone()), false).unwrap();
    let options = PickerOptions {
        max_subcompactions,
        target_file_size_base: target_file_size,
        max_compaction_bytes: 1 << 20,
        ..PickerOptions::default()
    };
    pick_compaction(&PickerInput {
        version: &Arc::new(version),
        comparator: &comparator,
        options: &options,
        in_progress: &CompactionsInProgress::new(),
        table_facts: &HashMap::new(),
        oldest_snapshot: 0,
        now_seconds: 1,
    })
    .unwrap()
}

/// Ten anchors for each file, `b0` to `b9`, with the file's number behind so that none is equal.
fn anchors(file: &FileMetaData) -> Result<Vec<KeyAnchor>> {
    let anchor = |index| KeyAnchor {
        user_key: format!("b{index}-{}", file.number).into_bytes(),
        range_size: 100,
    };
    Ok((0..10).map(anchor).collect())
}

fn boundaries(compaction: &Compaction) -> Vec<String> {
    let comparator = InternalKeyComparator::bytewise();
    let keys = generate_subcompaction_boundaries(compaction, &comparator, 0, anchors).unwrap();
    keys.into_iter().map(|key| String::from_utf8(key).unwrap()).collect()
}

#[test]
fn ranges_are_of_equal_size() {
    assert_eq!(boundaries(&l0_compaction(2, 100)), ["b5-1"]);
    assert_eq!(boundaries(&l0_compaction(4, 100)), ["b2-3", "b5-1", "b7-3"]);
}

#[test]
fn no_range_is_smaller_than_a_file() {
    assert_eq!(boundaries(&l0_compaction(8, 1500)), ["b3-4", "b7-3"]);
    assert!(boundaries(&l0_compaction(8, 4000)).is_empty());
}

#[test]
fn one_range_is_not_divided() {
    assert!(boundaries(&l0_compaction(1, 1)).is_empty());
}

#[test]
fn equal_keys_are_one_boundary_and_files_without_anchors_count_with_their_largest_key() {
    let comparator = InternalKeyComparator::bytewise();
    let compaction = l0_compaction(4, 1);
    let none = |_: &FileMetaData| Ok(Vec::new());
    let keys = generate_subcompaction_boundaries(&compaction, &comparator, 0, none).unwrap();
    // All files end at the same key: there is nothing to divide.
    assert!(keys.is_empty());
    let same = |_: &FileMetaData| {
        let anchor = |key: &str| KeyAnchor { user_key: key.into(), range_size: 500 };
        Ok(vec![anchor("c"), anchor("k"), anchor("q")])
    };
    let keys = generate_subcompaction_boundaries(&compaction, &comparator, 0, same).unwrap();
    assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
}

#[test]
fn errors_of_anchors_are_passed_on() {
    let comparator = InternalKeyComparator::bytewise();
    let fail = |_: &FileMetaData| Err(base::Status::corruption("index"));
    assert!(generate_subcompaction_boundaries(&l0_compaction(4, 1), &comparator, 0, fail).is_err());
}
