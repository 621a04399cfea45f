//! What most steps come to, seen at a glance: the next entry is a value in its place, visible, and of
//! another key. All else is left to the ways that look at everything.
//!
//! Where the rest of a block has nothing else, the steps that follow are those of a run within it
//! ([`ScanCursor::begin_run`]). While the iterator is in one, key and value shown are those of the run, and
//! [`DbIter::key`] and the entry are those where it began.

use super::{DbIter, Direction, PerfLevel, PerfMetric, Timer, count, counts, perf_level};
use crate::read::scan_cursor::ScanCursor;
use base::NewerVersion::{self, Known};
use base::dbformat::{TRAILER_SIZE, ValueType};
use base::{InternalIterator, Result, SequenceNumber, key_prefix};
use std::cmp::Ordering;
use table::BlockRun;

/// What a glance at an entry tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Glance {
    /// It is shown.
    Shown,
    /// It is not, for a newer version of its key.
    Hidden,
    /// That takes a closer look.
    Unclear,
}

impl DbIter {
    /// Takes a step within a run, if the iterator is in one that goes there. Whether it has.
    #[inline(always)]
    pub(super) fn steps_in_run(&mut self, direction: Direction) -> bool {
        // In a run nothing is timed.
        if perf_level() >= PerfLevel::EnableTimeExceptForMutex || !self.internal.step(direction) {
            return false;
        }
        let bytes = self.internal.in_block().map_or(0, BlockRun::shown_bytes);
        self.stats.count_shown(bytes);
        if counts() {
            let steps = match direction {
                Direction::Forward => PerfMetric::IterNextCount,
                Direction::Backward => PerfMetric::IterPrevCount,
            };
            count(steps, 1);
            count(PerfMetric::InternalKeySkippedCount, 1);
            count(PerfMetric::IterReadBytes, bytes as u64);
        }
        true
    }

    /// Makes the entry that a run has come to the one shown, and ends the run.
    #[inline]
    pub(super) fn leave_run(&mut self) {
        if let Some(run) = self.internal.in_block() {
            replace_key(&mut self.key, run.user_key());
            self.entry.show_in_place(run.value().len());
            self.is_oldest = false;
            self.internal.end_run();
        }
    }

    /// Moves the internal cursor forward to the next entry that is shown; or to one that takes a closer
    /// look, and says how many versions of [`Self::key`] it has passed.
    #[inline]
    pub(super) fn step_forward(&mut self) -> Result<Option<u64>> {
        let passed_max = self.skips_max_now.min(self.skippable_max);
        let mut passed = 0;
        loop {
            self.internal.next()?;
            match self.glance() {
                Glance::Shown => break,
                Glance::Hidden if passed < passed_max => {
                    passed += 1;
                    count(PerfMetric::InternalKeySkippedCount, 1);
                }
                Glance::Hidden | Glance::Unclear => return Ok(Some(passed)),
            }
        }
        self.stats.count_skipped(passed);
        self.begin_run(Direction::Forward);
        Ok(None)
    }

    /// Begins a run at the entry shown, if there may be one.
    #[inline(always)]
    fn begin_run(&mut self, direction: Direction) {
        // Steps of a run ask no tombstones.
        if self.tombstones.is_empty() {
            let bound = match direction {
                Direction::Forward => self.upper_bound.as_deref(),
                Direction::Backward => self.lower_bound.as_deref(),
            };
            self.internal.begin_run(direction, self.sequence, bound);
        }
    }

    /// Looks at the entry that the internal cursor has moved to.
    #[inline(always)]
    fn glance(&mut self) -> Glance {
        let _timer = Timer::start(PerfMetric::FindNextUserEntryTime);
        if !self.is_plain {
            return Glance::Unclear;
        }
        let here = plain_value(&self.internal, self.sequence);
        let Some((user_key, sequence)) = here else { return Glance::Unclear };
        if self.tombstones.hides_value(user_key, sequence, Direction::Forward) {
            return Glance::Unclear;
        }
        if !self.is_oldest {
            match compare(user_key, &self.key) {
                Ordering::Less => return Glance::Unclear,
                Ordering::Equal => return Glance::Hidden,
                Ordering::Greater => {}
            }
        }
        if let Some(upper) = &self.upper_bound
            && compare(user_key, upper).is_ge()
        {
            return Glance::Unclear;
        }
        replace_key(&mut self.key, user_key);
        self.is_oldest = sequence == 0;
        self.show_in_place();
        Glance::Shown
    }

    /// The value that the internal cursor stands on is that of the entry shown.
    #[inline(always)]
    fn show_in_place(&mut self) {
        let length = self.internal.value().len();
        self.entry.show_in_place(length);
        self.stats.count_shown(self.key.len() + length);
    }

    /// Moves back from the newest version of the key shown.
    #[inline]
    pub(super) fn step_back(&mut self) -> Result<()> {
        let mut passed = 0;
        loop {
            self.internal.prev()?;
            match self.glance_back() {
                Glance::Shown => break,
                Glance::Hidden if passed < self.skippable_max => {
                    passed += 1;
                    count(PerfMetric::InternalKeySkippedCount, 1);
                }
                Glance::Hidden | Glance::Unclear => return self.find_prev_user_entry(passed),
            }
        }
        self.stats.count_skipped(passed);
        self.begin_run(Direction::Backward);
        Ok(())
    }

    /// As [`Self::glance`], for a cursor that has moved back.
    #[inline]
    fn glance_back(&mut self) -> Glance {
        if !self.is_plain {
            return Glance::Unclear;
        }
        let here = plain_value(&self.internal, self.sequence);
        let Some((user_key, sequence)) = here else { return Glance::Unclear };
        if self.tombstones.hides_value(user_key, sequence, Direction::Backward) {
            return Glance::Unclear;
        }
        if let Some(lower) = &self.lower_bound
            && compare(user_key, lower).is_lt()
        {
            return Glance::Unclear;
        }
        match self.internal.newer_version() {
            NewerVersion::None => {}
            Known(newer) if self.tombstones.is_empty() && is_plain_value(newer, self.sequence) => {
                return Glance::Hidden;
            }
            _ => return Glance::Unclear,
        }
        replace_key(&mut self.key, user_key);
        self.is_oldest = false;
        count(PerfMetric::InternalKeySkippedCount, 1);
        self.show_in_place();
        Glance::Shown
    }
}

/// User key and sequence number of the entry that a cursor stands on, if that is a value in its place and
/// is as old as `sequence`.
#[inline(always)]
fn plain_value(internal: &ScanCursor, sequence: SequenceNumber) -> Option<(&[u8], SequenceNumber)> {
    if !internal.valid() {
        return None;
    }
    let (user_key, trailer) = internal.key().split_last_chunk::<TRAILER_SIZE>()?;
    let packed = u64::from_le_bytes(*trailer);
    is_plain(packed, sequence).then_some((user_key, packed >> 8))
}

/// Whether an internal key is that of a value in its place that is as old as `sequence`.
#[inline(always)]
fn is_plain_value(key: &[u8], sequence: SequenceNumber) -> bool {
    let trailer = key.last_chunk::<TRAILER_SIZE>();
    trailer.is_some_and(|trailer| is_plain(u64::from_le_bytes(*trailer), sequence))
}

/// The same of a sequence number and a type.
#[inline(always)]
fn is_plain(packed: u64, sequence: SequenceNumber) -> bool {
    packed as u8 == ValueType::Value as u8 && packed >> 8 <= sequence
}

/// Orders keys as bytes.
#[inline]
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    key_prefix(a).cmp(&key_prefix(b)).then_with(|| a.cmp(b))
}

/// Makes `key` a copy of `source`. Keys of one size, as those of a scan mostly are, are copied by words
/// that overlap rather than by a call.
#[inline]
fn replace_key(key: &mut Vec<u8>, source: &[u8]) {
    const WORD: usize = 8;
    if key.len() == source.len() && source.len() <= 4 * WORD {
        let words = key.as_chunks_mut::<WORD>().0.iter_mut().zip(source.as_chunks::<WORD>().0);
        words.for_each(|(to, from)| *to = *from);
        if let (Some(to), Some(from)) = (key.last_chunk_mut::<WORD>(), source.last_chunk::<WORD>())
        {
            *to = *from;
            return;
        }
    }
    key.clear();
    key.extend_from_slice(source);
}

#[cfg(test)]
mod tests;
