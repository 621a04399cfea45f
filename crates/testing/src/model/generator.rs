//! Random sequences. The same seed gives the same sequence.

use super::step::{Opening, Scan, Shape, Step, To};
use super::{DEFAULT, DEFAULT_SHAPE, options};
use crate::judges::protocol::{Bytes, MergeOperator, Operation};
use crate::random::Random;

/// What a sequence may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// How many steps.
    pub steps: usize,
    /// Merges onto entities, which RocksDB before 8.0 cannot.
    pub merges_onto_entities: bool,
    /// Power losses, beside deaths of the process.
    pub power_losses: bool,
    /// Two databases change directories.
    pub hands_over: bool,
}

struct Generator {
    random: Random,
    profile: Profile,
    style: &'static str,
    families: Vec<(String, Shape)>,
    next_family: u32,
    next_id: u32,
    snapshots: Vec<u32>,
    iterators: Vec<u32>,
    keys: u64,
    /// Once in how many values one is large.
    large: u64,
    unlogged: bool,
}

/// The sequence of a seed.
#[must_use]
pub fn generate(seed: u64, profile: Profile) -> Vec<Step> {
    let mut random = Random::new(seed);
    let style = options::style(&mut random);
    let keys = *random.choose(&[5, 20, 60]);
    let large = *random.choose(&[u64::MAX, 30, 8]);
    let mut generator = Generator {
        random,
        profile,
        style,
        families: vec![(DEFAULT.to_owned(), DEFAULT_SHAPE)],
        next_family: 1,
        next_id: 1,
        snapshots: Vec::new(),
        iterators: Vec::new(),
        keys,
        large,
        unlogged: false,
    };
    let mut steps = vec![Step::Open(generator.opening())];
    while steps.len() < profile.steps {
        let step = generator.step();
        steps.extend(step);
    }
    steps
}

impl Generator {
    fn opening(&mut self) -> Opening {
        let family = options::family(&mut self.random, self.style);
        self.unlogged = self.random.one_in(8);
        let mut db = options::db(&mut self.random, &family, self.profile.hands_over);
        if self.profile.power_losses {
            // Only the mode that is the default reads a log up to a page that was lost.
            let tolerates = "wal_recovery_mode=kTolerateCorruptedTailRecords";
            db = db.replace(tolerates, "wal_recovery_mode=kPointInTimeRecovery");
        }
        Opening { unlogged: self.unlogged, db, family }
    }

    fn key(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        match random.below(40) {
            0 => b"\0\0".to_vec(),
            1 => b"\xff\xff\xff".to_vec(),
            2 => [b"a".repeat(300), vec![random.below(3) as u8]].concat(),
            _ => {
                let letter = [b'a', b'b', b'c', b'd'][random.below(4) as usize] as char;
                format!("{letter}{:02}", random.below(self.keys)).into_bytes()
            }
        }
    }

    fn single_key(&mut self) -> Vec<u8> {
        format!("s{:02}", self.random.below(4)).into_bytes()
    }

    fn value(&mut self, shape: Shape) -> Bytes {
        let random = &mut self.random;
        if shape.merge == Some(MergeOperator::Uint64Add) && !random.one_in(20) {
            return Bytes(random.below(1000).to_le_bytes().to_vec());
        }
        let word = format!("v{}", random.below(1000)).into_bytes();
        let times = match random.below(self.large) {
            0 => 2000 + random.below(8000),
            1 => 200,
            _ if random.one_in(20) => 0,
            _ => 1 + random.below(12),
        };
        Bytes(word.repeat(times as usize))
    }

    fn family(&mut self) -> (String, Shape) {
        self.random.choose(&self.families).clone()
    }

    fn snapshot(&mut self) -> Option<u32> {
        let is_wanted = !self.snapshots.is_empty() && self.random.one_in(3);
        is_wanted.then(|| *self.random.choose(&self.snapshots))
    }

    /// Two keys in the family's order.
    fn range(&mut self, shape: Shape) -> [Vec<u8>; 2] {
        let mut ends = [self.key(), self.key()];
        ends.sort();
        if shape.is_reverse {
            ends.reverse();
        }
        ends
    }

    fn operation(&mut self) -> Operation {
        let (name, shape) = self.family();
        let family = Bytes::from(name.as_str());
        let key = Bytes(self.key());
        match self.random.below(20) {
            0..3 => Operation::Delete { family, key },
            3 => {
                let [begin, end] = self.range(shape).map(Bytes);
                Operation::DeleteRange { family, begin, end }
            }
            4..8 if shape.merge.is_some() => {
                let value = self.value(shape);
                Operation::Merge { family, key, value }
            }
            8..10 if self.profile.merges_onto_entities || shape.merge.is_none() => {
                let mut columns = Vec::new();
                for name in ["", "a", "b"] {
                    if !self.random.one_in(3) {
                        columns.push((Bytes::from(name), self.value(shape)));
                    }
                }
                Operation::PutEntity { family, key, columns }
            }
            10 => {
                let key = Bytes(self.single_key());
                Operation::Put { family, key, value: self.value(shape) }
            }
            11 => Operation::SingleDelete { family, key: Bytes(self.single_key()) },
            12 if self.random.one_in(4) => Operation::LogData { data: "data".into() },
            _ => {
                let value = self.value(shape);
                Operation::Put { family, key, value }
            }
        }
    }

    fn write(&mut self) -> Step {
        let count = match self.random.below(4) {
            0 | 1 => 1,
            2 => 1 + self.random.below(6),
            _ => 1 + self.random.below(40),
        };
        let sync = !self.unlogged && self.random.one_in(10);
        Step::Write { sync, operations: (0..count).map(|_| self.operation()).collect() }
    }

    /// A table of one family, with its entries in order.
    fn ingest(&mut self) -> Step {
        let (name, shape) = self.family();
        let family = || Bytes::from(name.as_str());
        let mut keys: Vec<_> = (0..1 + self.random.below(12)).map(|_| self.key()).collect();
        keys.sort();
        keys.dedup();
        if shape.is_reverse {
            keys.reverse();
        }
        let mut operations = Vec::new();
        for key in keys {
            let (family, key) = (family(), Bytes(key));
            operations.push(match self.random.below(8) {
                0 => Operation::Delete { family, key },
                1 | 2 if shape.merge.is_some() => {
                    Operation::Merge { family, key, value: self.value(shape) }
                }
                _ => Operation::Put { family, key, value: self.value(shape) },
            });
        }
        let [begin, end] = self.range(shape).map(Bytes);
        if begin != end && self.random.one_in(4) {
            operations.push(Operation::DeleteRange { family: family(), begin, end });
        }
        Step::Ingest { family: name, operations }
    }

    fn get(&mut self) -> Step {
        let family = self.family().0;
        let count = if self.random.one_in(2) { 1 } else { 1 + self.random.below(8) };
        let mut keys: Vec<_> = (0..count).map(|_| self.key()).collect();
        if self.random.one_in(4) {
            keys.push(self.single_key());
        }
        Step::Get { family, keys, at: self.snapshot() }
    }

    fn bounded(&mut self) -> Scan {
        let (family, shape) = self.family();
        let [lower, upper] = self.range(shape);
        let lower = self.random.one_in(3).then_some(lower);
        let upper = self.random.one_in(3).then_some(upper);
        let at = self.snapshot();
        Scan { family, at, lower, upper, ..Scan::default() }
    }

    fn scan(&mut self) -> Step {
        if self.random.one_in(4) {
            let from = Some(self.key());
            let scan = Scan { family: self.family().0, at: self.snapshot(), ..Scan::default() };
            return Step::Scan(Scan { from, prefix: true, ..scan });
        }
        let scan = self.bounded();
        let from = self.random.one_in(2).then(|| self.key());
        Step::Scan(Scan { from, backward: self.random.one_in(2), ..scan })
    }

    fn movement(&mut self) -> To {
        match self.random.below(8) {
            0 => To::First,
            1 => To::Last,
            2 => To::Seek(self.key()),
            3 => To::SeekForPrev(self.key()),
            4 | 5 => To::Prev(1 + self.random.below(6) as u32),
            _ => To::Next(1 + self.random.below(6) as u32),
        }
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    fn held(&mut self) -> Vec<Step> {
        match self.random.below(16) {
            0..3 if self.snapshots.len() < 5 => {
                let id = self.id();
                self.snapshots.push(id);
                vec![Step::Snapshot(id)]
            }
            3 | 4 if !self.snapshots.is_empty() => {
                let index = self.random.below(self.snapshots.len() as u64) as usize;
                vec![Step::Release(self.snapshots.swap_remove(index))]
            }
            5 if !self.iterators.is_empty() => {
                let index = self.random.below(self.iterators.len() as u64) as usize;
                vec![Step::DropIterator(self.iterators.swap_remove(index))]
            }
            6..8 if self.iterators.len() < 5 => {
                let (id, scan) = (self.id(), self.bounded());
                self.iterators.push(id);
                let to = self.movement();
                vec![Step::Iterator { id, scan }, Step::Move { id, to }]
            }
            _ if !self.iterators.is_empty() => {
                let id = *self.random.choose(&self.iterators);
                (0..1 + self.random.below(3))
                    .map(|_| Step::Move { id, to: self.movement() })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn families(&mut self) -> Step {
        match self.random.below(3) {
            0 if self.families.len() < 4 => {
                let family = format!("f{}", self.next_family);
                self.next_family += 1;
                let merge =
                    [None, Some(MergeOperator::Uint64Add), Some(MergeOperator::StringAppend)];
                let merge = *self.random.choose(&merge);
                let shape = Shape { merge, is_reverse: self.random.one_in(3) };
                self.families.push((family.clone(), shape));
                Step::Create { family, shape }
            }
            1 if self.families.len() > 1 && self.random.one_in(2) => {
                let index = 1 + self.random.below(self.families.len() as u64 - 1) as usize;
                Step::Drop { family: self.families.remove(index).0 }
            }
            _ => Step::Families,
        }
    }

    fn maintain(&mut self) -> Vec<Step> {
        match self.random.below(10) {
            0..4 => {
                let families = match self.random.below(3) {
                    0 => Vec::new(),
                    _ => vec![self.family().0],
                };
                vec![Step::Flush { families }]
            }
            4..6 => {
                let (family, shape) = self.family();
                let [begin, end] = self.range(shape);
                let begin = self.random.one_in(2).then_some(begin);
                let end = self.random.one_in(2).then_some(end);
                vec![Step::Compact { family, begin, end }]
            }
            6 => vec![Step::FlushWal { sync: self.random.one_in(2) }],
            7 if self.random.one_in(2) => self.restart(),
            _ => Vec::new(),
        }
    }

    fn restart(&mut self) -> Vec<Step> {
        let held = std::mem::take(&mut self.iterators).into_iter().map(Step::DropIterator);
        let mut steps: Vec<Step> = held.collect();
        steps.extend(std::mem::take(&mut self.snapshots).into_iter().map(Step::Release));
        if self.random.one_in(2) {
            // Held things are let go by it too.
            steps.clear();
        }
        steps.push(match self.random.below(4) {
            0 if self.profile.hands_over => Step::HandOver,
            0 | 1 => Step::Reopen(self.opening()),
            2 if self.profile.power_losses => {
                let power = Some(self.random.next());
                Step::Crash { power, opening: self.opening() }
            }
            _ => Step::Crash { power: None, opening: self.opening() },
        });
        // Everything is looked at afterwards.
        let families = self.families.clone().into_iter();
        steps.extend(families.map(|(family, _)| Step::Scan(Scan { family, ..Scan::default() })));
        steps
    }

    fn step(&mut self) -> Vec<Step> {
        match self.random.below(100) {
            0..36 => vec![self.write()],
            36..38 => vec![self.ingest()],
            38..55 => vec![self.get()],
            55..68 => vec![self.scan()],
            68..83 => self.held(),
            83..87 => vec![self.families()],
            _ => self.maintain(),
        }
    }
}
