//! A flush has a thread go through the memtable ahead of its own, if `max_background_jobs` leaves one. In a process of
//! its own, for what is gathered is told of the whole one.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use TableFileCreationReason::{Compaction, Flush};
use base::compaction_filter::{
    CompactionFilter, CompactionFilterContext, Decision, FilterValue, TableFileCreationReason,
};
use base::comparator::ReverseBytewiseComparator;
use base::{CompactionFilterFactory, FastPath};
use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, Db, FlushOptions, OpenContext, ReadOptions,
    WriteOptions,
};
use env::MemFileSystem;
use memtable::VectorRepFactory;
use options::{ColumnFamilyOptions, CompressionType, DbOptions};
use parking_lot::{Condvar, Mutex};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use testing::wait;

const COUNT: u32 = 60_000;

/// Jobs stop at their first entry while it is closed to such.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    closed_to: Vec<TableFileCreationReason>,
    waiting: usize,
}

impl Gate {
    fn close_to(&self, reason: TableFileCreationReason) {
        self.state.lock().closed_to.push(reason);
    }

    fn open(&self) {
        self.state.lock().closed_to.clear();
        self.changed.notify_all();
    }

    fn pass(&self, reason: TableFileCreationReason) {
        let mut state = self.state.lock();
        state.waiting += 1;
        self.changed.notify_all();
        while state.closed_to.contains(&reason) {
            self.changed.wait(&mut state);
        }
        state.waiting -= 1;
    }

    /// Returns when so many jobs wait.
    fn wait_for(&self, count: usize) {
        let mut state = self.state.lock();
        while state.waiting < count {
            let timeout = self.changed.wait_for(&mut state, Duration::from_secs(60));
            assert!(!timeout.timed_out(), "{} of {count} jobs wait", state.waiting);
        }
    }
}

#[derive(Debug)]
struct Factory(Arc<Gate>);

#[derive(Debug)]
struct Filter(Arc<Gate>, TableFileCreationReason);

impl CompactionFilterFactory for Factory {
    fn name(&self) -> &str {
        "Factory"
    }

    fn should_filter_table_file_creation(&self, _reason: TableFileCreationReason) -> bool {
        true
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        Some(Box::new(Filter(self.0.clone(), context.reason)))
    }
}

impl CompactionFilter for Filter {
    fn name(&self) -> &str {
        "Filter"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], _value: FilterValue<'_>) -> Decision {
        self.0.pass(self.1);
        Decision::Keep
    }
}

/// How a memtable has its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Tree,
    /// What keys that are not ordered as bytes are in.
    SkipList,
    Vector,
}

/// One thread flushes and one compacts, which two files of level 0 give something to do.
fn open(gate: &Arc<Gate>, container: Container) -> (Db, ColumnFamilyHandle) {
    let options = DbOptions {
        create_if_missing: true,
        max_background_jobs: 2,
        allow_concurrent_memtable_write: container != Container::Vector,
        ..DbOptions::default()
    };
    let mut family_options = ColumnFamilyOptions::default();
    family_options.compression = CompressionType::NoCompression;
    family_options.level0_file_num_compaction_trigger = 2;
    family_options.compaction_filter_factory = Some(Arc::new(Factory(gate.clone())));
    match container {
        Container::Tree => {}
        Container::SkipList => family_options.comparator = Arc::new(ReverseBytewiseComparator),
        Container::Vector => {
            family_options.memtable_factory = Arc::new(VectorRepFactory::default());
        }
    }
    let context =
        OpenContext { file_system: Arc::new(MemFileSystem::new()), ..OpenContext::default() };
    let families = [ColumnFamilyDescriptor::new("default".to_owned(), family_options)];
    let db = Db::open(&options, Path::new("/db"), &families, &context).unwrap();
    let family = db.column_family("default").unwrap();
    (db, family)
}

/// Bytes that flushes have gathered.
fn gathered(db: &Db, family: &ColumnFamilyHandle) -> u64 {
    db.map_property(family, "touchstone.memory").unwrap()["flush-slices"].parse().unwrap()
}

fn key(number: u32) -> [u8; 4] {
    number.wrapping_mul(0x9e37_79b1).to_be_bytes()
}

fn fill(db: &Db, family: &ColumnFamilyHandle, round: u8) {
    for number in 0..COUNT {
        db.put(&WriteOptions::default(), family, &key(number), &[round ^ number as u8; 100])
            .unwrap();
    }
}

fn check(db: &Db, family: &ColumnFamilyHandle, round: u8) {
    for number in 0..COUNT {
        let value = db.get(&ReadOptions::default(), family, &key(number)).unwrap();
        assert_eq!(value.as_deref(), Some(&[round ^ number as u8; 100][..]), "{number}");
    }
    let mut iterator = db.new_iterator(&ReadOptions::default(), family).unwrap();
    let mut count = 0;
    iterator.seek_to_first();
    while iterator.valid() {
        count += 1;
        iterator.next();
    }
    iterator.status().unwrap();
    assert_eq!(count, COUNT);
}

#[test]
fn a_thread_that_would_compact_goes_through_the_memtable() {
    for container in [Container::Tree, Container::SkipList, Container::Vector] {
        flush_with_and_without_help(container);
    }
}

fn flush_with_and_without_help(container: Container) {
    let at_once = FlushOptions { wait: false, ..FlushOptions::default() };
    let gate = Arc::<Gate>::default();
    let (db, family) = open(&gate, container);

    fill(&db, &family, 0);
    gate.close_to(Flush);
    db.flush(&at_once, &[&family]).unwrap();
    gate.wait_for(1);
    wait::until(&format!("{container:?} is gathered"), || {
        !FastPath::FlushSlices.is_on() || gathered(&db, &family) >= 2 << 20
    });
    assert!(gathered(&db, &family) < 4 << 20, "{}", gathered(&db, &family));
    gate.open();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    assert_eq!(gathered(&db, &family), 0);
    check(&db, &family, 0);

    // The second file is compacted with the first, by the one thread that may, and waits: nobody is left to help.
    gate.close_to(Compaction);
    db.put(&WriteOptions::default(), &family, &key(1), &[1; 100]).unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    gate.wait_for(1);
    fill(&db, &family, 1);
    gate.close_to(Flush);
    db.flush(&at_once, &[&family]).unwrap();
    gate.wait_for(2);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(gathered(&db, &family), 0, "more jobs than there may be");
    gate.open();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    check(&db, &family, 1);
}
