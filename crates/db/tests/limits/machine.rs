//! What a test asks of the machine: a user without privileges, a small disk.

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// `nobody`.
const NOBODY: u32 = 65534;

/// Runs `body` in a thread, with its threads, of a user whom permissions bind: they do not bind the
/// superuser.
pub(crate) fn without_privileges(body: impl FnOnce() + Send + 'static) {
    let thread = std::thread::spawn(|| {
        if geteuid().is_root() {
            set_thread_groups(&[]).unwrap();
            set_thread_gid(Gid::from_raw(NOBODY)).unwrap();
            set_thread_uid(Uid::from_raw(NOBODY)).unwrap();
        }
        body();
    });
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// A file system of its own with little space.
pub(crate) struct SmallDisk {
    directory: TempDir,
}

impl SmallDisk {
    /// Mounts one. None where this process may not: it takes the superuser, and a container may deny
    /// even that one. Whoever may mount gets one, or the test fails.
    pub(crate) fn mount(size_mib: u64) -> Option<Self> {
        if !geteuid().is_root() {
            println!("skipped: only the superuser may mount a small disk");
            return None;
        }
        let directory = TempDir::new().unwrap();
        let size = format!("size={size_mib}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(directory.path());
        let output = mount.env("LC_ALL", "C").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            return Some(Self { directory });
        }
        assert!(said.contains("denied") || said.contains("not permitted"), "{said}");
        println!("skipped: {}", said.trim());
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Takes `size_mib` of the space with a file, whose path it returns.
    pub(crate) fn put_ballast(&self, size_mib: usize) -> PathBuf {
        let ballast = self.path().join("ballast");
        std::fs::write(&ballast, vec![b'b'; size_mib << 20]).unwrap();
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let status = Command::new("umount").args(["--lazy"]).arg(self.path()).status();
        assert!(status.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}
