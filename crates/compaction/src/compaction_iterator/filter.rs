//! What a user's compaction filter makes of the newest version of a key.

use super::{CompactionIterator, ValueSource};
use base::compaction_filter::{Decision, FilterValue, LazyColumns};
use base::dbformat::extract_user_key;
use base::wide_columns::{self, Column};
use base::{CompactionFilter, PinnableSlice, Result, Status, ValueType};
use blob::BlobReference;
use statistics::Ticker;
use std::cell::{OnceCell, RefCell};

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
                let columns = BlobColumns::new(self, wide_columns::decode(value)?);
                columns.decide(&**filter, level, user_key)?
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

/// The columns of an entity, some of them in blob files, which are read as a filter asks.
struct BlobColumns<'a> {
    iterator: &'a CompactionIterator<'a>,
    columns: Vec<Column<'a>>,
    /// What was read, by the places of columns.
    read: Vec<OnceCell<PinnableSlice>>,
    /// The first value that could not be read.
    failure: RefCell<Option<Status>>,
}

impl<'a> BlobColumns<'a> {
    fn new(iterator: &'a CompactionIterator<'_>, columns: Vec<Column<'a>>) -> Self {
        let read = columns.iter().map(|_| OnceCell::new()).collect();
        Self { iterator, columns, read, failure: RefCell::new(None) }
    }

    /// Asks the filter, which has all values read unless it decides without.
    fn decide(
        &self,
        filter: &dyn CompactionFilter,
        level: usize,
        user_key: &[u8],
    ) -> Result<Decision> {
        if self.columns.iter().any(|column| column.is_blob_index)
            && let Some(decision) = filter.filter_entity_lazily(level, user_key, self)
        {
            return self.failure.take().map_or(Ok(decision), Err);
        }
        let read = |(index, column): (usize, &Column<'a>)| {
            let value = self.value(index)?;
            Ok(Column { name: column.name, value, is_blob_index: false })
        };
        let columns: Vec<Column<'_>> =
            self.columns.iter().enumerate().map(read).collect::<Result<_>>()?;
        Ok(filter.filter(level, user_key, FilterValue::Entity(&columns)))
    }

    fn read(&self, index: usize, column: &Column<'_>) -> Result<&[u8]> {
        if let Some(value) = self.read[index].get() {
            return Ok(value);
        }
        let user_key = extract_user_key(&self.iterator.key);
        let reference = BlobReference::decode(column.value)?;
        let value = self.iterator.context.environment.read_blob(user_key, &reference)?;
        Ok(self.read[index].get_or_init(|| value))
    }
}

impl LazyColumns for BlobColumns<'_> {
    fn count(&self) -> usize {
        self.columns.len()
    }

    fn name(&self, index: usize) -> Option<&[u8]> {
        self.columns.get(index).map(|column| column.name)
    }

    fn is_in_blob_file(&self, index: usize) -> bool {
        self.columns.get(index).is_some_and(|column| column.is_blob_index)
    }

    fn value(&self, index: usize) -> Result<&[u8]> {
        match self.columns.get(index) {
            None => Err(Status::invalid_argument(format!(
                "there are {} columns, and none at place {index}",
                self.columns.len()
            ))),
            Some(column) if !column.is_blob_index => Ok(column.value),
            Some(column) => self.read(index, column).inspect_err(|status| {
                self.failure.borrow_mut().get_or_insert_with(|| status.clone());
            }),
        }
    }
}

#[cfg(test)]
mod tests;
