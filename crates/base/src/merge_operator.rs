//! How merge operands and a base value become one value.
//!
//! The trait through which users bring their own rule, and the operators RocksDB ships, by the
//! names under which its OPTIONS files, table properties and tools know them.

use crate::status::Result;
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
