use super::*;
use crate::test_manifest::edit;
use crate::version_builder::{VersionBuilder, VersionOptions};
use base::InternalKeyComparator;

fn apply(base: &Version, edit: &VersionEdit) -> Arc<Version> {
    let mut builder = VersionBuilder::from_version(base);
    builder.apply(edit.clone()).unwrap();
    let options = VersionOptions::new(InternalKeyComparator::bytewise());
    Arc::new(builder.build(&options, false).unwrap())
}

fn step(live: &mut LiveVersions, old: &Version, digits: &str) -> Arc<Version> {
    let edit = edit(digits);
    let new = apply(old, &edit);
    live.retire(0, old, &new, &[&edit]);
    live.add(0, &new);
    new
}

/// Table 5 on `level`, from `a` to `b`, epoch 1.
fn table(level: u8) -> String {
    format!("67 {level:02x} 05 10 09 61 0101000000000000 09 62 0102000000000000 01 02 0d 01 01 01")
}

#[test]
fn a_table_is_obsolete_once_nothing_reads_it() {
    let mut live = LiveVersions::default();
    let empty = Arc::new(Version::new(7));
    let with = step(&mut live, &empty, &table(0));
    assert_eq!(live.live_files().tables, BTreeSet::from([5]));
    let without = step(&mut live, &with, "06 00 05");
    assert_eq!(live.take_obsolete_files(), []);
    assert_eq!(live.live_files().tables, BTreeSet::from([5]));
    assert_eq!((live.of(0).len(), live.of(1).len(), live.obsolete_table_bytes()), (2, 0, 0));
    drop(with);
    assert_eq!((live.of(0).len(), live.obsolete_table_bytes()), (1, 0x10));
    let obsolete = ObsoleteFile::Table { column_family: 0, number: 5, path_id: 0 };
    assert_eq!(live.take_obsolete_files(), [obsolete]);
    assert_eq!(live.take_obsolete_files(), []);
    assert_eq!(live.live_files(), LiveFiles::default());
    drop(without);
}

#[test]
fn a_table_that_moved_is_not_obsolete() {
    let mut live = LiveVersions::default();
    let empty = Arc::new(Version::new(7));
    let at_0 = step(&mut live, &empty, &table(0));
    let at_1 = step(&mut live, &at_0, &format!("06 00 05 {}", table(1)));
    let at_2 = step(&mut live, &at_1, &format!("06 01 05 {}", table(2)));
    drop(at_1);
    assert_eq!(live.take_obsolete_files(), []);
    let gone = step(&mut live, &at_2, "06 02 05");
    drop(at_2);
    // Whoever holds the first version still reads it.
    assert_eq!(live.take_obsolete_files(), []);
    drop(at_0);
    assert_eq!(live.take_obsolete_files().len(), 1);
    drop(gone);
}

#[test]
fn blob_files_go_with_the_last_version_that_has_them() {
    let mut live = LiveVersions::default();
    let empty = Arc::new(Version::new(7));
    let linked =
        "67 00 05 10 09 61 0101000000000000 09 62 0102000000000000 01 02 04 01 06 0d 01 01 01";
    let with = step(&mut live, &empty, &format!("9003 06 0a 64 00 00 00 {linked}"));
    assert_eq!(live.live_files().blob_files, BTreeSet::from([6]));
    let without = step(&mut live, &with, "06 00 05");
    assert_eq!(without.blob_files().len(), 0);
    assert_eq!(live.take_obsolete_files(), []);
    drop(with);
    let blob = ObsoleteFile::Blob { column_family: 0, number: 6 };
    assert!(live.take_obsolete_files().contains(&blob));
    drop(without);
}

#[test]
fn all_files_of_a_dropped_column_family_go() {
    let mut live = LiveVersions::default();
    let with = step(&mut live, &Version::new(7), &table(0));
    live.retire_all(3, &with);
    assert_eq!(live.take_obsolete_files(), []);
    drop(with);
    let obsolete = ObsoleteFile::Table { column_family: 3, number: 5, path_id: 0 };
    assert_eq!(live.take_obsolete_files(), [obsolete]);
}
