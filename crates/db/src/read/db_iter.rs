//! What an iterator does ([`DbIterator`](crate::DbIterator)): one entry per live key, in order, as of one sequence number.
//!
//! Beneath it is one [`InternalIterator`] over every memtable and table. Forward, the newest
//! visible version of a key comes first and decides; what is older is skipped. Backward, versions
//! come oldest first, so a key is decided only when the cursor has passed its newest visible one
//! (`backward`). Merge operands are combined here, blob references resolved here.
//!
//! | direction | where the internal cursor stands |
//! |---|---|
//! | forward | on the entry shown, or (`past_entry`) behind it after a merge |
//! | backward | before every version of the key shown, or on the newest, if it is a visible value |
//!
//! Within a run of values of one block (`steps`) it stays where the run began, and gets the place at its end.
//!
//! With `iter_start_ts` every version is an entry (`versions`).

mod backward;
mod conversion;
mod entry;
mod hidden_run;
mod property;
mod steps;
mod versions;

use crate::read::blob_reads::blob_read_options;
use crate::read::read_stats::ScanStats;
use crate::read::read_view::ReadView;
use crate::read::scan::ScanOrigin;
use crate::read::scan_cursor::ScanCursor;
use crate::read::value_resolver::ValueResolver;
use crate::super_version::SuperVersion;
use base::dbformat::{
    InternalKey, MAX_SEQUENCE_NUMBER, ParsedInternalKey, TRAILER_SIZE, VALUE_TYPE_FOR_SEEK,
    ValueType,
};
use base::wide_columns::DEFAULT_COLUMN_NAME;
use base::{
    InternalIterator, InternalKeyComparator, PinnableSlice, Result, SequenceNumber, SliceTransform,
};
use blob::BlobReadOptions;
pub(crate) use entry::Entry;
pub(crate) use hidden_run::{HiddenRun, PassStart};
use iterator::{Direction, RangeTombstoneAggregator};
use perf_context::{PerfLevel, PerfMetric, Timer, count, counts, perf_level};
use statistics::{Activity, OperationTimer};
use std::cmp::Ordering;
use std::sync::Arc;
use table::ReadOptions;
use versions::too_many_skipped;

/// What a scan is made of.
pub(crate) struct DbIterParts {
    pub(crate) internal: ScanCursor,
    pub(crate) tombstones: RangeTombstoneAggregator,
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) resolver: ValueResolver,
    pub(crate) prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Newest visible sequence number.
    pub(crate) sequence: SequenceNumber,
    /// Sequence numbers that are not committed, ascending; almost always empty.
    pub(crate) uncommitted: Arc<[SequenceNumber]>,
    /// Entries of one key passed one by one before seeking past them
    /// (`max_sequential_skip_in_iterations`).
    pub(crate) skips_max: u64,
    /// Which state of the column family it reads.
    pub(crate) super_version_number: u64,
    pub(crate) stats: ScanStats,
    pub(crate) hidden_run: HiddenRun,
    /// Whether the memtable that takes writes is one of the sources, with what is still to be written to
    /// it.
    pub(crate) has_active: bool,
}

/// Where the internal cursor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    /// On the entry shown; backward it is its key's newest.
    OnEntry,
    /// Forward, behind the last version that was merged into the entry shown.
    PastEntry,
    /// Backward, before every version of the key shown.
    BeforeVersions,
    /// In either direction on the version shown, each being an entry.
    OnVersion,
}

/// The state of an iterator, which may outlast it and become that of another
/// ([`IdleIterators`](crate::read::idle_iterators::IdleIterators)).
pub(crate) struct DbIter {
    internal: ScanCursor,
    tombstones: RangeTombstoneAggregator,
    comparator: InternalKeyComparator,
    resolver: ValueResolver,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    sequence: SequenceNumber,
    uncommitted: Arc<[SequenceNumber]>,
    skips_max: u64,
    /// The same for the current scan: after a move to either end there is no seeking within it where
    /// filters of prefixes would hide what has not the prefix sought.
    skips_max_now: u64,
    /// Hidden entries passed in one move before giving up (`max_skippable_internal_keys`).
    skippable_max: u64,
    /// Whether a seek may skip what does not have the prefix of its target.
    filters_prefixes: bool,
    blob_options: BlobReadOptions,
    pin_data: bool,
    super_version_number: u64,
    stats: ScanStats,
    hidden_run: HiddenRun,
    has_active: bool,
    /// What to make it anew from.
    origin: Option<ScanOrigin>,
    /// Read time; empty where keys have none.
    timestamp: Vec<u8>,
    /// Where every version is shown: the earliest time.
    start_timestamp: Option<Vec<u8>>,
    lower_bound: Option<Vec<u8>>,
    upper_bound: Option<Vec<u8>>,
    prefix_same_as_start: bool,
    /// Whether [`Self::glance`] and [`Self::glance_back`] may look: keys are ordered as bytes, without
    /// times, and no writes that are not committed hide any.
    is_plain: bool,

    direction: Direction,
    valid: bool,
    status: Result<()>,
    stands: Stands,
    /// User key of the entry shown, with its timestamp; where every version is shown, its internal
    /// key.
    key: Vec<u8>,
    /// Bytes at the end of `key` that users don't see.
    hidden_size: usize,
    /// Going forwards: there is no older version of `key`, since the one shown has sequence number 0.
    is_oldest: bool,
    entry: Entry,
    /// Prefix of the last seek, while it confines the scan.
    prefix: Option<Vec<u8>>,
    /// Scratch for seek targets.
    target: Vec<u8>,
}

impl DbIter {
    pub(crate) fn new(parts: DbIterParts, options: &ReadOptions) -> Self {
        let DbIterParts {
            internal,
            tombstones,
            comparator,
            resolver,
            prefix_extractor,
            sequence,
            uncommitted,
            skips_max,
            super_version_number,
            stats,
            hidden_run,
            has_active,
        } = parts;
        let hidden_size = match options.iter_start_ts {
            Some(_) => 0,
            None => comparator.timestamp_size(),
        };
        let is_plain = comparator.is_bytewise()
            && uncommitted.is_empty()
            && !options.prefix_same_as_start
            && options.iter_start_ts.is_none();
        Self {
            filters_prefixes: prefix_extractor.is_some()
                && !options.total_order_seek
                && !options.auto_prefix_mode,
            skippable_max: match options.max_skippable_internal_keys {
                0 => u64::MAX,
                max => max,
            },
            skips_max_now: skips_max,
            blob_options: BlobReadOptions {
                activity: Activity::DbIterator,
                ..blob_read_options(options)
            },
            pin_data: options.pin_data,
            super_version_number,
            stats,
            hidden_run,
            has_active,
            origin: None,
            start_timestamp: options.iter_start_ts.clone(),
            hidden_size,
            internal,
            tombstones,
            comparator,
            resolver,
            prefix_extractor,
            sequence,
            uncommitted,
            skips_max,
            timestamp: options.timestamp.clone().unwrap_or_default(),
            lower_bound: options.iterate_lower_bound.clone(),
            upper_bound: options.iterate_upper_bound.clone(),
            prefix_same_as_start: options.prefix_same_as_start,
            is_plain,
            direction: Direction::Forward,
            valid: false,
            status: Ok(()),
            stands: Stands::OnEntry,
            key: Vec::new(),
            is_oldest: false,
            entry: Entry::default(),
            prefix: None,
            target: Vec::new(),
        }
    }

    /// As [`DbIterator::valid`](crate::DbIterator::valid).
    #[inline]
    pub(crate) fn valid(&self) -> bool {
        self.valid
    }

    /// As [`DbIterator::status`](crate::DbIterator::status).
    pub(crate) fn status(&self) -> Result<()> {
        self.status.clone()
    }

    /// What it was made from, if it can be made anew.
    pub(crate) fn origin(&self) -> Option<&ScanOrigin> {
        self.origin.as_ref()
    }

    pub(crate) fn set_origin(&mut self, origin: ScanOrigin) {
        self.origin = Some(origin);
    }

    /// Which state of the column family it reads.
    pub(crate) fn super_version_number(&self) -> u64 {
        self.super_version_number
    }

    /// The iterator is dropped: lets go of what was read, and stands nowhere. Whether the state may become
    /// that of another iterator.
    pub(crate) fn rest(&mut self) -> bool {
        self.stats.end();
        if self.status.is_err() || self.origin.is_none() || !self.uncommitted.is_empty() {
            return false;
        }
        self.internal.rest();
        self.valid = false;
        self.direction = Direction::Forward;
        self.stands = Stands::OnEntry;
        self.entry = Entry::None;
        self.is_oldest = false;
        self.prefix = None;
        self.hidden_run.rest();
        empty(&mut self.key);
        empty(&mut self.target);
        self.tombstones.begin_anew(self.sequence)
    }

    /// Becomes the state of an iterator that `options` ask for, as `view` shows the state of the column
    /// family that it was made for. Whether it can: an iterator made anew would be the same.
    pub(crate) fn begin_anew(&mut self, options: &ReadOptions, view: &ReadView<'_>) -> bool {
        let is_same = self.origin.as_ref().is_some_and(|origin| *origin.asked == *options)
            && view.uncommitted.is_empty()
            && self.has_all_of_active(view.super_version)
            && self.tombstones.begin_anew(view.sequence);
        if is_same {
            self.sequence = view.sequence;
            self.skips_max_now = self.skips_max;
            self.stats.begin();
        }
        is_same
    }

    /// Whether the scan goes over all that is in the memtable that takes writes: what was not there when
    /// it was made is left out.
    fn has_all_of_active(&self, super_version: &SuperVersion) -> bool {
        super_version.memtables.first().is_none_or(|active| {
            active.num_range_deletes() == 0 && (self.has_active || active.num_point_entries() == 0)
        })
    }

    /// As [`DbIterator::key`](crate::DbIterator::key).
    #[inline]
    pub(crate) fn key(&self) -> &[u8] {
        assert!(self.valid, "key of an iterator that is not valid");
        if let Some(run) = self.internal.in_block() {
            return run.user_key();
        }
        &self.key[..self.key.len().saturating_sub(self.hidden_size)]
    }

    /// The user key here with its timestamp.
    fn user_key(&self) -> &[u8] {
        match (&self.start_timestamp, self.internal.in_block()) {
            (Some(_), _) => base::dbformat::extract_user_key(&self.key),
            (None, Some(run)) => run.user_key(),
            (None, None) => &self.key,
        }
    }

    /// As [`DbIterator::timestamp`](crate::DbIterator::timestamp).
    pub(crate) fn timestamp(&self) -> &[u8] {
        assert!(self.valid, "timestamp of an iterator that is not valid");
        let user_key = self.user_key();
        &user_key[self.comparator.strip_timestamp(user_key).len()..]
    }

    /// As [`DbIterator::value`](crate::DbIterator::value).
    #[inline]
    pub(crate) fn value(&self) -> &[u8] {
        assert!(self.valid, "value of an iterator that is not valid");
        match self.internal.in_block() {
            Some(run) => run.value(),
            None => self.entry.value(&self.internal),
        }
    }

    /// As [`DbIterator::pinned_value`](crate::DbIterator::pinned_value).
    pub(crate) fn pinned_value(&self) -> PinnableSlice {
        assert!(self.valid, "value of an iterator that is not valid");
        match self.internal.in_block() {
            Some(run) => run.pinned_value(),
            None => self.entry.pinned_value(&self.internal),
        }
    }

    /// As [`DbIterator::columns`](crate::DbIterator::columns).
    pub(crate) fn columns(&self) -> Vec<(&[u8], &[u8])> {
        assert!(self.valid, "columns of an iterator that is not valid");
        match self.internal.in_block() {
            Some(run) => vec![(DEFAULT_COLUMN_NAME, run.value())],
            None => self.entry.columns(&self.internal),
        }
    }

    /// As [`DbIterator::seek_to_first`](crate::DbIterator::seek_to_first).
    pub(crate) fn seek_to_first(&mut self) {
        if let Some(lower) = self.lower_bound.clone() {
            return self.seek(&lower);
        }
        let _timer = start_seek();
        self.start(Direction::Forward);
        self.seek_no_more();
        self.hidden_run.begin_seek(None);
        let sought = match self.hidden_run.range_at(None, &self.comparator, self.sequence) {
            Some(range) => timed(|| self.seek_after_hidden(range, 0)),
            None => timed(|| self.internal.seek_to_first()),
        };
        let moved = sought.and_then(|()| self.find_forward());
        self.finish(moved);
        self.confine_to_prefix_of_key();
        self.count_seek(OperationTimer::default());
    }

    /// As [`DbIterator::seek_to_last`](crate::DbIterator::seek_to_last).
    pub(crate) fn seek_to_last(&mut self) {
        let _timer = start_seek();
        self.start(Direction::Backward);
        self.seek_no_more();
        self.hidden_run.note_seek_end(self.upper_bound.as_deref());
        let moved = match self.upper_bound.clone() {
            Some(upper) => self.seek_internal_before(&upper),
            None => timed(|| self.internal.seek_to_last()),
        };
        let moved = moved.and_then(|()| self.find_backward());
        self.finish(moved);
        self.confine_to_prefix_of_key();
        self.count_seek(OperationTimer::default());
    }

    /// As [`DbIterator::seek`](crate::DbIterator::seek).
    pub(crate) fn seek(&mut self, target: &[u8]) {
        let _timer = start_seek();
        let begun = self.stats.start_seek();
        self.start(Direction::Forward);
        self.confine_to_prefix_of(target);
        let target = match &self.lower_bound {
            Some(lower) if self.compare_plain(target, lower).is_lt() => lower.as_slice(),
            _ => target,
        };
        self.hidden_run.begin_seek(Some(target));
        let hidden = self.hidden_run.range_at(Some(target), &self.comparator, self.sequence);
        let sought = if let Some(range) = hidden {
            timed(|| self.seek_after_hidden(range, 0))
        } else {
            self.target.clear();
            // Grown once, and for targets that are a little longer as well.
            self.target.reserve(target.len() + self.timestamp.len() + 2 * TRAILER_SIZE);
            self.target.extend_from_slice(target);
            self.target.extend_from_slice(&self.timestamp);
            push_trailer(&mut self.target, self.sequence, VALUE_TYPE_FOR_SEEK);
            timed(|| self.internal.seek(&self.target))
        };
        let moved = sought.and_then(|()| self.find_forward());
        self.finish(moved);
        self.count_seek(begun);
    }

    /// As [`DbIterator::seek_for_prev`](crate::DbIterator::seek_for_prev).
    pub(crate) fn seek_for_prev(&mut self, target: &[u8]) {
        let _timer = start_seek();
        let begun = self.stats.start_seek();
        self.start(Direction::Backward);
        self.confine_to_prefix_of(target);
        self.hidden_run.note_seek_end(None);
        let moved = match self.upper_bound.clone() {
            Some(upper) if self.compare_plain(target, &upper).is_ge() => {
                self.hidden_run.note_seek_end(Some(&upper));
                self.seek_internal_before(&upper)
            }
            _ => self.seek_internal_to_last_version(target),
        };
        let moved = moved.and_then(|()| self.find_backward());
        self.finish(moved);
        self.count_seek(begun);
    }

    /// As [`DbIterator::next`](crate::DbIterator::next).
    #[inline]
    pub(crate) fn next(&mut self) {
        assert!(self.valid, "next of an iterator that is not valid");
        if self.steps_in_run(Direction::Forward) {
            self.stats.count_next(true);
            return;
        }
        self.next_anywhere();
    }

    fn next_anywhere(&mut self) {
        self.leave_run();
        let _timer = Timer::start(PerfMetric::IterNextCpuNanos);
        let moved = self.next_inner();
        self.finish(moved);
        if counts() {
            count(PerfMetric::IterNextCount, 1);
            count(PerfMetric::InternalKeySkippedCount, 1);
            self.count_shown_bytes();
        }
        self.stats.count_next(self.valid);
    }

    /// As [`DbIterator::prev`](crate::DbIterator::prev).
    #[inline]
    pub(crate) fn prev(&mut self) {
        assert!(self.valid, "prev of an iterator that is not valid");
        if self.steps_in_run(Direction::Backward) {
            self.stats.count_prev(true);
            return;
        }
        self.prev_anywhere();
    }

    fn prev_anywhere(&mut self) {
        self.leave_run();
        let _timer = Timer::start(PerfMetric::IterPrevCpuNanos);
        let moved = match self.stands {
            Stands::BeforeVersions => self.find_prev_user_entry(0),
            Stands::OnEntry if self.direction == Direction::Backward => self.step_back(),
            Stands::OnEntry | Stands::PastEntry => {
                self.turn_backward().and_then(|()| self.find_prev_user_entry(0))
            }
            Stands::OnVersion => self.prev_version(),
        };
        self.finish(moved);
        if counts() {
            count(PerfMetric::IterPrevCount, 1);
            self.count_shown_bytes();
        }
        self.stats.count_prev(self.valid);
    }

    fn count_seek(&self, begun: OperationTimer) {
        if counts() {
            self.count_shown_bytes();
        }
        self.stats.count_seek(begun, self.valid);
    }

    fn count_shown_bytes(&self) {
        count(PerfMetric::IterReadBytes, self.shown_bytes().unwrap_or(0) as u64);
    }

    #[inline]
    fn next_inner(&mut self) -> Result<()> {
        let skipping;
        match self.stands {
            Stands::OnEntry => {
                self.direction = Direction::Forward;
                let Some(passed) = self.step_forward()? else { return Ok(()) };
                skipping = !self.is_oldest;
                self.hidden_run.begin_move();
                return self.find_next_user_entry(skipping, passed);
            }
            Stands::PastEntry => self.stands = Stands::OnEntry,
            Stands::BeforeVersions => self.turn_forward()?,
            Stands::OnVersion => return self.next_version(),
        }
        self.hidden_run.begin_move();
        self.find_next_user_entry(true, 0)
    }

    /// Bytes of key and value here.
    #[inline]
    fn shown_bytes(&self) -> Option<usize> {
        self.valid.then(|| self.key().len() + self.entry.value_len())
    }

    /// Finds the first entry from where a seek has put the internal cursor.
    #[inline]
    fn find_forward(&mut self) -> Result<()> {
        match self.stands {
            Stands::OnVersion => self.find_version(),
            _ => self.find_next_user_entry(false, 0),
        }
    }

    /// Finds the last entry from where a seek has put the internal cursor.
    fn find_backward(&mut self) -> Result<()> {
        match self.stands {
            Stands::OnVersion => self.find_version(),
            _ => self.find_prev_user_entry(0),
        }
    }

    /// From either end the scan goes over all keys; a seek on its way would lose those that have
    /// not the prefix sought.
    fn seek_no_more(&mut self) {
        if self.filters_prefixes {
            self.skips_max_now = u64::MAX;
        }
    }

    fn start(&mut self, direction: Direction) {
        self.internal.end_run();
        self.tombstones.begin_seek();
        self.direction = direction;
        self.valid = false;
        self.status = Ok(());
        self.stands = match (&self.start_timestamp, direction) {
            (Some(_), _) => Stands::OnVersion,
            (None, Direction::Forward) => Stands::OnEntry,
            (None, Direction::Backward) => Stands::BeforeVersions,
        };
        self.skips_max_now = self.skips_max;
        self.prefix = None;
    }

    #[inline]
    fn finish(&mut self, moved: Result<()>) {
        if let Err(error) = moved {
            self.valid = false;
            self.status = Err(error);
        }
    }

    /// After a move to either end the first key found says which prefix the scan stays in.
    fn confine_to_prefix_of_key(&mut self) {
        if self.valid && self.prefix_same_as_start {
            let key = self.comparator.strip_timestamp(self.user_key()).to_vec();
            self.confine_to_prefix_of(&key);
        }
    }

    fn confine_to_prefix_of(&mut self, user_key: &[u8]) {
        if self.prefix_same_as_start
            && let Some(extractor) = &self.prefix_extractor
            && extractor.in_domain(user_key)
        {
            self.prefix = Some(extractor.transform(user_key).to_vec());
        }
    }

    /// Whether a user key without timestamp lies in the prefix the scan is confined to.
    #[inline]
    fn is_in_prefix(&self, user_key: &[u8]) -> bool {
        match (&self.prefix, &self.prefix_extractor) {
            (Some(prefix), Some(extractor)) => {
                extractor.in_domain(user_key) && extractor.transform(user_key) == prefix
            }
            _ => true,
        }
    }

    /// Orders user keys without timestamps.
    #[inline]
    fn compare_plain(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.timestamp.is_empty() {
            self.comparator.compare_user_keys(a, b)
        } else {
            self.comparator.user_comparator().compare_without_timestamp(a, false, b, false)
        }
    }

    /// Whether a version is old enough to be seen, by sequence and by time.
    #[inline]
    fn is_visible(&self, key: &ParsedInternalKey<'_>) -> bool {
        key.sequence <= self.sequence
            && (self.timestamp.is_empty() || self.is_old_enough(key.user_key))
            && (self.uncommitted.is_empty() || self.is_committed(key.sequence))
    }

    fn is_committed(&self, sequence: SequenceNumber) -> bool {
        self.uncommitted.binary_search(&sequence).is_err()
    }

    fn is_old_enough(&self, user_key: &[u8]) -> bool {
        let time = &user_key[self.comparator.strip_timestamp(user_key).len()..];
        self.comparator.user_comparator().compare_timestamp(time, &self.timestamp).is_le()
    }

    #[inline]
    fn is_range_deleted(&mut self) -> Result<bool> {
        if self.tombstones.is_empty() {
            return Ok(false);
        }
        let parsed = ParsedInternalKey::parse(self.internal.key())?;
        Ok(self.tombstones.should_delete(&parsed, self.direction))
    }

    /// Moves the internal cursor to the first key that is shown, from where it stands. With
    /// `skipping`, versions of [`Self::key`] are not shown again, of which so many were passed.
    fn find_next_user_entry(&mut self, skipping: bool, passed: u64) -> Result<()> {
        let _timer = Timer::start(PerfMetric::FindNextUserEntryTime);
        let mut skipped = passed;
        let found = self.find_next_shown(skipping, &mut skipped);
        self.stats.count_skipped(skipped);
        if found.is_ok() {
            self.end_run(skipped);
        }
        found
    }

    /// As [`Self::find_next_user_entry`]; counts the entries passed.
    #[inline]
    fn find_next_shown(&mut self, mut skipping: bool, skipped: &mut u64) -> Result<()> {
        self.valid = false;
        let mut skips = *skipped;
        while self.internal.valid() {
            let parsed = ParsedInternalKey::parse(self.internal.key())?;
            let plain_key = self.comparator.strip_timestamp(parsed.user_key);
            if let Some(upper) = &self.upper_bound
                && self.compare_plain(plain_key, upper).is_ge()
            {
                return Ok(());
            }
            if self.prefix.is_some() && !self.is_in_prefix(plain_key) {
                return Ok(());
            }
            let is_older_version = skipping
                && self.comparator.compare_without_timestamp(parsed.user_key, &self.key).is_le();
            let is_visible = self.is_visible(&parsed);
            if is_older_version || !is_visible {
                count(skip_metric(is_visible), 1);
                skips += 1;
                if skips > self.skips_max_now {
                    skips = 0;
                    self.seek_past_versions(is_older_version)?;
                } else {
                    self.internal.next()?;
                }
                *skipped += 1;
                if *skipped > self.skippable_max {
                    return self.give_up();
                }
                continue;
            }
            skips = 0;
            let (value_type, key_len) = (parsed.value_type, plain_key.len());
            self.is_oldest = parsed.sequence == 0 && key_len == parsed.user_key.len();
            self.key.clear();
            self.key.extend_from_slice(parsed.user_key);
            if value_type.is_point_deletion() || self.is_range_deleted()? {
                count(PerfMetric::InternalDeleteSkippedCount, 1);
                skipping = true;
                if *skipped >= self.hidden_run.stops_after {
                    return Ok(());
                }
                self.pass_deletion(skipped)?;
                *skipped += 1;
                if *skipped > self.skippable_max {
                    return self.give_up();
                }
                continue;
            }
            if value_type == ValueType::Merge {
                self.merge_forward()?;
            } else {
                self.entry = self.resolver.show(
                    &self.blob_options,
                    &self.key,
                    value_type,
                    &self.internal,
                )?;
            }
            self.valid = true;
            self.stats.count_shown(key_len + self.entry.value_len());
            return Ok(());
        }
        Ok(())
    }

    /// Too many hidden entries were passed: an error, unless the scan ends here anyway.
    #[cold]
    fn give_up(&mut self) -> Result<()> {
        if !self.internal.valid() {
            return Ok(());
        }
        let parsed = ParsedInternalKey::parse(self.internal.key())?;
        let plain_key = self.comparator.strip_timestamp(parsed.user_key);
        if let Some(upper) = &self.upper_bound
            && self.compare_plain(plain_key, upper).is_ge()
        {
            return Ok(());
        }
        if self.is_in_prefix(plain_key) { Err(too_many_skipped()) } else { Ok(()) }
    }

    /// Seeks over what stepping would take too long for: the rest of the versions of
    /// [`Self::key`], or the versions of the key here that are too new to be seen.
    fn seek_past_versions(&mut self, is_older_version: bool) -> Result<()> {
        self.target.clear();
        if is_older_version {
            let plain = self.comparator.strip_timestamp(&self.key);
            self.target.extend_from_slice(plain);
            self.target.resize(self.target.len() + self.comparator.timestamp_size(), 0);
            push_trailer(&mut self.target, 0, ValueType::Deletion);
        } else {
            let here = self.internal.key();
            let user_key = &here[..here.len() - TRAILER_SIZE];
            let plain = self.comparator.strip_timestamp(user_key);
            self.target.extend_from_slice(plain);
            if self.is_old_enough_or_untimed(user_key) {
                self.target.extend_from_slice(&user_key[plain.len()..]);
                push_trailer(&mut self.target, self.sequence, VALUE_TYPE_FOR_SEEK);
            } else {
                self.target.extend_from_slice(&self.timestamp);
                push_trailer(&mut self.target, MAX_SEQUENCE_NUMBER, VALUE_TYPE_FOR_SEEK);
            }
            // A seek must never go back, or the scan would not end.
            if self.comparator.compare(&self.target, self.internal.key()).is_le() {
                return self.internal.next();
            }
        }
        self.stats.count_reseek();
        self.internal.seek(&self.target)?;
        // The oldest possible version is the target itself and still has to be passed.
        Ok(())
    }

    fn is_old_enough_or_untimed(&self, user_key: &[u8]) -> bool {
        self.timestamp.is_empty() || self.is_old_enough(user_key)
    }

    /// Combines the operand here with what is older; leaves the internal cursor behind the last
    /// entry used.
    fn merge_forward(&mut self) -> Result<()> {
        count(PerfMetric::InternalMergeCount, 1);
        let mut operands = vec![self.internal.pinned_value()];
        let mut base = None;
        self.internal.next()?;
        while self.internal.valid() {
            let parsed = ParsedInternalKey::parse(self.internal.key())?;
            if self.comparator.compare_without_timestamp(parsed.user_key, &self.key).is_ne() {
                break;
            }
            if !self.is_visible(&parsed) {
                self.internal.next()?;
                continue;
            }
            let value_type = parsed.value_type;
            if value_type.is_point_deletion() || self.is_range_deleted()? {
                break;
            }
            if value_type == ValueType::Merge {
                count(PerfMetric::InternalMergeCount, 1);
                operands.push(self.internal.pinned_value());
                self.internal.next()?;
                continue;
            }
            base = Some((value_type, self.internal.pinned_value()));
            break;
        }
        operands.reverse();
        self.entry = self.resolver.merge(&self.blob_options, &self.key, base, &operands)?;
        self.stands = Stands::PastEntry;
        Ok(())
    }
}

/// Buffers up to so many bytes are kept for the next iterator.
const KEPT_BUFFER_SIZE_MAX: usize = 1024;

/// Empties a buffer, and keeps it if it is small.
fn empty(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(KEPT_BUFFER_SIZE_MAX);
}

/// A seek begins.
fn start_seek() -> Timer<PerfMetric> {
    count(PerfMetric::IterSeekCount, 1);
    Timer::start(PerfMetric::IterSeekCpuNanos)
}

/// A seek of what is below.
fn timed(seek: impl FnOnce() -> Result<()>) -> Result<()> {
    let _timer = Timer::start(PerfMetric::SeekInternalSeekTime);
    seek()
}

/// What an entry counts as that is passed over.
fn skip_metric(is_visible: bool) -> PerfMetric {
    match is_visible {
        true => PerfMetric::InternalKeySkippedCount,
        false => PerfMetric::InternalRecentSkippedCount,
    }
}

/// Appends the trailer of an internal key.
fn push_trailer(key: &mut Vec<u8>, sequence: SequenceNumber, value_type: ValueType) {
    let packed = base::dbformat::pack_sequence_and_type(sequence, value_type);
    base::coding::put_fixed64(key, packed);
}

/// The internal key before every version of a user key with timestamp.
fn before_versions(user_key: &[u8]) -> InternalKey {
    InternalKey::for_seek(user_key, MAX_SEQUENCE_NUMBER)
}

#[cfg(test)]
pub(crate) mod tests;
