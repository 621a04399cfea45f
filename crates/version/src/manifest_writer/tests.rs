use super::*;
use crate::manifest::{ManifestReader, read_current};
use env::{MemFileSystem, read_file_to_vec};
use testing::hexes::unhex;

#[test]
fn a_new_database_has_the_bytes_of_rocksdb() {
    let fs = MemFileSystem::new();
    let db = Path::new("/db");
    fs.create_dir(db).unwrap();
    create_manifest(&fs, db, None, false).unwrap();
    // What 7.8.3 writes: one full record of nothing but the three numbers.
    let manifest = read_file_to_vec(&fs, &db.join("MANIFEST-000001"), 100).unwrap();
    assert_eq!(manifest[4..], unhex("0600 01 0200 0302 0400"));
    assert_eq!(read_file_to_vec(&fs, &db.join("CURRENT"), 100).unwrap(), b"MANIFEST-000001\n");
    assert_eq!(read_current(&fs, db).unwrap(), (db.join("MANIFEST-000001"), 1));
    let mut names = fs.get_children(db).unwrap();
    names.sort();
    assert_eq!(names, ["CURRENT", "MANIFEST-000001"]);
}

#[test]
fn the_id_of_the_database_comes_first() {
    let fs = MemFileSystem::new();
    let db = Path::new("/db");
    fs.create_dir(db).unwrap();
    create_manifest(&fs, db, Some(b"an id"), true).unwrap();
    let mut reader = ManifestReader::open(&fs, &db.join("MANIFEST-000001")).unwrap();
    let edit = reader.read().unwrap().unwrap().edit;
    assert_eq!(edit.encode(), unhex("8140 05 616e206964 0200 0302 0400"));
    assert_eq!(reader.read().unwrap(), None);
}
