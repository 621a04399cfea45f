//! What a user's compaction filter makes of the newest version of a key.

use super::{CompactionIterator, ValueSource};
use base::compaction_filter::{Decision, FilterValue};
use base::dbformat::extract_user_key;
use base::wide_columns::{self, Column};
use base::{CompactionFilter, PinnableSlice, Result, Status, ValueType};
use blob::BlobReference;
use statistics::Ticker;

/// The filter of a job, unless it wants what no filter can have.
///
/// # Errors
/// `NotSupported` if it does not ignore snapshots.
pub(crate) fn checked_filter(
    filter: Option<Box<dyn CompactionFilter>>,
) -> Result<Option<Box<dyn CompactionFilter>>> {
    match filter {
        Some(filter) if !filter.ignore_snapshots() => Err(Status::not_supported(format!(
            "compaction filter {}: a filter that does not ignore snapshots is not supported any \
             more",
            filter.name()
        ))),
        filter => Ok(filter),
    }
}

impl CompactionIterator<'_> {
    /// Asks the filter about the current entry, if there is one. Returns the user key to go on
    /// from if the entry and others after it are to be skipped.
    #[inline]
    pub(super) fn apply_filter(&mut self) -> Result<Option<Vec<u8>>> {
        if self.context.filter.is_none() {
            return Ok(None);
        }
        let decision = match self.value_type {
            ValueType::Value | ValueType::BlobIndex | ValueType::WideColumnEntity => {
                self.ask_counted()?
            }
            _ => return Ok(None),
        };
        Ok(self.obey(decision))
    }

    fn ask_counted(&self) -> Result<Decision> {
        let Some(statistics) = self.context.statistics.as_deref() else { return self.ask() };
        let start = statistics.start_timer();
        let decision = self.ask();
        statistics.record(|recorder| {
            recorder.tick(Ticker::FilterOperationTotalTime, recorder.elapsed_nanos(start));
        });
        decision
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
                let mut columns = wide_columns::decode(value)?;
                let read = self.read_blob_columns(&columns)?;
                for (column, value) in columns.iter_mut().zip(&read) {
                    if let Some(value) = value {
                        (column.value, column.is_blob_index) = (value, false);
                    }
                }
                filter.filter(level, user_key, FilterValue::Entity(&columns))
            }
            _ => filter.filter(level, user_key, FilterValue::Value(value)),
        })
    }

    /// The values of those columns that are in blob files.
    fn read_blob_columns(&self, columns: &[Column<'_>]) -> Result<Vec<Option<PinnableSlice>>> {
        if columns.iter().all(|column| !column.is_blob_index) {
            return Ok(Vec::new());
        }
        let user_key = extract_user_key(&self.key);
        let read = |column: &Column<'_>| match column.is_blob_index {
            true => {
                let reference = BlobReference::decode(column.value)?;
                self.context.environment.read_blob(user_key, &reference).map(Some)
            }
            false => Ok(None),
        };
        columns.iter().map(read).collect()
    }

    fn obey(&mut self, decision: Decision) -> Option<Vec<u8>> {
        let (value_type, value) = match decision {
            Decision::Keep => return None,
            Decision::Remove => (ValueType::Deletion, Vec::new()),
            Decision::Purge => (ValueType::SingleDeletion, Vec::new()),
            Decision::ChangeValue(value) => (ValueType::Value, value),
            Decision::ChangeEntity(columns) => {
                (ValueType::WideColumnEntity, wide_columns::encode_unordered(&columns))
            }
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
