use super::*;
use crate::clock::ManualClock;
use base::status::Code;

#[test]
fn modification_times_come_from_the_clock() {
    let clock = Arc::new(ManualClock::new(5_000_000));
    let fs = MemFileSystem::with_clock(Arc::clone(&clock) as Arc<dyn SystemClock>);
    let path = Path::new("/f");
    let mut file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
    assert_eq!(fs.get_file_modification_time(path).unwrap(), 5);
    clock.set_micros(7_999_999);
    file.append(b"x").unwrap();
    assert_eq!(fs.get_file_modification_time(path).unwrap(), 5);
    file.flush().unwrap();
    assert_eq!(fs.get_file_modification_time(path).unwrap(), 7);
    fs.create_dir(Path::new("/d")).unwrap();
    assert_eq!(fs.get_file_modification_time(Path::new("/d")).unwrap(), 7);
}

#[test]
fn paths_start_at_the_root() {
    let fs = MemFileSystem::new();
    fs.create_dir(Path::new("db")).unwrap();
    fs.new_writable_file(Path::new("/db/../db/./CURRENT"), &FileOptions::default()).unwrap();
    assert!(fs.file_exists(Path::new("db/CURRENT")).unwrap());
    assert_eq!(fs.get_children(Path::new("/")).unwrap(), ["db"]);
    assert_eq!(fs.get_children(Path::new("..")).unwrap(), ["db"]);
    assert!(fs.get_children(Path::new("")).unwrap_err().is_path_not_found());
    assert!(fs.delete_dir(Path::new("/")).is_err());
}

#[test]
fn direct_io_is_refused_by_name() {
    let fs = MemFileSystem::new();
    let direct =
        FileOptions { use_direct_reads: true, use_direct_writes: true, ..FileOptions::DEFAULT };
    let status = fs.new_writable_file(Path::new("/f"), &direct).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().starts_with("open for writing /f: "), "{status}");
    assert!(!fs.file_exists(Path::new("/f")).unwrap());
}

#[test]
fn a_directory_beside_a_longer_name_keeps_its_own_children() {
    let fs = MemFileSystem::new();
    for name in ["/a", "/a-b", "/a/x", "/a.", "/a/x/y"] {
        fs.create_dir(Path::new(name)).unwrap();
    }
    assert_eq!(fs.get_children(Path::new("/a")).unwrap(), ["x"]);
    fs.rename_file(Path::new("/a"), Path::new("/b")).unwrap();
    assert_eq!(fs.get_children(Path::new("/")).unwrap(), ["a-b", "a.", "b"]);
    assert!(fs.file_exists(Path::new("/b/x/y")).unwrap());
}

#[test]
fn a_size_that_memory_cannot_have_is_an_error() {
    let fs = MemFileSystem::new();
    let path = Path::new("/f");
    fs.new_writable_file(path, &FileOptions::default()).unwrap();
    assert_eq!(fs.truncate(path, u64::MAX).unwrap_err().code(), Code::IoError);
}

fn no_space<T: std::fmt::Debug>(result: Result<T>) -> Status {
    let status = result.unwrap_err();
    assert_eq!(status.code(), Code::IoError, "{status}");
    assert_eq!(status.subcode(), base::status::SubCode::NoSpace, "{status}");
    status
}

#[test]
fn a_full_device_takes_what_fits_and_recovers_after_deletes() {
    let fs = MemFileSystem::new();
    let (first, second) = (Path::new("/first"), Path::new("/second"));
    assert_eq!(fs.free_space(Path::new("/")).unwrap(), u64::MAX);
    fs.set_capacity(100);
    let mut file = fs.new_writable_file(first, &FileOptions::default()).unwrap();
    file.append(&[1; 70]).unwrap();
    file.close().unwrap();
    assert_eq!(fs.free_space(first).unwrap(), 30);

    let mut file = fs.new_writable_file(second, &FileOptions::default()).unwrap();
    file.append(&[2; 40]).unwrap();
    let status = no_space(file.flush());
    assert!(status.message().starts_with("write 40 bytes at offset 0 of /second: "), "{status}");
    assert_eq!(fs.get_file_size(second).unwrap(), 30, "what fits is written");
    assert_eq!(fs.free_space(second).unwrap(), 0);
    no_space(file.append(&[3]));
    no_space(file.close());
    no_space(fs.truncate(second, 31));

    // Names need no space, and content over content needs none.
    fs.create_dir(Path::new("/d")).unwrap();
    let options = FileOptions::default();
    let mut file = fs.reuse_writable_file(Path::new("/third"), first, &options).unwrap();
    file.append(&[4; 70]).unwrap();
    file.flush().unwrap();
    file.append(&[4]).unwrap();
    no_space(file.flush());
    drop(file);

    fs.delete_file(second).unwrap();
    assert_eq!(fs.free_space(Path::new("/d")).unwrap(), 30);
    let mut file = fs.reopen_writable_file(Path::new("/third"), &options).unwrap();
    file.append(&[5; 30]).unwrap();
    file.close().unwrap();
    assert_eq!(fs.free_space(Path::new("/d")).unwrap(), 0);
    fs.truncate(Path::new("/third"), 10).unwrap();
    assert_eq!(fs.free_space(Path::new("/d")).unwrap(), 90);
    fs.set_capacity(5);
    assert_eq!(fs.free_space(Path::new("/d")).unwrap(), 0);
    fs.set_capacity(u64::MAX);
    fs.truncate(Path::new("/third"), 1000).unwrap();
}

#[test]
fn deleted_files_keep_their_space_while_open() {
    let fs = MemFileSystem::new();
    fs.set_capacity(10);
    let path = Path::new("/f");
    let mut file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
    file.append(&[1; 10]).unwrap();
    file.flush().unwrap();
    fs.delete_file(path).unwrap();
    assert_eq!(fs.free_space(Path::new("/")).unwrap(), 0);
    drop(file);
    assert_eq!(fs.free_space(Path::new("/")).unwrap(), 10);
}
