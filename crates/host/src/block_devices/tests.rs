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

    /// Names and limits, `-` for none, in the order found.
    fn devices(&self, minor: u32) -> String {
        let devices = devices_in(&self.0.path().join("dev/block"), rustix::fs::makedev(8, minor));
        let texts = devices.iter().map(|device| {
            let limit = device.max_sectors_kb.map_or("-".to_owned(), |kb| kb.to_string());
            format!("{} {limit}", device.name)
        });
        texts.collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn a_partition_is_its_disk() {
    let sysfs = FakeSysfs::new();
    for (minor, limit) in [(0, 128), (16, 512), (32, 1280), (48, 4096)] {
        let name = format!("disk{minor}");
        sysfs.device(&name, minor, Some(&format!("{limit}\n")));
        sysfs.partition(&name, "part1", minor + 1);
        assert_eq!(sysfs.devices(minor), format!("{name} {limit}"));
        assert_eq!(sysfs.devices(minor + 1), format!("{name} {limit}"));
    }
}

#[test]
fn nothing_readable_is_no_limit() {
    let sysfs = FakeSysfs::new();
    sysfs.device("absent", 0, None);
    sysfs.device("zero", 1, Some("0\n"));
    sysfs.device("odd", 2, Some("many\n"));
    for (minor, name) in [(0, "absent"), (1, "zero"), (2, "odd")] {
        assert_eq!(sysfs.devices(minor), format!("{name} -"));
    }
    assert_eq!(sysfs.devices(3), "");
    assert_eq!(block_devices(Path::new("/nowhere/at/all")), []);
}

#[test]
fn members_of_volumes_are_listed_once() {
    let sysfs = FakeSysfs::new();
    sysfs.device("sda", 0, Some("1280"));
    sysfs.device("sdb", 16, Some("512"));
    sysfs.partition("sdb", "sdb3", 19);
    sysfs.partition("sdb", "sdb4", 20);
    sysfs.device("md0", 32, Some("4096"));
    sysfs.member("md0", "sda");
    sysfs.member("md0", "sdb/sdb3");
    sysfs.member("md0", "sdb/sdb4");
    assert_eq!(sysfs.devices(32), "md0 4096, sda 1280, sdb 512");
    sysfs.device("dm-0", 33, None);
    sysfs.member("dm-0", "md0");
    assert_eq!(sysfs.devices(33), "dm-0 -, md0 4096, sda 1280, sdb 512");
}

#[test]
fn a_volume_inside_itself_ends() {
    let sysfs = FakeSysfs::new();
    sysfs.device("dm-0", 0, Some("512"));
    sysfs.member("dm-0", "dm-0");
    assert_eq!(sysfs.devices(0), "dm-0 512");
}

#[test]
fn volumes_stacked_too_high_end() {
    let sysfs = FakeSysfs::new();
    for level in 0..20 {
        sysfs.device(&format!("dm-{level}"), level, None);
        if level > 0 {
            sysfs.member(&format!("dm-{level}"), &format!("dm-{}", level - 1));
        }
    }
    assert_eq!(sysfs.devices(19).split(", ").count(), STACKED_VOLUMES_MAX + 1);
}

#[test]
fn the_real_ones_say_something_sensible() {
    let directory = tempfile::tempdir().unwrap();
    let devices = block_devices(directory.path());
    if devices.is_empty() {
        println!("skipped: {} has no block device in sysfs", directory.path().display());
    }
    for device in devices {
        assert!(!device.name.is_empty());
        assert!(device.max_sectors_kb.is_none_or(|kb| (4..1 << 20).contains(&kb)), "{device:?}");
    }
}
