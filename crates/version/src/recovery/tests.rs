use super::*;
use crate::test_manifest::{Manifest, edit};
use base::InternalKeyComparator;
use base::status::Code;

fn recover_all(manifest: &Manifest) -> Result<RecoveredManifest> {
    let options = VersionOptions::new(InternalKeyComparator::bytewise());
    recover(manifest.fs(), manifest.db_path(), |_| Ok(Some(options.clone())))
}

/// The smallest edit that makes a MANIFEST: log 0, next file 6, last sequence 10.
const MINIMAL: &str = "0200 0306 040a";
/// Table 5 of 16 bytes on level 0, `a` to `b`, in the oldest form.
const TABLE: &str = "07 00 05 10 09 61 0101000000000000 09 62 0102000000000000";

#[test]
fn the_smallest_manifest() {
    let recovered = recover_all(&Manifest::with(&[edit(MINIMAL)])).unwrap();
    assert_eq!(recovered.manifest_path, Path::new("/db/MANIFEST-000005"));
    assert_eq!(recovered.manifest_number, 5);
    assert_eq!(recovered.manifest_valid_size_bytes, 13);
    assert_eq!(recovered.next_file_number, 7);
    assert_eq!(recovered.last_sequence, 10);
    assert_eq!(recovered.db_id, None);
    let [family] = &recovered.column_families[..] else { panic!("{recovered:?}") };
    assert_eq!((family.id, &family.name[..]), (0, &b"default"[..]));
    assert_eq!(family.comparator_name, None);
    assert_eq!(family.version.files().count(), 0);
    assert_eq!(family.version.num_levels(), 7);
}

#[test]
fn file_numbers_in_use_are_never_given_out_again() {
    let numbers = |edits: &[&str]| {
        let edits: Vec<_> = edits.iter().map(|digits| edit(digits)).collect();
        recover_all(&Manifest::with(&edits)).unwrap().first_unused_file_number()
    };
    assert_eq!(numbers(&[MINIMAL]), 7);
    // The MANIFEST itself is number 5.
    assert_eq!(numbers(&["0200 0301 0400"]), 6);
    assert_eq!(numbers(&["0209 0301 0400"]), 10);
    assert_eq!(numbers(&["0200 0301 0400", "09 0b"]), 12);
    assert_eq!(numbers(&["0200 0301 0400", "0a 0d"]), 14);
    assert_eq!(numbers(&["0200 0301 0400", "8740 02 0f01"]), 16);
    let table = "67 00 20 10 09 61 0101000000000000 09 62 0102000000000000 01 02 01";
    assert_eq!(numbers(&["0200 0301 0400", table]), 33);
}

#[test]
fn a_table_in_the_oldest_form() {
    let recovered = recover_all(&Manifest::with(&[edit(&format!("{MINIMAL} {TABLE}"))])).unwrap();
    let version = &recovered.column_families[0].version;
    let [file] = version.level_files(0) else { panic!("{version:?}") };
    assert_eq!((file.number, file.file_size, file.epoch_number), (5, 16, 1));
}

#[test]
fn errors_name_the_manifest_and_the_offset_or_the_family() {
    let wrong = Manifest::with(&[edit(MINIMAL), edit("06 03 09")]);
    assert_eq!(
        recover_all(&wrong).unwrap_err().to_string(),
        "Corruption: /db/MANIFEST-000005 at offset 13: deletes table file 9 from level 3, but it \
         is not there"
    );
    let other_comparator = Manifest::with(&[edit(MINIMAL), edit("01 03 787878")]);
    let status = recover_all(&other_comparator).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(
        status.message(),
        "/db/MANIFEST-000005: column family \"default\": comparator leveldb.BytewiseComparator \
         does not match existing comparator xxx"
    );
    let empty = Manifest::with(&[]);
    assert_eq!(
        recover_all(&empty).unwrap_err().to_string(),
        "Corruption: /db/MANIFEST-000005: no log_file_number, next_file_number, last_sequence \
         entry in MANIFEST"
    );
}

#[test]
fn families_can_be_listed_where_files_make_no_sense() {
    let manifest = Manifest::with(&[
        edit("06 03 09"),
        edit("c801 02 c901 03 74776f"),
        edit("c801 01 c901 03 6f6e65"),
        edit("c801 02 ca01"),
        edit("c801 03 0204"),
    ]);
    let names = list_column_families(manifest.fs(), manifest.db_path()).unwrap();
    assert_eq!(names, [b"default".to_vec(), b"one".to_vec()]);
    assert!(recover_all(&manifest).is_err());

    let twice = Manifest::with(&[edit("c801 01 c901 03 6f6e65"), edit("c801 01 c901 03 6f6e65")]);
    let status = list_column_families(twice.fs(), twice.db_path()).unwrap_err();
    assert!(status.is_corruption(), "{status}");
}

#[test]
fn an_ignored_tail_is_told() {
    let group = [edit(MINIMAL), edit("0406 ac02 01")];
    let manifest = Manifest::with(&group);
    let replayed = replay_manifest(manifest.fs(), &manifest.path()).unwrap();
    assert!(replayed.tail_ignored);
    assert_eq!(replayed.valid_size_bytes, 13);
    assert_eq!(replayed.database.last_sequence, Some(10));

    manifest.write(&group[..1]);
    assert!(!replay_manifest(manifest.fs(), &manifest.path()).unwrap().tail_ignored);
    let bytes = manifest.bytes();
    manifest.write_bytes(&[&bytes[..], &bytes[..9]].concat());
    let replayed = replay_manifest(manifest.fs(), &manifest.path()).unwrap();
    assert!(replayed.tail_ignored);
    assert_eq!(replayed.valid_size_bytes, 13);
}

#[test]
fn so_many_levels_are_not_made() {
    let manifest = Manifest::with(&[edit(MINIMAL)]);
    let with_levels = |num_levels| {
        recover(manifest.fs(), manifest.db_path(), |_| {
            let options = VersionOptions::new(InternalKeyComparator::bytewise());
            Ok(Some(VersionOptions { num_levels, ..options }))
        })
    };
    assert!(with_levels(1000).is_ok());
    let status = with_levels(i32::MAX as usize).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("num_levels is 2147483647"), "{status}");
}
