//! How many records full memtables hold, and how much memory they take, with nodes as large as they are used.

use ::memtable::{
    MemTable, MemTableAccounting, MemTableOptions, MemTableRepContext, MemTableRepFactory,
    MemTableRepSides, MemTableRepWriter, SkipListFactory, VectorRepFactory,
};
use base::{InternalKeyComparator, ValueType};
use std::sync::Arc;

const WRITE_BUFFER_SIZE: usize = 16 << 20;
/// What the last block of RocksDB's arena may go over.
const LAST_BLOCK_SIZE: usize = 1 << 20;
/// Spare room of the last blocks of records and of nodes.
const SPARE_SIZE: usize = 4 << 20;
/// The same of records, and of what has doubled to hold their places.
const VECTOR_SPARE_SIZE: usize = 8 << 20;

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

/// Checks that a full memtable is as large as was asked for, and holds of each hundred records that RocksDB's holds at
/// least so many.
fn check(options: &MemTableOptions, order: Order, value_size: usize, percent_min: usize) {
    let spare_size = match options.rep_factory.accounting() {
        MemTableAccounting::Vector => VECTOR_SPARE_SIZE,
        _ => SPARE_SIZE,
    };
    let (memtable, count) = fill(options, order, value_size);
    let (_, rocksdb_count) =
        fill(&made_by(CountedAsRocksDb(options.rep_factory.accounting())), order, value_size);
    let case = format!("{order:?}, {value_size} bytes: {count} records, RocksDB's {rocksdb_count}");
    assert!(count * 100 >= rocksdb_count * percent_min && count <= rocksdb_count, "{case}");
    let held = memtable.allocated_bytes();
    assert!(held <= WRITE_BUFFER_SIZE + LAST_BLOCK_SIZE + spare_size, "{case}, {held} bytes");
    let told = memtable.approximate_memory_usage();
    assert!(told <= WRITE_BUFFER_SIZE + LAST_BLOCK_SIZE, "{case}, told {told} bytes");
    assert!(told + LAST_BLOCK_SIZE + spare_size >= held, "{case}, told {told} of {held} bytes");
}

#[test]
fn full_trees_hold_as_many_records_as_rocksdbs_memtables_where_keys_ascend() {
    check(&MemTableOptions::default(), Order::Ascending, 100, 100);
}

#[test]
fn full_memtables_take_no_more_memory_than_was_asked_for() {
    let lists = made_by(SkipListFactory { is_always_list: true });
    for options in [MemTableOptions::default(), lists, made_by(VectorRepFactory::default())] {
        for order in [Order::Ascending, Order::Scattered] {
            check(&options, order, 100, 90);
            check(&options, order, 8, 60);
        }
    }
}
