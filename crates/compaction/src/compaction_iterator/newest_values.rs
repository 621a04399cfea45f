//! Values that are handed to an open data block one after another.
//!
//! Where nothing beside has a say in them ([`IterationContext::keeps_newest_values`]), and merge operands that are
//! alone among them. An operand is held back until the next entry shows whether it is: with another version of its
//! key behind it the rules fold it.
//!
//! [`IterationContext::keeps_newest_values`]: super::IterationContext::keeps_newest_values

use super::{CompactionIterator, ValueSource};
use crate::compaction_input::{PassFrom, TakesEntries};
use crate::snapshot_rules::SnapshotRules;
use base::dbformat::{MAX_SEQUENCE_NUMBER, TRAILER_SIZE, extract_user_key};
use base::{Result, SequenceNumber, ValueType};
use table::{OpenBlock, StoredEntry};

/// After so many entries that are handed on in one go somebody asks again whether the job goes on.
const ENTRIES_PASSED_MAX: usize = 1024;

/// A merge operand that is the newest version of its key.
#[derive(Default)]
pub(super) struct HeldOperand {
    pub(super) is_there: bool,
    /// Its internal key.
    key: Vec<u8>,
    value: Vec<u8>,
    sequence: SequenceNumber,
}

impl HeldOperand {
    fn hold(&mut self, entry: &StoredEntry<'_>, sequence: SequenceNumber) {
        self.is_there = true;
        self.key.clear();
        self.key.extend_from_slice(entry.key);
        self.value.clear();
        self.value.extend_from_slice(entry.value());
        self.sequence = sequence;
    }

    /// Bytes of key and value, if it is there.
    fn sizes(&self) -> (u64, u64) {
        match self.is_there {
            true => (self.key.len() as u64, self.value.len() as u64),
            false => (0, 0),
        }
    }
}

/// Takes values for an open block, and those that the last of them hides.
struct NewestValues<'v, 'b> {
    block: &'v mut OpenBlock<'b>,
    /// Values with a smaller sequence number lose it.
    zeroed_below: SequenceNumber,
    snapshots: &'v SnapshotRules,
    /// What the last entry in the block is.
    last_type: ValueType,
    /// Its own sequence number; the greatest possible if that is not known.
    last_sequence: SequenceNumber,
    hidden: HiddenValues,
    /// Where operands are held back; none if none are taken.
    held_operand: Option<&'v mut HeldOperand>,
}

/// What was passed over because it is an older version of a value, for the same snapshots.
#[derive(Default)]
struct HiddenValues {
    count: u64,
    key_bytes: u64,
    value_bytes: u64,
    /// Whether the last entry was one of them, with this sequence number.
    is_last: bool,
    last_sequence: SequenceNumber,
}

impl NewestValues<'_, '_> {
    #[inline(always)]
    fn take_value(&mut self, entry: &StoredEntry<'_>, sequence: SequenceNumber) -> bool {
        let written = if sequence < self.zeroed_below { 0 } else { sequence };
        // Of two versions of a key the block does not take the second.
        if !self.block.add(entry, written, ValueType::Value) {
            return self.take_hidden(entry, sequence);
        }
        self.note_last(sequence, ValueType::Value);
        true
    }

    #[inline(always)]
    fn note_last(&mut self, sequence: SequenceNumber, value_type: ValueType) {
        (self.last_sequence, self.last_type) = (sequence, value_type);
        self.hidden.is_last = false;
    }

    /// Takes an entry that the block does not, if it is a version that the last value hides.
    #[inline(never)]
    fn take_hidden(&mut self, entry: &StoredEntry<'_>, sequence: SequenceNumber) -> bool {
        let is_hidden = self.last_type == ValueType::Value
            && self.last_sequence != MAX_SEQUENCE_NUMBER
            && extract_user_key(entry.key) == extract_user_key(self.block.last_key())
            && self.snapshots.stripe(sequence) == self.snapshots.stripe(self.last_sequence);
        if is_hidden {
            let hidden = &mut self.hidden;
            hidden.count += 1;
            hidden.key_bytes += entry.key.len() as u64;
            hidden.value_bytes += entry.value_size as u64;
            (hidden.is_last, hidden.last_sequence) = (true, sequence);
        }
        is_hidden
    }

    /// Holds an operand back, if it is the newest version of its key.
    #[inline(always)]
    fn take_operand(&mut self, entry: &StoredEntry<'_>, sequence: SequenceNumber) -> bool {
        let Some(held) = &mut self.held_operand else { return false };
        let is_newest = extract_user_key(entry.key) != extract_user_key(self.block.last_key());
        if is_newest {
            held.hold(entry, sequence);
        }
        is_newest
    }

    /// Whether no operand is held back any more now that the next entry is there: it goes to the block.
    #[inline(always)]
    fn let_operand_go(&mut self, next: &StoredEntry<'_>) -> bool {
        let Some(held) = self.held_operand.as_deref_mut().filter(|held| held.is_there) else {
            return true;
        };
        let operand = StoredEntry::apart(&held.key, &held.value);
        let goes = extract_user_key(&held.key) != extract_user_key(next.key)
            && self.block.add(&operand, held.sequence, ValueType::Merge);
        if goes {
            held.is_there = false;
            let sequence = held.sequence;
            self.note_last(sequence, ValueType::Merge);
        }
        goes
    }
}

impl TakesEntries for NewestValues<'_, '_> {
    // Two sources are gone over, and a call for each entry would show.
    #[inline(always)]
    fn take(&mut self, entry: &StoredEntry<'_>) -> bool {
        const VALUE: u8 = ValueType::Value as u8;
        const MERGE: u8 = ValueType::Merge as u8;
        let Some(trailer) = entry.key.last_chunk::<TRAILER_SIZE>() else { return false };
        let trailer = u64::from_le_bytes(*trailer);
        if !self.let_operand_go(entry) {
            return false;
        }
        match trailer as u8 {
            VALUE => self.take_value(entry, trailer >> 8),
            MERGE => self.take_operand(entry, trailer >> 8),
            _ => false,
        }
    }
}

impl CompactionIterator<'_> {
    /// Hands the entries behind the current one, which must be the last in `block`, to that, as long as
    /// they stay as they are, but for their sequence numbers, and it takes them, or nobody needs them
    /// beside those that it took. The current entry is then the last that it took, and has no value any
    /// more.
    pub(crate) fn pass_newest_values(&mut self, block: &mut OpenBlock<'_>) -> Result<()> {
        if !self.keeps_newest_values
            || self.clears_next_value
            || !self.merge_outputs.is_empty()
            || self.input.counts_blobs()
        {
            return Ok(());
        }
        if self.at_next && self.input.may_be_at_block() {
            // It may go on whole, as the next entry.
            return Ok(());
        }
        let zeroed_below = self.zeroed_up_to().map_or(0, |limit| limit.saturating_add(1));
        let (sizes_before, count_before) = (block.raw_sizes(), block.num_entries());
        let mut values = NewestValues {
            block,
            zeroed_below,
            snapshots: &self.context.snapshots,
            last_type: self.value_type,
            last_sequence: self.last_sequence,
            hidden: HiddenValues::default(),
            held_operand: self.keeps_lone_operands.then_some(&mut self.held_operand),
        };
        let from = if self.at_next { PassFrom::Here } else { PassFrom::Next };
        let passed = self.input.pass(from, ENTRIES_PASSED_MAX, &mut values)?;
        let NewestValues { block, last_sequence, last_type, hidden, held_operand, .. } = values;
        let held_sizes = held_operand.map_or((0, 0), |held| held.sizes());
        self.at_next = true;
        self.value_buffer.clear();
        self.value = ValueSource::Buffer;
        let (sizes, taken) = (block.raw_sizes(), block.num_entries() - count_before);
        self.stats.input_records += passed as u64;
        self.stats.input_raw_key_bytes +=
            sizes.0 - sizes_before.0 + hidden.key_bytes + held_sizes.0;
        self.stats.input_raw_value_bytes +=
            sizes.1 - sizes_before.1 + hidden.value_bytes + held_sizes.1;
        self.stats.dropped_hidden += hidden.count;
        if taken > 0 {
            self.key.clear();
            self.key.extend_from_slice(block.last_key());
            self.note_newest(last_sequence, last_type);
            let is_zeroed = last_sequence < zeroed_below;
            self.last_sequence_zeroed = is_zeroed;
            self.sequence = if is_zeroed { 0 } else { last_sequence };
            // A lone operand hides nothing, and no other version of its key comes.
            self.has_current_user_key = last_type == ValueType::Value;
        }
        if hidden.is_last {
            self.last_sequence = hidden.last_sequence;
        }
        Ok(())
    }

    /// Goes on with the operand that was held back, which is the newest version of its key.
    pub(super) fn resume_operand(&mut self) -> Result<()> {
        self.context.cancellation.check()?;
        let held = &mut self.held_operand;
        held.is_there = false;
        std::mem::swap(&mut self.key, &mut held.key);
        std::mem::swap(&mut self.value_buffer, &mut held.value);
        let sequence = held.sequence;
        self.note_newest(sequence, ValueType::Merge);
        (self.valid, self.has_output_key, self.at_next) = (false, false, false);
        self.keep_or_fold(self.context.snapshots.stripe(sequence))?;
        if !self.valid {
            self.next_from_input()?;
        }
        Ok(())
    }
}
