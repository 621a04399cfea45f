use super::*;
use record::LevelShape;

#[test]
fn only_a_shape_whose_content_is_the_same_has_not_changed() {
    let level = LevelShape { level: 0, files: 6, bytes: 1000 };
    let before = FamilyShape {
        memtable_entries: 5,
        memtable_bytes: 100,
        levels: vec![level],
        ..FamilyShape::default()
    };
    let grown = FamilyShape { memtable_bytes: 200, ..before.clone() };
    assert_eq!(change(&before, &grown), None);
    let fewer = LevelShape { files: 5, ..level };
    let compacted = FamilyShape { levels: vec![fewer], ..before.clone() };
    let expected = "before: memtable 5 entries, L0 6 files 1000 bytes; \
                    after: memtable 5 entries, L0 5 files 1000 bytes";
    assert_eq!(change(&before, &compacted).as_deref(), Some(expected));
}

#[test]
fn two_per_cent_are_close_enough() {
    assert!(is_about(98, 100) && is_about(102, 100));
    assert!(!is_about(97, 100) && !is_about(103, 100));
    assert!(is_about(0, 0) && !is_about(1, 0));
}
