use super::*;
use crate::aligned_buffer::AlignedBuffer;
use base::status::Code;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::{env, ffi};

fn posix() -> &'static PosixFileSystem {
    &PosixFileSystem
}

const DIRECT: FileOptions =
    FileOptions { use_direct_reads: true, use_direct_writes: true, ..FileOptions::DEFAULT };

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i / 7 + i * 31) as u8).collect()
}

#[test]
fn one_shared_instance() {
    assert!(Arc::ptr_eq(&PosixFileSystem::shared(), &default_file_system()));
}

#[test]
fn files_that_are_expected_have_room_for_their_descriptors() {
    posix().expect_open_files(300);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("FDSize:")).unwrap();
    assert!(size.trim().parse::<u64>().unwrap() > 300, "{size}");
    // Any number will do.
    posix().expect_open_files(0);
    posix().expect_open_files(usize::MAX);
}

#[test]
fn a_file_knows_its_size_from_when_it_was_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000009.sst");
    for options in [FileOptions::default(), DIRECT] {
        fs::write(&path, [b'a'; 5000]).unwrap();
        // Not every file system reads directly.
        let Ok(file) = posix().new_random_access_file(&path, &options) else { continue };
        fs::write(&path, [b'a'; 7000]).unwrap();
        assert_eq!((file.size_when_opened(), file.size()), (Ok(5000), Ok(7000)));
    }
}

#[test]
fn a_pipe_is_refused_and_does_not_block() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000009.sst");
    let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::from(0o644));
    rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).unwrap();
    let options = FileOptions::default();
    let status = posix().new_random_access_file(&path, &options).unwrap_err();
    assert!(status.message().ends_with("000009.sst: not a regular file"), "{status}");
    assert!(posix().new_sequential_file(&path, &options).is_err());
}

#[test]
fn no_permission_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
    match posix().new_random_access_file(&path, &FileOptions::default()) {
        Ok(_) => println!("skipped: this user may read everything"),
        Err(status) => {
            assert_eq!(status.code(), Code::IoError);
            assert!(status.message().contains("Permission denied"), "{status}");
            assert!(!status.is_path_not_found());
        }
    }
}

#[test]
fn names_that_are_not_utf8_are_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a"), "").unwrap();
    let odd = directory.path().join(ffi::OsStr::from_bytes(b"b\xff"));
    fs::write(odd, "").unwrap();
    assert_eq!(posix().get_children(directory.path()).unwrap(), ["a"]);
}

#[test]
fn a_lock_is_known_under_every_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("LOCK");
    let lock = posix().lock_file(&path).unwrap();
    let status = posix().lock_file(&path).unwrap_err();
    assert_eq!(status.code(), Code::IoError);
    assert!(status.message().contains("this process holds it already"), "{status}");

    let other = directory.path().join("other");
    symlink(directory.path(), &other).unwrap();
    assert!(posix().lock_file(&other.join("LOCK")).is_err());
    let linked = directory.path().join("LINKED");
    posix().link_file(&path, &linked).unwrap();
    assert!(posix().lock_file(&linked).is_err());
    // The refusals above must not have given the lock up: another process is still kept out.
    assert!(!flock_from_outside(&path));

    posix().delete_file(&path).unwrap();
    assert!(posix().lock_file(&path).is_err(), "the name is locked, though the file is gone");
    drop(lock);
    let lock = posix().lock_file(&path).unwrap();
    assert!(!flock_from_outside(&path));
    drop(lock);
    assert!(flock_from_outside(&path));
}

const LOCK_VARIABLE: &str = "TOUCHSTONE_ENV_TEST_LOCK";

/// Whether another process, this binary running the test below, can lock the file.
fn flock_from_outside(path: &Path) -> bool {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "posix::tests::child_takes_the_lock", "--ignored"])
        .env(LOCK_VARIABLE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

#[test]
#[ignore = "run by a_lock_is_known_under_every_name in a process of its own"]
fn child_takes_the_lock() {
    let path = PathBuf::from(env::var_os(LOCK_VARIABLE).unwrap());
    if let Err(status) = posix().lock_file(&path) {
        let holder = rustix::process::getppid().unwrap().as_raw_nonzero();
        assert!(status.message().ends_with(&format!("process {holder} holds it")), "{status}");
        panic!("{status}");
    }
}

/// A directory whose file system takes `O_DIRECT`, or none, and why.
fn direct_directory() -> Option<tempfile::TempDir> {
    let directory = tempfile::tempdir().unwrap();
    match posix().new_writable_file(&directory.path().join("probe"), &DIRECT) {
        Ok(_) => Some(directory),
        Err(status) => {
            assert_eq!(status.code(), Code::InvalidArgument);
            assert!(status.message().contains("O_DIRECT"), "{status}");
            println!("skipped: {status}");
            None
        }
    }
}

#[test]
fn a_file_system_without_direct_io_is_named() {
    let path = Path::new("/proc/self/status");
    if !path.exists() {
        println!("skipped: no /proc");
        return;
    }
    let status = posix().new_random_access_file(path, &DIRECT).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().starts_with("open for reading /proc/self/status: "), "{status}");
    assert!(status.message().ends_with("(O_DIRECT)"), "{status}");
}

#[test]
fn direct_reads_take_any_offset_and_length() {
    let Some(directory) = direct_directory() else { return };
    let path = directory.path().join("f");
    let content = pattern(3 * 4096 + 1234);
    fs::write(&path, &content).unwrap();
    let file = posix().new_random_access_file(&path, &DIRECT).unwrap();
    assert!(file.use_direct_io());
    let edges = [0, 1, 511, 512, 4095, 4096, 4097, 8191, 8192, 12288, 13521, 13522, 13523, 20000];
    for offset in edges {
        for length in edges {
            let start = offset.min(content.len());
            let expected = &content[start..(offset + length).clamp(start, content.len())];
            // One byte after a block's start, so that nothing is read straight into it.
            let mut room = AlignedBuffer::new(length + 1);
            let buffer = &mut room.bytes_mut()[1..=length];
            buffer.fill(0xee);
            let count = file.read_at(offset as u64, buffer).unwrap();
            assert_eq!(&buffer[..count], expected, "{length} bytes at {offset}");
            assert!(buffer[count..].iter().all(|&byte| byte == 0xee));
            // From a block's start on: the rest of the file's last block may be written too.
            let buffer = &mut room.bytes_mut()[..length];
            let count = file.read_at(offset as u64, buffer).unwrap();
            assert_eq!(&buffer[..count], expected, "{length} bytes at {offset}, aligned");
        }
    }
    assert_eq!(file.read_at(u64::MAX, &mut [0]).unwrap(), 0);
}

#[test]
fn direct_reads_longer_than_a_chunk() {
    let Some(directory) = direct_directory() else { return };
    let path = directory.path().join("f");
    let content = pattern((5 << 19) + 77);
    fs::write(&path, &content).unwrap();
    let file = posix().new_random_access_file(&path, &DIRECT).unwrap();
    let mut buffer = vec![0; content.len()];
    assert_eq!(file.read_at(5, &mut buffer).unwrap(), content.len() - 5);
    assert_eq!(buffer[..content.len() - 5], content[5..]);
    // Straight into aligned memory.
    let mut aligned = AlignedBuffer::new(2 << 20);
    assert_eq!(file.read_at(4096, aligned.bytes_mut()).unwrap(), 2 << 20);
    assert_eq!(aligned.bytes(), &content[4096..4096 + (2 << 20)]);

    let mut sequential = posix().new_sequential_file(&path, &DIRECT).unwrap();
    let mut found = Vec::new();
    for length in [1, 4095, 300_000, 7, 262_144].into_iter().cycle() {
        let mut piece = vec![0; length];
        let count = sequential.read(&mut piece).unwrap();
        found.extend_from_slice(&piece[..count]);
        if count < length {
            break;
        }
    }
    assert!(found == content);
}

#[test]
fn direct_writes_leave_the_exact_size_and_content() {
    for is_synced_when_complete in [false, true] {
        check_direct_writes(&FileOptions { is_synced_when_complete, ..DIRECT });
    }
}

fn check_direct_writes(options: &FileOptions) {
    let Some(directory) = direct_directory() else { return };
    let path = directory.path().join("f");
    let content = pattern((4 << 20) + (1 << 19));
    let mut written = 0;
    let mut file = posix().new_writable_file(&path, options).unwrap();
    for (step, length) in
        [1, 4094, 1, 4096, 10, 100_000, 8192, 4 << 20, 5000].into_iter().enumerate()
    {
        file.append(&content[written..written + length]).unwrap();
        written += length;
        assert_eq!(file.size(), written as u64);
        match step % 4 {
            0 => file.flush().unwrap(),
            1 => file.sync().unwrap(),
            2 => {
                file.close().unwrap();
                file = posix().reopen_writable_file(&path, options).unwrap();
                assert_eq!(file.size(), written as u64);
            }
            _ => continue,
        }
        assert!(fs::read(&path).unwrap() == content[..written], "after {length} bytes");
    }
    drop(file);
    assert!(fs::read(&path).unwrap() == content[..written]);
}

/// A file on a device that is full, written as direct ones are that a thread writes behind.
fn full_device() -> Option<DirectWritableFile> {
    let path = Path::new("/dev/full");
    let file = File::options().write(true).open(path).ok()?;
    let options = FileOptions { is_synced_when_complete: true, ..DIRECT };
    Some(DirectWritableFile::new(PosixFile::new(file, path), 0, &options).unwrap())
}

#[test]
fn what_was_written_behind_fails_the_next_operation() {
    let content = vec![b'x'; DIRECT.writable_file_max_buffer_size];
    let operations: [fn(&mut DirectWritableFile) -> Result<()>; 4] = [
        |file| file.append(&vec![b'y'; DIRECT.writable_file_max_buffer_size]),
        |file| file.flush(),
        |file| file.sync(),
        |file| file.fsync(),
    ];
    for operation in operations {
        let Some(mut file) = full_device() else {
            println!("skipped: no /dev/full");
            return;
        };
        file.append(&content).unwrap();
        let status = operation(&mut file).unwrap_err();
        assert_eq!(status.subcode(), base::status::SubCode::NoSpace);
        let expected = format!("write {} bytes at offset 0 of /dev/full: ", content.len());
        assert!(status.message().starts_with(&expected), "{status}");
        assert!(file.append(b"y").is_err() && file.flush().is_err());
    }
    let mut file = full_device().unwrap();
    file.append(&content).unwrap();
    assert!(Box::new(file).close().is_err());
}

#[test]
fn bytes_written_behind_are_counted_in_the_thread_of_the_file() {
    let Some(directory) = direct_directory() else { return };
    let options = FileOptions { is_synced_when_complete: true, ..DIRECT };
    let path = directory.path().join("f");
    let mut file = posix().new_writable_file(&path, &options).unwrap();
    perf_context::reset_io_stats_context();
    file.append(&pattern(3 << 20)).unwrap();
    file.sync().unwrap();
    assert_eq!(perf_context::io_stats_context().get(IoMetric::BytesWritten), 3 << 20);
}

#[test]
fn a_failed_write_fails_all_later_ones() {
    let path = Path::new("/dev/full");
    if !path.exists() {
        println!("skipped: no /dev/full");
        return;
    }
    let mut file = posix().reopen_writable_file(path, &FileOptions::default()).unwrap();
    file.append(b"x").unwrap();
    let status = file.flush().unwrap_err();
    assert_eq!(status.subcode(), base::status::SubCode::NoSpace);
    assert!(status.message().starts_with("write 1 bytes at offset 0 of /dev/full: "), "{status}");
    for status in [file.append(b"y").unwrap_err(), file.flush().unwrap_err()] {
        assert!(status.message().contains("an earlier operation on it failed"), "{status}");
    }
    assert!(file.close().is_err());
}

#[test]
fn sizes_of_appends_around_the_buffer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    let content = pattern(400_000);
    let mut file = posix().new_writable_file(&path, &FileOptions::default()).unwrap();
    let mut written = 0;
    for length in [0, 1, 65_535, 1, 65_536, 65_537, 30_000, 40_000, 100_000] {
        file.append(&content[written..written + length]).unwrap();
        written += length;
        assert_eq!(file.size(), written as u64);
    }
    file.close().unwrap();
    assert!(fs::read(&path).unwrap() == content[..written]);
}

/// Bytes that the file has on the device.
fn allocated(path: &Path) -> u64 {
    fs::metadata(path).unwrap().blocks() * 512
}

#[test]
fn reserved_room_is_given_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000004.log");
    let options = FileOptions { preallocation_block_size: 8 << 20, ..FileOptions::DEFAULT };
    let mut file = posix().new_writable_file(&path, &options).unwrap();
    file.append(b"record").unwrap();
    file.flush().unwrap();
    assert_eq!(posix().get_file_size(&path).unwrap(), 6);
    let reserved = allocated(&path) >= 8 << 20;
    if !reserved {
        println!("this file system reserves nothing");
    }
    file.close().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"record");
    assert!(allocated(&path) < 1 << 20, "{} bytes are still taken", allocated(&path));

    // A reused file keeps what it had, and gives back what was reserved behind it.
    fs::write(&path, pattern(3 << 20)).unwrap();
    let new_path = directory.path().join("000009.log");
    let mut file = posix().reuse_writable_file(&new_path, &path, &options).unwrap();
    file.append(b"record").unwrap();
    drop(file);
    assert_eq!(posix().get_file_size(&new_path).unwrap(), 3 << 20);
    assert!(allocated(&new_path) < 4 << 20, "{} bytes are still taken", allocated(&new_path));

    let refused = FileOptions { allow_fallocate: false, ..options };
    let mut file = posix().new_writable_file(&path, &refused).unwrap();
    file.append(b"record").unwrap();
    file.flush().unwrap();
    assert!(allocated(&path) < 1 << 20, "nothing was to be reserved");
}

#[test]
fn hints_to_a_device_without_pages_are_no_error() {
    let path = Path::new("/dev/null");
    let options =
        FileOptions { bytes_per_sync: 1, preallocation_block_size: 4096, ..FileOptions::DEFAULT };
    let mut file = posix().reopen_writable_file(path, &options).unwrap();
    file.append(&[0; 3 << 20]).unwrap();
    file.flush().unwrap();
    file.range_sync(0, 4096).unwrap();
    file.allocate(0, 4096).unwrap();
    file.close().unwrap();
}

/// Whether the page cache has the byte at `offset`.
fn is_cached(file: &File, offset: u64) -> bool {
    let mut byte = [0];
    let buffers = &mut [io::IoSliceMut::new(&mut byte)];
    rustix::io::preadv2(file, buffers, offset, rustix::io::ReadWriteFlags::NOWAIT).is_ok()
}

#[test]
fn what_is_read_at_random_brings_nothing_else_into_memory() {
    // Beside the build's output, which is seldom in memory alone.
    let program = env::current_exe().unwrap();
    let directory = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    for (is_read_at_random, brings_more) in [(false, true), (true, false)] {
        let path = directory.path().join(is_read_at_random.to_string());
        fs::write(&path, pattern(1 << 20)).unwrap();
        let plain = File::open(&path).unwrap();
        plain.sync_all().unwrap();
        rustix::fs::fadvise(&plain, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        if is_cached(&plain, 0) {
            // It has no device that it could be read from again.
            return;
        }
        let options = FileOptions { is_read_at_random, ..FileOptions::DEFAULT };
        let file = posix().new_random_access_file(&path, &options).unwrap();
        // One page behind the other, which looks like a scan.
        for offset in [512 << 10, (512 << 10) + 4096] {
            file.read_at(offset, &mut [0]).unwrap();
            assert!(is_cached(&plain, offset));
        }
        assert_eq!(is_cached(&plain, (512 << 10) + 8192), brings_more, "{options:?}");
    }
}

const MANY_FILES_VARIABLE: &str = "TOUCHSTONE_ENV_TEST_MANY_FILES";

/// In a process of its own, since other tests need descriptors too.
#[test]
fn too_many_open_files_is_said_with_the_name() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 30 && exec \"$@\"", "sh"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "posix::tests::child_opens_many_files", "--ignored"])
        .env(MANY_FILES_VARIABLE, directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[ignore = "run by too_many_open_files_is_said_with_the_name with few descriptors"]
fn child_opens_many_files() {
    let directory = PathBuf::from(env::var_os(MANY_FILES_VARIABLE).unwrap());
    let path = directory.join("000007.sst");
    fs::write(&path, "x").unwrap();
    let mut open = Vec::new();
    let status = loop {
        match posix().new_random_access_file(&path, &FileOptions::DEFAULT) {
            Ok(file) => open.push(file),
            Err(status) => break status,
        }
        assert!(open.len() < 100);
    };
    assert_eq!(status.code(), Code::IoError);
    let expected = format!("open for reading {}: Too many open files", path.display());
    assert!(status.message().starts_with(&expected), "{status}");
    let new = directory.join("000008.log");
    for status in [
        posix().new_writable_file(&new, &FileOptions::DEFAULT).unwrap_err(),
        posix().get_children(&directory).unwrap_err(),
        posix().lock_file(&directory.join("LOCK")).unwrap_err(),
        posix().new_directory(&directory).map(|_| ()).unwrap_err(),
    ] {
        assert!(status.message().contains("Too many open files"), "{status}");
        assert!(status.message().contains(directory.to_str().unwrap()), "{status}");
    }
    drop(open);
    posix().new_writable_file(&new, &FileOptions::DEFAULT).unwrap();
}

/// What reads and writes of files count in their thread.
#[test]
fn files_count_in_the_thread_that_uses_them() {
    use perf_context::{IoMetric, PerfLevel, PerfMetric, io_stats_context, perf_context};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let fs = PosixFileSystem;
    perf_context::reset_perf_context();
    perf_context::reset_io_stats_context();
    perf_context::set_perf_level(PerfLevel::EnableTimeAndCpuTimeExceptForMutex);
    let mut file = fs.new_writable_file(&path, &FileOptions::default()).unwrap();
    file.append(&[7; 10_000]).unwrap();
    file.fsync().unwrap();
    file.close().unwrap();
    let file = fs.new_random_access_file(&path, &FileOptions::default()).unwrap();
    assert_eq!(file.read_at(5_000, &mut [0; 20_000]).unwrap(), 5_000);
    let other = directory.path().join("other");
    fs.rename_file(&path, &other).unwrap();
    fs.link_file(&other, &path).unwrap();
    fs.get_file_modification_time(&path).unwrap();
    fs.create_dir(&directory.path().join("directory")).unwrap();
    fs.delete_dir(&directory.path().join("directory")).unwrap();
    perf_context::set_perf_level(PerfLevel::EnableCount);
    let io = io_stats_context();
    assert_eq!(io.get(IoMetric::BytesWritten), 10_000);
    assert_eq!(io.get(IoMetric::BytesRead), 5_000);
    for metric in [
        IoMetric::OpenNanos,
        IoMetric::WriteNanos,
        IoMetric::ReadNanos,
        IoMetric::FsyncNanos,
        IoMetric::PrepareWriteNanos,
        IoMetric::CpuReadNanos,
        IoMetric::CpuWriteNanos,
    ] {
        assert!(io.get(metric) > 0, "{}", metric.name());
    }
    for metric in [
        PerfMetric::EnvNewWritableFileNanos,
        PerfMetric::EnvNewRandomAccessFileNanos,
        PerfMetric::EnvRenameFileNanos,
        PerfMetric::EnvLinkFileNanos,
        PerfMetric::EnvGetFileModificationTimeNanos,
        PerfMetric::EnvCreateDirNanos,
        PerfMetric::EnvDeleteDirNanos,
    ] {
        assert!(perf_context().get(metric) > 0, "{}", metric.name());
    }
}

const MAPPED: FileOptions = FileOptions { use_mapped_writes: true, ..FileOptions::DEFAULT };

/// A directory where files are mapped: for temporary files, or beside this program. None without one.
pub(super) fn mappable_directory() -> Option<tempfile::TempDir> {
    let program = env::current_exe().unwrap();
    for place in [&*env::temp_dir(), program.parent().unwrap()] {
        let Ok(directory) = tempfile::tempdir_in(place) else { continue };
        let file = posix().new_writable_file(&directory.path().join("tried"), &MAPPED).unwrap();
        if file.mapped_size().is_some() {
            return Some(directory);
        }
    }
    println!("skipped: files are mapped neither in {:?} nor beside {program:?}", env::temp_dir());
    None
}

#[test]
fn files_are_mapped_on_ext4_alone() {
    for place in [env::temp_dir(), PathBuf::from("/dev/shm")] {
        let Ok(directory) = tempfile::tempdir_in(&place) else { continue };
        let found = rustix::fs::statfs(directory.path()).unwrap();
        let path = directory.path().join("000004.log");
        let mut file = posix().new_writable_file(&path, &MAPPED).unwrap();
        assert_eq!(file.mapped_size().is_some(), found.f_type as u64 == 0xef53, "{place:?}");
        file.append(b"record").unwrap();
        file.close().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"record");
        // Room that may not be reserved may turn out to be missing.
        let options = FileOptions { allow_fallocate: false, ..MAPPED };
        let file = posix().new_writable_file(&path, &options).unwrap();
        assert_eq!(file.mapped_size(), None);
    }
}

/// What was appended is in the file though nothing handed it over, and no window leaves anything
/// behind when it is passed.
#[test]
fn a_mapped_file_needs_no_flush() {
    let Some(directory) = mappable_directory() else { return };
    let path = directory.path().join("000004.log");
    let content = pattern(5_000_000);
    let mut file = posix().new_writable_file(&path, &MAPPED).unwrap();
    for piece in content.chunks(777) {
        file.append(piece).unwrap();
    }
    // As a process leaves it that is killed.
    std::mem::forget(file);
    let found = fs::read(&path).unwrap();
    assert!(found[..content.len()] == content);
    assert!(found[content.len()..].iter().all(|byte| *byte == 0));
    assert!(found.len() < content.len() + (5 << 20));
}

/// Pages are prepared for small appends alone, and what counts is how large they are of late.
#[test]
fn a_mapped_file_of_large_appends_is_written_to() {
    let Some(directory) = mappable_directory() else { return };
    let options = FileOptions { mapped_append_size_max: 768, ..MAPPED };
    let content = pattern(3_000_000);
    for (small, large, is_mapped) in [(100, 768, true), (100, 1000, false), (40_000, 40_000, false)]
    {
        let path = directory.path().join(format!("{large}.log"));
        let mut file = posix().new_writable_file(&path, &options).unwrap();
        let (first, rest) = content.split_at(if small < 768 { 1_000_000 } else { 0 });
        for piece in first.chunks(small) {
            file.append(piece).unwrap();
        }
        assert!(file.mapped_size().is_some());
        for piece in rest.chunks(large) {
            file.append(piece).unwrap();
        }
        assert_eq!(file.mapped_size().is_some(), is_mapped, "{large}");
        assert_eq!(file.size(), content.len() as u64);
        file.flush().unwrap();
        let size = fs::metadata(&path).unwrap().len();
        assert_eq!(size > content.len() as u64, is_mapped, "{large}: {size}");
        file.close().unwrap();
        assert!(fs::read(&path).unwrap() == content, "{large}");
    }
}

/// A sync of a file that is synced often writes little more than was stored.
#[test]
fn pages_are_prepared_in_pieces() {
    let directory = tempfile::tempdir().unwrap();
    for is_synced_often in [false, true] {
        let path = directory.path().join("000004.log");
        let mut file =
            posix().new_writable_file(&path, &FileOptions { is_synced_often, ..MAPPED }).unwrap();
        let content = pattern(700_000);
        for piece in content.chunks(1000) {
            file.append(piece).unwrap();
            file.sync().unwrap();
        }
        file.close().unwrap();
        assert!(fs::read(&path).unwrap() == content);
    }
}

/// Only what is allocated is stored to: a limit of the file's size is an error of a write, in a new
/// file and in one that is written over another.
#[test]
fn room_that_cannot_be_had_is_an_error_and_no_signal() {
    for old_size in [None, Some(10), Some(70_000), Some(200_000)] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("000004.log");
        if let Some(size) = old_size {
            fs::write(path.with_extension("old"), vec![b'o'; size]).unwrap();
        }
        let program = env::current_exe().unwrap();
        let script = "ulimit -f 256; trap '' XFSZ; exec \"$@\"";
        let status = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(program)
            .args(["--exact", "posix::tests::append_until_it_fails", "--ignored"])
            .env("APPEND_TO", &path)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{status}, {old_size:?}");
        let found = fs::read(&path).unwrap();
        assert!(found.len() > 100_000, "{} bytes, {old_size:?}", found.len());
        assert!(found.iter().all(|byte| *byte == b'x'), "{old_size:?}");
    }
}

#[test]
#[ignore = "run by another test, with a limit"]
fn append_until_it_fails() {
    let Some(path) = env::var_os("APPEND_TO").map(PathBuf::from) else { return };
    let old = path.with_extension("old");
    let mut file = match old.exists() {
        true => posix().reuse_writable_file(&path, &old, &MAPPED).unwrap(),
        false => posix().new_writable_file(&path, &MAPPED).unwrap(),
    };
    let mut size = 0;
    while size < 10_000_000 {
        if file.append(&[b'x'; 1000]).and_then(|()| file.flush()).is_err() {
            assert_eq!(file.mapped_size(), None, "it went on as one that is written to");
            return;
        }
        size += 1000;
    }
    panic!("the limit had no effect");
}
