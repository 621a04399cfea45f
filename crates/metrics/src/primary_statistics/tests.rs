use super::*;
use db::{ColumnFamilyDescriptor, FlushOptions, OpenContext, WriteOptions};
use options::{ColumnFamilyOptions, DbOptions};

/// Where the primary has no LOG that tells statistics, its history does.
#[test]
fn the_history_is_told_where_the_log_has_nothing() {
    let directory = tempfile::TempDir::new().unwrap();
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        persist_stats_to_disk: true,
        stats_persist_period_sec: 0,
        ..DbOptions::default()
    };
    let families = ["default", "___rocksdb_stats_history___"]
        .map(|name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default()));
    let context = OpenContext::default();
    let path = directory.path().join("db");
    let db = Db::open(&options, &path, &families, &context).unwrap();
    let put = |seconds: &str, count: &str| {
        let family = db.column_family("___rocksdb_stats_history___").unwrap();
        let key = format!("{seconds}#rocksdb.number.keys.read");
        db.put(&WriteOptions::default(), &family, key.as_bytes(), count.as_bytes()).unwrap();
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
    };
    let second = directory.path().join("second");
    let secondary = Db::open_as_secondary(&options, &path, &second, &families, &context).unwrap();
    let mut primary = PrimaryStatistics::new(&secondary, "/nowhere/at/all");
    let mut counts = || {
        secondary.try_catch_up_with_primary().unwrap();
        primary.refresh(&secondary);
        let count = |dump: &Dump| dump.ticker("rocksdb.number.keys.read").unwrap();
        let (newest, before) = (primary.newest(), primary.before_newest());
        let rate = newest.zip(before).and_then(|(n, b)| n.rate(b, "rocksdb.number.keys.read"));
        [newest.map(count), before.map(count), rate.map(|rate| rate as u64)]
    };
    assert_eq!(counts(), [None, None, None]);
    put("1795348800", "100");
    assert_eq!(counts(), [Some(100), None, None]);
    put("1795348810", "50");
    put("1795348820", "30");
    assert_eq!(counts(), [Some(180), Some(150), Some(3)]);
    put("1795348830", "5");
    assert_eq!(counts(), [Some(185), Some(180), Some(0)]);
}
