//! The lock of a database.

use super::{Case, Subject, expect_io_error, expect_not_found, expect_refused};

pub(super) const CASES: &[Case] = &[
    ("lock_twice", lock_twice),
    ("lock_keeps_content", lock_keeps_content),
    ("locks_of_different_files", locks_of_different_files),
    ("lock_under_another_name", lock_under_another_name),
    ("lock_refused", lock_refused),
];

fn lock_twice(on: &Subject<'_>) {
    let path = on.path("LOCK");
    let lock = on.fs.lock_file(&path).unwrap();
    assert!(on.exists("LOCK"), "locking creates the file");
    for _ in 0..2 {
        let status = expect_io_error(on.fs.lock_file(&path), &path);
        assert!(status.message().contains("this process holds it"), "{status}");
    }
    drop(lock);
    let again = on.fs.lock_file(&path).unwrap();
    assert!(on.fs.lock_file(&path).is_err());
    drop(again);
    drop(on.fs.lock_file(&path).unwrap());
}

fn lock_keeps_content(on: &Subject<'_>) {
    on.write("LOCK", b"content");
    drop(on.fs.lock_file(&on.path("LOCK")).unwrap());
    assert_eq!(on.read("LOCK"), b"content");
}

fn locks_of_different_files(on: &Subject<'_>) {
    let first = on.fs.lock_file(&on.path("A")).unwrap();
    let second = on.fs.lock_file(&on.path("B")).unwrap();
    drop(first);
    assert!(on.fs.lock_file(&on.path("B")).is_err());
    drop(on.fs.lock_file(&on.path("A")).unwrap());
    drop(second);
}

fn lock_under_another_name(on: &Subject<'_>) {
    on.write("LOCK", b"");
    on.fs.create_dir(&on.path("d")).unwrap();
    on.fs.link_file(&on.path("LOCK"), &on.path("LINK")).unwrap();
    let lock = on.fs.lock_file(&on.path("LOCK")).unwrap();
    assert!(on.fs.lock_file(&on.path("LINK")).is_err());
    assert!(on.fs.lock_file(&on.path("d/../LOCK")).is_err());
    drop(lock);
    drop(on.fs.lock_file(&on.path("LINK")).unwrap());
}

fn lock_refused(on: &Subject<'_>) {
    on.fs.create_dir(&on.path("d")).unwrap();
    expect_refused(on.fs.lock_file(&on.path("d")), &on.path("d"));
    expect_not_found(on.fs.lock_file(&on.path("none/LOCK")), &on.path("none/LOCK"));
}
