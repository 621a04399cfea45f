//! One who adds keys to a filter before records are shown, and one who asks it, tried in every order in which they
//! can take turns, up to a number of preemptions, and with every value that the orderings of loads and stores allow:
//! `cargo test -p touchstone-memtable --test dynamic_bloom_model`.
//!
//! What is tried is the source of a line of the filter and of the pointer that shows a record, with loom's primitives
//! in place of their own. Models fail where the bits are set after the record is shown, where the pointer is
//! published without release or loaded without acquire, and where a bit of a word takes another one's place.

#[path = "../../src/dynamic_bloom"]
mod dynamic_bloom {
    mod line;
    pub(crate) use filter::Filter;
    #[path = "../../tests/dynamic_bloom_model/filter.rs"]
    mod filter;
}
#[allow(dead_code, reason = "trees peek, and skip lists prepare links")]
#[path = "../../src/published_ptr.rs"]
mod published_ptr;
mod sync_primitives;

use dynamic_bloom::Filter;
use loom::sync::Arc;
use loom::thread;
use published_ptr::PublishedPtr;

/// Two keys that share a word, and one that does not.
const KEYS: [[usize; 2]; 3] = [[0, 70], [1, 65], [2, 500]];

/// A filter, and what shows that each of the keys has a record.
#[derive(Default)]
struct MemTable {
    filter: Filter,
    records: [PublishedPtr<()>; KEYS.len()],
}

impl MemTable {
    fn put(&self, index: usize) {
        self.filter.add(&KEYS[index]);
        self.records[index].publish(std::ptr::dangling_mut());
    }

    fn is_shown(&self, index: usize) -> bool {
        !self.records[index].load().is_null()
    }

    fn may_contain(&self, index: usize) -> bool {
        self.filter.may_contain(&KEYS[index])
    }
}

fn main() {
    testing::loom_models::check(&[
        ("the filter knows each record that is shown", shown_records_are_known),
        ("it knows no key that was not added", nothing_else_is_known),
    ]);
}

/// Runs `read` while two keys are put.
fn meanwhile(read: fn(&MemTable)) {
    let memtable = Arc::new(MemTable::default());
    let (others, own) = (memtable.clone(), memtable.clone());
    let reader = thread::spawn(move || read(&others));
    let writer = thread::spawn(move || (0..2).for_each(|index| own.put(index)));
    assert!(reader.join().is_ok() && writer.join().is_ok(), "a thread has failed");
    assert!(memtable.may_contain(0) && memtable.may_contain(1), "what was added is there");
}

fn shown_records_are_known() {
    meanwhile(|memtable| {
        for index in (0..2).rev() {
            assert!(!memtable.is_shown(index) || memtable.may_contain(index), "key {index}");
        }
    });
}

fn nothing_else_is_known() {
    meanwhile(|memtable| assert!(!memtable.may_contain(2), "a key that nobody has added"));
}
