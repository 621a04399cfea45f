//! The range tombstones of a job's inputs.
//!
//! All of them are known before the job starts. They are cut into fragments once; of each fragment
//! only the newest tombstone of each stripe is kept, for it hides all that the others do. What the
//! job drops as hidden and what it writes out as tombstones follow from the same fragments, so that
//! nothing is dropped on account of a tombstone that is lost, or the other way round.

use crate::snapshot_rules::SnapshotRules;
use base::{InternalKey, InternalKeyComparator, ParsedInternalKey, RangeTombstone, SequenceNumber};
use iterator::{Direction, FragmentedRangeTombstoneList, RangeTombstoneAggregator};
use std::sync::Arc;

/// A piece of the key space with the tombstones over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TombstoneFragment {
    /// First user key; with timestamps it ends in the greatest.
    pub start_key: Vec<u8>,
    /// First user key after it; with timestamps it ends in the greatest.
    pub end_key: Vec<u8>,
    /// Sequence numbers and timestamps, newest first, at least one.
    pub tombstones: Vec<(SequenceNumber, Vec<u8>)>,
}

/// Collects the tombstones of inputs.
#[derive(Debug)]
pub struct JobRangeTombstonesBuilder {
    comparator: InternalKeyComparator,
    rules: SnapshotRules,
    tombstones: Vec<RangeTombstone>,
    count: u64,
    strips_timestamps: bool,
}

/// The tombstones of a job, shared by its parts.
#[derive(Debug)]
pub struct JobRangeTombstones {
    comparator: InternalKeyComparator,
    list: Arc<FragmentedRangeTombstoneList>,
    fragments: Vec<TombstoneFragment>,
    count: u64,
}

impl JobRangeTombstonesBuilder {
    /// None so far.
    pub fn new(comparator: InternalKeyComparator, rules: SnapshotRules) -> Self {
        Self { comparator, rules, tombstones: Vec::new(), count: 0, strips_timestamps: false }
    }

    /// Whether tombstones added from now on get the oldest timestamp in place of their own. Default:
    /// they keep theirs.
    pub fn strip_timestamps(&mut self, strips_timestamps: bool) {
        self.strips_timestamps = strips_timestamps;
    }

    /// Adds the tombstones of a memtable.
    pub fn add(&mut self, list: &FragmentedRangeTombstoneList) {
        self.add_within(list, None);
    }

    /// Adds the tombstones of a table, as far as they lie within `[smallest, largest)`: the bounds
    /// of the file in L0, elsewhere those of the files that share keys with it. Parts beyond were
    /// meant for other files.
    pub fn add_file(
        &mut self,
        list: &FragmentedRangeTombstoneList,
        smallest: &InternalKey,
        largest: &InternalKey,
    ) {
        self.add_within(list, Some((smallest.user_key(), largest.user_key())));
    }

    fn add_within(&mut self, list: &FragmentedRangeTombstoneList, bounds: Option<(&[u8], &[u8])>) {
        let comparator = &self.comparator;
        self.count += list.tombstone_count() as u64;
        let oldest_timestamp = vec![0; comparator.timestamp_size()];
        for fragment in list.fragments() {
            let (mut start, mut end) = (fragment.start_key, fragment.end_key);
            if let Some((smallest, largest)) = bounds {
                if comparator.compare_without_timestamp(start, smallest).is_lt() {
                    start = smallest;
                }
                if comparator.compare_without_timestamp(largest, end).is_lt() {
                    end = largest;
                }
            }
            if comparator.compare_without_timestamp(start, end).is_ge() {
                continue;
            }
            let sequences: Vec<_> =
                fragment.tombstones.iter().map(|tombstone| tombstone.sequence).collect();
            for index in needed(&sequences, &self.rules, comparator.timestamp_size() > 0) {
                let timestamp = match self.strips_timestamps {
                    true => &oldest_timestamp,
                    false => fragment.tombstones[index].timestamp,
                };
                self.tombstones.push(RangeTombstone {
                    start_key: [comparator.strip_timestamp(start), timestamp].concat(),
                    end_key: [comparator.strip_timestamp(end), timestamp].concat(),
                    sequence: sequences[index],
                });
            }
        }
    }

    /// Cuts them up.
    pub fn build(self) -> JobRangeTombstones {
        let Self { comparator, rules, tombstones, count, .. } = self;
        let list = FragmentedRangeTombstoneList::new(tombstones, &comparator);
        let has_timestamps = comparator.timestamp_size() > 0;
        let fragments = list.fragments().map(|fragment| {
            let sequences: Vec<_> =
                fragment.tombstones.iter().map(|tombstone| tombstone.sequence).collect();
            let tombstones = needed(&sequences, &rules, has_timestamps)
                .map(|index| (sequences[index], fragment.tombstones[index].timestamp.to_vec()));
            TombstoneFragment {
                start_key: fragment.start_key.to_vec(),
                end_key: fragment.end_key.to_vec(),
                tombstones: tombstones.collect(),
            }
        });
        let fragments = fragments.collect();
        JobRangeTombstones { comparator, list: Arc::new(list), fragments, count }
    }
}

/// Indexes of the tombstones that some snapshot needs, of several over the same keys, newest
/// first: the newest of each stripe. With timestamps all are needed, for reads at other times.
fn needed<'a>(
    sequences: &'a [SequenceNumber],
    rules: &'a SnapshotRules,
    has_timestamps: bool,
) -> impl Iterator<Item = usize> + 'a {
    let mut last_stripe = None;
    (0..sequences.len()).filter(move |&index| {
        let stripe = Some(rules.stripe_index(sequences[index]));
        has_timestamps
            || last_stripe != stripe && {
                last_stripe = stripe;
                true
            }
    })
}

impl JobRangeTombstones {
    /// Those of a job without any.
    pub fn none(comparator: InternalKeyComparator) -> Self {
        JobRangeTombstonesBuilder::new(comparator, SnapshotRules::default()).build()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fragments.is_empty()
    }

    /// How many there were in the inputs.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The fragments, ascending.
    pub fn fragments(&self) -> &[TombstoneFragment] {
        &self.fragments
    }

    /// Answers which entries they hide. With timestamps only those at or before
    /// `timestamp_upper_bound` hide anything.
    pub fn cover(&self, rules: &SnapshotRules, timestamp_upper_bound: Option<&[u8]>) -> Cover {
        let stripes = if self.is_empty() { 0 } else { rules.snapshots().len() + 1 };
        Cover {
            comparator: self.comparator.clone(),
            rules: rules.clone(),
            list: Arc::clone(&self.list),
            timestamp_upper_bound: timestamp_upper_bound.map(<[u8]>::to_vec),
            stripes: std::iter::repeat_with(|| None).take(stripes).collect(),
        }
    }
}

/// Says which entries a tombstone of their own stripe hides. Best asked in ascending order.
#[derive(Debug)]
pub struct Cover {
    comparator: InternalKeyComparator,
    rules: SnapshotRules,
    list: Arc<FragmentedRangeTombstoneList>,
    timestamp_upper_bound: Option<Vec<u8>>,
    /// For each stripe, once it was asked about. Empty if nothing is hidden.
    stripes: Vec<Option<RangeTombstoneAggregator>>,
}

impl Cover {
    /// Whether nothing is hidden.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.stripes.is_empty()
    }

    /// Whether a tombstone hides the entry from every read.
    #[inline]
    pub fn should_delete(&mut self, key: &ParsedInternalKey<'_>) -> bool {
        !self.stripes.is_empty() && self.ask(key)
    }

    fn ask(&mut self, key: &ParsedInternalKey<'_>) -> bool {
        let index = self.rules.stripe_index(key.sequence);
        let Some(stripe) = self.stripes.get_mut(index) else { return false };
        let aggregator = stripe.get_or_insert_with(|| {
            let snapshots = self.rules.snapshots();
            let newest =
                snapshots.get(index).copied().unwrap_or(base::dbformat::MAX_SEQUENCE_NUMBER);
            let bound = self.timestamp_upper_bound.as_deref();
            let aggregator = RangeTombstoneAggregator::new(self.comparator.clone(), newest, bound);
            aggregator.sink().add(Arc::clone(&self.list), usize::MAX);
            aggregator
        });
        aggregator.should_delete(key, Direction::Forward)
    }
}

#[cfg(test)]
mod tests;
