//! What a database says in its info log.

use crate::fixture::{Fixture, default_family, put};
use db::event_listener::{CompactionJobInfo, EventListener};
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions,
    OpenContext, WaitForCompactOptions,
};
use env::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use env::{FaultInjectionFileSystem, InfoLogLevel, Logger};
use options::{ColumnFamilyOptions, DbOptions};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

fn log(fixture: &Fixture) -> String {
    fixture.text("/db/LOG")
}

fn events(log: &str) -> Vec<Value> {
    let lines = log.lines().filter_map(|line| line.split_once(" EVENT_LOG_v1 "));
    lines.map(|(_, json)| serde_json::from_str(json).unwrap()).collect()
}

fn of_event<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn settle(db: &Db) {
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
}

/// Flushes, a merge, a move, blob files, deletions, and an open that has WALs to replay.
fn busy(fixture: &mut Fixture) {
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    fixture.family_options.enable_blob_files = true;
    fixture.family_options.min_blob_size = 100;
    let db = fixture.open();
    for round in 0..4 {
        put(&db, "a", &format!("{round}"));
        put(&db, "b", &"large".repeat(100 + round));
        flush(&db);
        settle(&db);
    }
    put(&db, "x", "alone");
    flush(&db);
    db.compact_range(&CompactRangeOptions::default(), &default_family(&db), Some(b"w"), None)
        .unwrap();
    put(&db, "c", "in the WAL");
    db.close().unwrap();
}

#[test]
fn what_a_log_begins_with() {
    let mut fixture = Fixture::new();
    fixture.options.max_background_jobs = 3;
    fixture.options.use_adaptive_mutex = true;
    let db = fixture.open();
    put(&db, "a", "1");
    drop(db);
    let text = log(&fixture);
    let first = text.lines().next().unwrap();
    assert!(first.ends_with(concat!("Touchstone version: ", env!("CARGO_PKG_VERSION"))), "{first}");
    for expected in [
        "DB SUMMARY",
        "DB Session ID:  ",
        " Options.max_background_jobs: 3\n",
        " Options.create_if_missing: 1\n",
        "Options for column family [default]:",
        " Options.write_buffer_size: 67108864\n",
        " Options.compression_opts.level: 32767\n",
        "table_factory options:   ",
        "  block_size: 4096\n",
        "DB ID: ",
        "[WARN] ",
        "not honoured yet: use_adaptive_mutex=true",
        "Database opened",
        "Shutdown complete",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
}

#[test]
fn each_open_begins_a_log() {
    let mut fixture = Fixture::new();
    fixture.options.keep_log_file_num = 3;
    for _ in 0..5 {
        drop(fixture.open());
    }
    let mut logs = fixture.files();
    logs.retain(|name| name.starts_with("LOG"));
    assert_eq!(logs.len(), 3, "{logs:?}");
    let old: Vec<&String> = logs.iter().filter(|name| name.starts_with("LOG.old.")).collect();
    assert_eq!(old.len(), 2);
    assert!(fixture.text(fixture.path.join(old[0])).contains("Shutdown complete"));
}

#[test]
fn reading_and_failing_to_lock_leave_it_alone() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let files = fixture.files();
    assert!(fixture.try_open().is_err(), "it is locked");
    assert_eq!(fixture.files(), files);
    db.close().unwrap();
    let (files, text) = (fixture.files(), log(&fixture));
    let families = fixture.descriptors();
    Db::open_for_read_only(&fixture.options, &fixture.path, &families, &fixture.context).unwrap();
    assert_eq!(fixture.files(), files);
    assert_eq!(log(&fixture), text);
}

#[test]
fn an_open_that_fails_says_why() {
    let mut fixture = Fixture::new();
    drop(fixture.open());
    fixture.options.error_if_exists = true;
    let status = fixture.try_open().unwrap_err();
    let text = log(&fixture);
    assert!(text.contains("[ERROR] [db/src/info_log/opening.rs"), "{text}");
    assert!(text.contains(&format!("Opening the database failed: {status}")), "{text}");
}

#[test]
fn a_log_may_be_elsewhere_and_of_limited_size() {
    let mut fixture = Fixture::new();
    fixture.options.db_log_dir = "/logs".to_owned();
    fixture.options.max_log_file_size = 30_000;
    let db = fixture.open();
    for _ in 0..60 {
        put(&db, "a", "1");
        flush(&db);
    }
    drop(db);
    assert!(!fixture.files().iter().any(|name| name.starts_with("LOG")), "{:?}", fixture.files());
    let logs = fixture.context.file_system.get_children(Path::new("/logs")).unwrap();
    assert!(logs.contains(&"db_LOG".to_owned()), "{logs:?}");
    assert!(logs.len() > 2, "{logs:?}");
    for name in logs {
        let text = fixture.text(PathBuf::from("/logs").join(name));
        assert!(text.lines().next().unwrap().contains("Touchstone version: "));
    }
}

#[test]
fn what_is_not_important_enough_is_left_out() {
    let mut fixture = Fixture::new();
    fixture.options.info_log_level = options::InfoLogLevel::Error;
    let db = fixture.open();
    put(&db, "a", "1");
    flush(&db);
    drop(db);
    let text = log(&fixture);
    assert!(text.contains("Options.info_log_level: ERROR_LEVEL"), "{text}");
    assert!(!text.contains("EVENT_LOG_v1") && !text.contains("Shutdown complete"), "{text}");
}

/// Nanoseconds of each compaction's appends.
#[derive(Debug, Default)]
struct WriteTimes(Mutex<Vec<u64>>);

impl EventListener for WriteTimes {
    fn on_compaction_completed(&self, _db: &Db, info: &CompactionJobInfo) {
        self.0.lock().unwrap().push(info.stats.file_write_nanos);
    }
}

#[test]
fn how_long_jobs_are_busy_with_files_is_told_if_that_is_wanted() {
    let (directory, times) = (tempfile::tempdir().unwrap(), Arc::new(WriteTimes::default()));
    let context = OpenContext { listeners: vec![times.clone()], ..OpenContext::default() };
    let mut family = ColumnFamilyOptions::default();
    family.disable_auto_compactions = true;
    let family = ColumnFamilyDescriptor::new("default", family);
    let options = DbOptions::default().create_if_missing(true);
    let db = Db::open(&options, directory.path(), &[family], &context).unwrap();
    let compact = || {
        put(&db, "a", "1");
        flush(&db);
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(&options, &default_family(&db), None, None).unwrap();
    };
    compact();
    assert!(times.0.lock().unwrap().iter().all(|nanos| *nanos == 0));
    times.0.lock().unwrap().clear();
    db.set_options(&default_family(&db), &[("report_bg_io_stats", "true")]).unwrap();
    compact();
    assert!(times.0.lock().unwrap().iter().any(|nanos| *nanos > 0), "{times:?}");
    db.close().unwrap();
    let events = events(&std::fs::read_to_string(directory.path().join("LOG")).unwrap());
    let flushes = of_event(&events, "flush_finished");
    assert!(flushes[0]["file_write_nanos"].is_null());
    for field in ["file_write_nanos", "file_fsync_nanos", "file_cpu_write_nanos"] {
        assert!(flushes[1][field].as_u64().unwrap() > 0, "{field}");
    }
    for field in ["file_range_sync_nanos", "file_prepare_write_nanos", "file_cpu_read_nanos"] {
        assert!(flushes[1][field].is_u64(), "{field}");
    }
    let last = *of_event(&events, "compaction_finished").last().unwrap();
    assert!(last["file_write_nanos"].as_u64().unwrap() > 0);
    assert!(last["file_fsync_nanos"].as_u64().unwrap() > 0);
}

#[test]
fn jobs_and_files_are_told_as_events() {
    let mut fixture = Fixture::new();
    busy(&mut fixture);
    let events = events(&log(&fixture));
    let flushes = of_event(&events, "flush_started");
    assert_eq!(flushes.len(), 5);
    assert_eq!(flushes[0]["num_entries"], 2);
    assert_eq!(flushes[0]["flush_reason"], "Manual Flush");
    assert_eq!(of_event(&events, "flush_finished").len(), 5);
    let first = of_event(&events, "flush_finished")[0];
    assert_eq!(first["job"], flushes[0]["job"]);
    assert_eq!(first["lsm_state"], serde_json::json!([1, 0, 0, 0, 0, 0, 0]));
    assert_eq!(first["immutable_memtables"], 0);

    let started = of_event(&events, "compaction_started");
    assert!(!started.is_empty());
    assert_eq!(started[0]["compaction_reason"], "LevelL0FilesNum");
    assert_eq!(started[0]["files_L0"].as_array().unwrap().len(), 2);
    assert_eq!(started[0]["oldest_snapshot_seqno"], -1);
    let finished = of_event(&events, "compaction_finished");
    assert_eq!(finished.len(), started.len());
    assert_eq!(finished[0]["job"], started[0]["job"]);
    assert_eq!(finished[0]["num_input_records"], 4);
    assert_eq!(finished[0]["num_output_records"], 2);
    assert!(!of_event(&events, "trivial_move").is_empty());

    // Every table that went had come, and its size is the file's.
    let created = of_event(&events, "table_file_creation");
    let number = |event: &&Value| event["file_number"].as_u64().unwrap();
    let came: BTreeSet<u64> = created.iter().map(number).collect();
    let gone: BTreeSet<u64> = of_event(&events, "table_file_deletion").iter().map(number).collect();
    assert!(!gone.is_empty() && gone.is_subset(&came));
    let left: BTreeMap<String, u64> = created
        .iter()
        .filter(|event| !gone.contains(&number(event)))
        .map(|event| {
            let size = event["file_size"].as_u64().unwrap();
            (format!("{:06}.sst", number(event)), size)
        })
        .collect();
    assert_eq!(left.keys().cloned().collect::<Vec<_>>(), fixture.files_with(".sst"));
    for (name, size) in left {
        let path = fixture.path.join(name);
        assert_eq!(fixture.context.file_system.get_file_size(&path).unwrap(), size);
    }
    let blobs = of_event(&events, "blob_file_creation");
    assert_eq!(blobs.len(), 4);
    assert_eq!(blobs[0]["total_blob_count"], 1);
    assert!(!of_event(&events, "blob_file_deletion").is_empty());
}

#[test]
fn recovery_is_told() {
    let mut fixture = Fixture::new();
    busy(&mut fixture);
    drop(fixture.open());
    let text = log(&fixture);
    let events = events(&text);
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["recovery_started", "table_file_creation", "recovery_finished"]);
    assert_eq!(events[0]["wal_files"].as_array().unwrap().len(), 1);
    assert_eq!(events[1]["table_properties"]["num_entries"], 1);
    assert_eq!(events[2]["status"], "OK");
}

#[test]
fn stalls_are_told() {
    let mut fixture = Fixture::new();
    fixture.fill_level0_to_a_stop();
    let db = fixture.open();
    settle(&db);
    drop(db);
    let text = log(&fixture);
    let stop = "[WARN] (Original Log Time ";
    let line = text.lines().find(|line| line.contains(stop)).unwrap();
    let expected = "[default] Stopping writes because we have 4 level-0 files";
    assert!(line.ends_with(expected), "{line}");
}

#[derive(Debug, Default)]
struct Kept(Mutex<Vec<String>>);

impl Logger for Kept {
    fn log_level(&self) -> InfoLogLevel {
        InfoLogLevel::Info
    }

    fn set_log_level(&self, _level: InfoLogLevel) {}

    fn log(&self, _level: InfoLogLevel, text: fmt::Arguments<'_>) {
        self.0.lock().unwrap().push(text.to_string());
    }
}

#[test]
fn a_user_may_take_the_lines() {
    let mut fixture = Fixture::new();
    let kept = Arc::new(Kept::default());
    fixture.context.info_log = Some(kept.clone());
    let db = fixture.open();
    put(&db, "a", "1");
    flush(&db);
    drop(db);
    assert!(!fixture.files().contains(&"LOG".to_owned()));
    let lines = kept.0.lock().unwrap();
    assert!(lines.iter().any(|line| line.contains("\"event\": \"flush_finished\"")), "{lines:?}");
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing() {
    let on_the_log = |kinds: &[OperationKind]| Fault {
        operations: Operations::of(kinds).on("LOG"),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::NoSpace),
    };
    let faults = [
        vec![on_the_log(&[OperationKind::OpenForWriting])],
        vec![on_the_log(&[OperationKind::Append])],
        vec![on_the_log(&[OperationKind::Flush, OperationKind::Close])],
        vec![on_the_log(&[OperationKind::Rename, OperationKind::Inspect])],
        vec![on_the_log(&[OperationKind::Delete])],
    ];
    for faults in faults {
        let mut fixture = Fixture::new();
        let faulty = Arc::new(FaultInjectionFileSystem::new(fixture.context.file_system.clone()));
        fixture.context.file_system = faulty.clone();
        fixture.options.max_log_file_size = 1000;
        fixture.options.keep_log_file_num = 1;
        drop(fixture.open());
        faulty.plan().set_faults(faults);
        busy(&mut fixture);
        let db = fixture.open();
        assert_eq!(crate::fixture::get(&db, "c").as_deref(), Some("in the WAL"));
        db.close().unwrap();
    }
}
