//! What the kernels of cached reads cost, each beside a floor that does only what cannot be left
//! out: `cargo bench -p touchstone-table`. Everything is in the nearest caches, so misses don't show.

use base::coding::put_varint64;
use base::dbformat::InternalKey;
use base::{InternalIterator, InternalKeyComparator, ValueType};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use table::block_builder::{BlockBuilder, BlockBuilderOptions};
use table::data_block::{DataBlockDecoder, KeyTransform};
use table::filter::filter_policy::FilterContext;
use table::filter::{FilterBitsReader, KeyHash};
use table::index::{FlatIndex, IndexBlockFormat};
use table::{DataBlock, DataBlockIter, FilterPolicy};

const ENTRIES: u64 = 34;
const VALUE: [u8; 100] = [b'v'; 100];
const BLOCKS: u64 = 16_384;
/// Few, so that some rounds are not interrupted where others work too.
const OPERATIONS: u64 = 20_000;
const ROUNDS: usize = 60;

/// As `db_bench` makes them: a number, then zeros.
fn user_key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

fn internal_key(number: u64) -> Vec<u8> {
    InternalKey::new(&user_key(number), 7, ValueType::Value).as_bytes().to_vec()
}

fn block_bytes() -> Vec<u8> {
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    for number in 0..ENTRIES {
        builder.add(&internal_key(number), &VALUE);
    }
    builder.finish()
}

fn index() -> FlatIndex {
    let options = BlockBuilderOptions { restart_interval: 1, ..BlockBuilderOptions::default() };
    let mut builder = BlockBuilder::new(options);
    for block in 0..BLOCKS {
        let mut handle = Vec::new();
        put_varint64(&mut handle, block * 4096);
        put_varint64(&mut handle, 4091);
        builder.add(&user_key(block * ENTRIES), &handle);
    }
    let format = IndexBlockFormat {
        keys_are_user_keys: true,
        values_are_delta_encoded: false,
        has_first_keys: false,
    };
    let comparator = InternalKeyComparator::bytewise();
    FlatIndex::decode(&builder.finish(), format, &comparator, 0).expect("an index just built")
}

/// Prints the least, over rounds, of the nanoseconds of one operation.
fn measure(name: &str, mut operation: impl FnMut(u64)) {
    let least = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..OPERATIONS).for_each(&mut operation);
            start.elapsed().as_nanos() as f64 / OPERATIONS as f64
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<44} {least:>8.1} ns");
}

/// A number that the one before does not predict.
fn scatter(number: u64, below: u64) -> u64 {
    ((number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * below) >> 32
}

fn blocks(decoder: &DataBlockDecoder, bytes: &[u8]) {
    measure("block: load", |_| {
        black_box(decoder.decode(black_box(bytes)).is_ok());
    });
    measure("block: load, floor: a copy", |_| {
        black_box(black_box(bytes).to_vec());
    });
    let block: Arc<DataBlock> = Arc::new(decoder.decode(bytes).expect("a block just built"));
    let mut cursor = DataBlockIter::new(block, InternalKeyComparator::bytewise());
    let keys: Vec<Vec<u8>> = (0..ENTRIES).map(internal_key).collect();
    measure("block: seek", |number| {
        let target = &keys[scatter(number, ENTRIES) as usize];
        black_box(cursor.seek(target).is_ok() && cursor.key() == target.as_slice());
    });
    let numbers: Vec<u64> = (0..ENTRIES).collect();
    measure("block: seek, floor: numbers counted", |number| {
        let wanted = scatter(number, ENTRIES);
        black_box(numbers.iter().filter(|&&number| number < wanted).count());
    });
    measure("block: next", |_| {
        let moved = if cursor.valid() { cursor.next() } else { cursor.seek_to_first() };
        black_box(moved.is_ok());
    });
    measure("block: prev", |_| {
        let moved = if cursor.valid() { cursor.prev() } else { cursor.seek_to_last() };
        black_box(moved.is_ok());
    });
}

fn indexes() {
    let index = index();
    let targets: Vec<Vec<u8>> =
        (0..1024).map(|number| internal_key(scatter(number, BLOCKS * ENTRIES))).collect();
    measure("index: seek", |number| {
        black_box(index.seek(&targets[number as usize % targets.len()]));
    });
    let numbers: Vec<u64> = (0..BLOCKS).map(|block| block * ENTRIES).collect();
    measure("index: seek, floor: binary search of numbers", |number| {
        let wanted = scatter(number % 1024, BLOCKS * ENTRIES);
        black_box(numbers.partition_point(|&number| number < wanted));
    });
}

fn filters() {
    let context = FilterContext {
        format_version: 5,
        level: FilterContext::LEVEL_UNKNOWN,
        optimize_filters_for_memory: false,
    };
    let policy = FilterPolicy::Bloom { bits_per_key: 10.0 };
    let mut builder = policy.new_bits_builder(&context).expect("ten bits make a filter");
    (0..BLOCKS).for_each(|number| builder.add_key(&user_key(number)));
    let reader = FilterBitsReader::new(builder.finish());
    measure("filter: probe", |number| {
        black_box(reader.may_match(&user_key(scatter(number, 2 * BLOCKS))));
    });
    measure("filter: probe, floor: the hash", |number| {
        black_box(KeyHash::new(&user_key(scatter(number, 2 * BLOCKS))).hash64());
    });
}

fn main() {
    let comparator = InternalKeyComparator::bytewise();
    let decoder = DataBlockDecoder::new(&comparator, KeyTransform::default());
    blocks(&decoder, &block_bytes());
    indexes();
    filters();
}
