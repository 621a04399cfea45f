//! One memtable, with one who inserts and several who read.

use super::plan::{Plan, Value};
use super::reader::Reader;
use super::{Container, Sabotage};
use crate::random::Random;
use crate::watchdog::text_of;
use base::slice_transform::CappedPrefix;
use base::{InternalKeyComparator, SliceTransform, ValueType};
use memtable::{EXPECTED_KEYS_MAX, MemTable, MemTableMemory, MemTableOptions, SkipListFactory};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

/// What all threads of a memtable know.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) plan: &'a Plan,
    pub(super) memtable: &'a MemTable,
    /// What values follow from, another one for each memtable: what is left of one is no value of the next.
    pub(super) salt: u64,
    /// Records that may be there.
    pub(super) begun: AtomicU64,
    /// Records that are there.
    pub(super) published: AtomicU64,
    pub(super) has_failed: AtomicBool,
}

/// A memtable, and who reads it.
#[derive(Clone, Debug)]
pub(super) struct Round<'a> {
    pub(super) plan: &'a Plan,
    pub(super) container: Container,
    pub(super) seed: u64,
    pub(super) readers: u64,
    pub(super) sabotage: Sabotage,
    pub(super) memory: &'a Arc<MemTableMemory>,
}

impl Round<'_> {
    /// Fills it while others read. Returns how many operations they did.
    pub(super) fn run(&self) -> Result<u64, String> {
        let mut random = Random::of(&[self.seed]);
        let memtable = self.memtable(&mut random);
        let shared = Shared {
            plan: self.plan,
            memtable: &memtable,
            salt: random.draw(),
            begun: AtomicU64::new(0),
            published: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
        };
        let start = Barrier::new(self.readers as usize + 1);
        let operations = thread::scope(|scope| {
            let read = |seed| {
                start.wait();
                let failing = FailingUnlessDone(&shared);
                let mut reader = Reader::new(&shared, seed);
                let done = reader.run().map(|()| reader.operations);
                done.inspect(|_| std::mem::forget(failing))
            };
            let seeds = (0..self.readers).map(|_| random.draw()).collect::<Vec<_>>();
            let readers = seeds.into_iter().map(|seed| scope.spawn(move || read(seed)));
            let readers: Vec<_> = readers.collect();
            start.wait();
            self.insert(&shared, &mut random);
            let done = readers.into_iter().map(|reader| match reader.join() {
                Ok(done) => done,
                Err(panic) => Err(format!("panic: {}", text_of(&*panic))),
            });
            done.sum::<Result<u64, String>>()
        })?;
        expect_all(&shared)?;
        Ok(operations)
    }

    fn memtable(&self, random: &mut Random) -> MemTable {
        let hints = Arc::new(CappedPrefix::new(10)) as Arc<dyn SliceTransform>;
        let options = MemTableOptions {
            rep_factory: Arc::new(SkipListFactory {
                is_always_list: self.container == Container::SkipList,
            }),
            insert_hint_extractor: random.one_in(4).then_some(hints),
            memory: Some(self.memory.clone()),
            ..MemTableOptions::default()
        };
        MemTable::new(InternalKeyComparator::bytewise(), &options)
    }

    fn insert(&self, shared: &Shared<'_>, random: &mut Random) {
        let plan = self.plan;
        let tells = random.one_in(2);
        let group_max = random.pick(&[1, 1, EXPECTED_KEYS_MAX as u64 + 3]);
        let mut value = Vec::new();
        let mut writer = shared.memtable.writer();
        let mut done = 0;
        while done < plan.count() && !shared.has_failed.load(Ordering::Relaxed) {
            let group = done + 1..=plan.count().min(done + 1 + random.below(group_max) as usize);
            if tells {
                let keys: Vec<_> = group.clone().map(|sequence| plan.key_of(sequence)).collect();
                writer.expect(&keys);
            }
            done = *group.end();
            shared.begun.store(done as u64, Ordering::Relaxed);
            if self.sabotage == Sabotage::EarlyPublication {
                shared.published.store(done as u64, Ordering::Release);
            }
            for sequence in group {
                Value::of(shared.salt, sequence).write_to(&mut value);
                writer.add(sequence as u64, ValueType::Value, plan.key_of(sequence), &value);
            }
            shared.published.store(done as u64, Ordering::Release);
        }
    }
}

/// Says that a reader has failed, also by a panic, unless it is forgotten.
struct FailingUnlessDone<'a>(&'a Shared<'a>);

impl Drop for FailingUnlessDone<'_> {
    fn drop(&mut self) {
        self.0.has_failed.store(true, Ordering::Relaxed);
    }
}

/// Both ways through, all records are there.
fn expect_all(shared: &Shared<'_>) -> Result<(), String> {
    let plan = shared.plan;
    let mut reader = Reader::new(shared, 0);
    let forward = reader.scan(true)?;
    let backward = reader.scan(false)?;
    match forward == plan.count() && backward == plan.count() {
        true => Ok(()),
        false => Err(format!("{forward} records forward and {backward} backward at the end")),
    }
}
