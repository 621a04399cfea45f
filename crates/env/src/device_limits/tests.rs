use super::*;
use std::fs;
use std::os::unix::fs::symlink;

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
fn a_volume_is_limited_by_its_weakest_member() {
    let device = |name: &str, max_sectors_kb| BlockDevice { name: name.to_owned(), max_sectors_kb };
    let volume = [device("dm-0", None), device("sda", Some(1280)), device("sdb", Some(512))];
    assert_eq!(limits_of(&volume), kb(512));
    assert_eq!(limits_of(&volume[..1]), NO_LIMIT);
    assert_eq!(limits_of(&[]), NO_LIMIT);
    assert_eq!(device_limits(Path::new("/nowhere/at/all")), NO_LIMIT);
}

#[test]
fn readahead_follows_what_sysfs_says() {
    let root = tempfile::tempdir().unwrap();
    let listed = root.path().join("dev/block");
    fs::create_dir_all(&listed).unwrap();
    let rows = [("128", 128 << 10), ("512", 512 << 10), ("1280", 1280 << 10), ("4096", 2 << 20)];
    let no_limit = [("0", 2 << 20), ("none", 2 << 20)];
    for (minor, (text, expected)) in rows.into_iter().chain(no_limit).enumerate() {
        let disk = root.path().join(format!("devices/disk{minor}"));
        fs::create_dir_all(disk.join("queue")).unwrap();
        fs::write(disk.join("queue/max_sectors_kb"), format!("{text}\n")).unwrap();
        symlink(&disk, listed.join(format!("8:{minor}"))).unwrap();
        let device = u64::from(minor as u8) | 8 << 8;
        let limits = limits_of(&host::block_devices::devices_in(&listed, device));
        assert_eq!(effective_readahead(2 << 20, &[limits]), expected, "{text}");
        assert_eq!(effective_readahead(96 << 10, &[limits]), 96 << 10, "{text}");
    }
}
