//! From merge operands to a value.

use base::merge_operator::{ExistingValue, MergedValue, WideMergeOperator};
use base::status::SubCode;
use base::wide_columns::{self, Column, DEFAULT_COLUMN_NAME};
use base::{MergeOperator, PinnableSlice, Result, Status};
use std::collections::VecDeque;

/// What the operands of a key are applied to: the newest record older than all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseValue<'a> {
    /// The key had no value or was deleted.
    None,
    /// A plain value.
    Value(&'a [u8]),
    /// An encoded wide-column entity.
    Entity(&'a [u8]),
}

/// What a merge makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeResult {
    /// A plain value.
    Value(Vec<u8>),
    /// An encoded wide-column entity.
    Entity(Vec<u8>),
}

/// Applies `operands`, oldest first, to `base`. Operands of an entity apply to its default column,
/// which is taken as empty and is added where the entity lacks it; its other columns stay.
///
/// # Errors
/// `InvalidArgument` if there is no operator; `Corruption` with
/// [`SubCode::MergeOperatorFailed`] if the operator refuses; `Corruption` or `NotSupported` if
/// the entity cannot be decoded; `NotSupported` if its default column is still a blob index, which
/// the caller resolves first.
pub fn full_merge(
    operator: Option<&dyn MergeOperator>,
    user_key: &[u8],
    base: BaseValue<'_>,
    operands: &[&[u8]],
) -> Result<MergeResult> {
    let operator = operator.ok_or_else(no_operator)?;
    if let Some(wide) = operator.as_wide() {
        return merge_wide(operator, wide, user_key, base, operands);
    }
    match base {
        BaseValue::None => apply(operator, user_key, None, operands).map(MergeResult::Value),
        BaseValue::Value(value) => {
            apply(operator, user_key, Some(value), operands).map(MergeResult::Value)
        }
        BaseValue::Entity(entity) => {
            merge_entity(operator, user_key, entity, operands).map(MergeResult::Entity)
        }
    }
}

#[cold]
fn no_operator() -> Status {
    Status::invalid_argument("a merge operand was found and no merge_operator is set")
}

fn apply(
    operator: &dyn MergeOperator,
    user_key: &[u8],
    existing: Option<&[u8]>,
    operands: &[&[u8]],
) -> Result<Vec<u8>> {
    let merged = operator.full_merge(user_key, existing, operands);
    checked(operator, merged.map_err(|error| refused(operator, &error))?)
}

fn refused(operator: &dyn MergeOperator, error: &Status) -> Status {
    Status::corruption(format!("merge operator {}: {}", operator.name(), error.message()))
        .with_subcode(SubCode::MergeOperatorFailed)
}

/// A value that a record can hold.
fn checked(operator: &dyn MergeOperator, value: Vec<u8>) -> Result<Vec<u8>> {
    if u32::try_from(value.len()).is_err() {
        return Err(Status::corruption(format!(
            "merge operator {} made a value of {} bytes, more than a record holds",
            operator.name(),
            value.len()
        )));
    }
    Ok(value)
}

/// The operator decides about columns itself.
fn merge_wide(
    operator: &dyn MergeOperator,
    wide: &dyn WideMergeOperator,
    user_key: &[u8],
    base: BaseValue<'_>,
    operands: &[&[u8]],
) -> Result<MergeResult> {
    let columns = match base {
        BaseValue::Entity(entity) => wide_columns::decode(entity)?,
        _ => Vec::new(),
    };
    if columns.iter().any(|column| column.is_blob_index) {
        return Err(Status::not_supported("merge onto a column that is a blob reference"));
    }
    let existing = match base {
        BaseValue::None => ExistingValue::None,
        BaseValue::Value(value) => ExistingValue::Value(value),
        BaseValue::Entity(_) => ExistingValue::Entity(&columns),
    };
    let merged = wide.full_merge_wide(user_key, existing, operands);
    Ok(match merged.map_err(|error| refused(operator, &error))? {
        MergedValue::Value(value) => MergeResult::Value(checked(operator, value)?),
        MergedValue::Entity(columns) => {
            MergeResult::Entity(checked(operator, wide_columns::encode_unordered(&columns))?)
        }
    })
}

fn merge_entity(
    operator: &dyn MergeOperator,
    user_key: &[u8],
    entity: &[u8],
    operands: &[&[u8]],
) -> Result<Vec<u8>> {
    let mut columns = wide_columns::decode(entity)?;
    let existing = match wide_columns::default_column(&columns) {
        Some(column) if column.is_blob_index => {
            return Err(Status::not_supported("merge onto a column that is a blob reference"));
        }
        Some(column) => column.value,
        None => {
            let empty = Column { name: DEFAULT_COLUMN_NAME, value: b"", is_blob_index: false };
            columns.insert(0, empty);
            b""
        }
    };
    let merged = apply(operator, user_key, Some(existing), operands)?;
    columns[0].value = &merged;
    Ok(wide_columns::encode(&columns))
}

/// The operands of one key, collected from either end.
#[derive(Clone, Debug, Default)]
pub struct MergeContext {
    /// Oldest first.
    operands: VecDeque<PinnableSlice>,
}

impl MergeContext {
    /// No operands.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operand older than all so far: what a point read and a forward scan meet.
    pub fn push_older(&mut self, operand: PinnableSlice) {
        self.operands.push_front(operand);
    }

    /// Adds an operand newer than all so far: what a backward scan meets.
    pub fn push_newer(&mut self, operand: PinnableSlice) {
        self.operands.push_back(operand);
    }

    /// Forgets all operands.
    pub fn clear(&mut self) {
        self.operands.clear();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.operands.len()
    }

    /// The operands, oldest first.
    pub fn operands(&self) -> impl ExactSizeIterator<Item = &PinnableSlice> {
        self.operands.iter()
    }

    /// [`full_merge`] of these operands.
    ///
    /// # Errors
    /// As [`full_merge`].
    pub fn full_merge(
        &self,
        operator: Option<&dyn MergeOperator>,
        user_key: &[u8],
        base: BaseValue<'_>,
    ) -> Result<MergeResult> {
        let operands: Vec<&[u8]> = self.operands.iter().map(|operand| &**operand).collect();
        full_merge(operator, user_key, base, &operands)
    }
}

#[cfg(test)]
mod tests;
