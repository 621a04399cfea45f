//! Runs of keys of which nothing shows, and what is remembered of them.
//!
//! Deletions in a row of one block or table are passed together, if that has nothing else and no other
//! run has an entry among them. Where they hide something each key has to be looked at, but once. What
//! a range tombstone hides in older runs than its own is not looked at: these seek to its end.
//!
//! A scan that has passed many deletions in a row tells the memtable (`memtable::hidden_range`), and
//! later scans seek to the end of the run. What is spared is not counted as passed. A scan that gives
//! up after so many hidden entries (`max_skippable_internal_keys`) passes all of them, as in RocksDB.

use super::DbIter;
use super::conversion::Conversion;
use crate::column_family::ColumnFamilyData;
use crate::super_version::SuperVersion;
use base::dbformat::{VALUE_TYPE_FOR_SEEK, extract_user_key};
use base::{InternalIterator, InternalKeyComparator, Result, SequenceNumber};
use iterator::{Direction, PassedKeys};
use memtable::{HiddenRange, HiddenSlot, MemTable, Unconverted};
use perf_context::{PerfMetric, count};
use std::sync::{Arc, Weak};
use table::ReadOptions;

/// Hidden entries in a row that are worth remembering.
const REMEMBERED_MIN: u64 = if cfg!(test) { 3 } else { 256 };
/// The same behind a run that is remembered.
const EXTENDED_MIN: u64 = if cfg!(test) { 1 } else { 16 };

/// Deletions in a row before those that follow are passed together, and the most where that came to
/// nothing again and again.
const LEAP_GAP_MIN: u32 = if cfg!(test) { 1 } else { 8 };
const LEAP_GAP_MAX: u32 = 1024;

/// When to try to pass deletions together: it takes as long as a few steps, and comes to nothing where
/// deletions stand between other entries.
#[derive(Clone, Copy, Debug)]
struct LeapPace {
    /// Deletions until the next attempt.
    wait: u32,
    gap: u32,
}

impl LeapPace {
    const START: Self = Self { wait: LEAP_GAP_MIN, gap: LEAP_GAP_MIN };
    /// Where every deletion is looked at first.
    const START_COUNTING: Self = Self { wait: 1, gap: LEAP_GAP_MIN };

    /// Whether to try at this deletion.
    #[inline]
    fn is_due(&mut self) -> bool {
        self.wait -= 1;
        self.wait == 0
    }

    /// Where deletions were passed together the next ones are tried at once, and so are those that are
    /// counted.
    fn note(&mut self, has_passed: bool, is_counting: bool) {
        if is_counting {
            self.wait = 1;
            return;
        }
        self.gap = if has_passed { LEAP_GAP_MIN } else { (2 * self.gap).min(LEAP_GAP_MAX) };
        self.wait = if has_passed { 1 } else { self.gap };
    }
}

/// What a move of the cursor has learned of the keys it passes.
#[derive(Debug)]
pub(crate) struct HiddenRun {
    /// Where runs are remembered; none for scans that may not see everything.
    place: Option<Place>,
    /// Where the run begins.
    start: RunStart,
    start_key: Vec<u8>,
    /// Entries that were hidden when the run began.
    passed_before: u64,
    /// What was known, and spared, in the order in which the move came to it.
    known: Vec<Arc<HiddenRange>>,
    /// What an earlier move has come to first, for the next one that comes there.
    kept: Option<Arc<HiddenRange>>,
    leaps: LeapPace,
    /// So many entries are passed at most in a move forward, but for those that are passed together.
    pub(super) stops_after: u64,
    /// Where deletions are brought under range tombstones.
    pub(super) conversion: Option<Box<Conversion>>,
}

/// The memtable that takes writes, or took them when the scan began.
#[derive(Debug)]
struct Place {
    slot: Arc<HiddenSlot>,
    memtable: Weak<MemTable>,
    /// Of the state that is scanned.
    super_version_number: u64,
    /// Newer entries are in the memtable only.
    largest_immutable_sequence: SequenceNumber,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunStart {
    /// There is no run, or none to remember.
    None,
    FirstKey,
    /// At [`HiddenRun::start_key`].
    Key,
}

impl HiddenRun {
    /// For a scan of a state by these options. Scans that leave out keys learn nothing, nor do those
    /// that are not `is_plain`: of keys with timestamps, or with writes that are not committed.
    pub(crate) fn new(
        family: &ColumnFamilyData,
        super_version: &SuperVersion,
        options: &ReadOptions,
        is_plain: bool,
    ) -> Self {
        let has_filter = super_version.options.prefix_extractor.is_some();
        let sees_all =
            sees_every_entry(options, is_plain) && (options.total_order_seek || !has_filter);
        let place = super_version.memtables.first().filter(|_| sees_all).map(|memtable| Place {
            slot: memtable.hidden_slot().clone(),
            memtable: Arc::downgrade(memtable),
            super_version_number: super_version.number,
            largest_immutable_sequence: super_version.largest_immutable_sequence(),
        });
        let conversion = Conversion::new(family, super_version, options, is_plain);
        Self { place, conversion, ..Self::none() }
    }

    /// Of a scan that learns nothing.
    pub(crate) fn none() -> Self {
        Self {
            place: None,
            start: RunStart::None,
            start_key: Vec::new(),
            passed_before: 0,
            known: Vec::new(),
            kept: None,
            leaps: LeapPace::START,
            stops_after: u64::MAX,
            conversion: None,
        }
    }

    /// What is known of the keys passed.
    pub(super) fn known(&self) -> &[Arc<HiddenRange>] {
        &self.known
    }

    /// As made anew.
    pub(super) fn rest(&mut self) {
        self.begin_move();
        super::empty(&mut self.start_key);
    }

    /// A move begins that sees all keys from the first one, or from `start` on.
    #[inline]
    pub(super) fn begin_seek(&mut self, start: Option<&[u8]>) {
        self.begin_move();
        if self.place.is_some() {
            self.start = start.map_or(RunStart::FirstKey, |_| RunStart::Key);
            self.start_key.clear();
            self.start_key.extend_from_slice(start.unwrap_or_default());
        }
    }

    #[inline(never)]
    fn forget_known(&mut self) {
        self.known.truncate(1);
        self.kept = self.known.pop();
    }

    /// The range of which nothing shows that a seek to `target`, or to the first key, would come to, at this sequence
    /// number.
    #[inline]
    pub(super) fn range_at(
        &mut self,
        target: Option<&[u8]>,
        comparator: &InternalKeyComparator,
        sequence: SequenceNumber,
    ) -> Option<Arc<HiddenRange>> {
        let knows_any = self.place.as_ref().is_some_and(|place| place.slot.has_any());
        if knows_any { self.known_range_at(target, comparator, sequence) } else { None }
    }

    #[inline(never)]
    fn known_range_at(
        &mut self,
        target: Option<&[u8]>,
        comparator: &InternalKeyComparator,
        sequence: SequenceNumber,
    ) -> Option<Arc<HiddenRange>> {
        let place = self.place.as_ref()?;
        let holds = |range: &Arc<HiddenRange>| range.holds(sequence, place.super_version_number);
        let comes_to =
            |range: &mut Arc<HiddenRange>| range.is_at(target, comparator) && holds(range);
        let kept = self.kept.take_if(comes_to);
        kept.or_else(|| place.slot.at(target, comparator).filter(holds))
    }

    /// A move begins of which it is not known where hidden keys begin.
    #[inline]
    pub(super) fn begin_move(&mut self) {
        self.start = RunStart::None;
        self.passed_before = 0;
        if !self.known.is_empty() {
            self.forget_known();
        }
        self.leaps = LeapPace::START;
        if let Some(conversion) = &mut self.conversion {
            conversion.begin();
            self.leaps = LeapPace::START_COUNTING;
        }
    }
}

/// Whether a scan by these options that is `is_plain` leaves out no entry that others see, within a prefix if it is
/// kept to one.
pub(super) fn sees_every_entry(options: &ReadOptions, is_plain: bool) -> bool {
    is_plain
        && options.read_tier.may_read_files()
        && !options.ignore_range_deletions
        && options.table_filter.is_none()
        && options.max_skippable_internal_keys == 0
}

/// The user key from which on a scan passes what is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassStart<'k> {
    /// The first of all.
    First,
    /// This one.
    At(&'k [u8]),
    /// The one after this, which shows.
    After(&'k [u8]),
}

impl DbIter {
    /// Goes over keys of which nothing shows, from `start` on, for other scans to learn of them: over about
    /// `entries_max` entries. Whether it had to stop for that, at a deletion.
    ///
    /// # Errors
    /// As a seek.
    pub(crate) fn pass_hidden(&mut self, start: PassStart<'_>, entries_max: u64) -> Result<bool> {
        self.hidden_run.stops_after = entries_max;
        match start {
            PassStart::First => self.seek_to_first(),
            PassStart::At(start) => self.seek(start),
            PassStart::After(start) => {
                self.seek(start);
                if self.valid && self.key == start {
                    self.next();
                }
            }
        }
        self.hidden_run.stops_after = u64::MAX;
        self.status()?;
        Ok(!self.valid && self.internal.valid())
    }

    /// The cursor is on a deletion of [`DbIter::key`], after `passed` hidden entries, which is to count those
    /// that are looked at behind it. Goes on to the end of the run if that is known.
    #[inline]
    pub(super) fn pass_deletion(&mut self, passed: &mut u64) -> Result<()> {
        let run = &mut self.hidden_run;
        if run.place.is_none() {
            return self.pass_deletions_here(passed);
        }
        if run.start == RunStart::None {
            run.start = RunStart::Key;
            run.start_key.clear();
            run.start_key.extend_from_slice(&self.key);
            run.passed_before = *passed;
        }
        match run.range_at(Some(&self.key), &self.comparator, self.sequence) {
            Some(range) => self.seek_after_hidden(range, *passed),
            None => self.pass_deletions_here(passed),
        }
    }

    /// From a deletion to the last of those in a row with it, if these can be passed together, or over those that
    /// hide something in other runs, or else to the next entry. The last one of the first is looked at by itself:
    /// older versions of its key may follow. Where it may be too new to be seen and yet follow one that is seen,
    /// none is passed: that one decides.
    #[inline]
    fn pass_deletions_here(&mut self, passed: &mut u64) -> Result<()> {
        // Who counts what is passed counts every entry.
        if self.skippable_max == u64::MAX && self.hidden_run.leaps.is_due() {
            return self.pass_several(passed);
        }
        self.internal.next()
    }

    #[inline(never)]
    fn pass_several(&mut self, passed: &mut u64) -> Result<()> {
        let is_counting = self.hidden_run.conversion.is_some() && self.count_deletion()?;
        let passes_all = !is_counting && self.sees_all_after_first_seen();
        if self.pass_range_deleted()? || passes_all && self.internal.pass_deletions(None)? {
            self.hidden_run.leaps.note(true, is_counting);
            return Ok(());
        }
        let keys = if passes_all { self.pass_deleted_keys()? } else { PassedKeys::default() };
        self.hidden_run.leaps.note(keys.deletions > 1, is_counting);
        count(PerfMetric::InternalKeySkippedCount, keys.hidden);
        *passed += keys.hidden;
        let Some(others) = keys.deletions.checked_sub(1) else { return self.internal.next() };
        count(PerfMetric::InternalDeleteSkippedCount, others);
        *passed += others;
        Ok(())
    }

    /// Passes deletions in a row with what they hide in other runs, to the end of the scan or to where it is known
    /// that nothing shows. [`DbIter::key`] is the last key passed then.
    fn pass_deleted_keys(&mut self) -> Result<PassedKeys> {
        // Filters of prefixes would have versions passed that are sought past, and others with them.
        if self.filters_prefixes || self.prefix.is_some() {
            return Ok(PassedKeys::default());
        }
        let Self { comparator, upper_bound, key, .. } = self;
        let place = self.hidden_run.place.as_ref();
        let known = place.and_then(|place| place.slot.first_after(key, comparator));
        let hidden_start = known.as_ref().and_then(|range| range.start.as_deref());
        let bound = match (upper_bound.as_deref(), hidden_start) {
            (Some(upper), Some(start)) if comparator.compare_user_keys(upper, start).is_lt() => {
                Some(upper)
            }
            (upper, start) => start.or(upper),
        };
        self.internal.pass_deleted_keys(self.sequence, bound, key)
    }

    /// Whether of a key's versions, newest first, all are seen that follow one that is. With timestamps
    /// they come by these, and of sequence numbers not committed any may be.
    #[inline]
    fn sees_all_after_first_seen(&self) -> bool {
        self.comparator.timestamp_size() == 0 && self.uncommitted.is_empty()
    }

    /// Going back, with the cursor on the oldest version of a key not looked at, which is a deletion: goes
    /// to the first of those in a row with it, or to before what is known to be hidden. Whether it has
    /// moved.
    #[inline]
    pub(super) fn pass_deletions_back(&mut self) -> Result<bool> {
        let user_key = extract_user_key(self.internal.key());
        if let Some(range) =
            self.hidden_run.range_at(Some(user_key), &self.comparator, self.sequence)
        {
            self.hidden_run.note_known(&range, Direction::Backward, user_key);
            self.seek_before_hidden(&range)?;
            self.hidden_run.known.push(range);
            return Ok(true);
        }
        if self.skippable_max != u64::MAX || !self.hidden_run.leaps.is_due() {
            return Ok(false);
        }
        let is_counting = self.hidden_run.is_counting();
        let has_passed = self.pass_range_deleted()?
            || !is_counting && self.internal.pass_deletions_back(None)?;
        self.hidden_run.leaps.note(has_passed, is_counting);
        Ok(has_passed)
    }

    /// In the direction of the scan, goes over all that a range tombstone hides in older runs than its
    /// own, if the entry here is one of these. Whether it has moved.
    #[cold]
    fn pass_range_deleted(&mut self) -> Result<bool> {
        // Filters of prefixes would hide what has not the prefix of the end. With timestamps the end has
        // several places.
        if self.filters_prefixes
            || self.comparator.timestamp_size() > 0
            || !self.is_range_deleted()?
        {
            return Ok(false);
        }
        let run = self.internal.current_run();
        let Some(first) = self.tombstones.hidden_reach(run, &mut self.target) else {
            return Ok(false);
        };
        let order = self.comparator.compare(self.internal.key(), &self.target);
        let is_ahead = match self.direction {
            Direction::Forward => order.is_lt(),
            Direction::Backward => order.is_gt(),
        };
        if is_ahead {
            self.internal.pass_hidden(first, &self.target, self.direction)?;
        }
        Ok(is_ahead)
    }

    /// Seeks to the last key before a range of which nothing shows.
    #[cold]
    fn seek_before_hidden(&mut self, range: &HiddenRange) -> Result<()> {
        match &range.start {
            Some(start) => self.seek_internal_before(start),
            None => {
                // Before the first key there is nothing.
                self.internal.seek_to_first()?;
                if self.internal.valid() { self.internal.prev() } else { Ok(()) }
            }
        }
    }

    /// Whether the run begins in a range that it has come to.
    fn begins_within(&self, range: &HiddenRange) -> bool {
        let run = &self.hidden_run;
        match &range.start {
            None => true,
            Some(start) => {
                run.start == RunStart::Key
                    && self.comparator.compare_user_keys(start, &run.start_key).is_le()
            }
        }
    }

    /// Seeks to the first key after a range of which nothing shows.
    #[cold]
    pub(super) fn seek_after_hidden(&mut self, range: Arc<HiddenRange>, passed: u64) -> Result<()> {
        let run = &mut self.hidden_run;
        run.note_known(&range, Direction::Forward, &self.key);
        if run.known.is_empty() && self.begins_within(&range) {
            self.hidden_run.passed_before = passed;
        }
        self.target.clear();
        let has_end = range.end.is_some();
        self.target.extend_from_slice(range.end.as_deref().unwrap_or_default());
        self.hidden_run.known.push(range);
        if !has_end {
            // Behind the last key nothing is left.
            self.internal.seek_to_last()?;
            return if self.internal.valid() { self.internal.next() } else { Ok(()) };
        }
        super::push_trailer(&mut self.target, self.sequence, VALUE_TYPE_FOR_SEEK);
        self.internal.seek(&self.target)
    }

    /// A move forward is over, after `passed` hidden entries.
    #[inline]
    pub(super) fn end_run(&mut self, passed: u64) {
        let unconverted = self.convert_forward();
        let run = &self.hidden_run;
        if run.start != RunStart::None {
            let worth = if run.known.is_empty() { REMEMBERED_MIN } else { EXTENDED_MIN };
            if passed - run.passed_before >= worth {
                self.remember_run(passed, unconverted);
            }
        }
    }

    #[cold]
    fn remember_run(&mut self, passed: u64, unconverted: Option<Unconverted>) {
        if self.prefix.is_some() {
            return;
        }
        let end = match (self.valid, &self.upper_bound, self.internal.valid()) {
            (true, ..) => Some(self.key.clone()),
            (false, Some(upper), _) => Some(upper.clone()),
            (false, None, false) => None,
            // The deletion at which it has stopped.
            (false, None, true) if passed >= self.hidden_run.stops_after => Some(self.key.clone()),
            (false, None, true) => return,
        };
        let Some(place) = &self.hidden_run.place else { return };
        // What is too new for this scan must be where the memtable looks for it.
        if place.largest_immutable_sequence > self.sequence {
            return;
        }
        let Some(memtable) = place.memtable.upgrade() else { return };
        let run = &self.hidden_run;
        let spared: u64 = run.known.iter().map(|known| known.entries).sum();
        let entries = passed - run.passed_before + spared;
        let known = run.known.first().filter(|known| self.begins_within(known));
        let start = match known {
            Some(known) => known.start.clone(),
            None => (run.start == RunStart::Key).then(|| run.start_key.clone()),
        };
        let state = place.super_version_number;
        let range = HiddenRange::new((start, end), self.sequence, state, entries);
        memtable.remember_hidden(range.with_unconverted(unconverted), known);
    }
}

#[cfg(test)]
mod tests;
