use super::*;

const TEXT: &str = r"22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
30 27 0:30 /@data /srv/my\040data rw,noatime shared:2 master:3 - btrfs /dev/nvme0n1p2 rw,ssd
31 27 0:31 / /tmp rw - tmpfs tmpfs rw
32 31 8:1 / /tmp rw - xfs /dev/sda1 rw
nonsense
33 27 0:33 / /short rw
34 27 x:33 / /odd rw - ext4 a rw
";

#[test]
fn lines_are_taken_apart() {
    let mounts = parse(TEXT);
    assert_eq!(mounts.len(), 5);
    let expected = Mount {
        device: (0, 30),
        point: "/srv/my data".into(),
        filesystem: "btrfs".to_owned(),
        source: "/dev/nvme0n1p2".to_owned(),
        options: "rw,noatime,rw,ssd".to_owned(),
    };
    assert_eq!(mounts[2], expected);
}

#[test]
fn the_innermost_and_topmost_mount_holds_a_path() {
    let find = |path: &str, device| {
        let mount = find(parse(TEXT), Path::new(path), device);
        mount.map(|mount| mount.filesystem)
    };
    assert_eq!(find("/var/db", (254, 0)).as_deref(), Some("ext4"));
    assert_eq!(find("/srv/my data/db", (0, 30)).as_deref(), Some("btrfs"));
    // Not below /tmp, though the name begins alike.
    assert_eq!(find("/tmpfiles", (254, 0)).as_deref(), Some("ext4"));
    // Two are on one directory: that of the device, or the later one where no device is known.
    assert_eq!(find("/tmp/db", (8, 1)).as_deref(), Some("xfs"));
    assert_eq!(find("/tmp/db", (0, 31)).as_deref(), Some("tmpfs"));
    assert_eq!(find("/tmp/db", (9, 9)).as_deref(), Some("xfs"));
    assert_eq!(find("relative", (254, 0)), None);
}

#[test]
fn escapes_that_are_none_stay() {
    assert_eq!(unescape(r"a\040b\134c\"), r"a b\c\");
    assert_eq!(unescape(r"\9zz\04"), r"\9zz\04");
}

#[test]
fn proc_is_proc() {
    let mount = mount_of(Path::new("/proc/self")).unwrap();
    assert_eq!(mount.filesystem, "proc");
    assert_eq!(mount_of(Path::new("/nowhere/at/all")), None);
}
