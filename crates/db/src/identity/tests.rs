use super::{new_db_id, new_session_id, settle_db_id};
use env::{FileSystem, MemFileSystem, read_file_to_vec};
use std::path::Path;

#[test]
fn a_new_id_is_a_random_uuid() {
    let id = new_db_id();
    let lengths: Vec<_> = id.split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
    assert_eq!(&id[14..15], "4", "{id}");
    assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
    assert_ne!(id, new_db_id());
}

#[test]
fn a_session_has_twenty_digits_of_its_own() {
    let id = new_session_id();
    assert_eq!(id.len(), 20);
    assert!(id.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()), "{id}");
    assert_ne!(id, new_session_id());
}

#[test]
fn the_manifest_wins_over_the_file_and_the_file_over_nothing() {
    let fs = MemFileSystem::new();
    let path = Path::new("/db");
    fs.create_dir(path).unwrap();
    let in_file = || read_file_to_vec(&fs, &path.join("IDENTITY"), 100).unwrap();

    let made = settle_db_id(&fs, path, None, true).unwrap();
    assert_eq!(made, in_file());
    assert_eq!(settle_db_id(&fs, path, None, true).unwrap(), made);
    assert_eq!(settle_db_id(&fs, path, Some(b"theirs"), false).unwrap(), b"theirs");
    assert_eq!(made, in_file());
    assert_eq!(settle_db_id(&fs, path, Some(b"theirs"), true).unwrap(), b"theirs");
    assert_eq!(in_file(), b"theirs");
}
