//! Two threads that write, one that reads, one that flushes and compacts, in every way that writes
//! can go through. Each writer's batches are known beforehand, and each holds its number, so that
//! whatever state is seen can be compared with all batches up to that number.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions, OpenContext,
    ReadOptions, WriteBatch, WriteOptions,
};
use env::MemFileSystem;
use options::DbOptions;
use testing::model::generator::{Profile, generate};
use testing::model::{Opening, Shape, Step};

use crate::engine::family_options;

const FAMILIES: [&str; 2] = ["default", "other"];
const WRITERS: u64 = 2;
const BATCHES: u64 = 400;
const ROUNDS: u64 = 10;

/// How writes go through, in turn.
const WRITE_MODES: [&str; 5] = [
    "",
    "enable_pipelined_write=true",
    "unordered_write=true",
    "two_write_queues=true",
    "allow_concurrent_memtable_write=false",
];

type State = BTreeMap<Vec<u8>, Vec<u8>>;

/// A number that depends on all three, the same in every run.
fn random(seed: u64, writer: u64, batch: u64) -> u64 {
    let mixed = (seed << 40) ^ (writer << 32) ^ batch;
    let mixed = (mixed ^ (mixed >> 30)).wrapping_add(1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 8
}

fn key(writer: u64, number: u64) -> Vec<u8> {
    format!("w{writer}k{number:02}").into_bytes()
}

fn number_key(writer: u64) -> Vec<u8> {
    format!("w{writer}number").into_bytes()
}

/// One batch of a writer: what it deletes from and up to, what it puts.
struct Batch {
    deleted: Option<(Vec<u8>, Vec<u8>)>,
    puts: Vec<(Vec<u8>, Vec<u8>)>,
}

fn batch(seed: u64, writer: u64, number: u64) -> Batch {
    let random = random(seed, writer, number);
    let first = random % 30;
    let deleted =
        random.is_multiple_of(5).then(|| (key(writer, first), key(writer, first + 1 + random % 4)));
    let value = format!("{number}-").repeat(1 + (random >> 20) as usize % 60).into_bytes();
    let put = |index| (key(writer, (first + index * 7) % 30), value.clone());
    let mut puts: Vec<_> = (0..random % 4).map(put).collect();
    puts.push((number_key(writer), number.to_string().into_bytes()));
    Batch { deleted, puts }
}

fn add(state: &mut State, batch: &Batch) {
    if let Some((begin, end)) = &batch.deleted {
        state.retain(|key, _| key < begin || key >= end);
    }
    state.extend(batch.puts.iter().cloned());
}

/// What a writer's keys hold after its batches up to this one.
fn state_after(seed: u64, writer: u64, number: u64) -> State {
    let mut state = State::new();
    (1..=number).for_each(|number| add(&mut state, &batch(seed, writer, number)));
    state
}

/// Readers end when no writer is left, also if one has failed.
struct WritesUntilDropped<'a>(&'a AtomicUsize);

impl Drop for WritesUntilDropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Round {
    seed: u64,
    db: Db,
    families: Vec<ColumnFamilyHandle>,
    disable_wal: bool,
    /// Writes do not overtake each other, so that a snapshot is one state.
    is_ordered: bool,
    writing: AtomicUsize,
}

fn open(seed: u64) -> Round {
    let profile =
        Profile { steps: 1, merges_onto_entities: false, power_losses: false, hands_over: false };
    let Some(Step::Open(opening)) = generate(seed, profile).into_iter().next() else {
        unreachable!("every sequence opens first")
    };
    let mode = WRITE_MODES[seed as usize % WRITE_MODES.len()];
    let is_replaced = |option: &&str| {
        let name = option.split('=').next().unwrap_or_default();
        !WRITE_MODES.iter().any(|mode| mode.starts_with(name)) && name != "atomic_flush"
    };
    let created = ["create_if_missing=true", "create_missing_column_families=true", mode];
    let others = opening.db.split(';').filter(is_replaced);
    let options: Vec<&str> =
        created.into_iter().chain(others).filter(|option| !option.is_empty()).collect();
    let options = options.join(";");
    let family = match mode {
        "unordered_write=true" => opening.family.replace("max_successive_merges=2", "ttl=0"),
        _ => opening.family.clone(),
    };
    let family = match mode.starts_with("allow_concurrent") {
        true => family,
        // A vector takes one writer at a time.
        false => family.replace("memtable_factory=vector", "ttl=0"),
    };
    let opening = Opening { db: options, family, ..opening };
    let options = DbOptions::from_string(&opening.db).unwrap();
    let descriptors = FAMILIES.map(|name| {
        ColumnFamilyDescriptor::new(name, family_options(&opening, Shape::default()).unwrap())
    });
    let file_system = Arc::new(MemFileSystem::new());
    let context = OpenContext { file_system, ..OpenContext::default() };
    let db = Db::open(&options, Path::new("/db"), &descriptors, &context).unwrap();
    let families = FAMILIES.map(|name| db.column_family(name).unwrap()).to_vec();
    let writing = AtomicUsize::new(WRITERS as usize);
    let is_ordered = !options.unordered_write;
    Round { seed, db, families, disable_wal: opening.unlogged, is_ordered, writing }
}

/// A writer's keys in a family, read forwards and then backwards.
fn scan(db: &Db, family: &ColumnFamilyHandle, writer: u64, snapshot: Option<u64>) -> State {
    let options = ReadOptions {
        snapshot,
        iterate_lower_bound: Some(format!("w{writer}").into_bytes()),
        iterate_upper_bound: Some(format!("w{}", writer + 1).into_bytes()),
        total_order_seek: true,
        ..ReadOptions::default()
    };
    let mut iterator = db.new_iterator(&options, family).unwrap();
    let mut found = State::new();
    iterator.seek_to_first();
    while iterator.valid() {
        found.insert(iterator.key().to_vec(), iterator.value().to_vec());
        iterator.next();
    }
    let mut backwards = State::new();
    iterator.seek_to_last();
    while iterator.valid() {
        backwards.insert(iterator.key().to_vec(), iterator.value().to_vec());
        iterator.prev();
    }
    iterator.status().unwrap();
    assert_eq!(found, backwards, "an iterator shows one state");
    found
}

/// The number of the last batch that a state holds.
fn last_batch(state: &State, writer: u64) -> u64 {
    let number = state.get(&number_key(writer));
    number.map_or(0, |number| std::str::from_utf8(number).unwrap().parse().unwrap())
}

impl Round {
    fn write(&self, writer: u64) {
        let _writing = WritesUntilDropped(&self.writing);
        let mut state = State::new();
        for number in 1..=BATCHES {
            let batch = batch(self.seed, writer, number);
            let mut writes = WriteBatch::new();
            for family in &self.families {
                if let Some((begin, end)) = &batch.deleted {
                    writes.delete_range(family.id(), begin, end).unwrap();
                }
                for (key, value) in &batch.puts {
                    writes.put(family.id(), key, value).unwrap();
                }
            }
            let options = WriteOptions { disable_wal: self.disable_wal, ..WriteOptions::default() };
            self.db.write(&options, writes).unwrap();
            add(&mut state, &batch);
            let key = key(writer, random(self.seed, writer, number) % 30);
            for family in &self.families {
                let value = self.db.get(&ReadOptions::default(), family, &key).unwrap();
                assert_eq!(value.as_deref(), state.get(&key).map(|value| &value[..]));
                if number % 40 == 0 {
                    assert_eq!(scan(&self.db, family, writer, None), state);
                }
            }
        }
    }

    fn is_writing(&self) -> bool {
        self.writing.load(Ordering::SeqCst) > 0
    }

    /// Snapshots show the same in both families, of each writer all up to some batch, and never
    /// less than the snapshot before; also when they are read again later.
    fn read(&self) {
        if !self.is_ordered {
            return self.read_unordered();
        }
        let mut last = [0; WRITERS as usize];
        let mut held = Vec::new();
        while self.is_writing() {
            let snapshot = self.db.snapshot();
            for (writer, last) in (0..WRITERS).zip(&mut last) {
                let at = Some(snapshot.sequence());
                let state = scan(&self.db, &self.families[0], writer, at);
                assert_eq!(scan(&self.db, &self.families[1], writer, at), state);
                let number = last_batch(&state, writer);
                assert!(number >= *last, "batch {number} after batch {last}");
                assert_eq!(state_after(self.seed, writer, number), state);
                *last = number;
            }
            held.push((snapshot, last));
            if held.len() > 6 {
                let (snapshot, numbers) = held.remove(held.len() % 3);
                for (writer, number) in (0..WRITERS).zip(numbers) {
                    let at = Some(snapshot.sequence());
                    let state = scan(&self.db, &self.families[1], writer, at);
                    assert_eq!(state_after(self.seed, writer, number), state);
                }
            }
            for writer in 0..WRITERS {
                let state = scan(&self.db, &self.families[0], writer, None);
                let number = last_batch(&state, writer);
                assert_eq!(state_after(self.seed, writer, number), state);
            }
        }
    }

    /// Every key that is seen has a value that its writer wrote.
    fn read_unordered(&self) {
        while self.is_writing() {
            for family in &self.families {
                let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
                let mut iterator = self.db.new_iterator(&options, family).unwrap();
                iterator.seek_to_first();
                while iterator.valid() {
                    let text = std::str::from_utf8(iterator.value()).unwrap();
                    let number = text.split('-').next().unwrap();
                    let number: u64 = number.parse().unwrap();
                    assert!((1..=BATCHES).contains(&number), "{text}");
                    iterator.next();
                }
                iterator.status().unwrap();
            }
        }
    }

    fn maintain(&self) {
        let mut turn = self.seed as usize;
        while self.is_writing() {
            turn += 1;
            let family = &self.families[turn % 2];
            if turn.is_multiple_of(3) {
                let options = CompactRangeOptions::default();
                self.db.compact_range(&options, family, None, None).unwrap();
            } else {
                self.db.flush(&FlushOptions::default(), &[family]).unwrap();
            }
            thread::yield_now();
        }
    }
}

#[test]
fn threads_see_their_own_writes_and_snapshots_are_states() {
    for seed in 0..ROUNDS {
        let round = open(seed);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let round = &round;
                scope.spawn(move || round.write(writer));
            }
            scope.spawn(|| round.read());
            scope.spawn(|| round.maintain());
        });
        for writer in 0..WRITERS {
            let expected = state_after(seed, writer, BATCHES);
            for family in &round.families {
                assert_eq!(scan(&round.db, family, writer, None), expected, "seed {seed}");
            }
        }
        round.db.close().unwrap();
    }
}
