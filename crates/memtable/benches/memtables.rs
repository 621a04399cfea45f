//! What the containers of memtables cost for each record, beside floors that do only what cannot be left out: `cargo
//! bench -p touchstone-memtable`, with parts of names to measure those alone, and with `--short`. There are more
//! records than the nearest caches have room for, as in most memtables. The search
//! within a node is measured as part of lookups and insertions.

use base::dbformat::{MAX_SEQUENCE_NUMBER, pack_sequence_and_type};
use base::{InternalIterator, InternalKey, InternalKeyComparator, ValueType};
use memtable::{
    MemTable, MemTableMemory, MemTableOptions, MemTableRep, MemTableRepContext, MemTableRepFactory,
    MemTableRepSides, MemTableRepWriter, SkipListFactory, VectorRepFactory,
};
use microbench::{Benches, Timed, each, prepared, scatter};
use std::hint::black_box;
use std::sync::Arc;

const RECORDS: u64 = 100_000;
const OPERATIONS: u64 = 20_000;
const VALUE: [u8; 100] = [b'v'; 100];
/// A user key, what else an internal key has, and a value.
const RECORD_SIZE: usize = 16 + 8 + VALUE.len();

/// As `db_bench` makes them: a number, then zeros.
fn user_key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

/// Numbers of keys in the order in which they are inserted.
#[derive(Clone, Copy)]
enum Order {
    Ascending,
    Scattered,
}

impl Order {
    const ALL: [Self; 2] = [Self::Ascending, Self::Scattered];

    fn name(self) -> &'static str {
        match self {
            Self::Ascending => "in order",
            Self::Scattered => "scattered",
        }
    }

    /// Each number below [`RECORDS`] once.
    fn numbers(self) -> Vec<u64> {
        let mut numbers: Vec<u64> = (0..RECORDS).collect();
        if let Self::Scattered = self {
            numbers.sort_unstable_by_key(|&number| scatter(number, u64::MAX));
        }
        numbers
    }
}

/// Memory that one memtable leaves for the next one, as in a database that flushes one after another.
fn kept_memory() -> Arc<MemTableMemory> {
    let memory = Arc::new(MemTableMemory::default());
    // How much is kept the size of memtables says.
    let options = MemTableOptions { memory: Some(Arc::clone(&memory)), ..Default::default() };
    drop(MemTable::new(InternalKeyComparator::bytewise(), &options));
    memory.keep_freed();
    memory
}

/// A kind of container.
struct Kind {
    name: &'static str,
    factory: Box<dyn MemTableRepFactory>,
    context: MemTableRepContext,
}

impl Kind {
    fn new(name: &'static str, factory: impl MemTableRepFactory + 'static) -> Self {
        let context = MemTableRepContext {
            comparator: InternalKeyComparator::bytewise(),
            prefix_extractor: None,
            column_family_id: 0,
            memory: Some(kept_memory()),
            huge_page_size: 0,
        };
        Self { name, factory: Box::new(factory), context }
    }

    fn all() -> [Self; 3] {
        [
            Self::new("B+tree", SkipListFactory::default()),
            Self::new("skip list", SkipListFactory { is_always_list: true }),
            Self::new("vector", VectorRepFactory { count: RECORDS as usize }),
        ]
    }

    fn create(&self) -> MemTableRepSides {
        self.factory.create(&self.context)
    }

    fn filled(&self, numbers: &[u64]) -> Arc<dyn MemTableRep> {
        let (rep, mut writer) = self.create();
        fill(&mut *writer, numbers);
        rep.mark_immutable();
        rep
    }
}

fn fill(writer: &mut dyn MemTableRepWriter, numbers: &[u64]) {
    for (sequence, &number) in (1..).zip(numbers) {
        let trailer = pack_sequence_and_type(sequence, ValueType::Value);
        writer.insert(&user_key(number), trailer, black_box(&VALUE));
    }
}

/// Records one behind the other, in the order of `numbers`.
fn put_records(arena: &mut [u8], numbers: &[u64]) {
    for (record, (sequence, &number)) in arena.chunks_exact_mut(RECORD_SIZE).zip((1..).zip(numbers))
    {
        let trailer = pack_sequence_and_type(sequence, ValueType::Value);
        record[..16].copy_from_slice(&user_key(number));
        record[16..24].copy_from_slice(&trailer.to_le_bytes());
        record[24..].copy_from_slice(black_box(&VALUE));
    }
}

fn inserts(benches: &Benches, kind: &Kind) {
    for order in Order::ALL {
        let numbers = order.numbers();
        let mut arena = vec![0; RECORD_SIZE * numbers.len()];
        benches.compare(
            &format!("{}: insert {}", kind.name, order.name()),
            prepared(RECORDS, || kind.create(), |(_, writer)| fill(&mut **writer, &numbers)),
            "a copy of the record",
            prepared(
                RECORDS,
                || (),
                |()| {
                    put_records(&mut arena, &numbers);
                    black_box(&arena);
                },
            ),
        );
    }
}

/// Looks for scattered keys that are there, and at their values.
fn gets(rep: &dyn MemTableRep) -> Timed<'_> {
    each(OPERATIONS, |number| {
        let wanted = user_key(scatter(number, RECORDS));
        let target = InternalKey::for_seek(&wanted, MAX_SEQUENCE_NUMBER);
        let mut found = 0;
        rep.visit_key(target.as_bytes(), &mut |entry| {
            if entry.user_key() == wanted {
                found = entry.value()[0];
            }
            false
        });
        found
    })
}

fn reads(benches: &Benches, kind: &Kind) {
    let numbers = Order::Scattered.numbers();
    let rep = kind.filled(&numbers);
    let mut arena = vec![0; RECORD_SIZE * numbers.len()];
    put_records(&mut arena, &numbers);
    let sorted: Vec<u64> = (0..RECORDS).collect();
    // Where the record of each number is.
    let mut places = vec![0; numbers.len()];
    for (place, &number) in numbers.iter().enumerate() {
        places[number as usize] = place * RECORD_SIZE;
    }
    benches.compare(
        &format!("{}: get", kind.name),
        gets(&*rep),
        "a search of sorted numbers, a look at the record",
        each(OPERATIONS, |number| {
            let wanted = scatter(number, RECORDS);
            let index = sorted.partition_point(|&number| number < wanted);
            arena[places[index] + RECORD_SIZE - 1]
        }),
    );
    benches.compare(
        &format!("{}: next", kind.name),
        prepared(
            RECORDS,
            || Arc::clone(&rep).new_iterator(),
            |iterator| assert_eq!(step_to_end(&mut **iterator), RECORDS, "records"),
        ),
        "a look at each record, in order",
        prepared(RECORDS, || (), |()| places.iter().for_each(|&place| _ = black_box(arena[place]))),
    );
}

fn step_to_end(iterator: &mut dyn InternalIterator) -> u64 {
    iterator.seek_to_first().expect("records in memory");
    let mut steps = 0;
    while let Some((key, _)) = iterator.entry() {
        black_box(key[0]);
        iterator.next().expect("records in memory");
        steps += 1;
    }
    steps
}

fn main() {
    let benches = Benches::from_arguments();
    for kind in Kind::all() {
        inserts(&benches, &kind);
        reads(&benches, &kind);
    }
}
