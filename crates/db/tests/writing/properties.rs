//! What properties of a database open for writing tell that nothing else does.

use crate::fixture::{Fixture, default_family, put};
use db::{
    BottommostLevelCompaction, CompactFilesOptions, CompactRangeOptions, Db, FlushOptions,
    ReadOptions, WriteOptions,
};

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn number(db: &Db, property: &str) -> u64 {
    db.int_property(&default_family(db), property).unwrap()
}

fn in_map(db: &Db, property: &str, key: &str) -> String {
    db.map_property(&default_family(db), property).unwrap()[key].clone()
}

fn key(index: usize) -> String {
    format!("key{index:05}")
}

#[test]
fn deletions_count_in_sizes_also_after_the_next_open() {
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    fixture.family_options.max_bytes_for_level_base = 100_000;
    fixture.family_options.level_compaction_dynamic_level_bytes = false;
    let db = fixture.open();
    for index in 0..2000 {
        put(&db, &key(index), &"v".repeat(100));
    }
    flush(&db);
    let family = default_family(&db);
    let compact_l0 = |level| {
        let version = family.version();
        let numbers: Vec<u64> = version.level_files(0).iter().map(|file| file.number).collect();
        db.compact_files(&CompactFilesOptions::default(), &family, &numbers, level).unwrap();
    };
    compact_l0(6);
    for index in 0..2000 {
        db.delete(&WriteOptions::default(), &family, key(index).as_bytes()).unwrap();
    }
    flush(&db);
    compact_l0(1);
    let size = family.version().level_size_bytes(1);
    let score =
        |db: &Db| -> f64 { in_map(db, "rocksdb.cfstats", "compaction.L1.Score").parse().unwrap() };
    let (before, by_size) = (score(&db), size as f64 / 100_000.0);
    assert!(before > by_size + 0.2, "{before}, by size {by_size}");
    let keys = number(&db, "rocksdb.estimate-num-keys");
    drop(family);
    drop(db);
    let db = fixture.open();
    // Values of tables that are gone do not count on average any more.
    let after = score(&db);
    assert!(after > by_size + 0.2, "{after}, by size {by_size}");
    assert_eq!(number(&db, "rocksdb.estimate-num-keys"), keys);
    drop(db);
    fixture.options.skip_stats_update_on_db_open = true;
    let db = fixture.open();
    assert!((score(&db) - by_size).abs() < 0.000_001);
}

#[test]
fn versions_and_their_tables_count_while_something_reads_them() {
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for _ in 0..2 {
        (0..500).for_each(|index| put(&db, &key(index), "value"));
        flush(&db);
    }
    let live = number(&db, "rocksdb.live-sst-files-size");
    assert_eq!(number(&db, "rocksdb.num-live-versions"), 1);
    assert_eq!(number(&db, "rocksdb.total-sst-files-size"), live);
    let mut reader = db.new_iterator(&ReadOptions::default(), &default_family(&db)).unwrap();
    reader.seek_to_first();
    let forced = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    db.compact_range(&forced, &default_family(&db), None, None).unwrap();
    let compacted = number(&db, "rocksdb.live-sst-files-size");
    assert!(number(&db, "rocksdb.num-live-versions") >= 2);
    assert_eq!(number(&db, "rocksdb.total-sst-files-size"), live + compacted);
    assert_eq!(number(&db, "rocksdb.obsolete-sst-files-size"), 0);
    drop(reader);
    assert_eq!(number(&db, "rocksdb.num-live-versions"), 1);
    assert_eq!(number(&db, "rocksdb.total-sst-files-size"), compacted);
    // They are deleted when the next job ends.
    assert_eq!(number(&db, "rocksdb.obsolete-sst-files-size"), live);
    put(&db, "a", "1");
    flush(&db);
    while number(&db, "rocksdb.obsolete-sst-files-size") > 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn statistics_tell_processor_time_and_who_spent_it() {
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for _ in 0..2 {
        (0..20_000).for_each(|index| put(&db, &key(index), &"value".repeat(20)));
        flush(&db);
    }
    db.compact_range(&CompactRangeOptions::default(), &default_family(&db), None, None).unwrap();
    let seconds = |key: &str| in_map(&db, "rocksdb.cfstats", key).parse::<f64>().unwrap();
    let (cpu, all) = (seconds("compaction.Sum.CompMergeCPU"), seconds("compaction.Sum.CompSec"));
    assert!(cpu > 0.0 && cpu <= all + 0.001, "{cpu} of {all}");
    let text = db.property(&default_family(&db), "rocksdb.cfstats").unwrap();
    let (_, by_priority) = text.split_once("\nPriority ").unwrap();
    let names: Vec<_> = by_priority.lines().skip(2).take(2).map(|line| &line[..5]).collect();
    assert_eq!(names, [" Low ", "High "]);
}

#[test]
fn reads_of_tables_are_timed_by_level_where_there_are_statistics() {
    let mut fixture = Fixture::new();
    fixture.context.statistics = Some(std::sync::Arc::new(statistics::Statistics::new()));
    let db = fixture.open();
    (0..500).for_each(|index| put(&db, &key(index), "value"));
    flush(&db);
    db.get(&ReadOptions::default(), &default_family(&db), key(7).as_bytes()).unwrap();
    let text = db.property(&default_family(&db), "rocksdb.cf-file-histogram").unwrap();
    let title = "** File Read Latency Histogram By Level [default] **\n";
    let expected = format!("\n{title}** Level 0 read latency histogram (micros):\nCount: ");
    assert!(text.starts_with(&expected), "{text}");
    assert!(!text.contains("Level 1"), "{text}");
}
