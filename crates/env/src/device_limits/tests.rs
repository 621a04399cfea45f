use super::*;

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
