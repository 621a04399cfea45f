use super::*;
use crate::memtable_rep_factory::{
    MemTableRepContext, MemTableRepFactory, MemTableRepSides, VectorRepFactory,
};
use std::sync::Arc;

/// How many records of these sizes a memtable takes until it is full.
fn entries_until_full(
    options: &MemTableOptions,
    bloom_bytes: usize,
    key_size: usize,
    value_size: usize,
) -> u64 {
    let mut account = ArenaAccount::new(options, bloom_bytes);
    let buffer = WriteBuffer::new(options, &account);
    let size = encoded_size(&vec![0; key_size], &vec![0; value_size]);
    let mut entries = 0;
    while !buffer.is_full() {
        account.add(size, false);
        buffer.publish(&account);
        entries += 1;
    }
    entries
}

#[test]
fn a_record_larger_than_a_block_has_one_of_its_own() {
    let options = MemTableOptions { write_buffer_size: 1 << 20, ..MemTableOptions::default() };
    let mut account = ArenaAccount::new(&options, 0);
    let unused = account.unused;
    account.add(40 << 10, false);
    assert_eq!((account.unused, account.allocated), (unused, 2048 + (40 << 10) + 8));
    let buffer = WriteBuffer::new(&options, &account);
    assert!(!buffer.is_full());
    account.add(2 << 20, false);
    buffer.publish(&account);
    assert!(buffer.is_full());
}

#[test]
fn what_a_container_gives_back_stays_counted() {
    #[derive(Debug)]
    struct OfAProgram;
    impl MemTableRepFactory for OfAProgram {
        fn name(&self) -> &str {
            "OfAProgram"
        }

        fn create(&self, _: &MemTableRepContext) -> MemTableRepSides {
            unreachable!("no container is asked for")
        }
    }
    let options =
        MemTableOptions { rep_factory: Arc::new(OfAProgram), ..MemTableOptions::default() };
    let mut account = ArenaAccount::new(&options, 0);
    assert!(account.is_as_held());
    let empty = account.allocated_in_blocks();
    account.add(100, false);
    account.set_held(5_000);
    assert_eq!(account.allocated_in_blocks() - empty, 5_000);
    account.set_held(3_000);
    assert_eq!(account.allocated_in_blocks() - empty, 5_000);
    account.add(10_000, false);
    account.set_held(0);
    assert_eq!(account.allocated_in_blocks() - empty, 10_100);
}

#[test]
fn blocks_are_an_eighth_and_a_mebibyte_at_most() {
    let with = |write_buffer_size, arena_block_size| {
        block_size(&MemTableOptions { write_buffer_size, arena_block_size, ..Default::default() })
    };
    assert_eq!(with(64 << 20, 0), 1 << 20);
    assert_eq!(with(8_000_000, 0), 1_003_520);
    assert_eq!(with(64 << 10, 0), 8 << 10);
    assert_eq!(with(1, 0), 4 << 10);
    assert_eq!(with(64 << 20, 5000), 5008);
    assert_eq!(with(64 << 20, 1), 4 << 10);
}

/// The counts of memtables that `db_bench` 7.8.3 flushed, as its log tells them: `fillrandom` with
/// the sizes given. Those of skip lists vary by chance, and by what malloc adds to a block.
#[test]
fn memtables_hold_as_many_records_as_rocksdbs() {
    let skip_list = MemTableOptions::default();
    let vector =
        MemTableOptions { rep_factory: Arc::new(VectorRepFactory::default()), ..skip_list.clone() };
    // write_buffer_size, arena_block_size, sizes of key and value, records
    let rows = [
        (&skip_list, 64 << 20, 0, 16, 100, 460_753..=460_820),
        (&skip_list, 8_000_000, 0, 8, 128, 47_344..=47_363),
        (&skip_list, 1 << 20, 0, 20, 400, 2260..=2264),
        (&skip_list, 64 << 10, 0, 16, 30, 939..=951),
        (&skip_list, 1 << 20, 0, 16, 2000, 489..=490),
        (&skip_list, 1 << 20, 0, 16, 40_000, 25..=25),
        (&skip_list, 8 << 20, 0, 16, 20_000, 404..=404),
        (&skip_list, 4 << 20, 100_000, 24, 64, 35_903..=35_927),
        (&vector, 16 << 20, 0, 16, 100, 122_763..=122_763),
    ];
    for (base, write_buffer_size, arena_block_size, key_size, value_size, expected) in rows {
        let options = MemTableOptions { write_buffer_size, arena_block_size, ..base.clone() };
        let entries = entries_until_full(&options, 0, key_size, value_size);
        let tolerance = expected.start() / 1000;
        let accepted = expected.start() - tolerance..=expected.end() + tolerance;
        assert!(
            accepted.contains(&entries),
            "{write_buffer_size} bytes hold {entries} pairs of {key_size} + {value_size} bytes, \
             expected {expected:?}",
        );
    }
    // With a Bloom filter of a tenth, which takes its part.
    let options = MemTableOptions { write_buffer_size: 8 << 20, ..skip_list };
    let entries = entries_until_full(&options, (8 << 20) / 10, 16, 100);
    assert!((48_780 - 49..=48_806 + 49).contains(&entries), "{entries}");
}

#[test]
fn memory_is_told_as_rocksdb_tells_it() {
    // The same flushes' "memory_usage", where the blocks' sizes were those asked for.
    let rows = [(64 << 20, 16, 100, 66_910_992), (1 << 20, 20, 400, 1_018_120)];
    for (write_buffer_size, key_size, value_size, expected) in rows {
        let options = MemTableOptions { write_buffer_size, ..MemTableOptions::default() };
        let mut account = ArenaAccount::new(&options, 0);
        let buffer = WriteBuffer::new(&options, &account);
        while !buffer.is_full() {
            account.add(encoded_size(&vec![0; key_size], &vec![0; value_size]), false);
            buffer.publish(&account);
        }
        let used = buffer.used();
        assert!(used.abs_diff(expected) < expected / 500, "{used}, not {expected}");
        assert!(used <= buffer.allocated());
    }
}

#[test]
fn range_tombstones_count_as_nodes_of_a_list() {
    let options = MemTableOptions {
        rep_factory: Arc::new(VectorRepFactory::default()),
        ..MemTableOptions::default()
    };
    let mut account = ArenaAccount::new(&options, 0);
    let (unused, outside_size) = (account.unused, account.outside_size);
    // A pointer and what it takes to align the node.
    account.add(20, true);
    assert_eq!((account.unused, account.outside_size), (unused - 8 - 32, outside_size));
}
