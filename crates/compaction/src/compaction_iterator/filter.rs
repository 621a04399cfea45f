//! What a user's compaction filter makes of the newest version of a key.

use super::{CompactionIterator, ValueSource};
use base::compaction_filter::{Decision, FilterValue};
use base::dbformat::extract_user_key;
use base::wide_columns::{self, Column};
use base::{Result, ValueType};
use blob::BlobReference;

impl CompactionIterator<'_> {
    /// Asks the filter about the current entry, if there is one. Returns the user key to go on
    /// from if the entry and others after it are to be skipped.
    #[inline]
    pub(super) fn apply_filter(&mut self) -> Result<Option<Vec<u8>>> {
        if self.context.filter.is_none() {
            return Ok(None);
        }
        let decision = match self.value_type {
            ValueType::Value | ValueType::BlobIndex | ValueType::WideColumnEntity => self.ask()?,
            _ => return Ok(None),
        };
        Ok(self.obey(decision))
    }

    fn ask(&self) -> Result<Decision> {
        let Some(filter) = &self.context.filter else { return Ok(Decision::Keep) };
        let (level, user_key) = (self.context.level, extract_user_key(&self.key));
        let value = self.input.value();
        Ok(match self.value_type {
            ValueType::BlobIndex => match filter.filter_blob_by_key(level, user_key) {
                Some(decision) => decision,
                None => {
                    let reference = BlobReference::decode(value)?;
                    let value = self.context.environment.read_blob(user_key, &reference)?;
                    filter.filter(level, user_key, FilterValue::Value(&value))
                }
            },
            ValueType::WideColumnEntity => {
                let columns = wide_columns::decode(value)?;
                filter.filter(level, user_key, FilterValue::Entity(&columns))
            }
            _ => filter.filter(level, user_key, FilterValue::Value(value)),
        })
    }

    fn obey(&mut self, decision: Decision) -> Option<Vec<u8>> {
        let (value_type, value) = match decision {
            Decision::Keep => return None,
            Decision::Remove => (ValueType::Deletion, Vec::new()),
            Decision::Purge => (ValueType::SingleDeletion, Vec::new()),
            Decision::ChangeValue(value) => (ValueType::Value, value),
            Decision::ChangeEntity(columns) => (ValueType::WideColumnEntity, encode(&columns)),
            Decision::RemoveAndSkipUntil(target) => {
                let order = self.context.comparator.compare_user_keys(&target, self.user_key());
                return order.is_gt().then_some(target);
            }
        };
        if value_type.is_point_deletion() {
            self.stats.dropped_by_user += 1;
        }
        self.set_type(value_type);
        self.value_buffer = value;
        self.value = ValueSource::Buffer;
        None
    }
}

fn encode(columns: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut columns: Vec<_> =
        columns.iter().map(|(name, value)| Column { name, value, is_blob_index: false }).collect();
    columns.sort_by(|a, b| a.name.cmp(b.name));
    // Of columns of one name the last one counts.
    columns.reverse();
    columns.dedup_by(|a, b| a.name == b.name);
    columns.reverse();
    wide_columns::encode(&columns)
}
