//! What the kernels of cached reads and of what they read cost, each beside a floor that does only what cannot be
//! left out: `cargo bench -p touchstone-table --bench kernels`, with parts of names to measure those alone, and with
//! `--short`. Everything is in the nearest caches, so misses don't show.

use base::coding::put_varint64;
use base::dbformat::InternalKey;
use base::{InternalIterator, InternalKeyComparator, ValueType};
use microbench::{Benches, each, prepared, scatter};
use std::hint::black_box;
use std::sync::Arc;
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

fn searches_of_blocks(benches: &Benches, decoder: &DataBlockDecoder, bytes: &[u8]) {
    benches.compare(
        "block: load",
        each(OPERATIONS, |_| decoder.decode(black_box(bytes)).is_ok()),
        "a copy",
        each(OPERATIONS, |_| black_box(bytes).to_vec()),
    );
    let block: Arc<DataBlock> = Arc::new(decoder.decode(bytes).expect("a block just built"));
    let mut cursor = DataBlockIter::new(block, InternalKeyComparator::bytewise());
    let keys: Vec<Vec<u8>> = (0..ENTRIES).map(internal_key).collect();
    let numbers: Vec<u64> = (0..ENTRIES).collect();
    benches.compare(
        "block: seek",
        each(OPERATIONS, |number| {
            let target = &keys[scatter(number, ENTRIES) as usize];
            cursor.seek(target).is_ok() && cursor.key() == target.as_slice()
        }),
        "numbers counted",
        each(OPERATIONS, |number| {
            let wanted = scatter(number, ENTRIES);
            numbers.iter().filter(|&&number| number < wanted).count()
        }),
    );
}

/// One entry further in whichever direction, and round at the end, as an index does it that keeps where all entries
/// are.
struct Places {
    /// Where keys are, and values.
    places: Vec<[(u32, u32); 2]>,
    position: usize,
}

impl Places {
    fn of_block() -> Self {
        let entry_size = (24 + VALUE.len()) as u32;
        let place = |start: u32| [(start, start + 24), (start + 24, start + entry_size)];
        let places = (0..ENTRIES as u32).map(|number| place(number * entry_size)).collect();
        Self { places, position: 0 }
    }

    #[inline]
    fn next(&mut self) -> [(u32, u32); 2] {
        self.position = if self.position + 1 < self.places.len() { self.position + 1 } else { 0 };
        self.places[self.position]
    }

    #[inline]
    fn prev(&mut self) -> [(u32, u32); 2] {
        self.position = self.position.checked_sub(1).unwrap_or(self.places.len() - 1);
        self.places[self.position]
    }
}

fn moves_in_blocks(benches: &Benches, decoder: &DataBlockDecoder, bytes: &[u8]) {
    let block: Arc<DataBlock> = Arc::new(decoder.decode(bytes).expect("a block just built"));
    let cursor = || DataBlockIter::new(Arc::clone(&block), InternalKeyComparator::bytewise());
    let next = |cursor: &mut DataBlockIter| {
        let moved = if cursor.valid() { cursor.next() } else { cursor.seek_to_first() };
        moved.is_ok()
    };
    let prev = |cursor: &mut DataBlockIter| {
        let moved = if cursor.valid() { cursor.prev() } else { cursor.seek_to_last() };
        moved.is_ok()
    };
    let (mut forward, mut places) = (cursor(), Places::of_block());
    benches.compare(
        "block: next",
        each(OPERATIONS, |_| next(&mut forward)),
        "the next two places of an array",
        each(OPERATIONS, |_| places.next()),
    );
    let (mut backward, mut places) = (cursor(), Places::of_block());
    benches.compare(
        "block: prev",
        each(OPERATIONS, |_| prev(&mut backward)),
        "the last two places of an array",
        each(OPERATIONS, |_| places.prev()),
    );
    let (mut forward, mut places) = (cursor(), Places::of_block());
    let entries = vec![b'e'; places.places.len() * (24 + VALUE.len())];
    let mut key = [0; 24];
    benches.compare(
        "block: next, its key and value",
        each(OPERATIONS, |_| {
            next(&mut forward);
            forward.valid().then(|| black_box((forward.key(), forward.value())).0.len())
        }),
        "two places, the key copied",
        each(OPERATIONS, |_| {
            let [(key_start, key_end), (start, end)] = places.next();
            key.copy_from_slice(&entries[key_start as usize..key_end as usize]);
            black_box((&key, &entries[start as usize..end as usize])).0.len()
        }),
    );
}

fn blocks_built(benches: &Benches) {
    let keys: Vec<Vec<u8>> = (0..ENTRIES).map(internal_key).collect();
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    let mut bytes = Vec::new();
    let key = |number: u64| (&keys[(number % ENTRIES) as usize], number % ENTRIES == ENTRIES - 1);
    benches.compare(
        "block: entry added",
        each(OPERATIONS, |number| {
            let (key, is_last) = key(number);
            builder.add(black_box(key), black_box(&VALUE));
            if is_last {
                black_box(builder.finish_in_place().len());
                builder.reset();
            }
        }),
        "a copy of its bytes",
        each(OPERATIONS, |number| {
            let (key, is_last) = key(number);
            bytes.extend_from_slice(black_box(key));
            bytes.extend_from_slice(black_box(&VALUE));
            if is_last {
                black_box(&bytes);
                bytes.clear();
            }
        }),
    );
}

fn indexes(benches: &Benches) {
    let index = index();
    let targets: Vec<Vec<u8>> =
        (0..1024).map(|number| internal_key(scatter(number, BLOCKS * ENTRIES))).collect();
    let numbers: Vec<u64> = (0..BLOCKS).map(|block| block * ENTRIES).collect();
    benches.compare(
        "index: seek",
        each(OPERATIONS, |number| index.seek(&targets[number as usize % targets.len()])),
        "binary search of numbers",
        each(OPERATIONS, |number| {
            let wanted = scatter(number % 1024, BLOCKS * ENTRIES);
            numbers.partition_point(|&number| number < wanted)
        }),
    );
}

fn filters(benches: &Benches) {
    let context = FilterContext {
        format_version: 5,
        level: FilterContext::LEVEL_UNKNOWN,
        optimize_filters_for_memory: false,
    };
    let policy = FilterPolicy::Bloom { bits_per_key: 10.0 };
    let new_builder = || policy.new_bits_builder(&context).expect("ten bits make a filter");
    let mut bits = vec![0_u64; 10 * BLOCKS as usize / 64];
    benches.compare(
        "filter: key added",
        prepared(BLOCKS, new_builder, |builder| {
            (0..BLOCKS).for_each(|number| builder.add_key(black_box(&user_key(number))));
            black_box(builder.finish());
        }),
        "its hash and one write",
        each(BLOCKS, |number| {
            let hash = KeyHash::new(black_box(&user_key(number))).hash64();
            let place = (u128::from(hash) * bits.len() as u128) >> 64;
            bits[place as usize] |= 1 << (hash % 64);
        }),
    );
    let mut builder = new_builder();
    (0..BLOCKS).for_each(|number| builder.add_key(&user_key(number)));
    let reader = FilterBitsReader::new(builder.finish());
    benches.compare(
        "filter: probe",
        each(OPERATIONS, |number| reader.may_match(&user_key(scatter(number, 2 * BLOCKS)))),
        "the hash",
        each(OPERATIONS, |number| KeyHash::new(&user_key(scatter(number, 2 * BLOCKS))).hash64()),
    );
}

fn main() {
    let benches = Benches::from_arguments();
    let comparator = InternalKeyComparator::bytewise();
    let decoder = DataBlockDecoder::new(&comparator, KeyTransform::default());
    let bytes = block_bytes();
    searches_of_blocks(&benches, &decoder, &bytes);
    moves_in_blocks(&benches, &decoder, &bytes);
    blocks_built(&benches);
    indexes(&benches);
    filters(&benches);
}
