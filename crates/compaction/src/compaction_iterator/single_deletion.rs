//! Single deletions: each is meant for the one value written before it, and goes with it.
//!
//! Both may go if nobody needs to know that a write happened: if something newer of the key went on
//! already, or no transaction checks for conflicts that far back. Otherwise the single deletion
//! stays, with the value emptied: they go together later. Mixed with deletions or merge operands of
//! the same key, single deletions have no defined result; such mixtures are counted, and deletions
//! refused unless the user turned that off (`enforce_single_del_contracts`).

use super::{CompactionIterator, ValueSource};
use crate::snapshot_rules::Stripe;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{ParsedInternalKey, Result, SequenceNumber, Status, ValueType};

impl CompactionIterator<'_> {
    pub(super) fn decide_single_deletion(&mut self, stripe: Stripe) -> Result<()> {
        self.input.next()?;
        if self.is_at_older_version()? {
            let next = ParsedInternalKey::parse(self.input.key())?;
            let (sequence, value_type) = (next.sequence, next.value_type);
            self.meet(stripe, sequence, value_type)?;
        } else {
            self.meet_nothing();
        }
        if self.valid {
            self.at_next = true;
            self.value_buffer.clear();
            self.value = ValueSource::Buffer;
        }
        Ok(())
    }

    /// The input is at an older version of the key.
    fn meet(
        &mut self,
        stripe: Stripe,
        next_sequence: SequenceNumber,
        next_type: ValueType,
    ) -> Result<()> {
        if self.last_sequence_zeroed {
            // What went on before is seen by every read.
            return self.drop_pair();
        }
        let snapshots = &self.context.snapshots;
        if snapshots.is_before(stripe, next_sequence) {
            self.valid = true;
            return Ok(());
        }
        let conflict_snapshot = snapshots.earliest_write_conflict_snapshot();
        let nobody_checks = self.has_output_key
            || snapshots.is_in_snapshot(self.sequence, conflict_snapshot)
            || (snapshots.earliest() < conflict_snapshot
                && snapshots.is_in_earliest(self.sequence));
        match next_type {
            ValueType::SingleDeletion => {
                // The older one decides for itself.
                self.stats.dropped_obsolete += 1;
                self.stats.single_deletion_mismatch += 1;
            }
            ValueType::Deletion => {
                self.stats.dropped_obsolete += 1;
                self.stats.single_deletion_mismatch += 1;
                if self.context.enforce_single_del_contracts {
                    return Err(self.contract_violation());
                }
                // It stays as if the single deletion had not been there.
                self.last_sequence = MAX_SEQUENCE_NUMBER;
            }
            _ if !self.is_history_collapsed() => self.valid = true,
            _ if nobody_checks => {
                let is_value = matches!(
                    next_type,
                    ValueType::Value
                        | ValueType::BlobIndex
                        | ValueType::WideColumnEntity
                        | ValueType::ValuePreferredSeqno
                );
                self.stats.single_deletion_mismatch += u64::from(!is_value);
                return self.drop_pair();
            }
            _ => {
                self.valid = true;
                self.clears_next_value = true;
            }
        }
        Ok(())
    }

    /// Drops the single deletion, and the entry that the input is at.
    fn drop_pair(&mut self) -> Result<()> {
        self.stats.dropped_hidden += 1;
        self.stats.dropped_obsolete += 1;
        self.input.next()
    }

    /// No older version is left in the input.
    fn meet_nothing(&mut self) {
        self.has_current_user_key = false;
        if self.context.snapshots.is_in_earliest(self.sequence)
            && self.is_history_collapsed()
            && self.key_is_nowhere_below()
        {
            self.drop_obsolete();
            self.stats.single_deletion_fallthrough += 1;
        } else if self.last_sequence_zeroed {
            self.stats.dropped_hidden += 1;
            self.stats.dropped_obsolete += 1;
        } else {
            self.valid = true;
        }
    }

    #[cold]
    fn contract_violation(&self) -> Status {
        Status::corruption(format!(
            "Found SD and type: 0 on the same key, violating the contract of SingleDelete: {:?}. \
             Check that the application does not mix SingleDelete and Delete for the same key",
            self.parsed_key()
        ))
    }
}
