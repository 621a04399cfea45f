use super::*;
use crate::PosixFileSystem;
use base::status::Code;

#[test]
fn a_file_is_read_whole_up_to_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("CURRENT");
    std::fs::write(&path, "MANIFEST-000005\n").unwrap();
    let fs = &PosixFileSystem;
    assert_eq!(read_file_to_vec(fs, &path, 16).unwrap(), b"MANIFEST-000005\n");
    let status = read_file_to_vec(fs, &path, 15).unwrap_err();
    assert!(status.is_corruption());
    assert!(status.message().ends_with("CURRENT: expected at most 15 bytes, found 16"), "{status}");
    let missing = read_file_to_vec(fs, &directory.path().join("IDENTITY"), 15).unwrap_err();
    assert!(missing.is_path_not_found());
}

#[test]
fn an_atomic_write_replaces_and_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("CURRENT");
    let temp = directory.path().join("000007.dbtmp");
    let fs = &PosixFileSystem;
    for content in ["MANIFEST-000005\n", "MANIFEST-000007\n"] {
        write_file_atomically(fs, &path, &temp, content.as_bytes()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        assert_eq!(fs.get_children(directory.path()).unwrap(), ["CURRENT"]);
    }
}

#[test]
fn a_failed_atomic_write_keeps_the_old_content() {
    let directory = tempfile::tempdir().unwrap();
    let fs = &PosixFileSystem;
    // A directory in the way of the rename.
    let path = directory.path().join("CURRENT");
    std::fs::create_dir(&path).unwrap();
    let temp = directory.path().join("000007.dbtmp");
    let status = write_file_atomically(fs, &path, &temp, b"x").unwrap_err();
    assert_eq!(status.code(), Code::IoError);
    assert_eq!(fs.get_children(directory.path()).unwrap(), ["CURRENT"]);
}

#[test]
fn missing_parents_are_created() {
    let directory = tempfile::tempdir().unwrap();
    let fs = &PosixFileSystem;
    let path = directory.path().join("a/b/c");
    create_dir_all(fs, &path).unwrap();
    create_dir_all(fs, &path).unwrap();
    assert!(path.is_dir());
    std::fs::write(path.join("f"), "").unwrap();
    assert_eq!(create_dir_all(fs, &path.join("f")).unwrap_err().code(), Code::IoError);
    assert_eq!(create_dir_all(fs, &path.join("f/g")).unwrap_err().code(), Code::IoError);
}

#[test]
fn the_parent_of_a_bare_name_is_here() {
    assert_eq!(parent_directory(Path::new("CURRENT")), Path::new("."));
    assert_eq!(parent_directory(Path::new("/db/CURRENT")), Path::new("/db"));
    assert_eq!(parent_directory(Path::new("/")), Path::new("/"));
}
