//! When sequence numbers were given out, by samples: the property `rocksdb.seqno.time.map`.
//!
//! ```text
//! count    varint64; the whole property is missing instead where there are no pairs
//! pairs    count times: sequence number, seconds since 1970; each a varint64, less the one before
//! ```
//!
//! A pair says that its sequence number was the last one at its time: it and those before it were
//! given out by then, and those after it not before then. Pairs ascend, both numbers strictly.
//!
//! Tables carry the part for their own sequence numbers, so that data does not lose its age when it
//! is rewritten (`preserve_internal_time_seconds`, `preclude_last_level_data_seconds`).

use base::coding::{get_varint64, put_varint64};
use base::{Result, SequenceNumber, Status};
use std::collections::BTreeSet;

/// Pairs that a table holds at most.
pub const PAIRS_PER_TABLE_MAX: usize = 100;
/// Pairs that a database keeps, and a compaction looks at, at most.
pub const PAIRS_MAX: usize = 1000;

/// Pairs of sequence number and time in seconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeqnoToTimeMapping {
    pairs: Vec<(SequenceNumber, u64)>,
}

impl SeqnoToTimeMapping {
    /// Decodes a property.
    ///
    /// # Errors
    /// `Corruption` if it is malformed.
    pub fn decode(mut property: &[u8]) -> Result<Self> {
        let bad = || Status::corruption("mapping of sequence numbers to times is malformed");
        if property.is_empty() {
            return Ok(Self::default());
        }
        let count = get_varint64(&mut property).ok_or_else(bad)?;
        if count > property.len() as u64 / 2 {
            return Err(bad());
        }
        let (mut sequence, mut time) = (0_u64, 0_u64);
        let mut pairs = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let mut step = |value: &mut u64| {
                *value = value.checked_add(get_varint64(&mut property)?)?;
                Some(())
            };
            step(&mut sequence).and_then(|()| step(&mut time)).ok_or_else(bad)?;
            pairs.push((sequence, time));
        }
        match property {
            [] => Ok(Self { pairs }),
            _ => Err(bad()),
        }
    }

    /// Encodes it; nothing if there are no pairs.
    pub fn encode(&self) -> Vec<u8> {
        let mut property = Vec::new();
        if self.pairs.is_empty() {
            return property;
        }
        put_varint64(&mut property, self.pairs.len() as u64);
        let mut last = (0, 0);
        for &(sequence, time) in &self.pairs {
            put_varint64(&mut property, sequence - last.0);
            put_varint64(&mut property, time - last.1);
            last = (sequence, time);
        }
        property
    }

    /// The pairs, ascending.
    pub fn pairs(&self) -> &[(SequenceNumber, u64)] {
        &self.pairs
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Takes in a sample: `sequence` is the last one now. Clocks that went back change nothing.
    pub fn append(&mut self, sequence: SequenceNumber, time: u64) {
        self.merge(&Self { pairs: vec![(sequence, time)] });
    }

    /// Takes in the pairs of another mapping.
    pub fn merge(&mut self, other: &Self) {
        let mut all = std::mem::take(&mut self.pairs);
        // Zero stands for sequence numbers that nobody needs any more.
        all.extend(other.pairs.iter().filter(|(sequence, _)| *sequence > 0));
        all.sort_unstable();
        for (sequence, time) in all {
            if self.pairs.last().is_some_and(|last| last.0 == sequence) {
                // The earlier of two times for one number stays.
                continue;
            }
            // A later number that was there no later is the better bound.
            while self.pairs.pop_if(|last| last.1 >= time).is_some() {}
            self.pairs.push((sequence, time));
        }
    }

    /// Forgets what lies further back than `seconds` before `now`, but for the newest such pair: it
    /// is the bound for what follows.
    pub fn keep_since(&mut self, now: u64, seconds: u64) {
        let Some(cutoff) = now.checked_sub(seconds) else { return };
        let old = self.pairs.partition_point(|(_, time)| *time <= cutoff);
        self.pairs.drain(..old.saturating_sub(1));
    }

    /// Thins out to `max` pairs, at least the first and the last: those go first that leave the
    /// smallest gap in time, of equal ones the older.
    pub fn limit(&mut self, max: usize) {
        let count = self.pairs.len();
        let surplus = count.saturating_sub(max.max(2));
        if surplus == 0 {
            return;
        }
        let mut before: Vec<usize> = (0..count).map(|index| index.saturating_sub(1)).collect();
        let mut after: Vec<usize> = (1..=count).collect();
        let gap = |before: &[usize], after: &[usize], index: usize| {
            self.pairs[after[index]].1 - self.pairs[before[index]].1
        };
        let mut candidates: BTreeSet<(u64, usize)> =
            (1..count - 1).map(|index| (gap(&before, &after, index), index)).collect();
        let mut is_kept = vec![true; count];
        for _ in 0..surplus {
            let Some((_, index)) = candidates.pop_first() else { break };
            is_kept[index] = false;
            let (left, right) = (before[index], after[index]);
            for neighbour in [left, right] {
                if neighbour > 0 && neighbour < count - 1 {
                    candidates.remove(&(gap(&before, &after, neighbour), neighbour));
                }
            }
            (after[left], before[right]) = (right, left);
            for neighbour in [left, right] {
                if neighbour > 0 && neighbour < count - 1 {
                    candidates.insert((gap(&before, &after, neighbour), neighbour));
                }
            }
        }
        let mut kept = is_kept.into_iter();
        self.pairs.retain(|_| kept.next().unwrap_or(true));
    }

    /// The part that says when the sequence numbers `first..=last` were given out: its pairs, and
    /// the one before.
    #[must_use]
    pub fn range(&self, first: SequenceNumber, last: SequenceNumber) -> Self {
        let start = self.pairs.partition_point(|(sequence, _)| *sequence < first);
        let end = match last < first {
            true => start,
            false => self.pairs.partition_point(|(sequence, _)| *sequence <= last),
        };
        Self { pairs: self.pairs[start.saturating_sub(1)..end].to_vec() }
    }

    /// The largest sequence number known to have been given out by `time`; 0 if none is.
    pub fn proximal_seqno_before_time(&self, time: u64) -> SequenceNumber {
        let end = self.pairs.partition_point(|(_, sampled)| *sampled <= time);
        end.checked_sub(1).map_or(0, |index| self.pairs[index].0)
    }

    /// The latest time known to be no later than when `sequence` was given out; 0 if none is.
    pub fn proximal_time_before_seqno(&self, sequence: SequenceNumber) -> u64 {
        let end = self.pairs.partition_point(|(sampled, _)| *sampled < sequence);
        end.checked_sub(1).map_or(0, |index| self.pairs[index].1)
    }
}

#[cfg(test)]
mod tests;
