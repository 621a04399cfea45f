use super::*;
use crate::measures::LevelShape;

#[test]
fn a_line_has_what_is_there() {
    let level = |level, files, bytes| LevelShape { level, files, bytes };
    let mut shape = FamilyShape {
        memtable_entries: 38_200,
        levels: vec![level(0, 6, 38 << 20), level(1, 0, 0), level(6, 1, 87 << 20)],
        ..FamilyShape::default()
    };
    assert_eq!(line(&shape), "memtable 38200 entries, L0 6 files 38 MiB, L6 1 file 87 MiB");
    shape.immutable_memtables = 2;
    shape.levels.clear();
    assert_eq!(line(&shape), "memtable 38200 entries, 2 full memtables");
}

#[test]
fn sizes_keep_two_digits() {
    assert_eq!(bytes(10_239), "10239 bytes");
    assert_eq!(bytes(10_240), "10 KiB");
    assert_eq!(bytes(2 << 30), "2048 MiB");
    assert_eq!(bytes(200 << 30), "200 GiB");
}
