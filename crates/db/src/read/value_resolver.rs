//! From stored records to the values that users see: blob references, entities, merges.

use crate::read::blob_reads::BlobReads;
use crate::read::db_iter::Entry;
use crate::read::read_stats::count_merge;
use crate::read::scan_cursor::ScanCursor;
use base::dbformat::{ValueType, hex};
use base::wide_columns::{self, Column, DEFAULT_COLUMN_NAME};
use base::{InternalIterator, InternalKeyComparator, MergeOperator, PinnableSlice, Result, Status};
use blob::BlobReadOptions;
use iterator::merge_helper::{self, BaseValue, MergeResult};
use perf_context::{PerfMetric, Timer};
use statistics::{Recorder, Statistics};
use std::sync::Arc;

/// Bytes of the preferred sequence number at the end of a `ValuePreferredSeqno` record's value.
const PREFERRED_SEQNO_SIZE: usize = 8;

/// Names and values of an entity's columns, ascending by name.
pub type Columns = Vec<(Vec<u8>, Vec<u8>)>;

/// A value with nothing left to look up.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    /// A plain value.
    Value(PinnableSlice),
    /// An encoded entity whose columns are all inline.
    Entity(PinnableSlice),
}

impl Resolved {
    /// The plain value; of an entity, its default column (empty if it lacks one).
    pub(crate) fn into_plain(self) -> Result<PinnableSlice> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Entity(encoded) => {
                let columns = wide_columns::decode(&encoded)?;
                let value = wide_columns::default_column(&columns).map_or(&[][..], |c| c.value);
                Ok(PinnableSlice::from(value))
            }
        }
    }

    /// Names and values of the columns; a plain value is one column with the empty name.
    pub(crate) fn into_columns(self) -> Result<Columns> {
        match self {
            Self::Value(value) => Ok(vec![(DEFAULT_COLUMN_NAME.to_vec(), value.into_vec())]),
            Self::Entity(encoded) => Ok(wide_columns::decode(&encoded)?
                .iter()
                .map(|column| (column.name.to_vec(), column.value.to_vec()))
                .collect()),
        }
    }
}

/// What reading a column family's values needs.
#[derive(Clone, Debug)]
pub(crate) struct ValueResolver {
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) merge_operator: Option<Arc<dyn MergeOperator>>,
    pub(crate) blobs: BlobReads,
    /// Where merges are counted.
    pub(crate) statistics: Option<Arc<Statistics>>,
}

impl ValueResolver {
    /// What this thread counts to, if anybody wants to know.
    #[inline]
    pub(crate) fn recorder(&self) -> Option<Recorder<'_>> {
        self.statistics.as_ref()?.recorder()
    }

    /// The entry of a record under the cursor; a plain value stays where it is.
    #[inline]
    pub(crate) fn show(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        value_type: ValueType,
        internal: &ScanCursor,
    ) -> Result<Entry> {
        if value_type == ValueType::Value {
            return Ok(Entry::InPlace { length: internal.value().len() });
        }
        self.hold(options, user_key, value_type, internal.pinned_value())
    }

    /// The entry of a record whose cursor has moved on.
    pub(crate) fn hold(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        value_type: ValueType,
        value: PinnableSlice,
    ) -> Result<Entry> {
        Entry::from_resolved(self.resolve(options, user_key, value_type, value)?)
    }

    /// The entry of merge operands, oldest first, over a base.
    pub(crate) fn merge(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        base: Option<(ValueType, PinnableSlice)>,
        operands: &[PinnableSlice],
    ) -> Result<Entry> {
        Entry::from_resolved(self.merge_operands(options, user_key, base, operands)?)
    }

    /// Looks up whatever a stored value refers to.
    pub(crate) fn resolve(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        value_type: ValueType,
        value: PinnableSlice,
    ) -> Result<Resolved> {
        match value_type {
            ValueType::Value => Ok(Resolved::Value(value)),
            ValueType::ValuePreferredSeqno => {
                let Some(length) = value.len().checked_sub(PREFERRED_SEQNO_SIZE) else {
                    return Err(Status::corruption(format!(
                        "value of key {} with a preferred sequence number has {} bytes, expected \
                         at least {PREFERRED_SEQNO_SIZE}",
                        hex(user_key),
                        value.len()
                    )));
                };
                Ok(Resolved::Value(PinnableSlice::from(&value[..length])))
            }
            ValueType::BlobIndex => self.blobs.read(options, user_key, &value).map(Resolved::Value),
            ValueType::WideColumnEntity => {
                self.inline_columns(options, user_key, value).map(Resolved::Entity)
            }
            other => Err(Status::corruption(format!(
                "key {} has a record of type {other:?} where a value was expected",
                hex(user_key)
            ))),
        }
    }

    /// Combines operands, oldest first, with a base.
    pub(crate) fn merge_operands(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        base: Option<(ValueType, PinnableSlice)>,
        operands: &[PinnableSlice],
    ) -> Result<Resolved> {
        let base = match base {
            Some((value_type, value)) => Some(self.resolve(options, user_key, value_type, value)?),
            None => None,
        };
        let base = match &base {
            None => BaseValue::None,
            Some(Resolved::Value(value)) => BaseValue::Value(value),
            Some(Resolved::Entity(encoded)) => BaseValue::Entity(encoded),
        };
        let operands: Vec<&[u8]> = operands.iter().map(|operand| &**operand).collect();
        let key = self.comparator.strip_timestamp(user_key);
        let statistics = self.statistics.as_deref();
        let start = statistics.and_then(Statistics::start_timer);
        let _timer = Timer::start(PerfMetric::MergeOperatorTimeNanos);
        let outcome =
            merge_helper::full_merge(self.merge_operator.as_deref(), key, base, &operands);
        if let Some(statistics) = statistics {
            count_merge(statistics, start, operands.len(), outcome.is_ok());
        }
        let outcome = outcome.map_err(|error| error.context(format_args!("key {}", hex(key))))?;
        Ok(match outcome {
            MergeResult::Value(value) => Resolved::Value(value.into()),
            MergeResult::Entity(encoded) => Resolved::Entity(encoded.into()),
        })
    }

    /// The same entity with every blob reference replaced by its value.
    fn inline_columns(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        encoded: PinnableSlice,
    ) -> Result<PinnableSlice> {
        let columns = wide_columns::decode(&encoded)?;
        if !columns.iter().any(|column| column.is_blob_index) {
            drop(columns);
            return Ok(encoded);
        }
        let values = columns
            .iter()
            .map(|column| match column.is_blob_index {
                true => self.blobs.read(options, user_key, column.value),
                false => Ok(PinnableSlice::from(column.value)),
            })
            .collect::<Result<Vec<_>>>()?;
        let inline: Vec<_> = columns
            .iter()
            .zip(&values)
            .map(|(column, value)| Column { name: column.name, value, is_blob_index: false })
            .collect();
        Ok(wide_columns::encode(&inline).into())
    }
}
