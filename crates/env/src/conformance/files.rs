//! Reading, appending, cutting.

use super::{Case, Subject, expect_not_found, expect_refused, pattern};
use std::thread;

pub(super) const CASES: &[Case] = &[
    ("empty_file", empty_file),
    ("appends", appends),
    ("buffered_until_flush", buffered_until_flush),
    ("new_writable_cuts", new_writable_cuts),
    ("reopen_appends", reopen_appends),
    ("reopen_in_small_steps", reopen_in_small_steps),
    ("drop_flushes", drop_flushes),
    ("random_reads", random_reads),
    ("reads_of_a_growing_file", reads_of_a_growing_file),
    ("sequential_reads", sequential_reads),
    ("skips", skips),
    ("truncates", truncates),
    ("missing_files", missing_files),
    ("directories_are_no_files", directories_are_no_files),
    ("parallel_reads", parallel_reads),
    ("paths_are_kept", paths_are_kept),
    ("modification_time", modification_time),
];

fn empty_file(on: &Subject<'_>) {
    on.write("f", b"");
    assert!(on.exists("f"));
    assert_eq!(on.read("f"), b"");
    let mut byte = [7];
    assert_eq!(on.reader("f").read_at(0, &mut byte).unwrap(), 0);
    assert_eq!(on.sequential("f").read(&mut byte).unwrap(), 0);
    assert_eq!(byte, [7]);
}

fn appends(on: &Subject<'_>) {
    let content = pattern(300_000);
    let mut file = on.writer("f");
    let mut size = 0;
    for length in [0, 1, 4095, 4096, 4097, 65_535, 1, 65_536, 100_000, 3] {
        file.append(&content[size..size + length]).unwrap();
        size += length;
        assert_eq!(file.size(), size as u64);
    }
    file.sync().unwrap();
    assert!(on.read("f") == content[..size]);
    file.append(b"tail").unwrap();
    file.fsync().unwrap();
    assert_eq!(file.size(), size as u64 + 4);
    file.close().unwrap();
    assert!(on.read("f") == [&content[..size], b"tail"].concat());
}

fn buffered_until_flush(on: &Subject<'_>) {
    let mut file = on.writer("f");
    assert!(on.exists("f"), "the name is there before the content");
    for step in 1..=3 {
        file.append(b"record").unwrap();
        file.flush().unwrap();
        assert_eq!(on.read("f"), b"record".repeat(step));
    }
    // Flushing nothing is nothing.
    file.flush().unwrap();
    file.append(b"").unwrap();
    file.flush().unwrap();
    assert_eq!(on.read("f"), b"record".repeat(3));
}

fn new_writable_cuts(on: &Subject<'_>) {
    on.write("f", &pattern(10_000));
    let file = on.writer("f");
    assert_eq!(file.size(), 0);
    assert_eq!(on.read("f"), b"");
    drop(file);
    on.write("f", b"short");
    assert_eq!(on.read("f"), b"short");
}

fn reopen_appends(on: &Subject<'_>) {
    let mut file = on.reopen("f");
    assert_eq!(file.size(), 0, "a missing file is created");
    file.append(b"one").unwrap();
    file.close().unwrap();
    let mut file = on.reopen("f");
    assert_eq!(file.size(), 3);
    file.append(b"two").unwrap();
    file.close().unwrap();
    assert_eq!(on.read("f"), b"onetwo");
    // Opening alone changes nothing.
    drop(on.reopen("f"));
    assert_eq!(on.read("f"), b"onetwo");
}

fn reopen_in_small_steps(on: &Subject<'_>) {
    let content = pattern(40_000);
    let mut size = 0;
    for length in [1, 4094, 1, 1, 4095, 4096, 8192, 5, 10_000, 4096] {
        let mut file = on.reopen("f");
        assert_eq!(file.size(), size as u64);
        file.append(&content[size..size + length]).unwrap();
        size += length;
        file.close().unwrap();
        assert!(on.read("f") == content[..size], "at size {size}");
    }
}

fn drop_flushes(on: &Subject<'_>) {
    let mut file = on.writer("f");
    file.append(b"left in the buffer").unwrap();
    drop(file);
    assert_eq!(on.read("f"), b"left in the buffer");
}

fn random_reads(on: &Subject<'_>) {
    let content = pattern(3 * 4096 + 17);
    on.write("f", &content);
    let file = on.reader("f");
    assert_eq!(file.size().unwrap(), content.len() as u64);
    file.prefetch(0, 4096);
    file.prefetch(u64::MAX, u64::MAX);
    let edges = [0, 1, 4095, 4096, 4097, 12_287, 12_288, 12_304, 12_305, 12_306, 50_000];
    for offset in edges {
        for length in edges {
            let mut buffer = vec![0xee; length];
            let count = file.read_at(offset as u64, &mut buffer).unwrap();
            let start = offset.min(content.len());
            let expected = &content[start..(offset + length).clamp(start, content.len())];
            assert!(&buffer[..count] == expected, "{length} bytes at {offset}");
            assert!(buffer[count..].iter().all(|&byte| byte == 0xee), "bytes past the end");
            let mut buffer = b"before".to_vec();
            assert_eq!(file.read_append(offset as u64, length, &mut buffer).unwrap(), count);
            assert!(buffer == [b"before", expected].concat(), "{length} bytes at {offset}");
        }
    }
    for offset in [u64::MAX, u64::MAX - 1, i64::MAX as u64, i64::MAX as u64 + 1] {
        assert_eq!(file.read_at(offset, &mut [0; 8]).unwrap(), 0, "at {offset}");
        let mut buffer = Vec::new();
        assert_eq!(file.read_append(offset, 8, &mut buffer).unwrap(), 0, "at {offset}");
        assert!(buffer.is_empty(), "at {offset}");
    }
}

fn reads_of_a_growing_file(on: &Subject<'_>) {
    let mut writer = on.writer("f");
    let reader = on.reader("f");
    assert_eq!(reader.read_at(0, &mut [0; 4]).unwrap(), 0);
    writer.append(b"abcd").unwrap();
    writer.flush().unwrap();
    let mut buffer = [0; 8];
    assert_eq!(reader.read_at(0, &mut buffer).unwrap(), 4);
    assert_eq!(&buffer[..4], b"abcd");
    writer.append(b"efghi").unwrap();
    writer.flush().unwrap();
    assert_eq!(reader.size().unwrap(), 9);
    assert_eq!(reader.read_at(1, &mut buffer).unwrap(), 8);
    assert_eq!(&buffer, b"bcdefghi");
}

fn sequential_reads(on: &Subject<'_>) {
    let content = pattern(700_001);
    on.write("f", &content);
    let mut file = on.sequential("f");
    let mut found = Vec::new();
    for length in [1, 0, 4095, 4096, 32_768, 300_000, 13].into_iter().cycle() {
        let mut buffer = vec![0; length];
        let count = file.read(&mut buffer).unwrap();
        found.extend_from_slice(&buffer[..count]);
        if count < length {
            break;
        }
    }
    assert!(found == content);
    assert_eq!(file.read(&mut [0; 10]).unwrap(), 0, "the end stays the end");
}

fn skips(on: &Subject<'_>) {
    let content = pattern(10_000);
    on.write("f", &content);
    let mut file = on.sequential("f");
    let mut buffer = [0; 10];
    file.skip(5).unwrap();
    file.read(&mut buffer).unwrap();
    assert_eq!(buffer, content[5..15]);
    file.skip(0).unwrap();
    file.skip(8000).unwrap();
    file.read(&mut buffer).unwrap();
    assert_eq!(buffer, content[8015..8025]);
    file.skip(1970).unwrap();
    assert_eq!(file.read(&mut buffer).unwrap(), 5, "up to the end");
    file.skip(1).unwrap();
    assert_eq!(file.read(&mut buffer).unwrap(), 0);
    file.skip(u64::MAX).unwrap();
    file.skip(u64::MAX).unwrap();
    assert_eq!(file.read(&mut buffer).unwrap(), 0, "past the end");
}

fn truncates(on: &Subject<'_>) {
    let content = pattern(10_000);
    on.write("f", &content);
    for size in [10_000, 9_999, 4096, 1] {
        on.fs.truncate(&on.path("f"), size as u64).unwrap();
        assert!(on.read("f") == content[..size]);
    }
    on.fs.truncate(&on.path("f"), 5000).unwrap();
    let mut extended = content[..1].to_vec();
    extended.resize(5000, 0);
    assert!(on.read("f") == extended, "what comes back is zeros");
    on.fs.truncate(&on.path("f"), 0).unwrap();
    assert_eq!(on.read("f"), b"");
    let mut file = on.reopen("f");
    file.append(b"again").unwrap();
    file.close().unwrap();
    assert_eq!(on.read("f"), b"again");
}

fn missing_files(on: &Subject<'_>) {
    let fs = on.fs;
    on.write("file", b"x");
    for path in [on.path("nowhere"), on.path("nowhere/f"), on.path("")] {
        let path = if path == on.path("") { on.path("a/b/c") } else { path };
        expect_not_found(fs.new_sequential_file(&path, &on.options), &path);
        expect_not_found(fs.new_random_access_file(&path, &on.options), &path);
        expect_not_found(fs.get_file_size(&path), &path);
        expect_not_found(fs.get_file_modification_time(&path), &path);
        expect_not_found(fs.delete_file(&path), &path);
        expect_not_found(fs.truncate(&path, 0), &path);
        assert!(!fs.file_exists(&path).unwrap());
    }
    let path = on.path("nowhere/f");
    expect_not_found(fs.new_writable_file(&path, &on.options), &path);
    expect_not_found(fs.reopen_writable_file(&path, &on.options), &path);
    // A file where a directory should be.
    let path = on.path("file/f");
    expect_refused(fs.new_random_access_file(&path, &on.options), &path);
    expect_refused(fs.new_writable_file(&path, &on.options), &path);
    assert!(!fs.file_exists(&path).unwrap());
    assert_eq!(on.children(""), ["file"]);
}

fn directories_are_no_files(on: &Subject<'_>) {
    let (fs, path) = (on.fs, on.path("d"));
    fs.create_dir(&path).unwrap();
    expect_refused(fs.new_sequential_file(&path, &on.options), &path);
    expect_refused(fs.new_random_access_file(&path, &on.options), &path);
    expect_refused(fs.new_writable_file(&path, &on.options), &path);
    expect_refused(fs.reopen_writable_file(&path, &on.options), &path);
    expect_refused(fs.get_file_size(&path), &path);
    expect_refused(fs.delete_file(&path), &path);
    expect_refused(fs.truncate(&path, 0), &path);
    assert!(on.exists("d"));
}

fn parallel_reads(on: &Subject<'_>) {
    let content = pattern(200_000);
    on.write("f", &content);
    let file = on.reader("f");
    thread::scope(|scope| {
        for seed in 0..4 {
            let (file, content) = (&file, &content);
            scope.spawn(move || {
                for step in 0..200 {
                    let offset = (step * 7919 + seed * 104_729) % content.len();
                    let length = ((step * 31) % 9000).min(content.len() - offset);
                    let mut buffer = vec![0; length];
                    assert_eq!(file.read_at(offset as u64, &mut buffer).unwrap(), length);
                    assert!(buffer == content[offset..offset + length]);
                }
            });
        }
    });
}

fn paths_are_kept(on: &Subject<'_>) {
    let path = on.path("f");
    assert_eq!(on.writer("f").path(), path);
    assert_eq!(on.reopen("f").path(), path);
    assert_eq!(on.reader("f").path(), path);
    assert_eq!(on.sequential("f").path(), path);
    assert_eq!(on.reader("f").use_direct_io(), on.options.use_direct_reads);
}

fn modification_time(on: &Subject<'_>) {
    on.write("f", b"x");
    let first = on.fs.get_file_modification_time(&on.path("f")).unwrap();
    on.write("f", b"y");
    let second = on.fs.get_file_modification_time(&on.path("f")).unwrap();
    assert!(second >= first);
    assert!(second - first < 3600, "seconds, not something finer: {first} then {second}");
}
