//! Torn reads: memtables that one fills while others read, without locks, and who reads finds exactly what
//! was there when it began, or came meanwhile.
//!
//! A round plans some records and fills several memtables with them, one after the other. The one who
//! inserts says after each record, or each few, how far it is; readers look up, seek and step, and know from
//! the plan what every answer may be: which record, with all of its key and value, and that none is passed
//! over that was inserted before the question. It is the built program that runs, with real threads: what a
//! processor does when it reads what another one is writing is not modelled but tried.

mod plan;
mod reader;
mod round;

use crate::random::Random;
use memtable::MemTableMemory;
use plan::{Plan, Shape};
use round::Round;
use std::sync::Arc;

/// What holds the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// What the database has where keys are ordered as bytes.
    BPlusTree,
    /// What it has elsewhere.
    SkipList,
}

impl Container {
    /// All there are, by their names.
    pub const ALL: [(&str, Self); 2] =
        [("b-plus-tree", Self::BPlusTree), ("skip-list", Self::SkipList)];
}

/// What is broken on purpose, to see that a round then fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Nothing.
    None,
    /// Records are said to be there before they are.
    EarlyPublication,
}

/// What rounds have in common.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// What holds the records.
    pub container: Container,
    /// Threads that read, beside the one that inserts.
    pub readers: u64,
    /// What is broken.
    pub sabotage: Sabotage,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Memtables filled.
    pub memtables: u64,
    /// Records inserted.
    pub records: u64,
    /// What readers asked for, and got as it had to be.
    pub operations: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.memtables += other.memtables;
        self.records += other.records;
        self.operations += other.operations;
    }
}

/// Records of a memtable: some have a leaf or a few, others three levels of nodes.
const COUNTS: [usize; 4] = [400, 3_000, 20_000, 50_000];
/// Records of a round at least, in as many memtables as it takes.
const RECORDS_OF_A_ROUND: usize = 50_000;

impl Campaign {
    /// Fills some memtables with records of one plan.
    ///
    /// # Errors
    /// What was read and must not have been, in words.
    pub fn round(&self, seed: u64) -> Result<Tally, String> {
        let mut random = Random::of(&[seed]);
        let shape = random.pick(&Shape::ALL);
        let count = random.pick(&COUNTS);
        let plan = Plan::new(&mut random, shape, count);
        // What one memtable leaves the next one takes, so that old records lie where new ones will.
        let memory = Arc::<MemTableMemory>::default();
        memory.keep_freed();
        let mut tally = Tally::default();
        for number in 0..RECORDS_OF_A_ROUND.div_ceil(plan.count()) as u64 {
            let (container, readers, sabotage) = (self.container, self.readers, self.sabotage);
            let seed = Random::of(&[seed, number]).draw();
            let round = Round { plan: &plan, container, seed, readers, sabotage, memory: &memory };
            let operations = round.run();
            let operations =
                operations.map_err(|why| format!("memtable {number}, {}: {why}", plan.text))?;
            tally.add(&Tally { memtables: 1, records: plan.count() as u64, operations });
        }
        Ok(tally)
    }
}
