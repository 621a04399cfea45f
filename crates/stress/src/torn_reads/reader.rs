//! One who reads while records are inserted, and knows what must be there.

use super::plan::{Plan, Value};
use super::round::Shared;
use crate::random::Random;
use base::dbformat::{
    MAX_SEQUENCE_NUMBER, extract_trailer, extract_user_key, hex, pack_sequence_and_type,
};
use base::{InternalIterator, SeekStep, ValueType};
use memtable::MemTable;
use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread;

/// A reader of one memtable.
pub(super) struct Reader<'a> {
    shared: &'a Shared<'a>,
    plan: &'a Plan,
    memtable: &'a MemTable,
    cursor: Box<dyn InternalIterator>,
    /// Where the cursor stands.
    rank: Option<usize>,
    random: Random,
    target: Vec<u8>,
    /// Operations done.
    pub(super) operations: u64,
    /// The one under way.
    operation: Operation,
}

/// What was asked for.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "told where something is found to be wrong")]
enum Operation {
    Get { key: usize, sequence: u64, all: bool },
    Seek { key: usize, sequence: u64 },
    SeekBySteps { key: usize, sequence: u64 },
    SeekForPrev { key: usize, sequence: u64 },
    SeekToFirst,
    SeekToLast,
    Next { from: usize },
    Prev { from: usize },
    StartsUserKey { at: usize },
    Pin { at: usize },
}

/// Not more operations of one memtable than this, with the last record in it before the first one.
const OPERATIONS_AT_LEAST: u64 = 64;

/// After so many lookups and walks without a new record a reader lets others have the processor: the one who
/// inserts may be among them, and reads that meet no writes find nothing.
const IDLE_MAX: u32 = 200;

/// Steps of a cursor from one seek to the next, at most.
const STEPS_MAX: u64 = 24;

impl<'a> Reader<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, seed: u64) -> Self {
        let Shared { plan, memtable, .. } = *shared;
        Self {
            shared,
            plan,
            memtable,
            cursor: memtable.new_iterator(),
            rank: None,
            random: Random::of(&[seed]),
            target: Vec::new(),
            operations: 0,
            operation: Operation::SeekToFirst,
        }
    }

    /// Reads until the last record is inserted.
    pub(super) fn run(&mut self) -> Result<(), String> {
        let last = self.plan.count() as u64;
        let (mut known, mut idle) = (0, 0);
        while !self.shared.has_failed.load(Ordering::Relaxed)
            && (self.operations < OPERATIONS_AT_LEAST || self.published() < last)
        {
            let done = if self.random.one_in(2) { self.get() } else { self.walk() };
            done.map_err(|why| self.failure(&why))?;
            let published = self.published();
            idle = if published == known { idle + 1 } else { 0 };
            known = published;
            if idle == IDLE_MAX {
                idle = 0;
                thread::yield_now();
            }
        }
        Ok(())
    }

    /// Goes over all records. Returns how many there are.
    pub(super) fn scan(&mut self, forward: bool) -> Result<usize, String> {
        let (first, last, count) = (0, self.plan.count(), self.plan.count() as u64);
        let moved = if forward { self.cursor.seek_to_first() } else { self.cursor.seek_to_last() };
        moved.map_err(|status| status.to_string())?;
        let mut found = 0;
        if forward {
            self.arrive_forward(first, count)?;
        } else {
            self.arrive_backward(last, count)?;
        }
        while let Some(from) = self.rank {
            found += 1;
            if forward { self.next(from)? } else { self.prev(from)? }
        }
        Ok(found)
    }

    fn failure(&self, why: &str) -> String {
        let (published, begun) = (self.published(), self.shared.begun.load(Ordering::Relaxed));
        format!(
            "operation {} of a reader, {:?}, with {published} to {begun} records inserted: {why}",
            self.operations, self.operation,
        )
    }

    /// Records that whoever reads from now on has to find.
    #[inline]
    fn published(&self) -> u64 {
        self.shared.published.load(Ordering::Acquire)
    }

    #[inline]
    fn begin(&mut self, operation: Operation) -> u64 {
        self.operations += 1;
        self.operation = operation;
        self.published()
    }

    /// A key, also one that is never inserted, and the sequence number of a reader.
    fn aim(&mut self) -> (usize, u64) {
        let drawn = self.random.draw();
        let key = ((drawn >> 32) * self.plan.key_count() as u64) >> 32;
        let sequence = match drawn % 4 {
            0 => (drawn >> 2) % (self.published() + 1),
            1 => self.published(),
            _ => MAX_SEQUENCE_NUMBER,
        };
        self.target.clear();
        self.target.extend_from_slice(self.plan.key(key as usize));
        let trailer = pack_sequence_and_type(sequence, ValueType::Value);
        self.target.extend_from_slice(&trailer.to_le_bytes());
        (key as usize, sequence)
    }

    /// The newest version of a key that a reader may see, or all of them.
    fn get(&mut self) -> Result<(), String> {
        let (key, sequence) = self.aim();
        let all = self.random.one_in(8);
        let published = self.begin(Operation::Get { key, sequence, all });
        let ranks = self.plan.ranks_up_to(key, sequence);
        let mut next = ranks.start;
        let mut result = Ok(());
        let mut has_more = true;
        let target = std::mem::take(&mut self.target);
        self.memtable.get(&target, |entry| {
            let found = self.found(entry.key(), entry.value());
            let checked = found.and_then(|rank| {
                if rank >= ranks.end {
                    return Err(self.of_another_key(rank));
                }
                self.check_forward(next..rank, published)?;
                next = rank + 1;
                Ok(())
            });
            has_more = all && checked.is_ok();
            result = checked;
            has_more
        });
        self.target = target;
        result?;
        if has_more { self.check_forward(next..ranks.end, published) } else { Ok(()) }
    }

    /// A seek, and some steps from there.
    fn walk(&mut self) -> Result<(), String> {
        // At times the cursor goes on from where it has stood for long.
        if !self.random.one_in(8) || self.rank.is_none() {
            self.seek()?;
        }
        let (mut steps, forward) = (self.random.below(STEPS_MAX), self.random.one_in(2));
        while let Some(from) = self.rank
            && steps > 0
        {
            steps -= 1;
            let choice = self.random.below(16);
            match choice {
                0 => self.starts_user_key(from)?,
                1 => self.pin(from)?,
                _ if forward == (choice != 2) => self.next(from)?,
                _ => self.prev(from)?,
            }
        }
        Ok(())
    }

    fn seek(&mut self) -> Result<(), String> {
        let (key, sequence) = self.aim();
        let start = self.plan.ranks_up_to(key, sequence).start;
        match self.random.below(32) {
            0 => {
                let published = self.begin(Operation::SeekToFirst);
                self.cursor.seek_to_first().map_err(|status| status.to_string())?;
                self.arrive_forward(0, published)
            }
            1 => {
                let published = self.begin(Operation::SeekToLast);
                self.cursor.seek_to_last().map_err(|status| status.to_string())?;
                self.arrive_backward(self.plan.count(), published)
            }
            2..10 => {
                let published = self.begin(Operation::SeekForPrev { key, sequence });
                if sequence.is_multiple_of(2) {
                    for step in SeekStep::ALL_BEFORE {
                        self.cursor
                            .approach(&self.target, step)
                            .map_err(|status| status.to_string())?;
                    }
                }
                self.cursor.seek_for_prev(&self.target).map_err(|status| status.to_string())?;
                // The record that is sought is found, and all that are newer.
                let older = self.plan.ranks_up_to(key, sequence.saturating_sub(1));
                self.arrive_backward(older.start, published)
            }
            10..16 => {
                let published = self.begin(Operation::SeekBySteps { key, sequence });
                for step in SeekStep::ALL {
                    self.cursor
                        .approach(&self.target, step)
                        .map_err(|status| status.to_string())?;
                }
                self.cursor.seek(&self.target).map_err(|status| status.to_string())?;
                self.arrive_forward(start, published)
            }
            _ => {
                let published = self.begin(Operation::Seek { key, sequence });
                self.cursor.seek(&self.target).map_err(|status| status.to_string())?;
                self.arrive_forward(start, published)
            }
        }
    }

    fn next(&mut self, from: usize) -> Result<(), String> {
        let published = self.begin(Operation::Next { from });
        self.cursor.next().map_err(|status| status.to_string())?;
        self.arrive_forward(from + 1, published)
    }

    fn prev(&mut self, from: usize) -> Result<(), String> {
        let published = self.begin(Operation::Prev { from });
        self.cursor.prev().map_err(|status| status.to_string())?;
        self.arrive_backward(from, published)
    }

    /// Where the cursor knows that the record before is of another key, none of this key was published.
    fn starts_user_key(&mut self, at: usize) -> Result<(), String> {
        let published = self.begin(Operation::StartsUserKey { at });
        if !self.cursor.starts_user_key() {
            return Ok(());
        }
        self.check_forward(self.plan.newer_versions(at), published)
    }

    fn pin(&mut self, at: usize) -> Result<(), String> {
        self.begin(Operation::Pin { at });
        let value = self.cursor.pinned_value();
        match self.found(self.cursor.key(), &value)? {
            rank if rank == at => Ok(()),
            rank => Err(format!("the record at {rank} stands where that at {at} stood")),
        }
    }

    /// The cursor came from before `start`, and stands on the first record from there on.
    fn arrive_forward(&mut self, start: usize, published: u64) -> Result<(), String> {
        self.rank = self.stand()?;
        let end = self.rank.unwrap_or(self.plan.count());
        self.check_forward(start..end, published)
    }

    /// The cursor came from `end` or behind it, and stands on the last record before.
    fn arrive_backward(&mut self, end: usize, published: u64) -> Result<(), String> {
        self.rank = self.stand()?;
        match self.rank {
            Some(rank) if rank >= end => Err(format!("the record at {rank} is not before {end}")),
            rank => self.check_skipped(rank.map_or(0, |rank| rank + 1)..end, published),
        }
    }

    fn stand(&self) -> Result<Option<usize>, String> {
        match self.cursor.valid() {
            true => self.found(self.cursor.key(), self.cursor.value()).map(Some),
            false => Ok(None),
        }
    }

    /// From the start of `ranks` on, what is at their end was found first.
    #[inline]
    fn check_forward(&self, ranks: Range<usize>, published: u64) -> Result<(), String> {
        if ranks.start > ranks.end {
            return Err(format!("the record at {} is before {}", ranks.end, ranks.start));
        }
        self.check_skipped(ranks, published)
    }

    #[inline]
    fn check_skipped(&self, ranks: Range<usize>, published: u64) -> Result<(), String> {
        match self.plan.published_among(ranks.clone(), published) {
            None => Ok(()),
            Some(skipped) => Err(self.skipped(skipped, ranks, published)),
        }
    }

    #[cold]
    fn skipped(&self, sequence: u32, ranks: Range<usize>, published: u64) -> String {
        let rank = self.plan.rank_of(sequence as usize);
        format!(
            "record {sequence} at {rank} is not found, though {published} were inserted before: \
             what was found says that there is none in {ranks:?}"
        )
    }

    #[cold]
    fn of_another_key(&self, rank: usize) -> String {
        format!("the record at {rank} is of another key, or too new")
    }

    /// Which record this is, by its rank.
    #[inline]
    fn found(&self, key: &[u8], value: &[u8]) -> Result<usize, String> {
        let trailer = extract_trailer(key);
        let sequence = trailer >> 8;
        let is_known = (trailer & 0xff) == ValueType::Value as u64
            && (1..=self.plan.count() as u64).contains(&sequence)
            && extract_user_key(key) == self.plan.key_of(sequence as usize)
            && Value::of(self.shared.salt, sequence as usize).is(value);
        // What was begun is stored before the record is, and read after it.
        if !is_known || sequence > self.shared.begun.load(Ordering::Relaxed) {
            return Err(self.unknown(key, value));
        }
        Ok(self.plan.rank_of(sequence as usize))
    }

    #[cold]
    fn unknown(&self, key: &[u8], value: &[u8]) -> String {
        let mut described = format!("key {}, value {}: ", hex(key), hex(value));
        let sequence = extract_trailer(key) >> 8;
        let expected = match (1..=self.plan.count() as u64).contains(&sequence) {
            true => {
                let key = hex(self.plan.key_of(sequence as usize));
                let mut value = Vec::new();
                Value::of(self.shared.salt, sequence as usize).write_to(&mut value);
                format!("record {sequence} has key {key}, value {}", hex(&value))
            }
            false => format!("there is no record {sequence}"),
        };
        // Writing to a string does not fail.
        let _ = write!(described, "{expected}");
        described
    }
}
