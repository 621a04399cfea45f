//! Deletions in a row that a scan brings under a range tombstone (`min_tombstones_for_range_conversion`).
//!
//! A move that has passed so many deletions of keys, with nothing between them that shows, adds a range
//! tombstone from the first one's key to the key where it ended, with the sequence number of the scan, to the
//! memtable that takes writes. It hides nothing that was not hidden, from whoever sees it; later scans go over
//! it in one step, and it is flushed like any other. None is added
//!
//! | where | since |
//! |---|---|
//! | the memtable takes no writes any more | newer entries may be in a later one |
//! | what is outside of it is as new as the scan, or newer | reads look for what a range tombstone hides in older places only, and files of level 0 are told apart by sequence numbers |
//! | files were taken in since the scan was made, or are being taken in | see `conversion_gate` |
//! | files may be put beneath all others (`cf_allow_ingest_behind`) | their keys are between the deletions, and show |
//! | the scan leaves out entries, or may leave out keys that have not its prefix | these may show |
//! | keys have timestamps, or some writes are not committed | these may show later |
//!
//! Deletions that a range tombstone is over are not counted, so that it is not added again and again. What
//! hidden ranges (`hidden_run`) spare a scan counts as it did when it was passed.

use super::hidden_run::sees_every_entry;
use super::{DbIter, HiddenRun};
use crate::column_family::ColumnFamilyData;
use crate::conversion_gate::ConversionGate;
use crate::super_version::SuperVersion;
use base::dbformat::extract_user_key;
use base::{InternalIterator, ParsedInternalKey, Result, SequenceNumber};
use iterator::Direction;
use memtable::{HiddenRange, MemTable, RedundantTombstone, Unconverted};
use std::sync::{Arc, Weak};
use table::ReadOptions;

/// Deletions in a row that a move has passed, and where they go.
#[derive(Debug)]
pub(super) struct Conversion {
    deletions_min: u64,
    memtable: Weak<MemTable>,
    gate: Arc<ConversionGate>,
    /// Scans that are older add nothing.
    sequence_min: SequenceNumber,
    /// Only within a prefix does the scan see all keys.
    needs_prefix: bool,

    deletions: u64,
    /// The smallest key of those counted.
    first: Vec<u8>,
    /// Going back: nothing shows from the deletions up to this key.
    end: Option<Vec<u8>>,
    /// The same, from a seek to behind the last key.
    seek_end: Option<Vec<u8>>,
}

impl Conversion {
    /// For a scan of a state by these options that is `is_plain`; none where it adds no range tombstones.
    pub(super) fn new(
        family: &ColumnFamilyData,
        super_version: &SuperVersion,
        options: &ReadOptions,
        is_plain: bool,
    ) -> Option<Box<Self>> {
        let family_options = &super_version.options;
        let deletions_min = u64::from(family_options.min_tombstones_for_range_conversion);
        if deletions_min == 0 {
            return None;
        }
        let takes_writes = family.memtable_memory.is_some();
        let sees_prefixes_only =
            family_options.prefix_extractor.is_some() && !options.total_order_seek;
        let sees_all = sees_every_entry(options, is_plain)
            && options.iter_start_ts.is_none()
            && (!sees_prefixes_only || options.prefix_same_as_start);
        if !takes_writes || !sees_all || family.conversions.allows_ingest_behind {
            return None;
        }
        let memtable = super_version.memtables.first()?;
        Some(Box::new(Self {
            deletions_min,
            memtable: Arc::downgrade(memtable),
            gate: family.conversions.clone(),
            sequence_min: sequence_min(super_version),
            needs_prefix: sees_prefixes_only,
            deletions: 0,
            first: Vec::new(),
            end: None,
            seek_end: None,
        }))
    }

    /// A move begins.
    pub(super) fn begin(&mut self) {
        self.deletions = 0;
        self.end = None;
    }

    /// Whether there are enough deletions; then the rest may be passed uncounted.
    fn is_enough(&self) -> bool {
        self.deletions >= self.deletions_min
    }

    fn count(&mut self, user_key: &[u8], direction: Direction) {
        if self.deletions == 0 || direction == Direction::Backward {
            self.first.clear();
            self.first.extend_from_slice(user_key);
        }
        self.deletions += 1;
    }

    /// The deletions counted.
    fn unconverted(&self) -> Option<Unconverted> {
        let Self { deletions, ref first, .. } = *self;
        (deletions > 0).then(|| Unconverted { first: first.clone(), deletions })
    }
}

/// The smallest sequence number of a range tombstone in the memtable that takes writes: no older entry is
/// elsewhere. Of two files of level 0 with the same greatest number the older one is to have a smaller one, too.
fn sequence_min(super_version: &SuperVersion) -> SequenceNumber {
    let largest = super_version.largest_immutable_sequence();
    let is_all = |(smallest, greatest)| smallest == largest && greatest == largest;
    let immutable = super_version.memtables.iter().skip(1);
    let mut immutable =
        immutable.filter_map(|old| old.smallest_sequence().zip(old.largest_sequence()));
    let level0 = super_version.version.level_files(0);
    let mut level0 = level0.iter().map(|file| (file.smallest_seqno, file.largest_seqno));
    largest + u64::from(immutable.any(is_all) || level0.any(is_all))
}

impl HiddenRun {
    /// A seek going back begins behind the last key, or behind all before `end`.
    pub(super) fn note_seek_end(&mut self, end: Option<&[u8]>) {
        if let Some(conversion) = &mut self.conversion {
            conversion.seek_end = end.filter(|_| !conversion.needs_prefix).map(<[u8]>::to_vec);
        }
    }

    /// The cursor goes over a range of which nothing shows.
    pub(super) fn note_known(&mut self, range: &HiddenRange, direction: Direction, here: &[u8]) {
        let Some(conversion) = &mut self.conversion else { return };
        let Some(Unconverted { first, deletions }) = range.unconverted() else { return };
        if direction == Direction::Backward && conversion.end.is_none() {
            conversion.end = Some(here.to_vec());
        }
        if conversion.deletions == 0 || direction == Direction::Backward {
            conversion.first.clone_from(first);
        }
        conversion.deletions += deletions;
    }

    /// Whether deletions are to be looked at one by one.
    #[inline]
    pub(super) fn is_counting(&self) -> bool {
        self.conversion.as_ref().is_some_and(|conversion| !conversion.is_enough())
    }
}

impl DbIter {
    /// Going forward, with the cursor on an entry that is not shown: counts it if it is a deletion. Whether
    /// those that follow are to be looked at, too.
    #[cold]
    pub(super) fn count_deletion(&mut self) -> Result<bool> {
        if !self.hidden_run.is_counting() {
            return Ok(false);
        }
        if self.stands_on_bare_deletion()?
            && let Some(conversion) = &mut self.hidden_run.conversion
        {
            conversion.count(extract_user_key(self.internal.key()), Direction::Forward);
        }
        Ok(true)
    }

    /// Whether the entry here is a deletion of one key, and under no range tombstone.
    fn stands_on_bare_deletion(&mut self) -> Result<bool> {
        let here = ParsedInternalKey::parse(self.internal.key())?;
        Ok(here.value_type.is_point_deletion() && !self.is_range_deleted()?)
    }

    /// Going back, with the cursor on a visible version that hides older ones: whether it is one to count, if
    /// it is its key's newest.
    #[inline]
    pub(super) fn is_to_convert(&mut self) -> Result<bool> {
        if self.hidden_run.conversion.is_none() {
            return Ok(false);
        }
        self.stands_on_bare_deletion()
    }

    /// Going back, [`DbIter::key`] is not shown, by a deletion.
    #[cold]
    pub(super) fn count_deletion_back(&mut self) {
        let Some(conversion) = &mut self.hidden_run.conversion else { return };
        // Whether anything shows behind the first one that a seek comes to is not known: it stays without.
        conversion.end.get_or_insert_with(|| self.key.clone());
        conversion.count(&self.key, Direction::Backward);
    }

    /// A move back begins, from the key shown or from where a seek has put the cursor.
    #[inline]
    pub(super) fn begin_move_back(&mut self) {
        self.hidden_run.begin_move();
        if let Some(conversion) = &mut self.hidden_run.conversion {
            conversion.end = match self.valid {
                true => Some(self.key.clone()),
                false => conversion.seek_end.take(),
            };
        }
    }

    /// A move forward is over. What is left of the deletions that it has passed.
    #[inline]
    pub(super) fn convert_forward(&self) -> Option<Unconverted> {
        self.hidden_run.conversion.as_ref().filter(|conversion| conversion.deletions > 0)?;
        let end = match &self.upper_bound {
            Some(upper) if !self.valid && self.prefix.is_none() => upper,
            // The key shown, or the last one looked at.
            _ => &self.key,
        };
        self.convert_up_to(end)
    }

    /// A move back is over.
    #[inline]
    pub(super) fn convert_backward(&mut self) {
        if let Some(conversion) = &mut self.hidden_run.conversion
            && let Some(end) = conversion.end.take()
        {
            self.convert_up_to(&end);
        }
    }

    #[cold]
    fn convert_up_to(&self, end: &[u8]) -> Option<Unconverted> {
        let conversion = self.hidden_run.conversion.as_ref()?;
        let left = conversion.unconverted()?;
        let is_prefix_known = !conversion.needs_prefix || self.prefix.is_some();
        let is_worth_it = conversion.is_enough()
            && is_prefix_known
            && self.comparator.compare_user_keys(&left.first, end).is_lt();
        if !is_worth_it {
            return Some(left);
        }
        let added = self.add_range_tombstone(conversion, &left.first, end);
        self.stats.count_conversion(added == RedundantTombstone::Added);
        if added == RedundantTombstone::Refused {
            return Some(left);
        }
        let is_before = |it: &Vec<u8>| self.comparator.compare_user_keys(it, end).is_le();
        let known = self.hidden_run.known().iter();
        known.filter(|it| it.end.as_ref().is_none_or(is_before)).for_each(|it| it.set_converted());
        None
    }

    fn add_range_tombstone(
        &self,
        conversion: &Conversion,
        start: &[u8],
        end: &[u8],
    ) -> RedundantTombstone {
        let memtable = conversion.memtable.upgrade();
        let Some(memtable) = memtable.filter(|_| self.sequence >= conversion.sequence_min) else {
            return RedundantTombstone::Refused;
        };
        let add = || memtable.add_redundant_range_tombstone(self.sequence, start, end);
        let added = conversion.gate.pass(self.super_version_number, add);
        added.unwrap_or(RedundantTombstone::Refused)
    }
}

#[cfg(test)]
mod tests;
