//! What a thread that writes touches of memory that is new to the process, page by page.

use crate::fixture::{Fixture, default_family};
use db::{Db, FlushOptions, WriteOptions};

const MEMTABLE_SIZE: u64 = 16 << 20;
const PAGE_SIZE: u64 = 4 << 10;

/// How many pages this thread was given, all in all; none where the system does not say.
fn page_faults() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    fields.split(' ').nth(7)?.parse().ok()
}

/// Writes most of what a memtable takes, and flushes it. Returns how many pages the writes took.
fn write_and_flush(db: &Db, seed: u32) -> Option<u64> {
    let family = default_family(db);
    let options = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    let before = page_faults()?;
    for number in 0..MEMTABLE_SIZE as u32 / 200 {
        let key = number.wrapping_mul(0x9e37_79b1) ^ seed;
        db.put(&options, &family, &key.to_be_bytes(), &[b'v'; 100]).unwrap();
    }
    let taken = page_faults()? - before;
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    Some(taken)
}

/// Memory that a flushed memtable leaves is what the next one is written to, but for the first 64 KiB of its records
/// and of its nodes, whose blocks are smaller than what is kept.
#[test]
fn memtables_that_follow_others_touch_no_fresh_memory() {
    let mut fixture = Fixture::new();
    fixture.family_options.write_buffer_size = MEMTABLE_SIZE;
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let Some(first) = write_and_flush(&db, 0) else {
        println!("skipped: the system does not count pages");
        return;
    };
    let later: Vec<_> = (1..8).filter_map(|seed| write_and_flush(&db, seed)).collect();
    println!("pages taken: {first}, then {later:?}");
    if first < MEMTABLE_SIZE / PAGE_SIZE / 2 {
        println!("skipped: pages are larger here, or not counted");
        return;
    }
    let mut sorted = later.clone();
    sorted.sort_unstable();
    assert!(sorted[sorted.len() / 2] < first / 16, "{later:?} after {first}");
}
