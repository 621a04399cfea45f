//! What listeners are told, in which order, and what they may do meanwhile.

use crate::fixture::{Fixture, default_family, get, put};
use base::Status;
use base::status::{Code, Severity};
use db::{
    BackgroundErrorReason, BackgroundErrorRecoveryInfo, BackgroundJobPressure,
    BlobFileCreationBriefInfo, BlobFileCreationInfo, BlobFileDeletionInfo,
    BottommostLevelCompaction, ColumnFamilyHandle, CompactRangeOptions, CompactionJobInfo, Db,
    EventListener, FileOperationInfo, FlushJobInfo, FlushOptions, ManualFlushInfo, MemTableInfo,
    SubcompactionJobInfo, TableFileCreationBriefInfo, TableFileCreationInfo, TableFileDeletionInfo,
    WaitForCompactOptions, WriteOptions, WriteStallInfo,
};
use env::FaultInjectionFileSystem;
use env::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use testing::wait::until;

/// Keeps what it is told, a line each.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<String>>);

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

impl Kept {
    fn say(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn has(&self, start: &str) -> bool {
        self.0.lock().unwrap().iter().any(|line| line.starts_with(start))
    }

    fn compaction(&self, event: &str, info: &CompactionJobInfo) {
        let names = |paths: &[std::path::PathBuf]| {
            paths.iter().map(|path| name(path)).collect::<Vec<_>>().join(",")
        };
        let (inputs, outputs) = (names(&info.input_files), names(&info.output_files));
        let reason = info.compaction_reason.name();
        let levels = format!("L{} to L{}", info.base_input_level, info.output_level);
        self.say(format!("{event} {reason} {levels} [{inputs}] [{outputs}]"));
    }
}

impl EventListener for Kept {
    fn on_flush_begin(&self, _db: &Db, info: &FlushJobInfo) {
        self.say(format!("flush begins {} {}", info.file_number, info.flush_reason.name()));
    }

    fn on_flush_completed(&self, _db: &Db, info: &FlushJobInfo) {
        let FlushJobInfo { file_number, smallest_seqno, largest_seqno, .. } = info;
        let entries = info.table_properties.num_entries;
        let blobs = info.blob_file_addition_infos.len();
        self.say(format!(
            "flush completed {file_number} {entries} entries {smallest_seqno}..{largest_seqno} \
             {blobs} blob files"
        ));
    }

    fn on_manual_flush_scheduled(&self, _db: &Db, info: &[ManualFlushInfo]) {
        let reasons: Vec<&str> = info.iter().map(|one| one.flush_reason.name()).collect();
        self.say(format!("flush scheduled {reasons:?}"));
    }

    fn on_compaction_begin(&self, _db: &Db, info: &CompactionJobInfo) {
        self.compaction("compaction begins", info);
    }

    fn on_compaction_pre_commit(&self, _db: &Db, info: &CompactionJobInfo) {
        self.compaction("compaction commits", info);
    }

    fn on_compaction_completed(&self, _db: &Db, info: &CompactionJobInfo) {
        self.compaction("compaction completed", info);
        let stats = &info.stats;
        self.say(format!(
            "  {} records in, {} out, {} tables, {} properties, {} garbage, manual {}",
            stats.num_input_records,
            stats.num_output_records,
            stats.num_output_files,
            info.table_properties.len(),
            info.blob_file_garbage_infos.len(),
            stats.is_manual_compaction
        ));
    }

    fn on_subcompaction_begin(&self, info: &SubcompactionJobInfo) {
        self.say(format!("part {} begins", info.subcompaction_job_id));
    }

    fn on_subcompaction_completed(&self, info: &SubcompactionJobInfo) {
        let SubcompactionJobInfo { subcompaction_job_id: part, stats, .. } = info;
        self.say(format!("part {part} completed, {} records", stats.num_input_records));
    }

    fn on_table_file_creation_started(&self, info: &TableFileCreationBriefInfo) {
        self.say(format!("table starts {} {:?}", name(&info.file_path), info.reason));
    }

    fn on_table_file_created(&self, info: &TableFileCreationInfo) {
        let end = match &info.status {
            None => format!("{} entries", info.table_properties.num_entries),
            Some(status) => status.to_string(),
        };
        self.say(format!("table created {} {end}", name(&info.file_path)));
    }

    fn on_table_file_deleted(&self, info: &TableFileDeletionInfo) {
        self.say(format!("table deleted {} {:?}", name(&info.file_path), info.status));
    }

    fn on_blob_file_creation_started(&self, info: &BlobFileCreationBriefInfo) {
        self.say(format!("blob file starts {} {:?}", name(&info.file_path), info.reason));
    }

    fn on_blob_file_created(&self, info: &BlobFileCreationInfo) {
        let BlobFileCreationInfo { file_path, total_blob_count, .. } = info;
        self.say(format!("blob file created {} {total_blob_count} blobs", name(file_path)));
    }

    fn on_blob_file_deleted(&self, info: &BlobFileDeletionInfo) {
        self.say(format!("blob file deleted {} {:?}", name(&info.file_path), info.status));
    }

    fn on_memtable_sealed(&self, info: &MemTableInfo) {
        let MemTableInfo { first_seqno, num_entries, num_deletes, .. } = info;
        self.say(format!("sealed from {first_seqno}: {num_entries} entries {num_deletes} deletes"));
    }

    fn on_column_family_handle_deletion_started(&self, handle: &ColumnFamilyHandle) {
        self.say(format!("handle of {} goes", handle.name()));
    }

    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Status>) {
        let severity = error.as_ref().map(Status::severity);
        self.say(format!("error {reason:?} {severity:?}"));
    }

    fn on_error_recovery_begin(
        &self,
        reason: BackgroundErrorReason,
        _error: &Status,
        auto_recovery: &mut bool,
    ) {
        self.say(format!("recovery begins {reason:?} {auto_recovery}"));
    }

    fn on_error_recovery_completed(&self, old_error: &Status) {
        self.say(format!("recovered from {:?}", old_error.code()));
    }

    fn on_error_recovery_end(&self, info: &BackgroundErrorRecoveryInfo) {
        self.say(format!("recovery ends, error {:?}", info.new_bg_error));
    }

    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        self.say(format!("stall {} to {}", info.previous.name(), info.current.name()));
    }

    fn on_db_shutdown_begin(&self, _db: &Db) {
        self.say("shutdown".to_owned());
    }
}

fn listening(fixture: &mut Fixture) -> Arc<Kept> {
    let kept = Arc::new(Kept::default());
    fixture.context.listeners.push(kept.clone());
    kept
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn settle(db: &Db) {
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
}

#[test]
fn a_workload_is_told_in_order() {
    let mut fixture = Fixture::new();
    fixture.family_options.enable_blob_files = true;
    fixture.family_options.min_blob_size = 100;
    fixture.family_options.enable_blob_garbage_collection = true;
    fixture.family_options.blob_garbage_collection_age_cutoff = 1.0;
    let kept = listening(&mut fixture);
    let db = fixture.open();
    assert_eq!(kept.take(), [""; 0]);

    put(&db, "a", "1");
    put(&db, "b", &"large".repeat(100));
    flush(&db);
    settle(&db);
    let expected = [
        "sealed from 1: 2 entries 0 deletes",
        "flush scheduled [\"Manual Flush\"]",
        "flush begins 7 Manual Flush",
        "table starts 000007.sst Flush",
        "blob file starts 000008.blob Flush",
        "blob file created 000008.blob 1 blobs",
        "table created 000007.sst 2 entries",
        "flush completed 7 2 entries 1..2 1 blob files",
    ];
    let mut told = kept.take();
    // The flush may begin before the one who asked for it says so.
    let scheduled = told.iter().position(|line| line.starts_with("flush scheduled")).unwrap();
    let line = told.remove(scheduled);
    told.insert(1, line);
    assert_eq!(told, expected);
    told_of_a_compaction(&db, &kept);

    put(&db, "c", "1");
    db.close().unwrap();
    assert_eq!(kept.take(), ["shutdown"]);
    drop(fixture.open());
    let told = kept.take();
    let recovered = ["table starts 000014.sst Recovery", "table created 000014.sst 1 entries"];
    assert_eq!(told[..2], recovered);
}

fn told_of_a_compaction(db: &Db, kept: &Kept) {
    put(db, "a", "2");
    flush(db);
    let forced = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    kept.take();
    db.compact_range(&forced, &default_family(db), None, None).unwrap();
    let told = kept.take();
    let expected = [
        "flush scheduled [\"Manual Compaction\"]",
        // Their newest version of the key comes first, so that both can be moved.
        "compaction begins ManualCompaction L0 to L6 [000010.sst,000007.sst] []",
        "compaction commits ManualCompaction L0 to L6 [000010.sst,000007.sst] [000010.sst,000007.sst]",
        "compaction completed ManualCompaction L0 to L6 [000010.sst,000007.sst] [000010.sst,000007.sst]",
        "  0 records in, 0 out, 0 tables, 2 properties, 0 garbage, manual true",
        "compaction begins ManualCompaction L6 to L6 [000010.sst,000007.sst] []",
        "part 0 begins",
        "table starts 000011.sst Compaction",
        "blob file starts 000012.blob Compaction",
        "table created 000011.sst 2 entries",
        "blob file created 000012.blob 1 blobs",
        "part 0 completed, 3 records",
        "compaction commits ManualCompaction L6 to L6 [000010.sst,000007.sst] [000011.sst]",
        "compaction completed ManualCompaction L6 to L6 [000010.sst,000007.sst] [000011.sst]",
        "  3 records in, 2 out, 1 tables, 3 properties, 1 garbage, manual true",
        "table deleted 000007.sst None",
        "table deleted 000010.sst None",
        "blob file deleted 000008.blob None",
    ];
    assert_eq!(told, expected);
}

#[test]
fn each_part_of_a_compaction_is_told() {
    let mut fixture = Fixture::new();
    fixture.options.max_subcompactions = 2;
    fixture.family_options.target_file_size_base = 20_000;
    fixture.family_options.compression = options::CompressionType::NoCompression;
    let kept = listening(&mut fixture);
    let db = fixture.open();
    // No two separators in the indexes are the same.
    for end in ["", "5"] {
        for key in 0..60 {
            put(&db, &format!("{key:02}{end}"), &"value".repeat(200));
        }
        flush(&db);
    }
    kept.take();
    db.compact_range(&CompactRangeOptions::default(), &default_family(&db), None, None).unwrap();
    let told = kept.take();
    let of = |start: &str, end: &str| -> Vec<usize> {
        let is_it = |line: &String| line.starts_with(start) && line.contains(end);
        (0..told.len()).filter(|index| is_it(&told[*index])).collect()
    };
    let (begin, commit) = (of("compaction begins", "")[0], of("compaction commits", "")[0]);
    let mut records = 0;
    for part in 0..2 {
        let part = format!("part {part} ");
        let (started, ended) = (of(&part, "begins"), of(&part, "completed"));
        assert_eq!((started.len(), ended.len()), (1, 1), "{told:#?}");
        assert!(begin < started[0] && started[0] < ended[0] && ended[0] < commit, "{told:#?}");
        let (_, count) = told[ended[0]].rsplit_once("completed, ").unwrap();
        let count: u64 = count.trim_end_matches(" records").parse().unwrap();
        assert!(count > 20, "{told:#?}");
        records += count;
    }
    assert_eq!(records, 120);
    assert_eq!(of("part ", "").len(), 4, "{told:#?}");
}

#[test]
fn a_dropped_column_family_is_told() {
    let mut fixture = Fixture::new();
    let kept = listening(&mut fixture);
    let db = fixture.open();
    let family = db.create_column_family(&fixture.family_options, "other").unwrap();
    db.drop_column_family(&family).unwrap();
    assert_eq!(kept.take(), ["handle of other goes"]);
}

#[test]
fn stalls_are_told_when_they_begin_and_end() {
    let mut fixture = Fixture::new();
    fixture.fill_level0_to_a_stop();
    let kept = listening(&mut fixture);
    let db = fixture.open();
    settle(&db);
    drop(db);
    let told = kept.take();
    let stalls: Vec<&String> = told.iter().filter(|line| line.starts_with("stall ")).collect();
    assert_eq!(stalls, ["stall normal to stopped", "stall stopped to normal"], "{told:?}");
}

/// Fails appends to a kind of file from now on.
fn faulty(fixture: &mut Fixture) -> Arc<FaultInjectionFileSystem> {
    let faulty = Arc::new(FaultInjectionFileSystem::new(fixture.context.file_system.clone()));
    fixture.context.file_system = faulty.clone();
    faulty
}

fn full_disk_for(suffix: &str) -> Vec<Fault> {
    vec![Fault {
        operations: Operations::of(&[OperationKind::Append]).on(suffix),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::NoSpace),
    }]
}

#[test]
fn a_recovery_that_fails_is_told_too() {
    let mut fixture = Fixture::new();
    fixture.options.bgerror_resume_retry_interval = 1000;
    fixture.options.max_bgerror_resume_count = 2;
    let (faulty, kept) = (faulty(&mut fixture), listening(&mut fixture));
    let db = fixture.open();
    put(&db, "a", "1");
    faulty.plan().set_faults(full_disk_for(".sst"));
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap_err();
    until("the end is told", || kept.has("recovery ends, error Some"));
    let told = kept.take();
    let end = told.iter().position(|line| line.starts_with("recovery ends, error Some")).unwrap();
    assert_eq!(told[end - 1], "recovered from IoError", "as RocksDB, {told:?}");
    faulty.plan().set_faults(Vec::new());
}

#[test]
fn errors_and_recovery_are_told() {
    let mut fixture = Fixture::new();
    fixture.options.bgerror_resume_retry_interval = 1000;
    let (faulty, kept) = (faulty(&mut fixture), listening(&mut fixture));
    let db = fixture.open();
    put(&db, "a", "1");
    faulty.plan().set_faults(full_disk_for(".sst"));
    let status = db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap_err();
    assert_eq!(status.severity(), Severity::Hard);
    faulty.plan().set_faults(Vec::new());
    until("writes go on", || {
        db.put(&WriteOptions::default(), &default_family(&db), b"b", b"2").is_ok()
    });
    until("the end is told", || kept.has("recovery ends"));
    let told = kept.take();
    let of = |start: &str| told.iter().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    assert_eq!(of("error "), ["error Flush Some(Hard)"]);
    assert_eq!(of("recovery begins"), ["recovery begins Flush true"]);
    assert_eq!(of("recovered"), ["recovered from IoError"]);
    assert_eq!(of("recovery ends"), ["recovery ends, error None"]);
    let given_up = of("table created").first().unwrap().to_string();
    assert!(given_up.contains("no space"), "{given_up}");
}

/// Makes nothing of errors, or makes recovery a matter of the user.
#[derive(Debug)]
struct Lenient {
    suppresses: bool,
}

impl EventListener for Lenient {
    fn on_background_error(&self, _reason: BackgroundErrorReason, error: &mut Option<Status>) {
        if self.suppresses {
            *error = None;
        }
    }

    fn on_error_recovery_begin(
        &self,
        _reason: BackgroundErrorReason,
        _error: &Status,
        auto_recovery: &mut bool,
    ) {
        *auto_recovery = false;
    }
}

#[test]
fn a_listener_may_suppress_an_error() {
    let mut fixture = Fixture::new();
    let faulty = faulty(&mut fixture);
    fixture.context.listeners.push(Arc::new(Lenient { suppresses: true }));
    let db = fixture.open();
    put(&db, "a", "1");
    let once = Fault { when: When::Nth(0), ..full_disk_for(".sst").remove(0) };
    faulty.plan().set_faults(vec![once]);
    // The flush is tried again, since no error stands.
    flush(&db);
    put(&db, "b", "2");
    // So with an error of the write path, which is told when the write has let go of its locks. The
    // WAL stays broken: each write fails by itself.
    faulty.plan().set_faults(full_disk_for(".log"));
    let options = WriteOptions { sync: true, ..WriteOptions::default() };
    db.put(&options, &default_family(&db), b"c", b"3").unwrap_err();
    faulty.plan().set_faults(Vec::new());
    let status = db.put(&options, &default_family(&db), b"c", b"3").unwrap_err();
    assert_eq!(status.severity(), Severity::None, "{status}");
    assert_eq!(get(&db, "b").as_deref(), Some("2"));
}

#[test]
fn a_listener_may_keep_recovery_to_the_user() {
    let mut fixture = Fixture::new();
    fixture.options.bgerror_resume_retry_interval = 1000;
    let faulty = faulty(&mut fixture);
    fixture.context.listeners.push(Arc::new(Lenient { suppresses: false }));
    let db = fixture.open();
    put(&db, "a", "1");
    faulty.plan().set_faults(full_disk_for(".sst"));
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap_err();
    faulty.plan().set_faults(Vec::new());
    std::thread::sleep(std::time::Duration::from_millis(50));
    let write = || db.put(&WriteOptions::default(), &default_family(&db), b"b", b"2");
    assert_eq!(write().unwrap_err().code(), Code::IoError);
    db.resume().unwrap();
    write().unwrap();
}

/// Reads, writes and flushes wherever it is given the database, and panics where it says.
#[derive(Debug, Default)]
struct Busy {
    panics: bool,
    calls: AtomicU64,
    told: Mutex<BTreeSet<String>>,
}

impl Busy {
    fn use_it(&self, db: &Db, key: &str) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        // Its own flushes are told of, too: it would go on for ever.
        if self.told.lock().unwrap().insert(key.to_owned()) {
            put(db, key, "told");
            assert_eq!(get(db, key).as_deref(), Some("told"));
            let options = FlushOptions::default().wait(false).allow_write_stall(true);
            db.flush(&options, &[&default_family(db)]).unwrap();
        }
        assert!(!self.panics, "a listener in a bad mood");
    }
}

impl EventListener for Busy {
    fn on_flush_begin(&self, db: &Db, _info: &FlushJobInfo) {
        self.use_it(db, "flush begins");
    }

    fn on_flush_completed(&self, db: &Db, _info: &FlushJobInfo) {
        self.use_it(db, "flush completed");
    }

    fn on_manual_flush_scheduled(&self, db: &Db, _info: &[ManualFlushInfo]) {
        self.use_it(db, "flush scheduled");
    }

    fn on_compaction_begin(&self, db: &Db, _info: &CompactionJobInfo) {
        self.use_it(db, "compaction begins");
    }

    fn on_compaction_pre_commit(&self, db: &Db, _info: &CompactionJobInfo) {
        self.use_it(db, "compaction commits");
    }

    fn on_compaction_completed(&self, db: &Db, _info: &CompactionJobInfo) {
        self.use_it(db, "compaction completed");
    }

    fn on_table_file_created(&self, _info: &TableFileCreationInfo) {
        assert!(!self.panics, "a listener in a bad mood");
    }

    fn on_memtable_sealed(&self, _info: &MemTableInfo) {
        assert!(!self.panics, "a listener in a bad mood");
    }

    fn on_background_job_pressure_changed(&self, db: &Db, _pressure: &BackgroundJobPressure) {
        self.use_it(db, "pressure");
    }

    fn on_db_shutdown_begin(&self, db: &Db) {
        self.use_it(db, "shutdown");
    }
}

fn work_with_a_busy_listener(panics: bool) -> (Fixture, Arc<Busy>) {
    let mut fixture = Fixture::new();
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    // A stall would have the thread of a flush wait for itself.
    fixture.family_options.max_write_buffer_number = 100;
    fixture.family_options.level0_slowdown_writes_trigger = 100;
    fixture.family_options.level0_stop_writes_trigger = 100;
    let busy = Arc::new(Busy { panics, ..Busy::default() });
    fixture.context.listeners.push(busy.clone());
    let db = fixture.open();
    for round in 0..8 {
        put(&db, "a", &round.to_string());
        flush(&db);
    }
    settle(&db);
    assert_eq!(get(&db, "a").as_deref(), Some("7"));
    for key in ["flush begins", "flush completed", "compaction completed", "pressure"] {
        assert_eq!(get(&db, key).as_deref(), Some("told"), "{key}");
    }
    db.close().unwrap();
    (fixture, busy)
}

#[test]
fn listeners_may_use_the_database() {
    let (fixture, busy) = work_with_a_busy_listener(false);
    assert!(busy.calls.load(Ordering::SeqCst) > 20);
    let db = fixture.open();
    assert_eq!(get(&db, "shutdown").as_deref(), Some("told"));
}

#[test]
fn a_panic_of_a_listener_is_told_and_does_no_harm() {
    let (fixture, _) = work_with_a_busy_listener(true);
    let fs = &*fixture.context.file_system;
    let log = env::read_file_to_vec(fs, Path::new("/db/LOG"), 1 << 24).unwrap();
    let log = String::from_utf8(log).unwrap();
    let expected = "An event listener panicked in on_flush_completed: a listener in a bad mood";
    assert!(log.contains(expected), "{log}");
}

/// Sums up what is done to files.
#[derive(Debug, Default)]
struct Watcher {
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
    syncs: AtomicU64,
    closes: AtomicU64,
}

impl EventListener for Watcher {
    fn should_be_notified_on_file_io(&self) -> bool {
        true
    }

    fn on_file_read_finish(&self, info: &FileOperationInfo<'_>) {
        self.read_bytes.fetch_add(info.length as u64, Ordering::SeqCst);
    }

    fn on_file_write_finish(&self, info: &FileOperationInfo<'_>) {
        assert!(name(info.path) != "LOG");
        self.written_bytes.fetch_add(info.length as u64, Ordering::SeqCst);
    }

    fn on_file_sync_finish(&self, _info: &FileOperationInfo<'_>) {
        self.syncs.fetch_add(1, Ordering::SeqCst);
    }

    fn on_file_close_finish(&self, _info: &FileOperationInfo<'_>) {
        self.closes.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn operations_on_files_are_told_to_those_who_want_it() {
    let mut fixture = Fixture::new();
    let watcher = Arc::new(Watcher::default());
    fixture.context.listeners.push(watcher.clone());
    let db = fixture.open();
    let before = watcher.written_bytes.load(Ordering::SeqCst);
    let options = WriteOptions { sync: true, ..WriteOptions::default() };
    db.put(&options, &default_family(&db), b"a", &[1; 1000]).unwrap();
    let written = watcher.written_bytes.load(Ordering::SeqCst) - before;
    assert!((1000..1100).contains(&written), "{written}");
    assert!(watcher.syncs.load(Ordering::SeqCst) > 0);
    flush(&db);
    assert!(watcher.closes.load(Ordering::SeqCst) > 0);
    let before = watcher.read_bytes.load(Ordering::SeqCst);
    get(&db, "a");
    assert!(watcher.read_bytes.load(Ordering::SeqCst) > before);
}
