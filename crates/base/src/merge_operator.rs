//! How merge operands and a base value become one value.
//!
//! The trait through which users bring their own rule, and the operators RocksDB ships, by the
//! names under which its OPTIONS files, table properties and tools know them.

use crate::pinnable_slice::PinnableSlice;
use crate::status::Result;
use crate::wide_columns::Column;
use std::fmt;
use std::sync::Arc;

mod bytesxor;
mod max;
mod put;
mod sortlist;
mod stringappend;
mod stringappendtest;
mod uint64add;

pub use bytesxor::BytesXorOperator;
pub use max::MaxOperator;
pub use put::PutOperator;
pub use sortlist::SortListOperator;
pub use stringappend::StringAppendOperator;
pub use stringappendtest::StringAppendTestOperator;
pub use uint64add::UInt64AddOperator;

/// A user's rule for combining operands. Must be deterministic.
pub trait MergeOperator: fmt::Debug + Send + Sync {
    /// The name, which tables store in their properties.
    fn name(&self) -> &str;

    /// Combines `existing` (none if the key has no value) with `operands`, oldest first and at
    /// least one.
    ///
    /// # Errors
    /// A `Corruption` if the operands cannot be combined; the read that needed them fails.
    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>>;

    /// Combines adjacent operands, oldest first and at least two, into one operand with the same
    /// effect; none if they can only be combined with a base value.
    fn partial_merge(&self, _key: &[u8], _operands: &[&[u8]]) -> Option<Vec<u8>> {
        None
    }

    /// How operands and entities become one (`FullMergeV3`). Default: none, and operands of an
    /// entity are merged into its default column.
    fn as_wide(&self) -> Option<&dyn WideMergeOperator> {
        None
    }

    /// Whether these operands, newest first, are merged without what is older, as if the key had no
    /// base: where a number of operands is enough. Asked by point reads, after each operand that
    /// they find. Default: no.
    fn should_merge(&self, _operands: &[PinnableSlice]) -> bool {
        false
    }

    /// Whether [`MergeOperator::partial_merge`] is also asked about one operand alone, so that a
    /// flush or compaction can change it. Default: no.
    fn allow_single_operand(&self) -> bool {
        false
    }

    /// Who fails where operands cannot be combined. Default: whoever tries to.
    fn op_failure_scope(&self) -> OpFailureScope {
        OpFailureScope::TryMerge
    }
}

/// Who fails where operands cannot be combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpFailureScope {
    /// Reads, flushes and compactions.
    #[default]
    TryMerge,
    /// Reads alone, which must have the value. Flushes and compactions leave the operands as they
    /// are.
    MustMerge,
}

/// What operands are merged with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingValue<'a> {
    /// The key had no value.
    None,
    /// A plain value.
    Value(&'a [u8]),
    /// The columns of an entity, ascending by name.
    Entity(&'a [Column<'a>]),
}

/// What a merge makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergedValue {
    /// A plain value.
    Value(Vec<u8>),
    /// Columns of an entity, in any order; of two of one name the last one counts.
    Entity(Vec<(Vec<u8>, Vec<u8>)>),
}

/// A merge operator that knows of columns.
pub trait WideMergeOperator {
    /// As [`MergeOperator::full_merge`], from and to entities as well.
    ///
    /// # Errors
    /// As [`MergeOperator::full_merge`].
    fn full_merge_wide(
        &self,
        key: &[u8],
        existing: ExistingValue<'_>,
        operands: &[&[u8]],
    ) -> Result<MergedValue>;
}

/// A rule for two values, of which a [`MergeOperator`] follows: where operands are of the same kind as
/// values, and it does not matter which two are combined first (`AssociativeMergeOperator`).
pub trait AssociativeMergeOperator: fmt::Debug + Send + Sync {
    /// The name, which tables store in their properties.
    fn name(&self) -> &str;

    /// Combines `existing`, none if there is nothing yet, with what came after it.
    ///
    /// # Errors
    /// As [`MergeOperator::full_merge`].
    fn merge(&self, key: &[u8], existing: Option<&[u8]>, value: &[u8]) -> Result<Vec<u8>>;
}

impl<T: AssociativeMergeOperator> MergeOperator for T {
    fn name(&self) -> &str {
        AssociativeMergeOperator::name(self)
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        let mut merged = existing.map(<[u8]>::to_vec);
        for operand in operands {
            merged = Some(self.merge(key, merged.as_deref(), operand)?);
        }
        Ok(merged.unwrap_or_default())
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        let (first, rest) = operands.split_first()?;
        self.full_merge(key, Some(first), rest).ok()
    }
}

/// The built-in operator of this name or nickname: `UInt64AddOperator`, `uint64add`,
/// `PutOperator`, `put`, `put_v1`, `MaxOperator`, `max`, `StringAppendOperator`, `stringappend`,
/// `StringAppendTESTOperator`, `stringappendtest`, `BytesXOR`, `bytesxor`, `MergeSortOperator` or
/// `sortlist`. The two that join strings join them with a comma.
pub fn builtin(name: &str) -> Option<Arc<dyn MergeOperator>> {
    Some(match name {
        uint64add::NAME | "uint64add" => Arc::new(UInt64AddOperator),
        // RocksDB's two put operators differ in the C++ interface they go through alone.
        put::NAME | "put" | "put_v1" => Arc::new(PutOperator),
        max::NAME | "max" => Arc::new(MaxOperator),
        bytesxor::NAME | "bytesxor" => Arc::new(BytesXorOperator),
        sortlist::NAME | "sortlist" => Arc::new(SortListOperator),
        _ => return builtin_with_delimiter(name, b","),
    })
}

/// The built-in operator of this name among those that have a `delimiter` option, with that
/// delimiter: what `{id=StringAppendOperator;delimiter=|;}` in an OPTIONS file asks for.
pub fn builtin_with_delimiter(name: &str, delimiter: &[u8]) -> Option<Arc<dyn MergeOperator>> {
    Some(match name {
        stringappend::NAME | "stringappend" => Arc::new(StringAppendOperator::new(delimiter)),
        stringappendtest::NAME | "stringappendtest" => {
            Arc::new(StringAppendTestOperator::new(delimiter))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
