use super::*;
use crate::fault_injection_fs::FaultError;
use crate::io_ring::faults::{self, Fault};
use crate::{
    FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, PosixFileSystem,
    allow_io_uring, has_io_uring,
};
use rustix::io::{ReadWriteFlags, preadv2};
use std::io::IoSliceMut;
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
    let _turn = faults::turn();
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
    for (is_allowed, are_pages_hidden) in [(true, false), (false, false), (true, true)] {
        allow_io_uring(is_allowed);
        faults::hide_pages(are_pages_hidden);
        assert!(is_allowed || !has_io_uring());
        check(&files);
        for one in &files {
            check(std::slice::from_ref(one));
        }
    }
    faults::hide_pages(false);
}

#[test]
fn what_is_in_the_page_cache_needs_no_ring() {
    let _turn = faults::turn();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let file = file(&PosixFileSystem, &path, false);
    allow_io_uring(true);
    // Not every file system tells what it has in memory.
    let memory = &mut [0; 4000];
    let opened = File::open(&path).unwrap();
    let told = preadv2(opened, &mut [IoSliceMut::new(memory)], 0, ReadWriteFlags::NOWAIT);
    let needs_ring = has_io_uring() && told != Ok(4000);
    let mut reads: Vec<_> =
        (0..5).map(|i| BatchRead::new(&*file, i * 5000, 4000, Vec::new())).collect();
    faults::inject(&[Fault::Result(1, -EIO)]);
    faults::hide_pages(false);
    read_batch(&mut reads);
    assert_eq!(faults::left().is_empty(), needs_ring, "it comes about in a ring");
    faults::inject(&[]);
    for (number, read) in reads.iter().enumerate() {
        assert_eq!(read.found, Ok(4000));
        assert_eq!(read.bytes, content()[number * 5000..number * 5000 + 4000]);
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

/// Five reads of a file, with faults between the kernel and them: each finds what it would alone. Returns how
/// many buffers were given up; none if this machine has no rings.
fn read_with(faults: &[Fault], is_direct: bool) -> Option<usize> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let mut file = file(&PosixFileSystem, &path, false);
    if is_direct {
        let options = FileOptions { use_direct_reads: true, ..FileOptions::default() };
        file = PosixFileSystem.new_random_access_file(&path, &options).ok()?;
    }
    allow_io_uring(true);
    if !has_io_uring() {
        return None;
    }
    faults::inject(faults);
    let mut reads: Vec<_> =
        (0..5).map(|i| BatchRead::new(&*file, i * 5000 + 1, 4000, Vec::new())).collect();
    read_batch(&mut reads);
    assert_eq!(faults::left(), [], "came about");
    for (number, read) in reads.iter().enumerate() {
        let start = number * 5000 + 1;
        assert_eq!(read.found, Ok(4000), "{faults:?}: {number}");
        assert_eq!(read.bytes, content()[start..start + 4000], "{faults:?}: {number}");
    }
    Some(faults::forgotten())
}

const EIO: i32 = 5;
const EINTR: i32 = 4;
const EAGAIN: i32 = 11;
const EBADF: i32 = 9;

#[test]
fn reads_that_the_kernel_fails_or_cuts_short_are_read_again_alone() {
    let _turn = faults::turn();
    for is_direct in [false, true] {
        for number in 0..5 {
            for result in [-EIO, -EINTR, -EAGAIN, 0, 1, 3999, i32::MIN] {
                let forgotten = read_with(&[Fault::Result(number, result)], is_direct);
                assert!(forgotten.is_none_or(|count| count == 0), "{result}");
            }
        }
        let all: Vec<_> = (0..5).map(|number| Fault::Result(number, -EIO)).collect();
        read_with(&all, is_direct);
        assert!(!has_lost_its_ring(), "a ring whose reads fail goes on");
    }
}

/// Whether rings are not used any more, on a machine that has them.
fn has_lost_its_ring() -> bool {
    let is_used = has_io_uring();
    allow_io_uring(true);
    !is_used && has_io_uring()
}

#[test]
fn a_signal_while_reads_are_handed_over_has_them_handed_over_again() {
    let _turn = faults::turn();
    for error in [EINTR, EAGAIN] {
        let forgotten = read_with(&[Fault::Submit(error); 3], false);
        assert!(forgotten.is_none_or(|count| count == 0), "{error}");
        assert!(!has_lost_its_ring(), "{error}");
    }
}

#[test]
fn what_the_kernel_may_yet_write_to_is_given_up_and_the_ring_with_it() {
    let _turn = faults::turn();
    for number in 0..5 {
        if let Some(forgotten) = read_with(&[Fault::Lost(number)], false) {
            assert_eq!(forgotten, 1, "the others came back");
            assert!(has_lost_its_ring(), "the next batch would take {number} for its own");
        }
    }
    if let Some(forgotten) = read_with(&[Fault::Submit(EBADF)], false) {
        assert_eq!(forgotten, 5, "none came back");
        assert!(has_lost_its_ring());
    }
}

#[test]
fn a_batch_is_read_one_by_one_where_no_ring_is_to_be_had() {
    let _turn = faults::turn();
    // A thread that has no ring yet.
    let refused = std::thread::spawn(|| {
        let directory = tempfile::tempdir().unwrap();
        let file = file(&PosixFileSystem, &directory.path().join("file"), false);
        allow_io_uring(true);
        faults::inject(&[Fault::Refused]);
        check(&[file]);
        let is_refused = !has_io_uring();
        faults::inject(&[]);
        // It is not asked again until somebody allows it.
        is_refused && !has_io_uring()
    });
    assert!(refused.join().unwrap());
    allow_io_uring(true);
}

/// The memory of this process has nothing at its beginning, which the kernel says in a ring as well; the
/// error is that of a read alone and says where.
#[test]
fn an_error_of_the_kernel_names_file_and_offset() {
    let _turn = faults::turn();
    let directory = tempfile::tempdir().unwrap();
    let good = file(&PosixFileSystem, &directory.path().join("file"), false);
    let (path, options) = (Path::new("/proc/self/mem"), FileOptions::default());
    let bad = PosixFileSystem.new_random_access_file(path, &options).unwrap();
    allow_io_uring(true);
    let mut reads =
        [&good, &bad, &good].map(|file| BatchRead::new(&**file, 8192, 4000, Vec::new()));
    read_batch(&mut reads);
    let error = reads[1].found.clone().unwrap_err().to_string();
    assert!(error.contains("/proc/self/mem") && error.contains("8192"), "{error}");
    assert!(reads[1].bytes.is_empty());
    for read in [&reads[0], &reads[2]] {
        assert_eq!(read.found, Ok(4000));
        assert_eq!(read.bytes, content()[8192..12192]);
    }
}
