//! How many records full memtables hold, and how much memory they take, with nodes as large as they are used.

use ::memtable::{
    MemTable, MemTableAccounting, MemTableOptions, MemTableRepContext, MemTableRepFactory,
    MemTableRepSides, MemTableRepWriter, SkipListFactory, VectorRepFactory,
};
use base::{InternalKeyComparator, ValueType};
use std::ops::RangeInclusive;
use std::sync::Arc;

const WRITE_BUFFER_SIZE: usize = 64 << 20;
/// What the last block of RocksDB's arena may go over.
const LAST_BLOCK_SIZE: usize = 1 << 20;
/// Spare room of the last blocks of records and of nodes.
const SPARE_SIZE: usize = 4 << 20;
/// The same of records, and of what has doubled to hold their places.
const VECTOR_SPARE_SIZE: usize = 32 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Ascending,
    Scattered,
}

/// Containers that are counted as RocksDB's, and do not say what they use.
#[derive(Debug)]
struct CountedAsRocksDb(MemTableAccounting);

impl MemTableRepFactory for CountedAsRocksDb {
    fn name(&self) -> &'static str {
        "CountedAsRocksDb"
    }

    fn create(&self, context: &MemTableRepContext) -> MemTableRepSides {
        let (rep, writer) = VectorRepFactory::default().create(context);
        (rep, Box::new(Silent(writer)))
    }

    fn accounting(&self) -> MemTableAccounting {
        self.0
    }
}

#[derive(Debug)]
struct Silent(Box<dyn MemTableRepWriter>);

impl MemTableRepWriter for Silent {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        self.0.insert(user_key, trailer, value);
    }
}

fn made_by(rep_factory: impl MemTableRepFactory + 'static) -> MemTableOptions {
    MemTableOptions { rep_factory: Arc::new(rep_factory), ..MemTableOptions::default() }
}

/// A full memtable, and how many records it holds.
fn fill(options: &MemTableOptions, order: Order, value_size: usize) -> (MemTable, usize) {
    let options = MemTableOptions { write_buffer_size: WRITE_BUFFER_SIZE, ..options.clone() };
    let memtable = MemTable::new(InternalKeyComparator::bytewise(), &options);
    let value = vec![b'v'; value_size];
    let mut count = 0_u64;
    while !memtable.should_flush() {
        let number = match order {
            Order::Ascending => count,
            Order::Scattered => count.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        memtable.add(count, ValueType::Value, &u128::from(number).to_be_bytes(), &value);
        count += 1;
    }
    (memtable, count as usize)
}

/// Checks that a full memtable is as large as was asked for, and holds so many of each hundred records that RocksDB's
/// holds.
fn check(
    options: &MemTableOptions,
    order: Order,
    value_size: usize,
    percent: RangeInclusive<usize>,
) {
    let spare_size = match options.rep_factory.accounting() {
        MemTableAccounting::Vector => VECTOR_SPARE_SIZE,
        _ => SPARE_SIZE,
    };
    let (memtable, count) = fill(options, order, value_size);
    let counted_as = CountedAsRocksDb(options.rep_factory.accounting());
    let (_, rocksdb_count) = fill(&made_by(counted_as), order, value_size);
    let name = options.rep_factory.name();
    let case = format!(
        "{name}, {order:?}, {value_size} bytes: {count} records, RocksDB's {rocksdb_count}"
    );
    assert!(percent.contains(&(count * 100 / rocksdb_count)), "{case}");
    let held = memtable.allocated_bytes();
    assert!(held <= WRITE_BUFFER_SIZE + LAST_BLOCK_SIZE + spare_size, "{case}, {held} bytes");
    let told = memtable.approximate_memory_usage();
    assert!(told <= WRITE_BUFFER_SIZE + 2 * LAST_BLOCK_SIZE, "{case}, told {told} bytes");
    assert!(told + LAST_BLOCK_SIZE + spare_size >= held, "{case}, told {told} of {held} bytes");
}

#[test]
fn full_trees_take_no_more_memory_than_was_asked_for() {
    let trees = MemTableOptions::default();
    for (order, value_size, percent) in [
        (Order::Ascending, 8, 100..=100),
        (Order::Ascending, 100, 100..=100),
        (Order::Ascending, 110, 95..=97),
        (Order::Scattered, 8, 83..=85),
        (Order::Scattered, 100, 92..=94),
    ] {
        check(&trees, order, value_size, percent);
    }
}

#[test]
fn full_skip_lists_take_no_more_memory_than_was_asked_for() {
    let lists = made_by(SkipListFactory { is_always_list: true });
    check(&lists, Order::Ascending, 100, 97..=99);
    check(&lists, Order::Scattered, 110, 89..=91);
    check(&lists, Order::Scattered, 8, 88..=90);
}

#[test]
fn full_vectors_take_no_more_memory_than_was_asked_for() {
    let vectors = made_by(VectorRepFactory::default());
    check(&vectors, Order::Ascending, 1000, 97..=99);
    check(&vectors, Order::Scattered, 100, 90..=92);
    check(&vectors, Order::Scattered, 8, 73..=75);
}

/// RocksDB's arena gives each of these a block of its own; here six have one, of which the end is never touched.
#[test]
fn what_is_left_of_blocks_does_not_count() {
    let (_, count) = fill(&MemTableOptions::default(), Order::Scattered, 300_000);
    let counted_as = CountedAsRocksDb(MemTableAccounting::SkipList);
    assert_eq!(count, fill(&made_by(counted_as), Order::Scattered, 300_000).1);
}
