//! Directories and the names in them.

use super::{Case, Subject, expect_not_found, expect_refused};
use crate::{create_dir_all, read_file_to_vec, write_file_atomically};

pub(super) const CASES: &[Case] = &[
    ("create_and_delete", create_and_delete),
    ("create_if_missing", create_if_missing),
    ("delete_refused", delete_refused),
    ("children", children),
    ("sync", sync),
    ("helpers", helpers),
];

fn create_and_delete(on: &Subject<'_>) {
    let (fs, path) = (on.fs, on.path("d"));
    fs.create_dir(&path).unwrap();
    assert!(on.exists("d"));
    assert!(on.children("d").is_empty());
    expect_refused(fs.create_dir(&path), &path);
    on.write("d/f", b"x");
    fs.delete_file(&on.path("d/f")).unwrap();
    fs.delete_dir(&path).unwrap();
    assert!(!on.exists("d"));
    expect_not_found(fs.delete_dir(&path), &path);
    expect_not_found(fs.create_dir(&on.path("a/b")), &on.path("a/b"));
}

fn create_if_missing(on: &Subject<'_>) {
    let (fs, path) = (on.fs, on.path("d"));
    fs.create_dir_if_missing(&path).unwrap();
    on.write("d/f", b"x");
    fs.create_dir_if_missing(&path).unwrap();
    assert_eq!(on.children("d"), ["f"]);
    expect_refused(fs.create_dir_if_missing(&on.path("d/f")), &on.path("d/f"));
    expect_not_found(fs.create_dir_if_missing(&on.path("a/b")), &on.path("a/b"));
}

fn delete_refused(on: &Subject<'_>) {
    let fs = on.fs;
    fs.create_dir(&on.path("d")).unwrap();
    on.write("d/f", b"x");
    expect_refused(fs.delete_dir(&on.path("d")), &on.path("d"));
    expect_refused(fs.delete_dir(&on.path("d/f")), &on.path("d/f"));
    assert_eq!(on.read("d/f"), b"x");
}

fn children(on: &Subject<'_>) {
    let fs = on.fs;
    on.write("CURRENT", b"");
    on.write("000007.sst", b"");
    fs.create_dir(&on.path("archive")).unwrap();
    on.write("archive/000003.log", b"");
    fs.create_dir(&on.path("archive-2")).unwrap();
    assert_eq!(on.children(""), ["000007.sst", "CURRENT", "archive", "archive-2"]);
    assert_eq!(on.children("archive"), ["000003.log"]);
    expect_not_found(fs.get_children(&on.path("none")), &on.path("none"));
    expect_refused(fs.get_children(&on.path("CURRENT")), &on.path("CURRENT"));
}

fn sync(on: &Subject<'_>) {
    let fs = on.fs;
    on.write("f", b"x");
    let directory = fs.new_directory(&on.root).unwrap();
    directory.fsync().unwrap();
    on.write("g", b"y");
    directory.fsync().unwrap();
    expect_not_found(fs.new_directory(&on.path("none")), &on.path("none"));
    expect_refused(fs.new_directory(&on.path("f")), &on.path("f"));
    assert_eq!(on.children(""), ["f", "g"]);
}

fn helpers(on: &Subject<'_>) {
    let fs = on.fs;
    create_dir_all(fs, &on.path("x/y/z")).unwrap();
    let (path, temp) = (on.path("x/y/z/CURRENT"), on.path("x/y/z/000001.dbtmp"));
    for content in [b"MANIFEST-000001\n", b"MANIFEST-000005\n"] {
        write_file_atomically(fs, &path, &temp, content).unwrap();
        assert_eq!(read_file_to_vec(fs, &path, 16).unwrap(), content);
        assert_eq!(on.children("x/y/z"), ["CURRENT"]);
    }
}
