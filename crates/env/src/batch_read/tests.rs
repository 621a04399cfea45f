use super::*;
use crate::fault_injection_fs::FaultError;
use crate::{
    FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, PosixFileSystem,
    allow_io_uring, has_io_uring,
};
use std::path::Path;
use std::sync::Arc;

const SIZE: usize = 300_000;

fn content() -> Vec<u8> {
    (0..SIZE as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u8).collect()
}

fn file(fs: &dyn FileSystem, path: &Path, is_direct: bool) -> Arc<dyn RandomAccessFile> {
    let options = FileOptions::default();
    let mut writer = fs.new_writable_file(path, &options).unwrap();
    writer.append(&content()).unwrap();
    writer.close().unwrap();
    let options = FileOptions { use_direct_reads: is_direct, ..options };
    fs.new_random_access_file(path, &options).unwrap()
}

/// Reads more than a ring takes at once, up to the end of the file and beyond it, and compares.
fn check(files: &[Arc<dyn RandomAccessFile>]) {
    let mut ranges: Vec<(u64, usize)> = (0..70).map(|i| (i * 4099 % 290_000, 4101)).collect();
    ranges.extend([(0, 0), (0, 1), (4096, 4096), (0, SIZE), (SIZE as u64 - 10, 100)]);
    ranges.extend([(SIZE as u64, 10), (1 << 40, 10), (u64::MAX, 10), (u64::MAX - 5000, 4096)]);
    let mut reads: Vec<BatchRead<'_>> = ranges
        .iter()
        .enumerate()
        .map(|(i, &(offset, length))| {
            BatchRead::new(&*files[i % files.len()], offset, length, Vec::new())
        })
        .collect();
    read_batch(&mut reads);
    for (read, (offset, length)) in reads.iter().zip(ranges) {
        let mut expected = Vec::new();
        let found = read.file.read_append(offset, length, &mut expected);
        assert_eq!((&read.found, &read.bytes), (&found, &expected), "{length} at {offset}");
    }
}

#[test]
fn batches_find_what_single_reads_find_with_and_without_a_ring() {
    let directory = tempfile::tempdir().unwrap();
    let (posix, memory) = (PosixFileSystem, MemFileSystem::new());
    let mut files = vec![
        file(&posix, &directory.path().join("buffered"), false),
        file(&memory, Path::new("/memory"), false),
    ];
    let direct = FileOptions { use_direct_reads: true, ..FileOptions::default() };
    let path = directory.path().join("buffered");
    // Not every file system of a machine that runs tests can.
    files.extend(posix.new_random_access_file(&path, &direct));
    println!("io_uring: {}, direct: {}", has_io_uring(), files.len() == 3);
    for is_allowed in [true, false, true] {
        allow_io_uring(is_allowed);
        assert!(is_allowed || !has_io_uring());
        check(&files);
        for one in &files {
            check(std::slice::from_ref(one));
        }
    }
}

#[test]
fn reads_that_fail_fail_alone() {
    let faults = FaultInjectionFileSystem::new(Arc::new(PosixFileSystem));
    let directory = tempfile::tempdir().unwrap();
    let file = file(&faults, &directory.path().join("file"), false);
    for failing in 0..5 {
        faults.plan().fail_operation(failing, FaultError::Io);
        let mut reads: Vec<_> =
            (0..5).map(|i| BatchRead::new(&*file, i * 5000, 4000, Vec::new())).collect();
        read_batch(&mut reads);
        for (number, read) in reads.iter().enumerate() {
            match number as u64 == failing {
                true => assert!(read.found.is_err() && read.bytes.is_empty()),
                false => {
                    let start = number * 5000;
                    assert_eq!(read.found, Ok(4000));
                    assert_eq!(read.bytes, content()[start..start + 4000]);
                }
            }
        }
    }
}
