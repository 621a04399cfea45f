use super::*;
use std::os::unix::fs::symlink;

/// A sysfs of our own: `devices/NAME` directories and `dev/block/MAJOR:MINOR` links to them.
struct FakeSysfs(tempfile::TempDir);

impl FakeSysfs {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("dev/block")).unwrap();
        Self(root)
    }

    fn device(&self, name: &str, minor: u32, max_sectors_kb: Option<&str>) {
        let directory = self.0.path().join("devices").join(name);
        fs::create_dir_all(directory.join("queue")).unwrap();
        if let Some(text) = max_sectors_kb {
            fs::write(directory.join("queue/max_sectors_kb"), text).unwrap();
        }
        self.link(name, minor);
    }

    fn partition(&self, disk: &str, name: &str, minor: u32) {
        let name = format!("{disk}/{name}");
        let directory = self.0.path().join("devices").join(&name);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("partition"), "1\n").unwrap();
        self.link(&name, minor);
    }

    fn link(&self, name: &str, minor: u32) {
        let link = self.0.path().join(format!("dev/block/8:{minor}"));
        symlink(Path::new("../../devices").join(name), link).unwrap();
    }

    fn member(&self, volume: &str, member: &str) {
        let slaves = self.0.path().join("devices").join(volume).join("slaves");
        fs::create_dir_all(&slaves).unwrap();
        let name = Path::new(member).file_name().unwrap();
        symlink(self.0.path().join("devices").join(member), slaves.join(name)).unwrap();
    }

    fn limits(&self, minor: u32) -> DeviceLimits {
        limits_in(&self.0.path().join("dev/block"), rustix::fs::makedev(8, minor))
    }
}

const fn kb(kb: u64) -> DeviceLimits {
    DeviceLimits { max_sectors_kb: Some(kb) }
}

const NO_LIMIT: DeviceLimits = DeviceLimits { max_sectors_kb: None };

#[test]
fn readahead_is_capped_by_every_device() {
    let two_mb = 2 << 20;
    for (limit, expected) in
        [(128, 128 << 10), (512, 512 << 10), (1280, 1280 << 10), (4096, two_mb)]
    {
        assert_eq!(effective_readahead(two_mb, &[kb(limit)]), expected);
        assert_eq!(effective_readahead(96 << 10, &[kb(limit)]), 96 << 10);
    }
    assert_eq!(effective_readahead(two_mb, &[kb(1280), kb(512), NO_LIMIT]), 512 << 10);
    assert_eq!(effective_readahead(two_mb, &[]), two_mb);
    assert_eq!(effective_readahead(two_mb, &[NO_LIMIT]), two_mb);
    assert_eq!(effective_readahead(two_mb, &[kb(u64::MAX)]), two_mb);
    assert_eq!(effective_readahead(0, &[kb(128)]), 0);
}

#[test]
fn disks_and_partitions() {
    let sysfs = FakeSysfs::new();
    for (minor, limit) in [(0, 128), (16, 512), (32, 1280), (48, 4096)] {
        let name = format!("disk{minor}");
        sysfs.device(&name, minor, Some(&format!("{limit}\n")));
        sysfs.partition(&name, "part1", minor + 1);
        assert_eq!(sysfs.limits(minor), kb(limit));
        assert_eq!(sysfs.limits(minor + 1), kb(limit));
    }
}

#[test]
fn nothing_readable_is_no_limit() {
    let sysfs = FakeSysfs::new();
    sysfs.device("absent", 0, None);
    sysfs.device("zero", 1, Some("0\n"));
    sysfs.device("odd", 2, Some("many\n"));
    for minor in 0..4 {
        assert_eq!(sysfs.limits(minor), NO_LIMIT, "device 8:{minor}");
    }
    assert_eq!(device_limits(Path::new("/nowhere/at/all")), NO_LIMIT);
}

#[test]
fn a_volume_is_limited_by_its_weakest_member() {
    let sysfs = FakeSysfs::new();
    sysfs.device("sda", 0, Some("1280"));
    sysfs.device("sdb", 16, Some("512"));
    sysfs.partition("sdb", "sdb3", 19);
    sysfs.device("md0", 32, Some("4096"));
    sysfs.member("md0", "sda");
    sysfs.member("md0", "sdb/sdb3");
    assert_eq!(sysfs.limits(32), kb(512));
    sysfs.device("dm-0", 33, Some("128"));
    sysfs.member("dm-0", "md0");
    assert_eq!(sysfs.limits(33), kb(128));
    sysfs.device("dm-1", 34, None);
    sysfs.member("dm-1", "md0");
    assert_eq!(sysfs.limits(34), kb(512));
}

#[test]
fn a_volume_inside_itself_ends() {
    let sysfs = FakeSysfs::new();
    sysfs.device("dm-0", 0, Some("512"));
    sysfs.member("dm-0", "dm-0");
    assert_eq!(sysfs.limits(0), kb(512));
}

#[test]
fn the_real_one_says_something_sensible() {
    let directory = tempfile::tempdir().unwrap();
    match device_limits(directory.path()).max_sectors_kb {
        Some(kb) => assert!((4..1 << 20).contains(&kb), "{kb}"),
        None => println!("skipped: {} has no block device in sysfs", directory.path().display()),
    }
}
