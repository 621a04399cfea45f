use super::*;

fn text_of(state: StallState) -> Option<String> {
    let options = ColumnFamilyOptions::from_string(
        "max_write_buffer_number=4;level0_file_num_compaction_trigger=4;\
         level0_slowdown_writes_trigger=8;level0_stop_writes_trigger=10;\
         soft_pending_compaction_bytes_limit=1000;hard_pending_compaction_bytes_limit=2000",
    )
    .unwrap();
    stall_text(&state, &options, 77).map(|(level, text)| format!("{level:?}: {text}"))
}

#[test]
fn each_condition_has_its_words() {
    let memtables = |immutable_memtables| StallState { immutable_memtables, ..Default::default() };
    let runs = |l0_runs| StallState { l0_runs, ..Default::default() };
    let bytes = |pending_compaction_bytes| StallState {
        pending_compaction_bytes,
        bottommost_bytes: 1 << 40,
        ..Default::default()
    };
    let expected = [
        (memtables(0), None),
        (
            memtables(4),
            Some(
                "Warn: Stopping writes because we have 4 immutable memtables (waiting for flush), \
                 max_write_buffer_number is set to 4",
            ),
        ),
        (
            memtables(3),
            Some(
                "Warn: Stalling writes because we have 3 immutable memtables (waiting for flush), \
                 max_write_buffer_number is set to 4 rate 77",
            ),
        ),
        (runs(10), Some("Warn: Stopping writes because we have 10 level-0 files")),
        (runs(8), Some("Warn: Stalling writes because we have 8 level-0 files rate 77")),
        (runs(5), Some("Info: Increasing compaction threads because we have 5 level-0 files")),
        (
            bytes(2000),
            Some("Warn: Stopping writes because of estimated pending compaction bytes 2000"),
        ),
        (
            bytes(1000),
            Some(
                "Warn: Stalling writes because of estimated pending compaction bytes 1000 rate 77",
            ),
        ),
        (
            bytes(300),
            Some(
                "Info: Increasing compaction threads because of estimated pending compaction bytes \
                 300",
            ),
        ),
    ];
    for (state, text) in expected {
        assert_eq!(text_of(state).as_deref(), text, "{state:?}");
    }
}
