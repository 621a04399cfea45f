//! Effects that only objects of the program's own show, or its clock: how often a prefix extractor is
//! asked, what becomes of a memtable that has too much, when a log is old.

use base::comparator::U64TimestampComparator;
use base::status::Code;
use base::{Result, SliceTransform};
use db::{ColumnFamilyDescriptor, Db, FlushOptions, OpenContext, WriteOptions};
use env::{FileSystem, ManualClock, MemFileSystem};
use memtable::{
    MemTableRepContext, MemTableRepFactory, MemTableRepSides, MemTableRepWriter, SkipListFactory,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testing::wait;

/// Late enough for all ages to be positive.
const START_MICROS: u64 = 1_800_000_000_000_000;

struct Place {
    disk: Arc<MemFileSystem>,
    clock: Arc<ManualClock>,
    options: DbOptions,
    family: ColumnFamilyOptions,
}

impl Place {
    fn new() -> Self {
        Self {
            disk: Arc::new(MemFileSystem::new()),
            clock: Arc::new(ManualClock::new(START_MICROS)),
            options: DbOptions { create_if_missing: true, ..DbOptions::default() },
            family: ColumnFamilyOptions::default(),
        }
    }

    fn open(&self) -> Db {
        let context = OpenContext {
            file_system: self.disk.clone(),
            clock: self.clock.clone(),
            ..OpenContext::default()
        };
        let family = ColumnFamilyDescriptor::new("default", self.family.clone());
        Db::open(&self.options, Path::new("/db"), &[family], &context).unwrap()
    }
}

fn put(db: &Db, key: &[u8], value: &[u8]) -> Result<()> {
    db.put(&WriteOptions::default(), &db.column_family("default").unwrap(), key, value)
}

fn flush(db: &Db) -> Result<()> {
    db.flush(&FlushOptions::default(), &[&db.column_family("default").unwrap()])
}

/// The first byte, and how often that was asked for.
#[derive(Debug, Default)]
struct CountedPrefix(AtomicUsize);

impl SliceTransform for CountedPrefix {
    fn name(&self) -> &str {
        "example.CountedPrefix"
    }

    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        self.0.fetch_add(1, Ordering::Relaxed);
        &key[..1]
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        !key.is_empty()
    }
}

#[test]
fn insertions_are_remembered_by_the_prefix_of_the_extractor() {
    let extractor = Arc::new(CountedPrefix::default());
    let mut place = Place::new();
    place.family.memtable_insert_with_hint_prefix_extractor = Some(extractor.clone());
    let db = place.open();
    for number in 0..100_u8 {
        put(&db, &[b'a', number], b"value").unwrap();
    }
    assert!(extractor.0.load(Ordering::Relaxed) >= 100, "each insertion asks for its prefix");
}

/// Makes memtables that have each record twice.
#[derive(Debug)]
struct TwiceFactory;

#[derive(Debug)]
struct TwiceWriter(Box<dyn MemTableRepWriter>);

impl MemTableRepWriter for TwiceWriter {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        self.0.insert(user_key, trailer, value);
        self.0.insert(user_key, trailer, value);
    }
}

impl MemTableRepFactory for TwiceFactory {
    fn name(&self) -> &str {
        "example.Twice"
    }

    fn create(&self, context: &MemTableRepContext) -> MemTableRepSides {
        let (rep, writer) = SkipListFactory { is_always_list: true }.create(context);
        (rep, Box::new(TwiceWriter(writer)))
    }
}

fn flush_of_too_much(flush_verify_memtable_count: bool) -> Result<()> {
    let mut place = Place::new();
    place.options.allow_concurrent_memtable_write = false;
    place.options.flush_verify_memtable_count = flush_verify_memtable_count;
    place.family.memtable_factory = Arc::new(TwiceFactory);
    let db = place.open();
    put(&db, b"key", b"value").unwrap();
    flush(&db)
}

#[test]
fn a_memtable_of_another_count_is_noticed_if_that_is_verified() {
    assert_eq!(flush_of_too_much(true).unwrap_err().code(), Code::Corruption);
    flush_of_too_much(false).unwrap();
}

fn logs_after_a_minute(log_file_time_to_roll: u64) -> usize {
    let mut place = Place::new();
    place.options.log_file_time_to_roll = log_file_time_to_roll;
    let db = place.open();
    place.clock.advance_micros(61_000_000);
    put(&db, b"key", b"value").unwrap();
    flush(&db).unwrap();
    db.close().unwrap();
    let names = place.disk.get_children(Path::new("/db")).unwrap();
    names.iter().filter(|name| name.starts_with("LOG")).count()
}

#[test]
fn a_log_that_is_old_enough_goes_on_in_another_file() {
    assert_eq!([0, 3600].map(logs_after_a_minute), [1, 1]);
    assert!(logs_after_a_minute(60) > 1);
}

/// Whether writes go on within a second after a disk that was full has space again.
fn recovers_within_a_second(bgerror_resume_retry_interval: u64) -> bool {
    let mut place = Place::new();
    place.options.bgerror_resume_retry_interval = bgerror_resume_retry_interval;
    let db = place.open();
    place.disk.set_capacity(100_000);
    while put(&db, b"key", &[7; 1000]).is_ok() {}
    place.disk.set_capacity(u64::MAX);
    wait::is_so_within(Duration::from_secs(1), || put(&db, b"key", b"later").is_ok())
}

#[test]
fn recovery_is_tried_as_often_as_the_interval_says() {
    const HOUR: u64 = 3_600_000_000;
    assert!(!recovers_within_a_second(HOUR));
    let is_quick = (0..20).any(|_| recovers_within_a_second(10_000));
    assert!(is_quick);
}

fn table_bytes(persist_user_defined_timestamps: bool) -> Vec<u8> {
    let mut place = Place::new();
    place.options.allow_concurrent_memtable_write = false;
    place.family.comparator = Arc::new(U64TimestampComparator::BYTEWISE);
    place.family.persist_user_defined_timestamps = persist_user_defined_timestamps;
    let db = place.open();
    put(&db, &[b"key".as_slice(), &7_u64.to_le_bytes()].concat(), b"value").unwrap();
    flush(&db).unwrap();
    let directory = Path::new("/db");
    let name = place.disk.get_children(directory).unwrap();
    let name = name.iter().find(|name| name.ends_with(".sst")).unwrap();
    let options = env::FileOptions::default();
    let file = place.disk.new_random_access_file(&directory.join(name), &options).unwrap();
    let bytes = env::read_exact_at(&*file, 0, usize::try_from(file.size().unwrap()).unwrap());
    bytes.unwrap()
}

#[test]
fn timestamps_are_in_tables_only_if_they_are_to_persist() {
    let stamped = [b"key".as_slice(), &7_u64.to_le_bytes()].concat();
    let has_it = |bytes: Vec<u8>| bytes.windows(stamped.len()).any(|part| part == stamped);
    assert_eq!([true, false].map(table_bytes).map(has_it), [true, false]);
}
