use super::*;
use std::time::Duration;

fn report() -> StallReport {
    let mut times = StallTimes::default();
    times.add(StallCondition::Delayed(StallCause::L0Files), true, Duration::from_millis(1500));
    times.add(StallCondition::Stopped(StallCause::Memtables), true, Duration::from_millis(250));
    times.add_low_pri(Duration::from_millis(40));
    times.add_memory(Duration::from_millis(30));
    times.add_flush_wait(Duration::from_millis(2));
    times.add_flush_wait(Duration::from_micros(500));
    let mut counts = StallCounts::default();
    counts.count(StallCondition::Delayed(StallCause::L0Files), true);
    counts.count(StallCondition::Stopped(StallCause::Memtables), false);
    StallReport {
        condition: StallCondition::Delayed(StallCause::L0Files),
        rate: 8 << 20,
        rate_max: 16 << 20,
        family_condition: StallCondition::Normal,
        family_counts: counts,
        times,
    }
}

#[test]
fn the_map_has_counts_and_seconds_of_every_cause() {
    let map = report().to_map();
    let get = |name: &str| map[name].as_str();
    assert_eq!((get("condition"), get("cause")), ("delayed", "l0-file-count-limit"));
    assert_eq!((get("family-condition"), get("family-cause")), ("normal", "none"));
    assert_eq!(get("delayed-write-rate"), "8388608");
    assert_eq!(get("l0-file-count-limit-delays"), "1");
    assert_eq!(get("l0-file-count-limit-delayed-seconds"), "1.500000");
    assert_eq!(get("memtable-limit-stopped-writes"), "1");
    assert_eq!(get("memtable-limit-stopped-seconds"), "0.250000");
    assert_eq!(get("pending-compaction-bytes-stops"), "0");
    assert_eq!(get("low-priority-seconds"), "0.040000");
    assert_eq!(get("total-seconds"), "1.780000");
    assert_eq!(get("flushes"), "2");
    assert_eq!(get("flush-wait-seconds"), "0.002500");
    assert_eq!(get("flush-wait-seconds-max"), "0.002000");
    assert_eq!(map.len(), 6 + 3 * 6 + 2 + 3 + 3);
}

#[test]
fn the_text_is_a_table() {
    assert_eq!(
        report().to_text(),
        "writes: delayed (cause: l0-file-count-limit), 8388608 bytes/s of at most 16777216\n\
         column family: normal (cause: none)\n\
         cause                       delays   stops  writes delayed         seconds  \
         writes stopped         seconds\n\
         memtable-limit                   0       1               0           0.000               \
         1           0.250\n\
         l0-file-count-limit              1       0               1           1.500               \
         0           0.000\n\
         pending-compaction-bytes         0       0               0           0.000               \
         0           0.000\n\
         write-buffer-manager-limit                                                               \
         1           0.030\n\
         low priority                                             1           0.040\n\
         flushes: 2, waited 0.003 s for a thread, at most 0.002000 s\n"
    );
}
