//! The lock that keeps two processes out of one database: `fcntl` on the whole file, as RocksDB
//! takes it, so that either engine keeps the other out.
//!
//! Such a lock belongs to the process, not to the descriptor: a second `fcntl` in the same process
//! succeeds, and closing any descriptor of the file gives the lock up. A table of the locks that
//! this process holds therefore comes first; it is asked before the file is opened again.

use crate::file_system::FileLock;
use base::{Result, Status};
use parking_lot::Mutex;
use perf_context::{PerfMetric, Timer};
use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use rustix::process::{Flock, FlockType, fcntl_getlk};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::{self, ThreadId};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Debug)]
struct HeldLock {
    /// By name, so that a lock outlives the removal of its file.
    path: PathBuf,
    /// By identity, so that another name of the file is recognized.
    inode: (u64, u64),
    acquired_seconds: u64,
    thread: ThreadId,
}

static HELD_LOCKS: Mutex<Vec<HeldLock>> = Mutex::new(Vec::new());

#[derive(Debug)]
pub(super) struct PosixFileLock {
    /// Taken only by `drop`.
    file: Option<File>,
    inode: (u64, u64),
}

impl FileLock for PosixFileLock {}

impl PosixFileLock {
    pub(super) fn acquire(path: &Path, mode: u32) -> Result<Self> {
        let failed = |error: &io::Error| Status::from_io(error, "lock", path);
        let name = absolute_name(path);
        let mut held = HELD_LOCKS.lock();
        let inode = fs::metadata(path).ok().map(|metadata| identity(&metadata));
        if let Some(lock) = held.iter().find(|lock| lock.path == name || Some(lock.inode) == inode)
        {
            return Err(Status::io_error(format!(
                "lock {}: this process holds it already (taken at {} by {:?})",
                path.display(),
                lock.acquired_seconds,
                lock.thread
            )));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(mode)
            .open(path)
            .map_err(|error| failed(&error))?;
        let inode = identity(&file.metadata().map_err(|error| failed(&error))?);
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::AGAIN | Errno::ACCESS) => return Err(held_elsewhere(&file, path)),
            Err(error) => return Err(failed(&error.into())),
        }
        held.push(HeldLock {
            path: name,
            inode,
            acquired_seconds: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |elapsed| elapsed.as_secs()),
            thread: thread::current().id(),
        });
        Ok(Self { file: Some(file), inode })
    }
}

impl Drop for PosixFileLock {
    fn drop(&mut self) {
        let _timer = Timer::start(PerfMetric::EnvUnlockFileNanos);
        let mut held = HELD_LOCKS.lock();
        // Closing releases; it happens under the table's lock, so that nobody finds the table
        // empty and the file still locked, or the reverse.
        self.file = None;
        held.retain(|lock| lock.inode != self.inode);
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// The directory without links and dots, and the name in it; the path itself where that fails.
fn absolute_name(path: &Path) -> PathBuf {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match (fs::canonicalize(directory), path.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => path.to_path_buf(),
    }
}

#[cold]
fn held_elsewhere(file: &File, path: &Path) -> Status {
    let holder = match fcntl_getlk(file, &Flock::from(FlockType::WriteLock)) {
        Ok(Some(Flock { pid: Some(pid), .. })) => format!("process {}", pid.as_raw_nonzero()),
        _ => "another process".to_string(),
    };
    Status::io_error(format!("lock {}: {holder} holds it", path.display()))
}
