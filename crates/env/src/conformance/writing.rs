//! Reusing files, and what a writer may ask for beside appends.

use super::{Case, Subject, expect_not_found, expect_refused, pattern};
use crate::file_system::{FileOptions, WritableFile};
use base::status::Code;
use std::path::Path;

pub(super) const CASES: &[Case] = &[
    ("reuse_keeps_the_rest", reuse_keeps_the_rest),
    ("reuse_and_grow", reuse_and_grow),
    ("reuse_again", reuse_again),
    ("reuse_replaces", reuse_replaces),
    ("reuse_refused", reuse_refused),
    ("reuse_while_open", reuse_while_open),
    ("hints_change_nothing", hints_change_nothing),
    ("paced_writes", paced_writes),
    ("small_buffers", small_buffers),
    ("sync_by_name", sync_by_name),
    ("kinds_and_space", kinds_and_space),
];

fn reuse(on: &Subject<'_>, new: &str, old: &str) -> Box<dyn WritableFile> {
    on.fs.reuse_writable_file(&on.path(new), &on.path(old), &on.options).unwrap()
}

/// Whether `found` is `new` over `old`: what follows `new` is old, or zeros up to a block's end.
#[track_caller]
fn expect_over(found: &[u8], new: &[u8], old: &[u8]) {
    assert_eq!(found.len(), old.len().max(new.len()));
    assert!(found[..new.len()] == *new, "what was written");
    let block_end = new.len().next_multiple_of(4096);
    for (index, &byte) in found.iter().enumerate().skip(new.len()) {
        let zeroed = byte == 0 && index < block_end;
        assert!(byte == old[index] || zeroed, "byte {index} is {byte}, was {}", old[index]);
    }
}

fn reuse_keeps_the_rest(on: &Subject<'_>) {
    let old = pattern(20_000);
    on.write("000004.log", &old);
    let mut file = reuse(on, "000009.log", "000004.log");
    assert_eq!(on.children(""), ["000009.log"]);
    assert_eq!(file.path(), on.path("000009.log"));
    assert_eq!(file.size(), 0);
    assert!(on.read("000009.log") == old, "opening alone changes no content");
    let new: Vec<u8> = pattern(9_000).iter().map(|byte| !byte).collect();
    let mut written = 0;
    for length in [1, 99, 4000, 4900] {
        file.append(&new[written..written + length]).unwrap();
        written += length;
        assert_eq!(file.size(), written as u64);
        file.flush().unwrap();
        expect_over(&on.read("000009.log"), &new[..written], &old);
    }
    file.sync().unwrap();
    file.close().unwrap();
    expect_over(&on.read("000009.log"), &new, &old);
}

fn reuse_and_grow(on: &Subject<'_>) {
    let (old, new) = (pattern(5_000), pattern(30_000));
    on.write("old", &old);
    let mut file = reuse(on, "new", "old");
    file.append(&new[..4_999]).unwrap();
    file.sync().unwrap();
    expect_over(&on.read("new"), &new[..4_999], &old);
    file.append(&new[4_999..]).unwrap();
    file.close().unwrap();
    assert!(on.read("new") == new);
}

fn reuse_again(on: &Subject<'_>) {
    let old = pattern(12_288);
    on.write("a", &old);
    let mut file = reuse(on, "b", "a");
    file.append(b"first").unwrap();
    file.close().unwrap();
    let between = on.read("b");
    // Dropping flushes too.
    let mut file = reuse(on, "c", "b");
    file.append(b"2nd").unwrap();
    drop(file);
    expect_over(&on.read("c"), b"2nd", &between);
    // The name may stay.
    let mut file = reuse(on, "c", "c");
    file.append(b"3").unwrap();
    file.close().unwrap();
    assert_eq!(on.children(""), ["c"]);
    assert_eq!(on.read("c")[0], b'3');
    // Appending goes to the end of the old content.
    let mut file = on.reopen("c");
    assert_eq!(file.size(), 12_288);
    file.append(b"tail").unwrap();
    file.close().unwrap();
    assert_eq!(&on.read("c")[12_288..], b"tail");
    on.write("c", b"cut");
    assert_eq!(on.read("c"), b"cut");
}

fn reuse_replaces(on: &Subject<'_>) {
    on.write("old", b"old content");
    on.write("target", b"what was at the new name");
    let mut file = reuse(on, "target", "old");
    file.append(b"new").unwrap();
    file.close().unwrap();
    assert_eq!(on.children(""), ["target"]);
    expect_over(&on.read("target"), b"new", b"old content");
}

fn reuse_refused(on: &Subject<'_>) {
    on.write("f", b"content");
    on.fs.create_dir(&on.path("d")).unwrap();
    let reuse =
        |new: &str, old: &str| on.fs.reuse_writable_file(&on.path(new), &on.path(old), &on.options);
    expect_not_found(reuse("g", "none"), &on.path("none"));
    expect_not_found(reuse("none/g", "f"), &on.path("none/g"));
    expect_refused(reuse("g", "d"), &on.path("d"));
    expect_refused(reuse("d", "f"), &on.path("d"));
    assert_eq!(on.children(""), ["d", "f"]);
    assert_eq!(on.read("f"), b"content");
}

fn reuse_while_open(on: &Subject<'_>) {
    on.write("old", b"old content");
    let reader = on.reader("old");
    let mut file = reuse(on, "new", "old");
    file.append(b"NEW").unwrap();
    file.flush().unwrap();
    let mut found = [0; 3];
    assert_eq!(reader.read_at(0, &mut found).unwrap(), 3);
    assert_eq!(&found, b"NEW", "it is the same file");
}

fn hints_change_nothing(on: &Subject<'_>) {
    let content = pattern(50_000);
    let mut file = on.writer("f");
    file.allocate(0, 1 << 20).unwrap();
    assert_eq!(file.size(), 0);
    file.flush().unwrap();
    assert_eq!(on.read("f"), b"");
    file.append(&content).unwrap();
    file.flush().unwrap();
    file.range_sync(0, 4096).unwrap();
    file.range_sync(4096, 50_000 - 4096).unwrap();
    file.range_sync(10 << 20, 4096).unwrap();
    file.allocate(40_000, 100_000).unwrap();
    assert_eq!(file.size(), 50_000);
    assert!(on.read("f") == content);
    file.append(b"tail").unwrap();
    file.close().unwrap();
    assert!(on.read("f") == [&content[..], b"tail"].concat());
}

fn paced_writes(on: &Subject<'_>) {
    let content = pattern(3_500_000);
    for strict_bytes_per_sync in [false, true] {
        for allow_fallocate in [false, true] {
            let options = FileOptions {
                bytes_per_sync: 256 << 10,
                strict_bytes_per_sync,
                preallocation_block_size: 1 << 20,
                allow_fallocate,
                ..on.options
            };
            let path = on.path("f");
            let mut file = on.fs.new_writable_file(&path, &options).unwrap();
            let mut written = 0;
            for length in [1, 500_000, 1_200_000, 4096, 1_100_000] {
                file.append(&content[written..written + length]).unwrap();
                written += length;
                file.flush().unwrap();
                assert_eq!(on.fs.get_file_size(&path).unwrap(), written as u64);
            }
            file.close().unwrap();
            assert!(on.read("f") == content[..written]);
            let mut file = on.fs.reopen_writable_file(&path, &options).unwrap();
            file.append(&content[written..]).unwrap();
            drop(file);
            assert!(on.read("f") == content);
        }
    }
}

fn small_buffers(on: &Subject<'_>) {
    let content = pattern(60_000);
    for writable_file_max_buffer_size in [0, 1, 4096, 10_000] {
        let options = FileOptions { writable_file_max_buffer_size, ..on.options };
        let opened = on.fs.new_writable_file(&on.path("f"), &options);
        if writable_file_max_buffer_size == 0 && options.use_direct_writes {
            let status = opened.expect_err("direct writes need a buffer");
            assert_eq!(status.code(), Code::InvalidArgument, "{status}");
            continue;
        }
        let (mut file, mut written) = (opened.unwrap(), 0);
        for length in [1, 4095, 1, 9_998, 3, 10_000, 20_000, 0, 5] {
            file.append(&content[written..written + length]).unwrap();
            written += length;
            assert_eq!(file.size(), written as u64);
        }
        file.close().unwrap();
        assert!(on.read("f") == content[..written]);
    }
}

fn sync_by_name(on: &Subject<'_>) {
    on.write("f", b"content");
    on.fs.sync_file(&on.path("f")).unwrap();
    assert_eq!(on.read("f"), b"content");
    on.fs.create_dir(&on.path("d")).unwrap();
    expect_refused(on.fs.sync_file(&on.path("d")), &on.path("d"));
    expect_not_found(on.fs.sync_file(&on.path("none")), &on.path("none"));
}

fn kinds_and_space(on: &Subject<'_>) {
    let fs = on.fs;
    on.write("f", b"x");
    fs.create_dir(&on.path("d")).unwrap();
    assert!(fs.is_directory(&on.path("d")).unwrap());
    assert!(!fs.is_directory(&on.path("f")).unwrap());
    expect_not_found(fs.is_directory(&on.path("none")), &on.path("none"));
    expect_refused(fs.is_directory(&on.path("f/g")), Path::new(&on.path("f/g")));
    for name in ["", "f", "d"] {
        assert!(fs.free_space(&on.path(name)).unwrap() > 0);
    }
    expect_not_found(fs.free_space(&on.path("none")), &on.path("none"));
}
