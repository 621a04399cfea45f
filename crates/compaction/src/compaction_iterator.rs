//! What of a sorted input goes on to an output.
//!
//! Versions of a key come newest first. The rules, in the order in which they are tried:
//!
//! 1. A version that a prepared transaction has not committed stays as it is and hides nothing.
//! 2. A single deletion goes together with the one value it meets in its stripe (`single_deletion`).
//! 3. A version is dropped if a newer one of the same stripe was seen: no snapshot tells them apart.
//! 4. A deletion that every read sees is dropped where no deeper level has the key. At the bottom it
//!    is dropped with the older versions of its stripe, unless an older stripe still has some.
//! 5. A value with a preferred sequence number gets it once nothing older can be in the way.
//! 6. Merge operands are folded (`merge`).
//! 7. What is left stays, unless a range tombstone of its stripe hides it.
//!
//! At the bottom, versions that every read sees get sequence number 0, which compresses better. With
//! user timestamps, versions of one key with different timestamps count as different keys, until
//! they are older than `full_history_ts_low`: then only the newest of those is kept.
//!
//! A flush goes through the same rules, knowing nothing of what is below.
//!
//! Most entries are values that are the newest version of their key. Where nothing beside may have a
//! say in them (no filter, range tombstone, timestamp, blob file or prepared transaction) they are
//! taken over at once; and where the table that they go to has a data block open that nothing else
//! depends on, one after another goes there, and the versions that it hides are passed over, until an
//! entry is another (`newest_values`). Blocks of such values may go on whole (`block_copy`). Merge operands that are
//! alone stay without being collected, and go on with the values.

use crate::blob_file_builder::BlobFileBuilder;
use crate::block_copy::BlockSums;
use crate::cancellation::Cancellation;
use crate::compaction_input::CompactionInput;
use crate::deeper_levels::DeeperLevels;
use crate::iteration_stats::IterationStats;
use crate::job_environment::JobEnvironment;
use crate::range_tombstones::Cover;
use crate::snapshot_rules::{SnapshotRules, Stripe};
use base::coding::decode_fixed64;
use base::dbformat::{MAX_SEQUENCE_NUMBER, TRAILER_SIZE, extract_user_key, pack_sequence_and_type};
use base::{
    CompactionFilter, InternalKeyComparator, MergeOperator, ParsedInternalKey, Result,
    SequenceNumber, Status, ValueType,
};
use newest_values::HeldOperand;
use statistics::Statistics;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;
use table::WholeBlock;

mod blobs;
mod filter;
mod merge;
mod newest_values;
mod single_deletion;

pub(crate) use filter::checked_filter;

/// What the rules depend on.
pub(crate) struct IterationContext<'a> {
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) snapshots: SnapshotRules,
    pub(crate) cover: Cover,
    pub(crate) merge_operator: Option<Arc<dyn MergeOperator>>,
    pub(crate) filter: Option<Box<dyn CompactionFilter>>,
    /// Versions with a smaller timestamp need not be told apart.
    pub(crate) full_history_ts_low: Option<Vec<u8>>,
    pub(crate) enforce_single_del_contracts: bool,
    /// The uppermost level of the input.
    pub(crate) level: usize,
    pub(crate) is_bottommost: bool,
    pub(crate) deeper_levels: DeeperLevels,
    /// Larger sequence numbers are kept at the bottom too.
    pub(crate) zeroes_sequences_up_to: SequenceNumber,
    /// Values in blob files with a smaller number are moved.
    pub(crate) blob_cutoff: Option<u64>,
    pub(crate) cancellation: Cancellation,
    pub(crate) environment: &'a dyn JobEnvironment,
    pub(crate) blob_builder: Option<BlobFileBuilder<'a>>,
    /// Where merges and the filter are timed.
    pub(crate) statistics: Option<Arc<Statistics>>,
    /// Whether versions that no rule has a say in are not asked about. Tests see to it that this
    /// changes nothing.
    pub(crate) takes_shortcuts: bool,
}

impl IterationContext<'_> {
    /// Whether the newest version of a key, if it is a value, stays whatever there is beside.
    fn keeps_newest_values(&self) -> bool {
        self.takes_shortcuts
            && self.comparator.timestamp_size() == 0
            && self.cover.is_empty()
            && self.filter.is_none()
            && self.blob_builder.is_none()
            && self.snapshots.are_all_committed()
    }

    /// Whether a merge operand that is alone, so far as the input has its key, stays as it is.
    fn keeps_lone_operands(&self) -> bool {
        let operator = self.merge_operator.as_ref();
        self.keeps_newest_values()
            && !self.is_bottommost
            && operator.is_some_and(|operator| !operator.allow_single_operand())
    }
}

/// Where the value of the current entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueSource {
    /// In the input, without the last `suffix` bytes.
    Input { suffix: usize },
    /// In `value_buffer`.
    Buffer,
    /// The first of `merge_outputs`.
    Merge,
}

/// An iterator over what goes on. Forward only.
pub(crate) struct CompactionIterator<'a> {
    input: CompactionInput,
    context: IterationContext<'a>,
    keeps_newest_values: bool,
    keeps_lone_operands: bool,
    stats: IterationStats,
    valid: bool,
    /// The current internal key.
    key: Vec<u8>,
    sequence: SequenceNumber,
    value_type: ValueType,
    value: ValueSource,
    value_buffer: Vec<u8>,
    /// The input is behind it, and it is still to go on.
    held_operand: HeldOperand,
    /// The input already stands on the entry after the current one.
    at_next: bool,
    /// Whether `key` holds a user key that the next entry is to be compared with.
    has_current_user_key: bool,
    current_key_committed: bool,
    /// Sequence number and stripe of the last version of the current key; the greatest possible and
    /// 0 before the first.
    last_sequence: SequenceNumber,
    last_snapshot: SequenceNumber,
    /// Whether a version of the current key went on.
    has_output_key: bool,
    last_sequence_zeroed: bool,
    /// The last entry was a single deletion that must stay: the value after it loses its bytes.
    clears_next_value: bool,
    /// The timestamp of the current key before it was zeroed.
    timestamp: Vec<u8>,
    /// Its order to `full_history_ts_low`; equal without one.
    history_order: Ordering,
    /// What merging made, newest first; the first is the current entry.
    merge_outputs: VecDeque<(Vec<u8>, Vec<u8>)>,
    /// The outputs are operands that found no base.
    merge_is_unfinished: bool,
}

impl<'a> CompactionIterator<'a> {
    /// Not valid until it is moved to the first entry.
    pub(crate) fn new(input: CompactionInput, context: IterationContext<'a>) -> Self {
        Self {
            input,
            keeps_newest_values: context.keeps_newest_values(),
            keeps_lone_operands: context.keeps_lone_operands(),
            context,
            stats: IterationStats::default(),
            valid: false,
            key: Vec::new(),
            sequence: 0,
            value_type: ValueType::Value,
            value: ValueSource::Buffer,
            value_buffer: Vec::new(),
            held_operand: HeldOperand::default(),
            at_next: false,
            has_current_user_key: false,
            current_key_committed: true,
            last_sequence: MAX_SEQUENCE_NUMBER,
            last_snapshot: 0,
            has_output_key: false,
            last_sequence_zeroed: false,
            clears_next_value: false,
            timestamp: Vec::new(),
            history_order: Ordering::Equal,
            merge_outputs: VecDeque::new(),
            merge_is_unfinished: false,
        }
    }

    pub(crate) fn seek_to_first(&mut self) -> Result<()> {
        self.input.seek_to_first()?;
        self.next_from_input()?;
        self.prepare_output()
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<()> {
        if !self.merge_outputs.is_empty() {
            self.next_merge_output()?;
        } else if self.held_operand.is_there {
            self.resume_operand()?;
        } else {
            if !self.at_next {
                self.input.next()?;
            }
            if self.keeps_newest_values && self.take_newest_value()? {
                return Ok(());
            }
            self.next_from_input()?;
        }
        if self.valid {
            self.has_output_key = true;
        }
        self.prepare_output()
    }

    /// The data block that the current entry begins, if nothing beside has a say in its entries.
    #[inline(always)]
    pub(crate) fn whole_block(&self) -> Option<WholeBlock<'_>> {
        if !self.input.may_be_at_block() {
            return None;
        }
        let is_plain = self.keeps_newest_values
            && !self.at_next
            && self.value_type == ValueType::Value
            && self.value == ValueSource::Input { suffix: 0 };
        if is_plain { self.input.whole_block() } else { None }
    }

    /// Moves to the last entry of [`Self::whole_block`], which went on with these entries. It has no value
    /// any more.
    pub(crate) fn pass_block(&mut self, sums: &BlockSums) -> Result<()> {
        self.context.cancellation.check()?;
        let first_value_bytes = self.value().len() as u64;
        let Some(block) = self.input.whole_block() else { return Ok(()) };
        // The first entry was counted as it came.
        self.stats.input_records += sums.entries - 1;
        self.stats.input_raw_key_bytes += sums.key_bytes - block.first_key().len() as u64;
        self.stats.input_raw_value_bytes += sums.value_bytes - first_value_bytes;
        self.stats.blocks_copied += 1;
        self.key.clear();
        self.key.extend_from_slice(block.last_key());
        self.input.pass_block(sums.entries)?;
        self.at_next = true;
        self.value_buffer.clear();
        self.value = ValueSource::Buffer;
        let sequence = ParsedInternalKey::parse(&self.key)?.sequence;
        self.note_newest(sequence, ValueType::Value);
        self.last_sequence_zeroed = self.zeroed_up_to().is_some_and(|limit| sequence <= limit);
        Ok(())
    }

    /// The largest sequence number that a value loses, if any does. Without timestamps, and where all is
    /// committed.
    pub(crate) fn zeroed_up_to(&self) -> Option<SequenceNumber> {
        let IterationContext { is_bottommost, zeroes_sequences_up_to, snapshots, .. } =
            &self.context;
        is_bottommost.then(|| snapshots.earliest().min(*zeroes_sequences_up_to))
    }

    #[inline]
    pub(crate) fn valid(&self) -> bool {
        self.valid
    }

    /// The internal key here.
    #[inline]
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    #[inline]
    pub(crate) fn parsed_key(&self) -> ParsedInternalKey<'_> {
        let (sequence, value_type) = (self.sequence, self.value_type);
        ParsedInternalKey { user_key: self.user_key(), sequence, value_type }
    }

    #[inline]
    pub(crate) fn value(&self) -> &[u8] {
        match self.value {
            ValueSource::Input { suffix } => {
                let value = self.input.value();
                &value[..value.len() - suffix]
            }
            ValueSource::Buffer => &self.value_buffer,
            ValueSource::Merge => match self.merge_outputs.front() {
                Some((_, value)) => value,
                None => panic!("iterator is not valid"),
            },
        }
    }

    pub(crate) fn stats(&self) -> &IterationStats {
        &self.stats
    }

    pub(crate) fn input(&self) -> &CompactionInput {
        &self.input
    }

    /// As [`CompactionInput::end_help`].
    pub(crate) fn end_help(&mut self) -> u64 {
        self.input.end_help()
    }

    pub(crate) fn take_blob_builder(&mut self) -> Option<BlobFileBuilder<'a>> {
        self.context.blob_builder.take()
    }

    #[inline]
    fn user_key(&self) -> &[u8] {
        extract_user_key(&self.key)
    }

    /// Writes sequence number and type into the current key.
    #[inline]
    fn update_trailer(&mut self) {
        let trailer = pack_sequence_and_type(self.sequence, self.value_type);
        let start = self.key.len() - TRAILER_SIZE;
        self.key[start..].copy_from_slice(&trailer.to_le_bytes());
    }

    #[inline]
    fn set_type(&mut self, value_type: ValueType) {
        self.value_type = value_type;
        self.update_trailer();
    }

    #[inline]
    fn is_same_user_key(&self, user_key: &[u8]) -> bool {
        self.context.comparator.is_equal_without_timestamp(user_key, self.user_key())
    }

    /// Takes over the entry that the input is at, if it is a value and its key's newest version, and so
    /// stays: what the rules would come to. Returns whether it is.
    #[inline]
    fn take_newest_value(&mut self) -> Result<bool> {
        let Some(entry) = self.input.entry().filter(|_| !self.clears_next_value) else {
            return Ok(false);
        };
        let key = entry.key;
        let Some((user_key, trailer)) = key.split_last_chunk::<TRAILER_SIZE>() else {
            return Ok(false);
        };
        let trailer = u64::from_le_bytes(*trailer);
        if trailer as u8 != ValueType::Value as u8
            || self.has_current_user_key
                && self
                    .context
                    .comparator
                    .is_equal_without_timestamp(user_key, extract_user_key(&self.key))
        {
            return Ok(false);
        }
        self.context.cancellation.check()?;
        self.stats.input_records += 1;
        self.stats.input_raw_key_bytes += key.len() as u64;
        self.stats.input_raw_value_bytes += entry.value_size as u64;
        self.key.clear();
        self.key.extend_from_slice(key);
        self.at_next = false;
        self.value = ValueSource::Input { suffix: 0 };
        self.note_newest(trailer >> 8, ValueType::Value);
        self.zero_sequence_at_bottom();
        Ok(true)
    }

    /// `key` is the newest version of its key and goes on.
    #[inline]
    fn note_newest(&mut self, sequence: SequenceNumber, value_type: ValueType) {
        self.sequence = sequence;
        self.value_type = value_type;
        self.has_current_user_key = true;
        self.current_key_committed = true;
        self.last_sequence = sequence;
        self.last_snapshot = self.context.snapshots.stripe(sequence).snapshot;
        self.last_sequence_zeroed = false;
        self.valid = true;
        self.has_output_key = true;
    }

    /// Goes from the entry that the input is at to the next one that stays.
    fn next_from_input(&mut self) -> Result<()> {
        self.at_next = false;
        self.valid = false;
        while !self.valid && self.input.valid() {
            self.context.cancellation.check()?;
            let is_first_version = self.load()?;
            if is_first_version && let Some(target) = self.apply_filter()? {
                self.input.skip_until(&target)?;
                continue;
            }
            if !self.current_key_committed {
                self.valid = true;
                break;
            }
            self.decide()?;
        }
        Ok(())
    }

    /// Takes over the key that the input is at. Returns whether it is the first committed version
    /// of its user key: the one that a compaction filter sees.
    #[inline]
    fn load(&mut self) -> Result<bool> {
        let input_key = self.input.key();
        let parsed = ParsedInternalKey::parse(input_key)?;
        let (sequence, value_type) = (parsed.sequence, parsed.value_type);
        self.stats.input_records += 1;
        self.stats.input_raw_key_bytes += input_key.len() as u64;
        self.stats.input_raw_value_bytes += self.input.value().len() as u64;
        let is_same = self.has_current_user_key && self.is_same_user_key(parsed.user_key);
        let is_same_version = is_same
            && (self.context.comparator.timestamp_size() == 0
                || self.order_of_timestamp(parsed.user_key).is_eq());
        self.sequence = sequence;
        self.value_type = value_type;
        self.value = ValueSource::Input { suffix: 0 };
        match value_type {
            ValueType::Value => {}
            ValueType::ValuePreferredSeqno => self.stats.input_timed_put_records += 1,
            other if other.is_point_deletion() => self.stats.input_deletion_records += 1,
            other if other.is_stored() => {}
            other => {
                return Err(Status::corruption(format!("record of type {other:?}: {parsed:?}")));
            }
        }
        if is_same_version {
            self.update_trailer();
            // If a version is committed, older ones are.
            if self.current_key_committed {
                return Ok(false);
            }
        } else {
            self.start_user_key(is_same);
        }
        self.current_key_committed = self.context.snapshots.is_committed(sequence);
        Ok(self.current_key_committed)
    }

    /// Makes the input's key the current one.
    #[inline]
    fn start_user_key(&mut self, is_same_without_timestamp: bool) {
        self.key.clear();
        self.key.extend_from_slice(self.input.key());
        let previous_order = self.history_order;
        if self.context.comparator.timestamp_size() > 0 {
            self.take_timestamp();
        }
        // Versions older than `full_history_ts_low`, but for the newest of them, count as versions
        // of one key.
        let may_collapse = self.has_current_user_key
            && is_same_without_timestamp
            && self.history_order.is_lt()
            && previous_order.is_lt();
        if !may_collapse {
            self.last_sequence = MAX_SEQUENCE_NUMBER;
            self.last_snapshot = 0;
            self.has_current_user_key = true;
        }
        self.has_output_key = false;
        self.last_sequence_zeroed = false;
    }

    fn timestamp_of<'k>(&self, user_key: &'k [u8]) -> &'k [u8] {
        &user_key[user_key.len().saturating_sub(self.context.comparator.timestamp_size())..]
    }

    fn order_of_timestamp(&self, user_key: &[u8]) -> Ordering {
        let user_comparator = self.context.comparator.user_comparator();
        user_comparator.compare_timestamp(self.timestamp_of(user_key), &self.timestamp)
    }

    fn take_timestamp(&mut self) {
        let mut timestamp = std::mem::take(&mut self.timestamp);
        timestamp.clear();
        timestamp.extend_from_slice(self.timestamp_of(self.user_key()));
        self.history_order = match &self.context.full_history_ts_low {
            Some(low) => {
                self.context.comparator.user_comparator().compare_timestamp(&timestamp, low)
            }
            None => Ordering::Equal,
        };
        self.timestamp = timestamp;
    }

    /// Whether history does not need the current version: without timestamps always.
    #[inline]
    fn is_history_collapsed(&self) -> bool {
        self.context.comparator.timestamp_size() == 0 || self.history_order.is_lt()
    }

    /// Applies the rules to the current version, which is committed.
    #[inline]
    fn decide(&mut self) -> Result<()> {
        let (last_sequence, last_snapshot) = (self.last_sequence, self.last_snapshot);
        let stripe = self.context.snapshots.stripe(self.sequence);
        self.last_sequence = self.sequence;
        self.last_snapshot = stripe.snapshot;
        if self.clears_next_value {
            self.keep_cleared();
            return Ok(());
        }
        if self.value_type == ValueType::SingleDeletion {
            return self.decide_single_deletion(stripe);
        }
        if last_sequence != MAX_SEQUENCE_NUMBER && last_snapshot <= stripe.snapshot {
            self.stats.dropped_hidden += 1;
            return self.input.next();
        }
        match self.value_type {
            ValueType::Value if self.context.cover.is_empty() => {
                self.valid = true;
                Ok(())
            }
            ValueType::Deletion => self.decide_deletion(stripe),
            ValueType::DeletionWithTimestamp if self.history_order.is_lt() => {
                self.decide_deletion(stripe)
            }
            ValueType::ValuePreferredSeqno => self.decide_timed_put(),
            ValueType::Merge => self.merge(stripe),
            _ => self.decide_by_range_tombstones(),
        }
    }

    /// The value that follows a single deletion which must stay is kept as a mark of the write, and
    /// nobody will read it.
    fn keep_cleared(&mut self) {
        self.clears_next_value = false;
        self.valid = true;
        match self.value_type {
            ValueType::Value => {}
            ValueType::BlobIndex | ValueType::WideColumnEntity | ValueType::ValuePreferredSeqno => {
                self.set_type(ValueType::Value);
            }
            // Not what a single deletion may meet; it stays as it is.
            _ => return,
        }
        self.value_buffer.clear();
        self.value = ValueSource::Buffer;
    }

    fn decide_deletion(&mut self, stripe: Stripe) -> Result<()> {
        if self.context.snapshots.is_in_earliest(self.sequence) && self.key_is_nowhere_below() {
            self.drop_obsolete();
            return self.input.next();
        }
        if !self.context.is_bottommost {
            return self.decide_by_range_tombstones();
        }
        // The older versions of its stripe go. If one of an older stripe is left, the deletion must
        // stay to hide it from later snapshots.
        self.input.next()?;
        while self.is_at_older_version()? {
            let next = ParsedInternalKey::parse(self.input.key())?;
            if self.context.snapshots.is_before(stripe, next.sequence) {
                self.valid = true;
                self.at_next = true;
                self.value_buffer.clear();
                self.value = ValueSource::Buffer;
                return Ok(());
            }
            self.context.cancellation.check()?;
            self.input.next()?;
        }
        Ok(())
    }

    /// Whether the input is at another version of the current key.
    fn is_at_older_version(&self) -> Result<bool> {
        if !self.input.valid() {
            return Ok(false);
        }
        Ok(self.is_same_user_key(ParsedInternalKey::parse(self.input.key())?.user_key))
    }

    #[inline]
    fn key_is_nowhere_below(&mut self) -> bool {
        self.context.deeper_levels.key_does_not_exist(extract_user_key(&self.key))
    }

    fn drop_obsolete(&mut self) {
        self.stats.dropped_obsolete += 1;
        if !self.context.is_bottommost {
            self.stats.dropped_deletions_early += 1;
        }
    }

    /// A range tombstone may hide the current version; if its history must be kept, none does.
    fn is_range_deleted(&mut self) -> bool {
        let (sequence, value_type) = (self.sequence, self.value_type);
        let key = ParsedInternalKey { user_key: extract_user_key(&self.key), sequence, value_type };
        self.is_history_collapsed() && self.context.cover.should_delete(&key)
    }

    #[inline]
    fn decide_by_range_tombstones(&mut self) -> Result<()> {
        if self.is_range_deleted() {
            return self.drop_range_deleted();
        }
        self.valid = true;
        Ok(())
    }

    fn drop_range_deleted(&mut self) -> Result<()> {
        self.stats.dropped_hidden += 1;
        self.stats.dropped_by_range_deletion += 1;
        self.input.next()
    }

    /// The value is followed by the sequence number it prefers, which is older than its own. It can
    /// have it once all versions in between are of the same stripe and so hidden by it.
    fn decide_timed_put(&mut self) -> Result<()> {
        let can_swap = self.context.snapshots.is_in_earliest(self.sequence)
            && (self.context.is_bottommost || self.key_is_nowhere_below());
        if !can_swap {
            return self.decide_by_range_tombstones();
        }
        let Some(preferred) = preferred_sequence(self.input.value()) else {
            return Err(Status::corruption(format!(
                "value of {} bytes is too short for a preferred sequence number: {:?}",
                self.input.value().len(),
                self.parsed_key()
            )));
        };
        if self.is_range_deleted() {
            return self.drop_range_deleted();
        }
        let sequence = self.sequence;
        self.sequence = preferred.min(sequence);
        // A tombstone between the two sequence numbers must not come to hide it.
        if self.is_range_deleted() {
            self.sequence = sequence;
        } else {
            self.stats.timed_put_swapped += u64::from(sequence != 0);
            self.set_type(ValueType::Value);
            self.value = ValueSource::Input { suffix: size_of::<u64>() };
        }
        self.valid = true;
        Ok(())
    }

    /// Moves values to and between blob files, and zeroes the sequence number where it can be.
    #[inline]
    fn prepare_output(&mut self) -> Result<()> {
        if !self.valid {
            return Ok(());
        }
        match self.value_type {
            ValueType::Value if self.context.blob_builder.is_some() => {
                self.extract_large_value()?;
            }
            ValueType::BlobIndex => self.collect_blob_garbage()?,
            ValueType::WideColumnEntity => self.collect_entity_blob_garbage()?,
            _ => {}
        }
        self.zero_sequence_at_bottom();
        Ok(())
    }

    #[inline]
    fn zero_sequence_at_bottom(&mut self) {
        if self.context.is_bottommost
            && self.sequence <= self.context.zeroes_sequences_up_to
            && self.value_type != ValueType::Merge
            && self.current_key_committed
            && self.context.snapshots.is_in_earliest(self.sequence)
        {
            self.zero_sequence();
        }
    }

    #[inline]
    fn zero_sequence(&mut self) {
        // A deletion must keep its place before what it hides, and history its order.
        if self.value_type.is_point_deletion() || !self.is_history_collapsed() {
            return;
        }
        self.sequence = 0;
        self.last_sequence_zeroed = true;
        let end = self.key.len() - TRAILER_SIZE;
        let timestamp_size = self.context.comparator.timestamp_size();
        self.key[end - timestamp_size..end].fill(0);
        self.update_trailer();
    }
}

/// The sequence number at the end of a value that prefers one.
pub(crate) fn preferred_sequence(value: &[u8]) -> Option<SequenceNumber> {
    let start = value.len().checked_sub(size_of::<u64>())?;
    Some(decode_fixed64(value, start))
}

#[cfg(test)]
mod tests;
