//! Writes wait where flushes and compactions fall behind, and go on when they have caught up.

use crate::blocking_fs::BlockingFileSystem;
use crate::fixture::{Fixture, default_family, put, scan};
use base::status::Code;
use db::{Db, FlushOptions, WaitForCompactOptions, WriteOptions};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn number(db: &Db, property: &str) -> u64 {
    db.int_property(&default_family(db), property).unwrap()
}

/// Puts without waiting; whether it was let through.
fn try_put(db: &Db, low_pri: bool) -> bool {
    let options = WriteOptions { no_slowdown: true, low_pri, ..WriteOptions::default() };
    match db.put(&options, &default_family(db), b"b", b"2") {
        Ok(()) => true,
        Err(status) if status.code() == Code::Incomplete => false,
        Err(status) => panic!("{status}"),
    }
}

/// A database with so many files in L0 that compactions, which begin now, are slow to merge.
fn with_l0_files(count: usize) -> (Fixture, Db) {
    let mut fixture = Fixture::new();
    fill_l0(&mut fixture, count);
    fixture.options.rate_limiter_bytes_per_sec = 2_000;
    let db = fixture.open();
    (fixture, db)
}

/// The next open compacts them.
fn fill_l0(fixture: &mut Fixture, count: usize) {
    fixture.options.delayed_write_rate = 1 << 20;
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    fixture.family_options.level0_slowdown_writes_trigger = 3;
    fixture.family_options.level0_stop_writes_trigger = 5;
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for _ in 0..count {
        put(&db, "a", "1");
        put(&db, "b", "1");
        flush(&db);
    }
    drop(db);
    fixture.family_options.disable_auto_compactions = false;
}

fn stall_count(db: &Db, cause: &str) -> String {
    let stats = db.map_property(&default_family(db), "rocksdb.cfstats").unwrap();
    stats[&format!("io_stalls.{cause}")].clone()
}

/// What `touchstone.stall` says of `name`.
fn stall(db: &Db, name: &str) -> f64 {
    let map = db.map_property(&default_family(db), "touchstone.stall").unwrap();
    map[name].parse().unwrap()
}

/// Microseconds that writes waited, by `rocksdb.dbstats`.
fn stall_micros(db: &Db) -> u64 {
    let map = db.map_property(&default_family(db), "rocksdb.dbstats").unwrap();
    map["db.user_write_stall_micros"].parse().unwrap()
}

#[test]
fn a_full_l0_stops_writes_until_it_is_compacted() {
    let (_fixture, db) = with_l0_files(6);
    assert_eq!(number(&db, "rocksdb.is-write-stopped"), 1);
    assert!(!try_put(&db, false));
    while number(&db, "rocksdb.num-running-compactions") == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(stall(&db, "total-seconds"), 0.0);
    let begin = Instant::now();
    put(&db, "c", "1");
    let waited = begin.elapsed().as_secs_f64();
    let seconds = stall(&db, "l0-file-count-limit-stopped-seconds");
    assert!(seconds > 0.0 && seconds <= waited, "{seconds} of {waited}");
    assert_eq!(stall(&db, "l0-file-count-limit-stopped-writes"), 1.0);
    assert!(stall_micros(&db) as f64 + 1.0 >= seconds * 1e6);
    assert_eq!(stall(&db, "memtable-limit-stopped-writes"), 0.0);
    let version = default_family(&db).version();
    assert!(version.level_files(0).len() < 5);
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(number(&db, "rocksdb.is-write-stopped"), 0);
    assert_eq!(number(&db, "rocksdb.num-running-compactions"), 0);
    assert_eq!(stall_count(&db, "level0_numfiles"), "1");
    assert!(try_put(&db, true));
    assert_eq!(scan(&db).len(), 3);
}

#[test]
fn a_filling_l0_delays_writes_until_it_is_compacted() {
    let (_fixture, db) = with_l0_files(4);
    assert_eq!(number(&db, "rocksdb.actual-delayed-write-rate"), 1 << 20);
    assert!(!try_put(&db, false) && !try_put(&db, true));
    put(&db, "c", "1");
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(number(&db, "rocksdb.actual-delayed-write-rate"), 0);
    assert_eq!(stall_count(&db, "level0_slowdown"), "1");
    assert!(try_put(&db, false) && try_put(&db, true));
}

#[test]
fn all_writes_of_a_group_pass_at_the_rate() {
    const THREADS: u32 = 8;
    const PUTS: u32 = 20;
    const VALUE_SIZE: u32 = 4 << 10;
    let mut fixture = Fixture::new();
    fill_l0(&mut fixture, 4);
    let held = Arc::new(BlockingFileSystem::new(fixture.context.file_system.clone()));
    fixture.context.file_system = held.clone();
    held.hold_syncs("sst");
    let db = fixture.open();
    held.wait_for_sync();
    let rate_before = number(&db, "rocksdb.actual-delayed-write-rate");
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let db = &db;
            scope.spawn(move || {
                let value = "v".repeat(VALUE_SIZE as usize);
                for index in 0..PUTS {
                    put(db, &format!("key {thread} {index}"), &value);
                }
            });
        }
    });
    let takes = begin.elapsed();
    let rate = number(&db, "rocksdb.actual-delayed-write-rate");
    held.let_syncs_through();
    assert_eq!((rate_before, rate), (1 << 20, 1 << 20));
    // All but the last group, of one write of each thread at most, has passed before that began; a hundredth
    // of a second is more than writes run ahead, and more than that is no use to anybody.
    let passed = Duration::from_secs(1) * (THREADS * (PUTS - 1) * VALUE_SIZE) / (1 << 20);
    assert!(takes >= passed - Duration::from_millis(10), "{takes:?} of {passed:?}");
    assert!(takes < passed * 10, "{takes:?} of {passed:?}");
}

#[test]
fn writers_wait_for_memtables_and_go_on_after_their_flush() {
    let mut fixture = Fixture::new();
    fixture.family_options.write_buffer_size = 64 << 10;
    fixture.family_options.max_write_buffer_number = 2;
    let db = fixture.open();
    db.pause_background_work().unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for index in 0..3_000 {
                put(&db, &format!("key{index:06}"), &"v".repeat(100));
            }
        });
        while number(&db, "rocksdb.is-write-stopped") == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!writer.is_finished() && !try_put(&db, false));
        db.continue_background_work().unwrap();
        writer.join().unwrap();
    });
    assert_eq!(number(&db, "rocksdb.is-write-stopped"), 0);
    assert!(stall(&db, "memtable-limit-stopped-seconds") > 0.0);
    assert!(stall(&db, "memtable-limit-stops") >= 1.0 && stall_micros(&db) > 0);
    assert_eq!(scan(&db).len(), 3_000);
}
