use super::*;

const STATUS: &str = "\
Name:\tdb_bench
VmPeak:\t  812400 kB
VmHWM:\t  120064 kB
VmRSS:\t   98304 kB
Threads:\t5
";

#[test]
fn memory_is_found_by_name() {
    assert_eq!(status_bytes(STATUS, "VmRSS"), Some(98_304 * 1024));
    assert_eq!(status_bytes(STATUS, "VmHWM"), Some(120_064 * 1024));
    // Neither a name that begins alike nor a value without unit.
    assert_eq!(status_bytes(STATUS, "VmR"), None);
    assert_eq!(status_bytes(STATUS, "Threads"), None);
    assert_eq!(status_bytes("", "VmRSS"), None);
    assert_eq!(status_bytes("VmRSS: 99999999999999999999 kB", "VmRSS"), None);
}

#[test]
fn a_difference_keeps_memory_as_it_is() {
    let before = ProcessCounters {
        user_seconds: 1.5,
        minor_faults: 10,
        resident_bytes: Some(4096),
        ..ProcessCounters::default()
    };
    let after = ProcessCounters {
        user_seconds: 2.0,
        minor_faults: 17,
        resident_bytes: Some(8192),
        resident_peak_bytes: Some(9000),
        ..ProcessCounters::default()
    };
    let used = after.since(&before);
    assert_eq!((used.user_seconds, used.minor_faults), (0.5, 7));
    assert_eq!((used.resident_bytes, used.resident_peak_bytes), (Some(8192), Some(9000)));
}

#[test]
fn threads_that_have_ended_count() {
    let before = ProcessCounters::now();
    let waits = 50;
    std::thread::spawn(move || {
        (0..waits).for_each(|_| std::thread::sleep(std::time::Duration::from_micros(10)));
    })
    .join()
    .unwrap();
    let used = ProcessCounters::now().since(&before);
    assert!(used.voluntary_context_switches >= waits, "{used:?}");
    assert!(used.resident_peak_bytes >= used.resident_bytes, "{used:?}");
}
