//! Files that are appended to through a mapping, or would be where the file system could.

use super::{Case, Subject, pattern};
use crate::file_system::{FileOptions, WritableFile};

pub(super) const CASES: &[Case] = &[
    ("mapped_appends_are_seen_at_once", appends_are_seen_at_once),
    ("mapped_file_is_cut", file_is_cut),
    ("mapped_file_ends_where_it_was_appended_to", ends_where_it_was_appended_to),
    ("mapped_file_over_a_reused_one", over_a_reused_one),
    ("mapped_files_side_by_side", files_side_by_side),
];

fn options(on: &Subject<'_>) -> FileOptions {
    FileOptions { use_mapped_writes: true, ..on.options }
}

fn create(on: &Subject<'_>, name: &str) -> Box<dyn WritableFile> {
    on.fs.new_writable_file(&on.path(name), &options(on)).unwrap()
}

/// Whether the file has `content`, and nothing or zeros up to where it is mapped.
#[track_caller]
fn expect_content(on: &Subject<'_>, name: &str, file: &dyn WritableFile, content: &[u8]) {
    let found = read(on, name);
    assert_eq!(file.size(), content.len() as u64);
    assert!(found[..content.len()] == *content, "what was appended");
    match file.mapped_size() {
        Some(end) => assert!(found.len() as u64 >= end),
        None => assert_eq!(found.len(), content.len()),
    }
    assert!(found[content.len()..].iter().all(|byte| *byte == 0), "zeros behind it");
}

/// What a file has that may be extended meanwhile.
fn read(on: &Subject<'_>, name: &str) -> Vec<u8> {
    let reader = on.reader(name);
    let mut found = vec![0; reader.size().unwrap() as usize];
    assert_eq!(reader.read_at(0, &mut found).unwrap(), found.len());
    found
}

fn appends_are_seen_at_once(on: &Subject<'_>) {
    let content = pattern(3_100_000);
    let mut file = create(on, "f");
    let is_mapped = file.mapped_size().is_some();
    let mut size = 0;
    for length in [0, 1, 3, 4, 5, 7, 8, 9, 65_490, 16, 200_000, 8, 1 << 20, 1_700_000] {
        file.append(&content[size..size + length]).unwrap();
        size += length;
        if !is_mapped {
            file.flush().unwrap();
        }
        assert_eq!(file.mapped_size().is_some(), is_mapped);
        expect_content(on, "f", &*file, &content[..size]);
    }
    file.sync().unwrap();
    file.fsync().unwrap();
    file.range_sync(0, 4096).unwrap();
    expect_content(on, "f", &*file, &content[..size]);
    file.close().unwrap();
    assert!(on.read("f") == content[..size]);
}

fn file_is_cut(on: &Subject<'_>) {
    let content = pattern(100_000);
    let mut file = create(on, "f");
    file.append(&content[..70_000]).unwrap();
    file.cut().unwrap();
    assert_eq!(file.mapped_size(), None);
    assert!(on.read("f") == content[..70_000]);
    file.sync().unwrap();
    // A log that cannot be changed for the next one goes on.
    file.append(&content[70_000..]).unwrap();
    assert_eq!(file.size(), 100_000);
    file.cut().unwrap();
    assert!(on.read("f") == content);
    file.close().unwrap();
    assert!(on.read("f") == content);
    let mut file = on.writer("g");
    file.append(b"written").unwrap();
    file.cut().unwrap();
    assert_eq!(on.read("g"), b"written", "one that is not mapped is flushed");
}

fn ends_where_it_was_appended_to(on: &Subject<'_>) {
    create(on, "empty").close().unwrap();
    assert_eq!(on.read("empty"), b"");
    drop(create(on, "dropped"));
    assert_eq!(on.read("dropped"), b"");
    let mut file = create(on, "f");
    file.append(b"123456789").unwrap();
    drop(file);
    assert_eq!(on.read("f"), b"123456789");
    let mut file = on.fs.reopen_writable_file(&on.path("f"), &options(on)).unwrap();
    assert_eq!(file.mapped_size(), None, "what is there is not mapped");
    file.append(b"0").unwrap();
    file.close().unwrap();
    assert_eq!(on.read("f"), b"1234567890");
    create(on, "f").close().unwrap();
    assert_eq!(on.read("f"), b"");
}

fn over_a_reused_one(on: &Subject<'_>) {
    let (old, new) = (pattern(300_000), pattern(400_000));
    on.write("old", &old);
    let reuse = on.fs.reuse_writable_file(&on.path("new"), &on.path("old"), &options(on));
    let mut file = reuse.unwrap();
    assert_eq!(file.size(), 0);
    file.append(&new[..1000]).unwrap();
    file.flush().unwrap();
    let found = read(on, "new");
    assert!(found[..1000] == new[..1000]);
    if file.mapped_size().is_some() {
        assert!(found[1000..300_000] == old[1000..], "what it held is behind what was appended");
    }
    file.append(&new[1000..]).unwrap();
    file.flush().unwrap();
    expect_content(on, "new", &*file, &new);
    file.close().unwrap();
    assert!(on.read("new") == new);
}

fn files_side_by_side(on: &Subject<'_>) {
    let content = pattern(500_000);
    let mut files: Vec<_> = (0..4).map(|n| create(on, &format!("{n}"))).collect();
    for piece in content.chunks(10_007) {
        for file in &mut files {
            file.append(piece).unwrap();
        }
    }
    for (number, file) in files.into_iter().enumerate() {
        file.close().unwrap();
        assert!(on.read(&format!("{number}")) == content);
    }
}
