//! Merge operands of one key, folded as far as can be.
//!
//! Operands are collected from the newest on until a base value or deletion, another key, or a
//! version that an older snapshot sees. With a base, or where the beginning of the key's history is
//! known to be reached, one value remains. Otherwise the operands stay, as one if the operator can
//! combine them.

use super::{CompactionIterator, ValueSource, preferred_sequence};
use crate::snapshot_rules::Stripe;
use base::compaction_filter::{Decision, FilterValue};
use base::dbformat::{TRAILER_SIZE, extract_user_key, pack_sequence_and_type};
use base::merge_operator::OpFailureScope;
use base::status::SubCode;
use base::wide_columns::{self, Column, DEFAULT_COLUMN_NAME};
use base::{ParsedInternalKey, PinnableSlice, Result, Status, ValueType};
use blob::BlobReference;
use iterator::{BaseValue, MergeResult};
use statistics::{Statistics, Ticker};
use std::ops::ControlFlow;

/// An operand with its internal key.
struct Operand {
    key: Vec<u8>,
    value: PinnableSlice,
}

/// Why no further operand was collected.
enum Stop {
    /// Another key, or the end.
    EndOfKey,
    /// A version that an older snapshot sees.
    OlderSnapshot,
    /// The input is at something that is no operand.
    Base(ValueType),
    /// The filter wants to go on from this user key.
    Skip(Vec<u8>),
}

impl CompactionIterator<'_> {
    /// Folds the operands from the current one on. Afterwards the input is at the first entry that
    /// is not part of the result.
    pub(super) fn merge(&mut self, stripe: Stripe) -> Result<()> {
        if self.context.merge_operator.is_none() {
            return Err(Status::invalid_argument(format!(
                "merge_operator is not properly initialized: found {:?}",
                self.parsed_key()
            )));
        }
        if !self.keeps_lone_operands {
            return self.fold(stripe, Vec::new());
        }
        self.value_buffer.clear();
        self.value_buffer.extend_from_slice(self.input.value());
        self.input.next()?;
        self.keep_or_fold(stripe)
    }

    /// Keeps the current operand, which the input is behind and whose value is in the buffer, if the next entry has
    /// another key: what folding it would come to.
    pub(super) fn keep_or_fold(&mut self, stripe: Stripe) -> Result<()> {
        if self.is_at_older_version()? {
            let value = PinnableSlice::from(self.value_buffer.as_slice());
            return self.fold(stripe, vec![Operand { key: self.key.clone(), value }]);
        }
        self.value = ValueSource::Buffer;
        (self.valid, self.at_next) = (true, true);
        // What comes next is not hidden by the operand.
        self.has_current_user_key = false;
        Ok(())
    }

    /// Folds the operands from the current one on, where they are not in `operands` yet.
    fn fold(&mut self, stripe: Stripe, mut operands: Vec<Operand>) -> Result<()> {
        let stop = self.collect_operands(stripe, &mut operands)?;
        if let Stop::Skip(target) = stop {
            self.has_current_user_key = false;
            return self.input.skip_until(&target);
        }
        if operands.is_empty() {
            // What comes next is not hidden by operands that are gone.
            self.has_current_user_key = false;
            return Ok(());
        }
        self.merge_is_unfinished = false;
        match stop {
            Stop::Base(value_type) => {
                let merged = self.merge_onto_base(value_type, &operands);
                match self.unless_left_to_reads(merged)? {
                    Some(merged) => {
                        self.input.next()?;
                        self.put_merged(&operands, merged);
                    }
                    None => self.put_unmerged(operands),
                }
            }
            Stop::EndOfKey if self.context.is_bottommost && self.is_history_collapsed() => {
                let merged = self.full_merge(BaseValue::None, &operands);
                match self.unless_left_to_reads(merged)? {
                    Some(merged) => self.put_merged(&operands, merged),
                    None => self.put_unmerged(operands),
                }
            }
            _ => self.put_operands(operands),
        }
        self.show_merge_output()
    }

    /// Goes on to the next output, or else to what comes after the merge.
    pub(super) fn next_merge_output(&mut self) -> Result<()> {
        self.merge_outputs.pop_front();
        if !self.merge_outputs.is_empty() {
            return self.show_merge_output();
        }
        if self.merge_is_unfinished {
            // A base of an older stripe may follow: it is not hidden by the operands.
            self.has_current_user_key = false;
        }
        self.next_from_input()
    }

    fn show_merge_output(&mut self) -> Result<()> {
        let Some((key, _)) = self.merge_outputs.front() else { return Ok(()) };
        let parsed = ParsedInternalKey::parse(key)?;
        (self.sequence, self.value_type) = (parsed.sequence, parsed.value_type);
        self.key.clear();
        self.key.extend_from_slice(key);
        self.value = ValueSource::Merge;
        self.valid = true;
        Ok(())
    }

    fn collect_operands(&mut self, stripe: Stripe, operands: &mut Vec<Operand>) -> Result<Stop> {
        let mut is_first = operands.is_empty();
        while self.input.valid() {
            self.context.cancellation.check()?;
            let key = ParsedInternalKey::parse(self.input.key())?;
            if !is_first {
                if !self.is_same_merge_key(key.user_key) {
                    return Ok(Stop::EndOfKey);
                }
                if self.context.snapshots.is_before(stripe, key.sequence) {
                    return Ok(Stop::OlderSnapshot);
                }
            }
            is_first = false;
            if key.value_type != ValueType::Merge {
                return Ok(Stop::Base(key.value_type));
            }
            if let ControlFlow::Break(target) = self.collect_operand(operands)? {
                return Ok(Stop::Skip(target));
            }
            self.input.next()?;
        }
        Ok(Stop::EndOfKey)
    }

    /// Takes the operand that the input is at, unless it is filtered or hidden.
    fn collect_operand(&mut self, operands: &mut Vec<Operand>) -> Result<ControlFlow<Vec<u8>>> {
        let key = ParsedInternalKey::parse(self.input.key())?;
        let mut value = None;
        if key.sequence > self.context.snapshots.latest()
            && let Some(filter) = &self.context.filter
        {
            let operand = FilterValue::MergeOperand(self.input.value());
            match filter.filter(self.context.level, key.user_key, operand) {
                Decision::Keep | Decision::ChangeEntity(_) => {}
                Decision::Remove | Decision::Purge => return Ok(ControlFlow::Continue(())),
                Decision::ChangeValue(changed) => value = Some(PinnableSlice::from(changed)),
                Decision::RemoveAndSkipUntil(target) => {
                    let order = self.context.comparator.compare_user_keys(&target, key.user_key);
                    if order.is_gt() {
                        operands.clear();
                        return Ok(ControlFlow::Break(target));
                    }
                }
            }
        }
        if self.hides_history(key.user_key) && self.context.cover.should_delete(&key) {
            self.stats.dropped_hidden += 1;
            self.stats.dropped_by_range_deletion += 1;
            return Ok(ControlFlow::Continue(()));
        }
        let value = value.unwrap_or_else(|| self.input.pinned_value());
        operands.push(Operand { key: self.input.key().to_vec(), value });
        Ok(ControlFlow::Continue(()))
    }

    /// Whether the input's entry belongs to the key whose operands are collected. With timestamps,
    /// another timestamp is another key unless history tells neither from the other.
    fn is_same_merge_key(&self, user_key: &[u8]) -> bool {
        self.is_same_user_key(user_key)
            && (self.context.comparator.timestamp_size() == 0
                || self.order_of_timestamp(user_key).is_eq()
                || (self.history_order.is_lt() && self.hides_history(user_key)))
    }

    /// Whether a range tombstone may hide the version with this key.
    fn hides_history(&self, user_key: &[u8]) -> bool {
        let comparator = &self.context.comparator;
        comparator.timestamp_size() == 0
            || self.context.full_history_ts_low.as_deref().is_some_and(|low| {
                let timestamp = self.timestamp_of(user_key);
                comparator.user_comparator().compare_timestamp(timestamp, low).is_lt()
            })
    }

    fn full_merge(&self, base: BaseValue<'_>, operands: &[Operand]) -> Result<MergeResult> {
        let oldest_first: Vec<&[u8]> =
            operands.iter().rev().map(|operand| &*operand.value).collect();
        let operator = self.context.merge_operator.as_deref();
        let statistics = self.context.statistics.as_deref();
        let start = statistics.and_then(Statistics::start_timer);
        let merged = iterator::full_merge(operator, self.user_key(), base, &oldest_first);
        if let Some(statistics) = statistics {
            statistics.record(|recorder| {
                recorder.tick(Ticker::MergeOperationTotalTime, recorder.elapsed_nanos(start));
                recorder.tick(Ticker::NumberMergeFailures, u64::from(merged.is_err()));
            });
        }
        merged
    }

    /// None if the operator refused and it is for reads to fail.
    fn unless_left_to_reads(&self, merged: Result<MergeResult>) -> Result<Option<MergeResult>> {
        let scope =
            self.context.merge_operator.as_ref().map(|operator| operator.op_failure_scope());
        match merged {
            Err(status)
                if status.subcode() == SubCode::MergeOperatorFailed
                    && scope == Some(OpFailureScope::MustMerge) =>
            {
                Ok(None)
            }
            merged => merged.map(Some),
        }
    }

    /// Merges onto what the input is at.
    fn merge_onto_base(
        &mut self,
        value_type: ValueType,
        operands: &[Operand],
    ) -> Result<MergeResult> {
        let key = ParsedInternalKey::parse(self.input.key())?;
        if self.hides_history(key.user_key) && self.context.cover.should_delete(&key) {
            return self.full_merge(BaseValue::None, operands);
        }
        match value_type {
            ValueType::Value => self.full_merge(BaseValue::Value(self.input.value()), operands),
            ValueType::ValuePreferredSeqno => {
                let value = self.input.value();
                let Some(_) = preferred_sequence(value) else {
                    return Err(Status::corruption(format!(
                        "value of {} bytes is too short for a preferred sequence number: {key:?}",
                        value.len()
                    )));
                };
                let end = value.len() - size_of::<u64>();
                self.full_merge(BaseValue::Value(&value[..end]), operands)
            }
            ValueType::BlobIndex => {
                let reference = BlobReference::decode(self.input.value())?;
                let value = self.read_base_blob(&reference)?;
                self.full_merge(BaseValue::Value(&value), operands)
            }
            ValueType::WideColumnEntity => {
                let entity = self.resolve_default_column()?;
                self.full_merge(BaseValue::Entity(&entity), operands)
            }
            _ => self.full_merge(BaseValue::None, operands),
        }
    }

    fn read_base_blob(&mut self, reference: &BlobReference) -> Result<PinnableSlice> {
        // The base's key, which may have another timestamp than the operands.
        let user_key = extract_user_key(self.input.key());
        let value = self.context.environment.read_blob(user_key, reference)?;
        self.stats.blobs_read += 1;
        self.stats.blob_bytes_read += value.len() as u64;
        Ok(value)
    }

    /// The entity that the input is at, with its default column in it even if that is in a blob
    /// file.
    fn resolve_default_column(&mut self) -> Result<Vec<u8>> {
        let entity = self.input.value().to_vec();
        let columns = wide_columns::decode(&entity)?;
        // An operator that knows of columns gets them all.
        let gets_all =
            self.context.merge_operator.as_ref().is_some_and(|one| one.as_wide().is_some());
        let is_wanted = |column: &Column<'_>| {
            column.is_blob_index && (gets_all || column.name == DEFAULT_COLUMN_NAME)
        };
        if !columns.iter().any(is_wanted) {
            return Ok(entity);
        }
        let mut read = Vec::with_capacity(columns.len());
        for column in &columns {
            read.push(match is_wanted(column) {
                true => Some(self.read_base_blob(&BlobReference::decode(column.value)?)?),
                false => None,
            });
        }
        let columns: Vec<_> = std::iter::zip(columns, &read)
            .map(|(column, read)| match read {
                Some(value) => Column { name: column.name, value, is_blob_index: false },
                None => column,
            })
            .collect();
        Ok(wide_columns::encode(&columns))
    }

    /// The result takes the place of the newest operand.
    fn put_merged(&mut self, operands: &[Operand], merged: MergeResult) {
        let (value_type, value) = match merged {
            MergeResult::Value(value) => (ValueType::Value, value),
            MergeResult::Entity(value) => (ValueType::WideColumnEntity, value),
        };
        let Some(newest) = operands.first() else { return };
        let mut key = newest.key.clone();
        let start = key.len() - TRAILER_SIZE;
        let trailer = base::dbformat::extract_trailer(&key);
        let trailer = pack_sequence_and_type(trailer >> 8, value_type);
        key[start..].copy_from_slice(&trailer.to_le_bytes());
        self.merge_outputs.push_back((key, value));
    }

    /// The operands stay, as one if they can be combined without a base.
    fn put_operands(&mut self, operands: Vec<Operand>) {
        self.merge_is_unfinished = true;
        if let Some(operator) = &self.context.merge_operator
            && (operands.len() >= 2 || (operands.len() == 1 && operator.allow_single_operand()))
        {
            let oldest_first: Vec<&[u8]> =
                operands.iter().rev().map(|operand| &*operand.value).collect();
            if let Some(combined) = operator.partial_merge(self.user_key(), &oldest_first) {
                let newest = operands.into_iter().next();
                self.merge_outputs.extend(newest.map(|operand| (operand.key, combined)));
                return;
            }
        }
        self.put_unmerged(operands);
    }

    fn put_unmerged(&mut self, operands: Vec<Operand>) {
        self.merge_is_unfinished = true;
        let outputs = operands.into_iter().map(|operand| (operand.key, operand.value.into_vec()));
        self.merge_outputs.extend(outputs);
    }
}
