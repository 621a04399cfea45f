//! How merge operands and a base value become one value.

use crate::status::Result;
use std::fmt;

/// A user's rule for combining operands. Must be deterministic.
pub trait MergeOperator: fmt::Debug + Send + Sync {
    /// The name, which tables store in their properties.
    fn name(&self) -> &str;

    /// Combines `existing` (none if the key has no value) with `operands`, oldest first.
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
