use crate::periodic_work::PeriodicTask;
use crate::set_options::tests::Setup;
use base::status::Code;
use env::thread_pool::Priority;

fn setup(options: &str) -> Setup {
    Setup::new(options, &[("default", ""), ("other", "")])
}

fn set(setup: &Setup, name: &str, value: &str) {
    setup.db.set_db_options(&[(name, value)]).unwrap();
}

#[test]
fn a_change_is_in_the_options_file_and_in_the_log() {
    let setup = setup("");
    let changes = [("max_background_jobs", "7"), ("bytes_per_sync", "1M")];
    assert_eq!(setup.db.set_db_options(&changes).unwrap(), []);
    for options in [&*setup.db.get_db_options(), &setup.written_options().db] {
        assert_eq!((options.max_background_jobs, options.bytes_per_sync), (7, 1 << 20));
    }
    let log = setup.log();
    for line in ["SetDBOptions(), inputs:", "max_background_jobs: 7", "SetDBOptions() succeeded"] {
        assert!(log.contains(line), "{line}: {log}");
    }
    set(&setup, "max_background_jobs", "7");
    setup.writing().info_log.flush();
    assert!(setup.log().contains("input option value is not changed, skipping updating"));
}

#[test]
fn what_cannot_be_set_changes_nothing() {
    let setup = setup("use_direct_io_for_flush_and_compaction=true");
    let before = setup.db.get_db_options().to_option_string();
    for (name, value, code) in [
        ("create_if_missing", "false", Code::NotFound),
        ("no_such_option", "1", Code::NotFound),
        ("max_open_files", "many", Code::InvalidArgument),
        ("daily_offpeak_time_utc", "25:00-26:00", Code::InvalidArgument),
        ("writable_file_max_buffer_size", "0", Code::InvalidArgument),
    ] {
        let changes = [("stats_dump_period_sec", "17"), (name, value)];
        let status = setup.db.set_db_options(&changes).unwrap_err();
        assert_eq!(status.code(), code, "{status}");
        assert!(status.message().contains(name), "{status}");
        assert_eq!(setup.db.get_db_options().to_option_string(), before);
    }
    assert!(setup.log().contains("SetDBOptions failed"));
    assert_eq!(setup.db.set_db_options(&[]).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn an_options_file_that_cannot_be_written_is_reported() {
    let setup = setup("");
    setup.refuse_options_files();
    let status = setup.db.set_db_options(&[("max_background_jobs", "7")]).unwrap_err();
    assert_eq!(status.code(), Code::IoError, "{status}");
    assert!(status.message().contains("unable to persist options"), "{status}");
    assert_eq!(setup.db.get_db_options().max_background_jobs, 7);
}

#[test]
fn options_that_do_not_go_with_a_family_are_refused() {
    let setup = Setup::new("", &[("default", "compaction_style=kCompactionStyleFIFO;ttl=1000")]);
    let status = setup.db.set_db_options(&[("max_open_files", "100")]).unwrap_err();
    assert_eq!(status.code(), Code::NotSupported, "{status}");
    assert_eq!(setup.db.get_db_options().max_open_files, -1);
}

#[test]
fn background_work_has_as_many_threads_as_are_set() {
    let setup = setup("max_background_jobs=2");
    let threads = || {
        let pool = &setup.writing().pool;
        [Priority::High, Priority::Low].map(|priority| pool.background_threads(priority))
    };
    assert_eq!(threads(), [1, 1]);
    set(&setup, "max_background_jobs", "8");
    assert_eq!(threads(), [2, 6]);
    set(&setup, "max_background_flushes", "5");
    set(&setup, "max_background_compactions", "3");
    assert_eq!(threads(), [5, 3]);
}

#[test]
fn old_wals_are_given_up_by_the_size_that_is_set() {
    let setup = setup("");
    setup.put("other", "keeps the first WAL", 10);
    (0..100).for_each(|index| setup.put("default", &format!("{index}"), 1000));
    setup.settle();
    assert_eq!(setup.db.live_files().len(), 0);
    set(&setup, "max_total_wal_size", "50K");
    setup.put("default", "finds them too large", 10);
    setup.settle();
    let families: Vec<_> =
        setup.db.live_files().iter().map(|file| file.column_family.to_string()).collect();
    assert!(families.contains(&"other".to_owned()), "{families:?}");
    // By the sizes of memtables again.
    set(&setup, "max_total_wal_size", "0");
    let limit = setup.writing().stage.lock().max_total_wal_size_bytes;
    assert_eq!(limit, 2 * 2 * 4 * (64 << 20));
    setup.db.set_options(&setup.family("other"), &[("write_buffer_size", "1M")]).unwrap();
    let limit = setup.writing().stage.lock().max_total_wal_size_bytes;
    assert_eq!(limit, 2 * 4 * (65 << 20));
}

#[test]
fn periodic_work_is_done_in_the_periods_that_are_set() {
    let setup = setup("stats_dump_period_sec=0");
    let dumps = || setup.log().matches("DUMPING STATS").count();
    setup.advance_secs(10_000);
    setup.advance_secs(10);
    assert_eq!(dumps(), 0);
    set(&setup, "stats_dump_period_sec", "100");
    setup.advance_secs(100);
    setup.advance_secs(10);
    assert_eq!(dumps(), 1);
    set(&setup, "stats_dump_period_sec", "0");
    setup.advance_secs(10_000);
    setup.advance_secs(10);
    assert_eq!(dumps(), 1);
    set(&setup, "stats_persist_period_sec", "88");
    assert_eq!(setup.writing().periodic_work.period_secs(PeriodicTask::PersistStats), 88);
    set(&setup, "max_compaction_trigger_wakeup_seconds", "77");
    assert_eq!(setup.writing().periodic_work.period_secs(PeriodicTask::TriggerCompaction), 77);
}

#[test]
fn files_are_kept_open_up_to_the_number_that_is_set() {
    let setup = Setup::new("", &[("default", "disable_auto_compactions=true")]);
    for index in 0..30 {
        setup.put("default", &format!("{index:02}"), 1);
        setup.db.flush(&Default::default(), &[&setup.family("default")]).unwrap();
    }
    let read_all = || {
        for index in 0..30 {
            let key = format!("{index:02}");
            let found = setup.db.get(&Default::default(), &setup.family("default"), key.as_bytes());
            assert!(found.unwrap().is_some());
        }
    };
    read_all();
    let open = || setup.writing().open_files.tables.len();
    assert_eq!(open(), 30);
    set(&setup, "max_open_files", "20");
    assert!(open() <= 10, "{}", open());
    read_all();
    assert!(open() <= 10, "{}", open());
    assert!(!setup.family("default").0.tables.keeps_all_open());
    set(&setup, "max_open_files", "-1");
    read_all();
    assert_eq!(open(), 30);
}

#[test]
fn the_rate_of_delayed_writes_is_the_one_that_is_set() {
    let family = "disable_auto_compactions=true;level0_file_num_compaction_trigger=1;\
                  level0_slowdown_writes_trigger=1";
    let setup = Setup::new("delayed_write_rate=1M", &[("default", family)]);
    setup.put("default", "key", 1);
    setup.db.flush(&Default::default(), &[&setup.family("default")]).unwrap();
    setup.db.pause_background_work().unwrap();
    let compacts = [("disable_auto_compactions", "false")];
    setup.db.set_options(&setup.family("default"), &compacts).unwrap();
    let rate = || setup.db.property(&setup.family("default"), "rocksdb.actual-delayed-write-rate");
    assert_eq!(rate().as_deref(), Some("1048576"));
    set(&setup, "delayed_write_rate", "2M");
    assert_eq!(setup.writing().state.lock().write_controller.actual_delayed_write_rate(), 2 << 20);
    assert_eq!(rate().as_deref(), Some("2097152"));
}
