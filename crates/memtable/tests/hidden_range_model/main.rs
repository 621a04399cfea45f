//! Scans that remember what is hidden, readers that pass it by, and one who writes, tried in every order in which
//! they can take turns, up to a number of preemptions, and with every value that the orderings of loads and stores
//! allow: `cargo test -p touchstone-memtable --test hidden_range_model`. `LOOM_MAX_PREEMPTIONS` asks for more of
//! them.
//!
//! What is tried is the source of the slot and of its ranges, with loom's primitives in place of their own, by the
//! steps of the real memtable. Models fail where the watch begins after the look, where a writer breaks no range,
//! where the range is shown though it is watched no more, and where one that is given up is not broken. All take
//! turns in threads of their own: where the first thread of a model is one of them few orders are tried.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

#[allow(dead_code, unreachable_pub, reason = "memtables use all of it, and show it")]
#[path = "../../src/hidden_range"]
mod hidden_range {
    pub(crate) mod slot;
}
mod memtable;
mod sync_primitives;

use loom::sync::Arc;
use loom::thread;
use memtable::MemTable;

fn main() {
    testing::loom_models::check(&[
        ("nobody passes a value by that is put while a scan remembers", put_while_remembered),
        ("of two scans none shows what the writer has broken", two_scans),
        ("what was remembered before is passed by until it is broken", put_while_known),
        (
            "who holds on to a range sees that another took its place, or a value came",
            put_while_kept,
        ),
    ]);
}

/// Runs all beside each other.
fn meanwhile(memtable: &Arc<MemTable>, works: &[fn(&MemTable)]) {
    let threads: Vec<_> = works
        .iter()
        .map(|&work| {
            let memtable = memtable.clone();
            thread::spawn(move || work(&memtable))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn put(memtable: &MemTable) {
    memtable.put("k");
}

fn read(memtable: &MemTable) {
    let (_, misses_a_value) = memtable.read();
    assert!(!misses_a_value);
}

fn read_twice(memtable: &MemTable) {
    let mut kept = None;
    for _ in 0..2 {
        let (_, misses_a_value) = memtable.read_by(&mut kept);
        assert!(!misses_a_value);
    }
}

fn put_while_remembered() {
    let memtable = Arc::new(MemTable::new());
    meanwhile(&memtable, &[MemTable::scan, put, read]);
    assert_eq!(memtable.read(), (false, false), "the value is there now");
}

fn two_scans() {
    let memtable = Arc::new(MemTable::new());
    meanwhile(&memtable, &[MemTable::scan, MemTable::scan, put]);
    assert_eq!(memtable.read(), (false, false), "the value is there now");
}

fn put_while_known() {
    let memtable = Arc::new(MemTable::new());
    memtable.scan();
    assert_eq!(memtable.read(), (true, false));
    meanwhile(&memtable, &[put, read]);
    assert_eq!(memtable.read(), (false, false));
}

fn put_while_kept() {
    let memtable = Arc::new(MemTable::new());
    memtable.scan();
    meanwhile(&memtable, &[MemTable::scan, put, read_twice]);
    assert_eq!(memtable.read(), (false, false));
}
