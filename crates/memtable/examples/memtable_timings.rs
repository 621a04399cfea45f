//! Times insertions, lookups and iteration of each representation.
//!
//! `cargo run --release -p touchstone-memtable --example memtable_timings [ENTRIES]`

use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalKey, InternalKeyComparator, ValueType};
use memtable::{MemTable, MemTableOptions, MemTableRepFactory, SkipListFactory, VectorRepFactory};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const VALUE_SIZE: usize = 100;

#[derive(Clone, Copy, Debug)]
enum Order {
    Ascending,
    Random,
    /// Random, and all keys begin alike.
    Prefixed,
}

fn key(order: Order, number: u64) -> [u8; 16] {
    let scattered = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    let (head, tail) = match order {
        Order::Ascending => (number, 0),
        Order::Random => (scattered.wrapping_mul(0xbf58_476d_1ce4_e5b9), 0),
        Order::Prefixed => (0x7573_6572_3030_3030, scattered),
    };
    let mut key = [0; 16];
    key[..8].copy_from_slice(&head.to_be_bytes());
    key[8..].copy_from_slice(&tail.to_be_bytes());
    key
}

fn time(what: &str, count: u64, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    print!("  {what} {:6.0} ns", start.elapsed().as_nanos() as f64 / count as f64);
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(500_000);
    let factories: [Arc<dyn MemTableRepFactory>; 3] = [
        Arc::new(SkipListFactory::default()),
        Arc::new(SkipListFactory { is_always_list: true }),
        Arc::new(VectorRepFactory::default()),
    ];
    for rep_factory in factories {
        for order in [Order::Ascending, Order::Random, Order::Prefixed] {
            print!("{:40} {:10}", format!("{rep_factory:?}"), format!("{order:?}"));
            let options =
                MemTableOptions { rep_factory: rep_factory.clone(), ..MemTableOptions::default() };
            let memtable = MemTable::new(InternalKeyComparator::bytewise(), &options);
            let value = [b'v'; VALUE_SIZE];
            time("add", count, || {
                for number in 0..count {
                    memtable.add(number + 1, ValueType::Value, &key(order, number), &value);
                }
            });
            memtable.mark_immutable();
            time("get", count, || {
                for number in 0..count {
                    // In another order than they were added.
                    let number = number.wrapping_mul(0x5851_f42d) % count;
                    let key = InternalKey::for_seek(&key(order, number), MAX_SEQUENCE_NUMBER);
                    let mut found = false;
                    memtable.get(key.as_bytes(), |entry| {
                        found = true;
                        black_box(entry.value()[0]);
                        false
                    });
                    assert!(found);
                }
            });
            time("next", count, || {
                let mut iterator = memtable.new_iterator();
                iterator.seek_to_first().unwrap_or_default();
                while iterator.valid() {
                    black_box((iterator.key()[0], iterator.value()[0]));
                    iterator.next().unwrap_or_default();
                }
            });
            println!("  {} bytes each", memtable.allocated_bytes() as u64 / count);
        }
    }
    time_hints(count);
}

/// Ascending keys of many prefixes in turn: with and without a hint by prefix.
fn time_hints(count: u64) {
    const PREFIXES: u64 = 64;
    for hinted in [false, true] {
        let insert_hint_extractor = base::slice_transform::builtin("fixed:8").filter(|_| hinted);
        let options = MemTableOptions { insert_hint_extractor, ..MemTableOptions::default() };
        let memtable = MemTable::new(InternalKeyComparator::bytewise(), &options);
        print!("{:40} {:10}", "64 prefixes", if hinted { "hinted" } else { "" });
        time("add", count, || {
            for number in 0..count {
                let prefix = (number % PREFIXES).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let mut key = [0; 16];
                key[..8].copy_from_slice(&prefix.to_be_bytes());
                key[8..].copy_from_slice(&(number / PREFIXES).to_be_bytes());
                memtable.add(number + 1, ValueType::Value, &key, &[b'v'; VALUE_SIZE]);
            }
        });
        println!("  {} bytes each", memtable.allocated_bytes() as u64 / count);
    }
}
