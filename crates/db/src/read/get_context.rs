//! The state of one point lookup while it goes from the newest source to the oldest.
//!
//! Each memtable and table shows the versions it has of the wanted key, newest first. The first
//! value, entity or deletion decides; merge operands are collected until one does. A range
//! tombstone met in any source so far hides every older version.

use crate::read::blob_reads::blob_read_options;
use crate::read::value_resolver::{Resolved, ValueResolver};
use base::dbformat::{ParsedInternalKey, ValueType};
use base::{InternalKeyComparator, MergeOperator, PinnableSlice, Result, SequenceNumber};
use memtable::MemTableEntry;
use perf_context::{PerfMetric, count};
use table::{EntryValue, ReadOptions};

/// What the lookup knows.
pub(crate) struct GetContext<'a> {
    comparator: &'a InternalKeyComparator,
    /// The wanted user key, with the read timestamp where keys have one.
    user_key: &'a [u8],
    /// Newest visible sequence number.
    sequence: SequenceNumber,
    uncommitted: &'a [SequenceNumber],
    /// Newest range tombstone that covers the key in the sources seen so far; 0 for none.
    covering_tombstone: SequenceNumber,
    /// Merge operands, newest first.
    operands: Vec<PinnableSlice>,
    /// May say that the operands found are enough.
    merge_operator: Option<&'a dyn MergeOperator>,
    /// Takes a plain value that decides, instead of the outcome.
    buffer: Option<&'a mut Vec<u8>>,
    outcome: Outcome,
    /// Timestamp of the version that decided.
    timestamp: Vec<u8>,
    /// A version of the key was seen, visible or not.
    has_match: bool,
}

enum Outcome {
    /// Older sources must be asked.
    Open,
    /// The key has no value, or none under its merge operands.
    Deleted,
    /// The newest value, or the base of the merge operands.
    Found(ValueType, PinnableSlice),
    /// A plain value, which the buffer has.
    Copied,
}

/// The value of a version, where it is stored.
pub(crate) trait StoredValue {
    /// Its bytes.
    fn bytes(&self) -> &[u8];
    /// The value as long as the lookup lasts.
    fn pin(&self) -> PinnableSlice;
    /// The value for whoever asked, who may have it for long: a copy where it is small, or where a reference would
    /// hold back more than its block.
    fn keep(&self) -> PinnableSlice;
}

impl StoredValue for EntryValue<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn pin(&self) -> PinnableSlice {
        EntryValue::pin(self)
    }

    #[inline]
    fn keep(&self) -> PinnableSlice {
        if self.len() <= PinnableSlice::COPIED_SIZE_MAX {
            PinnableSlice::from(&**self)
        } else {
            EntryValue::pin(self)
        }
    }
}

impl StoredValue for MemTableEntry<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.value()
    }

    #[inline]
    fn pin(&self) -> PinnableSlice {
        self.pinned_value()
    }

    #[inline]
    fn keep(&self) -> PinnableSlice {
        PinnableSlice::from(self.value())
    }
}

impl<'a> GetContext<'a> {
    pub(crate) fn new(
        comparator: &'a InternalKeyComparator,
        user_key: &'a [u8],
        sequence: SequenceNumber,
        uncommitted: &'a [SequenceNumber],
    ) -> Self {
        Self {
            comparator,
            user_key,
            sequence,
            uncommitted,
            covering_tombstone: 0,
            operands: Vec::new(),
            merge_operator: None,
            buffer: None,
            outcome: Outcome::Open,
            timestamp: Vec::new(),
            has_match: false,
        }
    }

    /// Operands are merged without older ones where the operator says that they are enough.
    pub(crate) fn with_merge_operator(mut self, operator: Option<&'a dyn MergeOperator>) -> Self {
        self.merge_operator = operator;
        self
    }

    /// A plain value takes the place of `buffer`, and is not pinned.
    pub(crate) fn copying_into(mut self, buffer: &'a mut Vec<u8>) -> Self {
        self.buffer = Some(buffer);
        self
    }

    /// Tells of a range tombstone of the source about to be asked that covers the key.
    #[inline]
    pub(crate) fn add_covering_tombstone(&mut self, sequence: SequenceNumber) {
        self.covering_tombstone = self.covering_tombstone.max(sequence);
    }

    /// Whether no older source can change the outcome. Called between sources: whatever is in an
    /// older source is older than a tombstone of this one.
    #[inline]
    pub(crate) fn is_decided(&self) -> bool {
        self.covering_tombstone > 0 || !matches!(self.outcome, Outcome::Open)
    }

    /// Whether what decided is a value.
    #[inline]
    pub(crate) fn has_value(&self) -> bool {
        matches!(self.outcome, Outcome::Found(..) | Outcome::Copied)
    }

    /// Whether a version of the key was seen since this was last asked.
    #[inline]
    pub(crate) fn take_match(&mut self) -> bool {
        std::mem::take(&mut self.has_match)
    }

    /// Takes an entry, which may be of another key; false once no later one matters.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        key: ParsedInternalKey<'_>,
        value: &impl StoredValue,
    ) -> Result<bool> {
        if !self.comparator.is_equal_without_timestamp(key.user_key, self.user_key) {
            return Ok(false);
        }
        self.visit_version(key, value)
    }

    /// Takes a version of the key; false once no older one matters.
    pub(crate) fn visit_version(
        &mut self,
        key: ParsedInternalKey<'_>,
        value: &impl StoredValue,
    ) -> Result<bool> {
        self.has_match = true;
        if key.sequence > self.sequence
            || (!self.uncommitted.is_empty()
                && self.uncommitted.binary_search(&key.sequence).is_ok())
        {
            return Ok(true);
        }
        if key.sequence < self.covering_tombstone || key.value_type.is_point_deletion() {
            self.outcome = Outcome::Deleted;
            return Ok(false);
        }
        if self.comparator.timestamp_size() > 0 && self.timestamp.is_empty() {
            let plain = self.comparator.strip_timestamp(key.user_key);
            self.timestamp.extend_from_slice(&key.user_key[plain.len()..]);
        }
        if key.value_type == ValueType::Merge {
            count(PerfMetric::InternalMergePointLookupCount, 1);
            // Without an operator they are for whoever asked.
            let is_merged = self.merge_operator.is_some();
            self.operands.push(if is_merged { value.pin() } else { value.keep() });
            if self.merge_operator.is_some_and(|operator| operator.should_merge(&self.operands)) {
                self.outcome = Outcome::Deleted;
                return Ok(false);
            }
            return Ok(true);
        }
        if let Some(buffer) = &mut self.buffer
            && key.value_type == ValueType::Value
            && self.operands.is_empty()
        {
            buffer.clear();
            buffer.extend_from_slice(value.bytes());
            self.outcome = Outcome::Copied;
            return Ok(false);
        }
        self.outcome = Outcome::Found(key.value_type, value.keep());
        Ok(false)
    }

    /// As [`Self::finish`], with a plain value in the buffer. False if the key has none.
    pub(crate) fn finish_into(
        mut self,
        resolver: &ValueResolver,
        options: &ReadOptions,
    ) -> Result<bool> {
        if matches!(self.outcome, Outcome::Copied) {
            return Ok(true);
        }
        let buffer = self.buffer.take();
        let Some(lookup) = self.finish(resolver, options)? else { return Ok(false) };
        let value = lookup.resolved.into_plain()?;
        if let Some(buffer) = buffer {
            buffer.clear();
            buffer.extend_from_slice(&value);
        }
        Ok(true)
    }

    /// The value that all sources together give; none if the key has none.
    pub(crate) fn finish(
        mut self,
        resolver: &ValueResolver,
        options: &ReadOptions,
    ) -> Result<Option<Lookup>> {
        let resolved = match self.outcome {
            Outcome::Found(ValueType::Value, value) if self.operands.is_empty() => {
                Resolved::Value(value)
            }
            Outcome::Found(value_type, value) if self.operands.is_empty() => {
                resolver.resolve(&blob_read_options(options), self.user_key, value_type, value)?
            }
            Outcome::Open | Outcome::Deleted | Outcome::Copied if self.operands.is_empty() => {
                return Ok(None);
            }
            outcome => {
                let base = match outcome {
                    Outcome::Found(value_type, value) => Some((value_type, value)),
                    Outcome::Open | Outcome::Deleted | Outcome::Copied => None,
                };
                self.operands.reverse();
                let options = &blob_read_options(options);
                resolver.merge_operands(options, self.user_key, base, &self.operands)?
            }
        };
        Ok(Some(Lookup { resolved, timestamp: self.timestamp }))
    }

    /// The base of the merge operands, then the operands, oldest first; none if there is neither.
    pub(crate) fn finish_unmerged(
        self,
        resolver: &ValueResolver,
        options: &ReadOptions,
    ) -> Result<Option<Vec<PinnableSlice>>> {
        let mut values = Vec::with_capacity(self.operands.len() + 1);
        if let Outcome::Found(value_type, value) = self.outcome {
            let options = blob_read_options(options);
            let base = resolver.resolve(&options, self.user_key, value_type, value)?;
            values.push(base.into_plain()?);
        }
        values.extend(self.operands.into_iter().rev());
        Ok(if values.is_empty() { None } else { Some(values) })
    }
}

/// What a point lookup found.
#[derive(Debug)]
pub(crate) struct Lookup {
    pub(crate) resolved: Resolved,
    /// Time of the version; empty where keys have none.
    pub(crate) timestamp: Vec<u8>,
}
