use super::*;
use std::thread;

#[test]
fn an_activity_lasts_as_long_as_its_guard() {
    assert_eq!(Activity::current(), Activity::Unknown);
    let outer = Activity::Compaction(CompactionCause::Ttl).begin();
    {
        let _inner = Activity::DbOpen.begin();
        assert_eq!(Activity::current(), Activity::DbOpen);
    }
    assert_eq!(Activity::current(), Activity::Compaction(CompactionCause::Ttl));
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(Activity::current(), Activity::Unknown));
    });
    drop(outer);
    assert_eq!(Activity::current(), Activity::Unknown);
}

#[test]
fn only_what_writes_tables_has_a_histogram_of_writes() {
    assert_eq!(Activity::Get.write_histogram(), None);
    assert_eq!(Activity::Flush.write_histogram(), Some(HistogramType::FileWriteFlushMicros));
    assert_eq!(Activity::Unknown.read_histogram(), None);
    assert_eq!(Activity::Get.read_histogram(), Some(HistogramType::FileReadGetMicros));
}
