//! What threads do, as the process tells it.

use crate::blocking_fs::BlockingFileSystem;
use crate::fixture::{Fixture, default_family, put};
use db::{Db, FlushOptions, WaitForCompactOptions};
use env::ThreadStatus;
use env::thread_status::{OperationStage, OperationType, ThreadType};
use std::path::PathBuf;
use std::sync::Arc;

/// The thread that works for the database at this path.
fn worker(path: &str) -> Option<ThreadStatus> {
    Db::thread_list().into_iter().find(|status| status.db_name.as_os_str() == path)
}

fn property(status: &ThreadStatus, name: &str) -> u64 {
    let properties = status.properties();
    let found = properties.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no {name} in {properties:?}")).1
}

fn tracked(path: &str) -> (Fixture, Arc<BlockingFileSystem>) {
    let mut fixture = Fixture::new();
    fixture.path = PathBuf::from(path);
    fixture.options.enable_thread_tracking = true;
    let blocking = Arc::new(BlockingFileSystem::new(fixture.context.file_system.clone()));
    fixture.context.file_system = blocking.clone();
    (fixture, blocking)
}

#[test]
fn a_slow_flush_and_a_slow_compaction_are_seen() {
    let path = "/slow";
    let (mut fixture, blocking) = tracked(path);
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    fixture.family_options.target_file_size_base = 20_000;
    let db = fixture.open();
    assert_eq!(worker(path), None, "nothing is done");
    blocking.hold_syncs("sst");
    let fill = || {
        for number in 0..500 {
            put(&db, &format!("{number:05}"), &format!("{number:0200}"));
        }
        let options = FlushOptions { wait: false, ..FlushOptions::default() };
        db.flush(&options, &[&default_family(&db)]).unwrap();
    };
    fill();
    blocking.wait_for_sync();
    let flush = worker(path).unwrap();
    assert_eq!(flush.operation_type, OperationType::Flush);
    assert_eq!(flush.operation_stage, OperationStage::FlushWriteL0);
    assert_eq!(flush.thread_type, ThreadType::HighPriority);
    assert_eq!(flush.cf_name, "default");
    assert!(property(&flush, "BytesMemtables") > 100_000);
    assert!(property(&flush, "BytesWritten") > 0);
    assert!(property(&flush, "JobID") > 0);

    // The next flush makes a compaction due, which stops at its first output.
    blocking.let_syncs_through();
    fill();
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    db.pause_background_work().unwrap();
    db.continue_background_work().unwrap();
    assert_eq!(worker(path), None, "all is done");
    drop(db);
}

#[test]
fn the_counters_of_a_compaction_grow() {
    let path = "/growing";
    let (mut fixture, blocking) = tracked(path);
    fixture.family_options.disable_auto_compactions = true;
    fixture.family_options.target_file_size_base = 10_000;
    fixture.family_options.compression = options::CompressionType::NoCompression;
    let db = Arc::new(fixture.open());
    for _ in 0..2 {
        for number in 0..5000 {
            put(&db, &format!("{number:05}"), "a value of some length");
        }
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    }
    // Whoever waits for a flush goes on a little before its thread is done.
    db.pause_background_work().unwrap();
    db.continue_background_work().unwrap();
    blocking.hold_syncs("sst");
    let compacting = std::thread::spawn({
        let db = db.clone();
        move || {
            let all = db::CompactRangeOptions {
                bottommost_level_compaction: db::BottommostLevelCompaction::Force,
                ..db::CompactRangeOptions::default()
            };
            db.compact_range(&all, &default_family(&db), None, None).unwrap();
        }
    });
    blocking.wait_for_sync();
    let first = worker(path).unwrap();
    assert_eq!(first.operation_type, OperationType::Compaction);
    assert_eq!(first.operation_stage, OperationStage::CompactionProcessKv);
    assert_eq!(first.thread_type, ThreadType::User, "it runs in the thread of the user");
    assert_eq!(property(&first, "IsManual"), 1);
    assert_eq!(property(&first, "BaseInputLevel"), 0);
    let total = property(&first, "TotalInputBytes");
    // One output is let through after another.
    let mut seen = vec![first];
    while seen.len() < 4 {
        blocking.let_one_sync_through();
        blocking.wait_for_sync();
        seen.push(worker(path).unwrap());
    }
    for pair in seen.windows(2) {
        for name in ["BytesRead", "BytesWritten"] {
            let (before, after) = (property(&pair[0], name), property(&pair[1], name));
            assert!(before <= after && after <= total, "{name}: {before} {after} of {total}");
        }
        assert!(pair[0].op_elapsed_micros <= pair[1].op_elapsed_micros);
    }
    let (first, last) = (&seen[0], &seen[3]);
    assert!(property(first, "BytesRead") < property(last, "BytesRead"));
    assert!(property(first, "BytesWritten") < property(last, "BytesWritten"));
    blocking.let_syncs_through();
    compacting.join().unwrap();
    assert_eq!(worker(path), None);
}

#[test]
fn a_database_that_is_not_tracked_says_nothing() {
    let path = "/untracked";
    let (mut fixture, blocking) = tracked(path);
    fixture.options.enable_thread_tracking = false;
    let db = fixture.open();
    blocking.hold_syncs("sst");
    put(&db, "a", "1");
    let options = FlushOptions { wait: false, ..FlushOptions::default() };
    db.flush(&options, &[&default_family(&db)]).unwrap();
    blocking.wait_for_sync();
    assert_eq!(worker(path), None);
    // Its threads are known nevertheless.
    let is_idle = |status: &ThreadStatus| {
        status.thread_type == ThreadType::HighPriority
            && status.operation_type == OperationType::Unknown
    };
    assert!(Db::thread_list().iter().any(is_idle));
    blocking.let_syncs_through();
}
