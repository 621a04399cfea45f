use super::*;
use crate::blob_file_metadata::{BlobFileAddition, BlobFileGarbage};
use crate::file_metadata::{FileMetaData, NewFile};
use crate::version_builder::{VersionBuilder, VersionOptions};
use crate::version_edit::VersionEdit;
use base::{InternalKey, InternalKeyComparator, ValueType};

fn file(level: u32, number: u64, size: u64) -> NewFile {
    let key = InternalKey::new(&number.to_be_bytes(), 1, ValueType::Value);
    let mut file = FileMetaData::new(number, size, key.clone(), key);
    file.oldest_blob_file_number = Some(9);
    NewFile { level, file }
}

fn version() -> Version {
    let edit = VersionEdit {
        new_files: vec![file(0, 1, 100), file(0, 2, 50), file(2, 3, 3000), file(2, 4, 2000)],
        blob_file_additions: vec![BlobFileAddition {
            number: 9,
            total_blob_count: 5,
            total_blob_bytes: 290,
            ..BlobFileAddition::default()
        }],
        blob_file_garbages: vec![BlobFileGarbage {
            number: 9,
            garbage_blob_count: 2,
            garbage_blob_bytes: 115,
            ..BlobFileGarbage::default()
        }],
        ..VersionEdit::default()
    };
    let mut builder = VersionBuilder::new();
    builder.apply(edit).unwrap();
    let mut options = VersionOptions::new(InternalKeyComparator::bytewise());
    options.num_levels = 4;
    builder.build(&options, false).unwrap()
}

fn shape_of(version: &Version, compaction_style: CompactionStyle) -> TreeShape {
    let targets = LevelTargetOptions {
        compaction_style,
        num_levels: 4,
        max_bytes_for_level_base: 1000,
        ..LevelTargetOptions::default()
    };
    TreeShape::new("default", version, &targets)
}

fn shape() -> TreeShape {
    shape_of(&version(), CompactionStyle::Level)
}

#[test]
fn as_text() {
    let mut shape = shape();
    shape.memtables =
        vec![MemTableShape { entries: 7, bytes: 4096 }, MemTableShape { entries: 0, bytes: 9 }];
    shape.l0_files[0].entries = Some(12);
    shape.levels[1].entries = Some(0);
    assert_eq!(
        shape.to_string(),
        "\
column family default: level compaction
active memtable: 7 entries, 4096 bytes
immutable memtable: 0 entries, 9 bytes
sorted runs: 2 in L0, 3 on disk, 4 for a read; base level L2; pending compaction 0 bytes
level   files           bytes          target    score      entries
L0          2             150               -     0.50            -
L1          0               0               -     0.00            0
L2          2            5000            1000    43.48            -
L3          0               0            5000        -            -
sum         4            5150               -        -            -
L0, newest first
        file           bytes      entries
           2              50           12
           1             100            -
blob files: 1, 290 bytes, of which 115 garbage
"
    );
}

#[test]
fn as_json() {
    let mut shape = shape();
    shape.memtables = vec![MemTableShape { entries: 7, bytes: 4096 }];
    shape.l0_files[0].entries = Some(12);
    assert_eq!(
        shape.to_json(),
        "{\"column_family\":\"default\",\"compaction_style\":\"level\",\
         \"memtables\":[{\"entries\":7,\"bytes\":4096}],\"l0_sorted_runs\":2,\"sorted_runs\":3,\
         \"read_sorted_runs\":4,\"base_level\":2,\"pending_compaction_bytes\":0,\"l0_files\":[\
         {\"number\":2,\"bytes\":50,\"entries\":12},{\"number\":1,\"bytes\":100,\"entries\":null}],\
         \"levels\":[\
         {\"level\":0,\"files\":2,\"bytes\":150,\"target_bytes\":null,\"score\":0.5,\"entries\":null},\
         {\"level\":1,\"files\":0,\"bytes\":0,\"target_bytes\":null,\"score\":0,\"entries\":null},\
         {\"level\":2,\"files\":2,\"bytes\":5000,\"target_bytes\":1000,\
         \"score\":43.47826086956522,\"entries\":null},\
         {\"level\":3,\"files\":0,\"bytes\":0,\"target_bytes\":5000,\"score\":null,\"entries\":null}],\
         \"total\":{\"files\":4,\"bytes\":5150,\"entries\":null},\
         \"blob_files\":1,\"blob_bytes\":290,\"blob_garbage_bytes\":115}"
    );
}

#[test]
fn entries_are_known_where_all_tables_of_a_level_are() {
    let version = version();
    let mut shape = shape_of(&version, CompactionStyle::Level);
    shape.set_entries(&version, |number| (number != 4).then_some(number * 10));
    let entries: Vec<_> = shape.levels.iter().map(|level| level.entries).collect();
    assert_eq!(entries, [Some(30), Some(0), None, Some(0)]);
    assert_eq!(shape.l0_files[1], L0FileShape { number: 1, bytes: 100, entries: Some(10) });
    assert_eq!(shape.entries(), None);
    shape.set_entries(&version, |number| Some(number * 10));
    assert_eq!(shape.entries(), Some(100));
}

#[test]
fn only_leveled_compaction_has_targets() {
    for style in [CompactionStyle::Universal, CompactionStyle::Fifo, CompactionStyle::None] {
        let shape = shape_of(&version(), style);
        assert!(shape.levels.iter().all(|level| level.target_bytes.is_none()), "{style:?}");
        assert_eq!(shape.base_level, None);
    }
}

#[test]
fn names_are_escaped_in_json() {
    assert_eq!(json_string("a\"b\\c\nd\u{1f}é"), "\"a\\\"b\\\\c\\u000ad\\u001fé\"");
}

#[test]
fn a_score_that_is_no_number_is_null() {
    let mut shape = shape();
    shape.levels[0].score = Some(f64::INFINITY);
    assert!(shape.to_json().contains("\"score\":null"), "{}", shape.to_json());
}
