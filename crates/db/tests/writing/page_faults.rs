//! What a thread that writes touches of memory that is new to the process, page by page.

use crate::commits_without_calls::can_map;
use crate::fixture::{Fixture, default_family};
use db::{Db, FlushOptions, WriteOptions};
use options::WalIo;
use testing::scratch;

const MEMTABLE_SIZE: u64 = 16 << 20;
const PAGE_SIZE: u64 = 4 << 10;

/// How many pages this thread was given, all in all; none where the system does not say.
fn page_faults() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    fields.split(' ').nth(7)?.parse().ok()
}

/// Writes most of what a memtable takes, and flushes it. Returns how many pages the writes took.
fn write_and_flush(db: &Db, disable_wal: bool, seed: u32) -> Option<u64> {
    let family = default_family(db);
    let options = WriteOptions { disable_wal, ..WriteOptions::default() };
    let before = page_faults()?;
    for number in 0..MEMTABLE_SIZE as u32 / 200 {
        let key = number.wrapping_mul(0x9e37_79b1) ^ seed;
        db.put(&options, &family, &key.to_be_bytes(), &[b'v'; 100]).unwrap();
    }
    let taken = page_faults()? - before;
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    Some(taken)
}

/// What the first memtable took, and each of seven that follow it; none where the system does not count that, or
/// has other pages.
fn pages_taken(db: &Db, disable_wal: bool) -> Option<(u64, Vec<u64>)> {
    let Some(first) = write_and_flush(db, disable_wal, 0) else {
        println!("skipped: the system does not count pages");
        return None;
    };
    let later: Vec<_> = (1..8).filter_map(|seed| write_and_flush(db, disable_wal, seed)).collect();
    println!("pages taken: {first}, then {later:?}");
    if first < MEMTABLE_SIZE / PAGE_SIZE / 2 {
        println!("skipped: pages are larger here, or not counted");
        return None;
    }
    Some((first, later))
}

fn median(mut counts: Vec<u64>) -> u64 {
    counts.sort_unstable();
    counts[counts.len() / 2]
}

/// Memory that a flushed memtable leaves is what the next one is written to, but for the first 64 KiB of its records
/// and of its nodes, whose blocks are smaller than what is kept.
#[test]
fn memtables_that_follow_others_touch_no_fresh_memory() {
    let mut fixture = Fixture::new();
    fixture.family_options.write_buffer_size = MEMTABLE_SIZE;
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let Some((first, later)) = pages_taken(&db, true) else { return };
    assert!(median(later.clone()) < first / 16, "{later:?} after {first}");
}

/// Nor does a WAL that is mapped: another thread has prepared its pages.
#[test]
fn writes_to_a_mapped_wal_touch_no_fresh_memory() {
    let Some(directory) = scratch::directory("mapped WALs", can_map) else { return };
    let mut fixture = Fixture::new();
    fixture.context.file_system = env::default_file_system();
    fixture.path = directory.path().join("db");
    fixture.options.wal_io = WalIo::Mapped;
    fixture.family_options.write_buffer_size = MEMTABLE_SIZE;
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let Some((first, later)) = pages_taken(&db, false) else { return };
    let report = db.map_property(&default_family(&db), "touchstone.memory").unwrap();
    assert_ne!(report["mapped-files"], "0");
    // Where that thread gets no processor in time the writer prepares some itself: the best round counts.
    let wal_pages = MEMTABLE_SIZE / 200 * 100 / PAGE_SIZE;
    let least = later.iter().min().unwrap();
    assert!(*least < wal_pages / 4, "{later:?} after {first}");
}
