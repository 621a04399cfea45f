use super::*;

const TEXT: &str = "\
   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 259       0 nvme0n1 1000 5 16000 40 300 7 4800 90 0 100 130 0 0 0 0 12 3
   8       1 sda1 10 0 80 1 2 0 16 3 0 1 4
";

#[test]
fn sectors_become_bytes() {
    let devices = parse(TEXT);
    assert_eq!(devices.keys().collect::<Vec<_>>(), ["loop0", "nvme0n1", "sda1"]);
    let expected = DeviceCounters {
        reads: 1000,
        read_bytes: 8_192_000,
        merged_reads: 5,
        read_millis: 40,
        writes: 300,
        write_bytes: 2_457_600,
        merged_writes: 7,
        write_millis: 90,
    };
    assert_eq!(devices["nvme0n1"], expected);
    assert_eq!(expected.mean_read_bytes(), Some(8192.0));
    assert_eq!(expected.mean_write_bytes(), Some(8192.0));
    assert_eq!(devices["loop0"].mean_read_bytes(), None);
    // Older kernels end after the eleventh number.
    assert_eq!(devices["sda1"].write_bytes, 16 * 512);
}

#[test]
fn differences_and_counters_that_wrapped() {
    let devices = parse(TEXT);
    let (more, less) = (devices["nvme0n1"], devices["sda1"]);
    let passed = more.since(&less);
    assert_eq!((passed.reads, passed.read_bytes), (990, 8_192_000 - 80 * 512));
    assert_eq!(less.since(&more), DeviceCounters::default());
}

#[test]
fn other_lines_are_left_out() {
    assert!(parse("").is_empty());
    assert!(parse("8 0 sda\n8 0\nnonsense\n8 0 sda 1 2 3 4 5 6 7 x\n").is_empty());
}
