//! What a test asks of the machine: a user without privileges, a small disk.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd;
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
    /// Where its content is, if that is in files.
    below: Option<Below>,
}

/// Held until what is above is gone.
enum Below {
    #[expect(dead_code, reason = "what is below goes when it is dropped")]
    Directory(TempDir),
    #[expect(dead_code, reason = "what is below goes when it is dropped")]
    Disk(Box<SmallDisk>),
    Memory(File),
}

/// A journal that cannot be written would make all of it read-only.
const EXT4_THAT_GOES_ON: [&str; 10] =
    ["-q", "-F", "-m", "0", "-N", "128", "-e", "continue", "-O", "^has_journal"];

/// What `mount` says where this process may not, or where the kernel cannot.
const REFUSALS: [&str; 7] = [
    "denied",
    "not permitted",
    "unknown filesystem type",
    "wrong fs type",
    "loop device",
    "fsconfig",
    "upperdir",
];

impl SmallDisk {
    /// Mounts one in memory. None where this process may not: it takes the superuser, and a container may
    /// deny even that one. Whoever may mount gets one, or the test fails.
    pub(crate) fn mount(size_mib: u64) -> Option<Self> {
        let size = format!("size={size_mib}m");
        Self::mount_with("tmpfs", vec!["-o".into(), size.into(), "tmpfs".into()])
    }

    /// Mounts one of ext4 that is in a file, through a loop device: WALs can be mapped there. None also where
    /// the machine has no tools for ext4, or no loop device.
    pub(crate) fn mount_ext4(size_mib: u64) -> Option<Self> {
        let image = TempDir::new().unwrap();
        let path = image.path().join("image");
        let mut disk = Self::mount_image("ext4", &["-q", "-F", "-m", "0"], &path, size_mib)?;
        disk.below = Some(Below::Directory(image));
        Some(disk)
    }

    /// As [`Self::mount_ext4`], of btrfs.
    pub(crate) fn mount_btrfs() -> Option<Self> {
        let image = TempDir::new().unwrap();
        let path = image.path().join("image");
        let mut disk = Self::mount_image("btrfs", &["-q"], &path, 128)?;
        disk.below = Some(Below::Directory(image));
        Some(disk)
    }

    /// As [`Self::mount_ext4`], of a disk that says it is large, and fails to write after so many MiB.
    pub(crate) fn mount_failing_ext4(size_mib: u64) -> Option<Self> {
        let below = Self::mount(size_mib)?;
        let path = below.path().join("image");
        let mut disk = Self::mount_image("ext4", &EXT4_THAT_GOES_ON, &path, 8 * size_mib)?;
        disk.below = Some(Below::Disk(Box::new(below)));
        Some(disk)
    }

    /// As [`Self::mount_ext4`], of a disk that answers each write with an I/O error once it [breaks](Self::break_it).
    pub(crate) fn mount_breakable_ext4(size_mib: u64) -> Option<Self> {
        let memory = File::from(memfd_create("disk", MemfdFlags::ALLOW_SEALING).unwrap());
        memory.set_len(size_mib << 20).unwrap();
        let path = format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd());
        let mut disk = Self::mount_made("ext4", &EXT4_THAT_GOES_ON, path.as_ref())?;
        disk.below = Some(Below::Memory(memory));
        Some(disk)
    }

    /// Breaks one that can break.
    pub(crate) fn break_it(&self) {
        let Some(Below::Memory(memory)) = &self.below else { panic!("this disk cannot break") };
        fcntl_add_seals(memory, SealFlags::WRITE).unwrap();
    }

    fn mount_image(kind: &str, tells: &[&str], path: &Path, size_mib: u64) -> Option<Self> {
        File::create(path).unwrap().set_len(size_mib << 20).unwrap();
        Self::mount_made(kind, tells, path)
    }

    /// Makes a file system in a file, and mounts it.
    fn mount_made(kind: &str, tells: &[&str], path: &Path) -> Option<Self> {
        let program = format!("mkfs.{kind}");
        let Ok(made) = Command::new(&program).args(tells).arg(path).output() else {
            println!("skipped: {program} is not installed");
            return None;
        };
        let said = String::from_utf8_lossy(&made.stderr);
        // A process that may not trace another may not open what that has open.
        if said.contains("Permission denied") {
            println!("skipped: {}", said.trim());
            return None;
        }
        assert!(made.status.success(), "{said}");
        Self::mount_with(kind, vec!["-o".into(), "loop".into(), path.into()])
    }

    /// Mounts layers over each other, on the file system of temporary files.
    pub(crate) fn mount_overlay() -> Option<Self> {
        let layers = TempDir::new().unwrap();
        let layer = |name: &str| {
            let path = layers.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path.display().to_string()
        };
        let [lower, upper, work] = ["lower", "upper", "work"].map(layer);
        let text = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        let options = vec!["-o".into(), text.into(), "overlay".into()];
        let mut disk = Self::mount_with("overlay", options)?;
        disk.below = Some(Below::Directory(layers));
        Some(disk)
    }

    fn mount_with(kind: &str, options: Vec<OsString>) -> Option<Self> {
        if !geteuid().is_root() {
            println!("skipped: only the superuser may mount a small disk");
            return None;
        }
        let directory = TempDir::new().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", kind]).args(options).arg(directory.path());
        let output = mount.env("LC_ALL", "C").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            return Some(Self { directory, below: None });
        }
        let is_refused = REFUSALS.iter().any(|refusal| said.contains(refusal));
        assert!(is_refused, "{said}");
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
        // What it is in goes away only when nothing of it is in use any more: threads that nobody waits for may
        // have a file for a moment.
        let unmount = |how: &[&str]| {
            let status = Command::new("umount").args(how).arg(self.path()).status();
            status.is_ok_and(|status| status.success())
        };
        let mut is_done = false;
        for _ in 0..if self.below.is_some() { 100 } else { 0 } {
            is_done = is_done || unmount(&["--quiet"]);
            if is_done {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert!(is_done || unmount(&["--lazy"]) || std::thread::panicking());
    }
}
