//! Who asks the rate limiter, how urgently, and for what.

use crate::fixture::{Fixture, family, flush, put};
use base::status::Code;
use db::{
    CompactRangeOptions, Db, FlushWalOptions, ReadOptions, WaitForCompactOptions, WriteOptions,
};
use env::rate_limiter::{IoOperation, IoPriority, RateLimiter};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Grants all at once, and remembers bytes by priority and operation.
#[derive(Debug, Default)]
struct Ledger(Mutex<BTreeMap<String, u64>>);

impl Ledger {
    /// What was granted since the last call.
    fn take(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl RateLimiter for Ledger {
    fn request(&self, bytes: u64, priority: IoPriority, operation: IoOperation) {
        let name = format!("{priority:?} {operation:?}");
        *self.0.lock().unwrap().entry(name).or_default() += bytes;
    }
    fn set_bytes_per_second(&self, _bytes_per_second: u64) {}
    fn bytes_per_second(&self) -> u64 {
        u64::MAX
    }
    fn set_single_burst_bytes(&self, _bytes: u64) {}
    fn single_burst_bytes(&self) -> u64 {
        1000
    }
    fn total_bytes_through(&self, _priority: Option<IoPriority>) -> u64 {
        self.0.lock().unwrap().values().sum()
    }
    fn total_requests(&self, _priority: Option<IoPriority>) -> u64 {
        0
    }
    fn total_pending_requests(&self, _priority: Option<IoPriority>) -> u64 {
        0
    }
    fn is_rate_limited(&self, _operation: IoOperation) -> bool {
        true
    }
}

fn limited() -> (Fixture, Arc<Ledger>) {
    let (mut fixture, ledger) = (Fixture::new(), Arc::new(Ledger::default()));
    fixture.context.rate_limiter = Some(ledger.clone());
    (fixture, ledger)
}

/// 50,000 bytes of values that no codec makes smaller.
fn fill(db: &Db, seed: u32) {
    let mut state = seed;
    for index in 0..50 {
        let value: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(1000)
        .collect();
        let key = format!("key{index:03}");
        db.put(&WriteOptions::default(), &family(db), key.as_bytes(), &value).unwrap();
    }
}

fn keys(map: &BTreeMap<String, u64>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

#[test]
fn background_work_asks_for_all_that_it_reads_and_writes() {
    let (mut fixture, ledger) = limited();
    fixture.family.table.no_block_cache = true;
    let db = fixture.open();
    fill(&db, 1);
    assert_eq!(ledger.take(), BTreeMap::new(), "writes of users do not ask by themselves");
    flush(&db);
    let size = db.live_files()[0].size_bytes;
    let granted = ledger.take();
    assert_eq!(granted, BTreeMap::from([("High Write".to_owned(), size)]));
    fill(&db, 2);
    flush(&db);
    ledger.take();
    db.compact_range(&CompactRangeOptions::default(), &family(&db), None, None).unwrap();
    let granted = ledger.take();
    assert_eq!(keys(&granted), ["Low Read", "Low Write"]);
    assert_eq!(granted["Low Write"], db.live_files()[0].size_bytes);
    // All data blocks of both inputs; what opening them reads does not ask.
    assert!((100_000..104_000).contains(&granted["Low Read"]), "{granted:?}");
}

#[test]
fn background_work_is_as_urgent_as_the_writes_that_wait_for_it() {
    let (mut fixture, ledger) = limited();
    fixture.family.disable_auto_compactions = false;
    fixture.family.level0_file_num_compaction_trigger = 1;
    fixture.family.level0_slowdown_writes_trigger = 1;
    let db = fixture.open();
    // The first table is moved down as it is, the second one merged with it.
    for seed in 0..2 {
        fill(&db, seed);
        flush(&db);
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    }
    assert_eq!(keys(&ledger.take()), ["High Write", "User Read", "User Write"]);
    fixture.family.level0_slowdown_writes_trigger = 20;
    drop(db);
    let db = fixture.open();
    fill(&db, 2);
    flush(&db);
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(keys(&ledger.take()), ["High Write", "Low Read", "Low Write"]);
}

#[test]
fn reads_with_a_priority_ask_for_what_no_cache_has() {
    let (mut fixture, ledger) = limited();
    fixture.family.enable_blob_files = true;
    fixture.family.min_blob_size = 900;
    let db = fixture.open();
    fill(&db, 1);
    put(&db, "small", "value");
    flush(&db);
    ledger.take();
    let silent = ReadOptions::default().fill_cache(false);
    let asking = silent.clone().rate_limiter_priority(Some(IoPriority::Mid));
    let read = |options: &ReadOptions, key: &str| {
        assert!(db.get(options, &family(&db), key.as_bytes()).unwrap().is_some());
        ledger.take().get("Mid Read").copied().unwrap_or(0)
    };
    assert_eq!(read(&silent, "small"), 0);
    let block = read(&asking, "small");
    assert!((1..4200).contains(&block), "{block}");
    let with_blob = read(&asking, "key007");
    assert!((block + 1000..block + 1100).contains(&with_blob), "{with_blob}");
    let mut iterator = db.new_iterator(&asking, &family(&db)).unwrap();
    iterator.seek_to_first();
    while iterator.valid() {
        iterator.next();
    }
    iterator.status().unwrap();
    let scanned = ledger.take()["Mid Read"];
    assert!((50_000..60_000).contains(&scanned), "{scanned}");
    let filling = asking.fill_cache(true);
    read(&filling, "small");
    assert_eq!(read(&filling, "small"), 0, "the cache has it");
}

#[test]
fn writes_with_a_priority_ask_for_what_goes_to_the_wal() {
    let (fixture, ledger) = limited();
    let db = fixture.open();
    let write = |options: &WriteOptions| db.put(options, &family(&db), b"key", &[7; 5000]);
    let asking = WriteOptions::default().rate_limiter_priority(Some(IoPriority::User));
    write(&asking).unwrap();
    let granted = ledger.take();
    assert_eq!(keys(&granted), ["User Write"]);
    assert!((5000..5050).contains(&granted["User Write"]), "{granted:?}");
    for (options, fix) in [
        (asking.rate_limiter_priority(Some(IoPriority::Low)), "use IoPriority::User"),
        (asking.disable_wal(true), "leave it out with disableWAL"),
    ] {
        let status = write(&options).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains(fix), "{status}");
    }
    assert_eq!(ledger.take(), BTreeMap::new());
}

#[test]
fn checks_of_whole_files_ask_with_the_priority_of_the_call() {
    let (mut fixture, ledger) = limited();
    fixture.context.file_checksum_gen_factory =
        Some(Arc::new(base::file_checksum::FileChecksumGenCrc32cFactory));
    let db = fixture.open();
    fill(&db, 1);
    flush(&db);
    ledger.take();
    db.verify_file_checksums(&ReadOptions::default()).unwrap();
    assert_eq!(ledger.take(), BTreeMap::new());
    let priority = Some(IoPriority::Low);
    let options = ReadOptions { rate_limiter_priority: priority, ..ReadOptions::default() };
    db.verify_file_checksums(&options).unwrap();
    let size = crate::fixture::files(&db)[0].size_bytes;
    let asked = ledger.take();
    assert_eq!(asked.keys().collect::<Vec<_>>(), ["Low Read"]);
    // A thousand bytes at a time, and once more for the end.
    assert!(asked["Low Read"] > size && asked["Low Read"] <= size + 2000, "{asked:?} of {size}");
}

#[test]
fn a_flush_of_the_wal_asks_for_what_is_in_the_buffer() {
    let (mut fixture, ledger) = limited();
    fixture.options.manual_wal_flush = true;
    let db = fixture.open();
    let write = || db.put(&WriteOptions::default(), &family(&db), b"key", &[7; 5000]).unwrap();
    let asking = FlushWalOptions::default().rate_limiter_priority(Some(IoPriority::High));
    write();
    db.flush_wal(false).unwrap();
    assert_eq!(ledger.take(), BTreeMap::new(), "without a priority nobody is asked");
    write();
    db.flush_wal_with(&asking).unwrap();
    let asked = ledger.take();
    assert_eq!(keys(&asked), ["High Write"]);
    assert!((5000..5050).contains(&asked["High Write"]), "{asked:?}");
    db.flush_wal_with(&asking.sync(true)).unwrap();
    assert_eq!(ledger.take(), BTreeMap::new(), "nothing was left in the buffer");
}
