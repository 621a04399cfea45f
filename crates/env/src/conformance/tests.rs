use super::*;
use crate::{FaultInjectionFileSystem, MemFileSystem, PosixFileSystem};

const BUFFERED: FileOptions = FileOptions::DEFAULT;
const DIRECT: FileOptions =
    FileOptions { use_direct_reads: true, use_direct_writes: true, ..FileOptions::DEFAULT };

/// Runs the suite with direct I/O, or says why not.
fn run_direct(fs: &dyn FileSystem, root: &Path) {
    match fs.new_writable_file(&root.join("probe"), &DIRECT) {
        Ok(_) => run(fs, root, &DIRECT),
        Err(status) => {
            assert_eq!(status.code(), Code::InvalidArgument, "{status}");
            println!("skipped: {status}");
        }
    }
}

#[test]
fn posix_buffered() {
    let root = tempfile::tempdir().unwrap();
    run(&PosixFileSystem, root.path(), &BUFFERED);
}

#[test]
fn posix_direct() {
    let root = tempfile::tempdir().unwrap();
    run_direct(&PosixFileSystem, root.path());
}

#[test]
fn posix_mixed() {
    let root = tempfile::tempdir().unwrap();
    if PosixFileSystem.new_writable_file(&root.path().join("probe"), &DIRECT).is_err() {
        println!("skipped: no direct I/O in {}", root.path().display());
        return;
    }
    for direct_reads in [false, true] {
        let options = FileOptions {
            use_direct_reads: direct_reads,
            use_direct_writes: !direct_reads,
            ..BUFFERED
        };
        let below = root.path().join(direct_reads.to_string());
        PosixFileSystem.create_dir(&below).unwrap();
        run(&PosixFileSystem, &below, &options);
    }
}

#[test]
fn memory() {
    run(&MemFileSystem::new(), Path::new("/"), &BUFFERED);
}

#[test]
fn faultless_posix_buffered() {
    let root = tempfile::tempdir().unwrap();
    let fs = FaultInjectionFileSystem::new(PosixFileSystem::shared());
    run(&fs, root.path(), &BUFFERED);
}

#[test]
fn faultless_posix_direct() {
    let root = tempfile::tempdir().unwrap();
    run_direct(&FaultInjectionFileSystem::new(PosixFileSystem::shared()), root.path());
}

#[test]
fn faultless_memory() {
    let fs = FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new()));
    run(&fs, Path::new("/"), &BUFFERED);
}
