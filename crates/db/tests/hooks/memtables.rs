//! Memtables of a program's own container.

use crate::fixture::{Fixture, content, family, flush, get, put};
use base::{InternalIterator, InternalKeyComparator, Result, Status};
use db::{ReadOptions, WriteOptions};
use memtable::{
    MemTableEntry, MemTableRep, MemTableRepContext, MemTableRepFactory, MemTableRepSides,
    MemTableRepWriter, SkipListFactory,
};
use options::{ColumnFamilyOptions, ConfigOptions, Registry};
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

type Records = Vec<(Vec<u8>, Vec<u8>)>;

/// Records in a sorted vector that is copied when a reader holds on to it.
#[derive(Debug)]
struct Sorted {
    comparator: InternalKeyComparator,
    records: Mutex<Arc<Records>>,
    seen: Arc<Seen>,
}

/// What a factory and its containers were told.
#[derive(Debug, Default)]
struct Seen {
    created: AtomicUsize,
    family: AtomicU32,
    had_extractor: AtomicBool,
    immutable: AtomicUsize,
    flushed: AtomicUsize,
    panics_at_insert: AtomicBool,
}

impl Sorted {
    fn records(&self) -> Arc<Records> {
        self.records.lock().unwrap().clone()
    }
}

fn first_at(records: &Records, comparator: &InternalKeyComparator, target: &[u8]) -> usize {
    records.partition_point(|(key, _)| comparator.compare(key, target) == Ordering::Less)
}

impl MemTableRep for Sorted {
    fn visit(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool) {
        let records = self.records();
        let from = first_at(&records, &self.comparator, target);
        for (key, value) in &records[from..] {
            if !visitor(MemTableEntry::new(key, value)) {
                return;
            }
        }
    }

    fn new_iterator(self: Arc<Self>) -> Box<dyn InternalIterator> {
        let (records, comparator) = (self.records(), self.comparator.clone());
        Box::new(SortedIterator { at: records.len(), records, comparator })
    }

    fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        let records = self.records();
        let at = |key| first_at(&records, &self.comparator, key);
        at(end).saturating_sub(at(start)) as u64
    }

    fn allocated_bytes(&self) -> usize {
        // A thousand bytes for each record, so that it shows.
        self.records().len() * 1000
    }

    fn mark_immutable(&self) {
        self.seen.immutable.fetch_add(1, Relaxed);
    }

    fn mark_flushed(&self) {
        self.seen.flushed.fetch_add(1, Relaxed);
    }
}

#[derive(Debug)]
struct SortedWriter(Arc<Sorted>);

impl MemTableRepWriter for SortedWriter {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        assert!(!self.0.seen.panics_at_insert.load(Relaxed), "no room");
        let key = [user_key, &trailer.to_le_bytes()].concat();
        let mut records = self.0.records.lock().unwrap();
        let at = first_at(&records, &self.0.comparator, &key);
        Arc::make_mut(&mut records).insert(at, (key, value.to_vec()));
    }
}

struct SortedIterator {
    records: Arc<Records>,
    comparator: InternalKeyComparator,
    /// As many as there are where it stands on none.
    at: usize,
}

impl InternalIterator for SortedIterator {
    fn valid(&self) -> bool {
        self.at < self.records.len()
    }
    fn seek_to_first(&mut self) -> Result<()> {
        self.at = 0;
        Ok(())
    }
    fn seek_to_last(&mut self) -> Result<()> {
        self.at = self.records.len().saturating_sub(1);
        Ok(())
    }
    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.at = first_at(&self.records, &self.comparator, target);
        Ok(())
    }
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.seek(target)?;
        let is_at = |(key, _): &(Vec<u8>, _)| self.comparator.compare(key, target).is_eq();
        if self.records.get(self.at).is_some_and(is_at) { Ok(()) } else { self.prev() }
    }
    fn next(&mut self) -> Result<()> {
        self.at += 1;
        Ok(())
    }
    fn prev(&mut self) -> Result<()> {
        self.at = self.at.checked_sub(1).unwrap_or(self.records.len());
        Ok(())
    }
    fn key(&self) -> &[u8] {
        &self.records[self.at].0
    }
    fn value(&self) -> &[u8] {
        &self.records[self.at].1
    }
}

#[derive(Clone, Debug, Default)]
struct SortedFactory(Arc<Seen>);

impl MemTableRepFactory for SortedFactory {
    fn name(&self) -> &str {
        "example.Sorted"
    }

    fn create(&self, context: &MemTableRepContext) -> MemTableRepSides {
        let Self(seen) = self;
        seen.created.fetch_add(1, Relaxed);
        seen.family.store(context.column_family_id, Relaxed);
        seen.had_extractor.store(context.prefix_extractor.is_some(), Relaxed);
        let comparator = context.comparator.clone();
        let rep = Arc::new(Sorted { comparator, records: Mutex::default(), seen: seen.clone() });
        (rep.clone(), Box::new(SortedWriter(rep)))
    }
}

fn fixture() -> (Fixture, Arc<Seen>) {
    let mut fixture = Fixture::new();
    let factory = SortedFactory::default();
    let seen = factory.0.clone();
    fixture.family.memtable_factory = Arc::new(factory);
    fixture.options.allow_concurrent_memtable_write = false;
    (fixture, seen)
}

/// The same writes and reads, in a container of the engine's and in one of ours.
#[test]
fn a_database_reads_from_it_as_from_its_own() {
    let said = |fixture: &Fixture| {
        let db = fixture.open();
        for n in 0..200 {
            put(&db, &format!("{:03}", n * 7 % 200), &format!("first {n}"));
        }
        let snapshot = db.snapshot();
        (0..100).for_each(|n| put(&db, &format!("{n:03}"), "second"));
        let family = family(&db);
        db.delete(&WriteOptions::default(), &family, b"050").unwrap();
        db.delete_range(&WriteOptions::default(), &family, b"060", b"070").unwrap();
        let before = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
        let old = db.get(&before, &family, b"050").unwrap().unwrap().to_vec();
        let mut backwards = db.new_iterator(&ReadOptions::default(), &family).unwrap();
        backwards.seek_for_prev(b"0655");
        let mut keys = Vec::new();
        while backwards.valid() && keys.len() < 8 {
            keys.push(backwards.key().to_vec());
            backwards.prev();
        }
        let (of_memory, found) =
            (content(&db), (get(&db, "049"), get(&db, "055"), get(&db, "065")));
        flush(&db);
        assert_eq!(content(&db), of_memory);
        put(&db, "new", "value");
        drop((backwards, snapshot, family, db));
        (old, keys, of_memory, found, content(&fixture.open()))
    };
    let (ours, seen) = fixture();
    assert_eq!(said(&ours), said(&Fixture::new()));
    assert!(seen.created.load(Relaxed) >= 3);
}

#[test]
fn it_hears_what_it_is_for_and_when_it_is_done() {
    let (mut fixture, seen) = fixture();
    fixture.family.prefix_extractor = base::slice_transform::builtin("fixed:1");
    let db = fixture.open();
    put(&db, "key", "value");
    assert_eq!((seen.immutable.load(Relaxed), seen.flushed.load(Relaxed)), (0, 0));
    flush(&db);
    assert_eq!((seen.immutable.load(Relaxed), seen.flushed.load(Relaxed)), (1, 1));
    assert!(seen.had_extractor.load(Relaxed));
    assert_eq!(seen.family.load(Relaxed), 0);
    let other = db.create_column_family(&fixture.family, "other").unwrap();
    assert_eq!(seen.family.load(Relaxed), other.id());
}

#[test]
fn how_full_it_is_it_says_itself() {
    let (mut fixture, seen) = fixture();
    fixture.family.write_buffer_size = 64 << 10;
    let db = fixture.open();
    let before = seen.created.load(Relaxed);
    (0..200).for_each(|n| put(&db, &format!("{n:03}"), "v"));
    // Sixty records of a thousand bytes, say, to each; of ten bytes they would all go into one.
    let made = seen.created.load(Relaxed) - before;
    assert!((2..=4).contains(&made), "{made}");
}

#[test]
fn writes_at_once_need_a_container_that_says_it_can() {
    let (mut fixture, _) = fixture();
    fixture.options.allow_concurrent_memtable_write = true;
    let refused = fixture.try_open().unwrap_err().to_string();
    assert!(
        refused.contains("memtable_factory=example.Sorted takes one write at a time"),
        "{refused}"
    );
}

#[test]
fn options_files_name_it() {
    let read = |text: &str, config: &ConfigOptions| {
        let mut options = ColumnFamilyOptions::default();
        let said = options.apply("memtable_factory", text, config).unwrap();
        (options, said.len())
    };
    let mut registry = Registry::new();
    registry.register_memtable_rep_factory(Arc::new(SortedFactory::default()));
    let config = ConfigOptions { registry: Arc::new(registry), ..ConfigOptions::default() };
    let (options, remarks) = read("example.Sorted", &config);
    assert_eq!((options.memtable_factory.name(), remarks), ("example.Sorted", 0));
    assert_eq!(options.get("memtable_factory").unwrap(), "example.Sorted");

    let (options, remarks) = read("example.Sorted", &ConfigOptions::default());
    assert_eq!((options.memtable_factory.name(), remarks), (SkipListFactory::NAME, 1));
    assert_eq!(options.unregistered("memtable_factory"), Some("example.Sorted"));
    assert_eq!(options.get("memtable_factory").unwrap(), "example.Sorted");
}

#[test]
fn a_panic_in_it_is_told_and_what_was_acknowledged_is_there() {
    let (fixture, seen) = fixture();
    let db = fixture.open();
    put(&db, "a", "1");
    seen.panics_at_insert.store(true, Relaxed);
    let write = || db.put(&WriteOptions::default(), &family(&db), b"b", b"2");
    let status: Status = catch_unwind(AssertUnwindSafe(write)).unwrap().unwrap_err();
    assert!(status.to_string().contains("no room"), "{status}");
    seen.panics_at_insert.store(false, Relaxed);
    drop(db);
    assert!(content(&fixture.open()).starts_with("a=1"));
}
