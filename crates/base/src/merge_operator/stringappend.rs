//! `StringAppendOperator`: a list of strings between delimiters.

use super::MergeOperator;
use crate::status::Result;

pub(super) const NAME: &str = "StringAppendOperator";

/// Appends operands to the value with a delimiter between each two.
#[derive(Clone, Debug)]
pub struct StringAppendOperator {
    delimiter: Vec<u8>,
}

impl StringAppendOperator {
    /// Joins with `delimiter` (the option `delimiter`; RocksDB's default is a comma), which may be
    /// empty or longer than a byte.
    pub fn new(delimiter: impl Into<Vec<u8>>) -> Self {
        Self { delimiter: delimiter.into() }
    }
}

/// An existing value takes part even if it is empty: the result then starts with a delimiter.
pub(super) fn join(delimiter: &[u8], existing: Option<&[u8]>, operands: &[&[u8]]) -> Vec<u8> {
    match existing {
        None => operands.join(delimiter),
        Some(existing) => {
            let appended: usize =
                operands.iter().map(|operand| delimiter.len() + operand.len()).sum();
            let mut joined = Vec::with_capacity(existing.len() + appended);
            joined.extend_from_slice(existing);
            for operand in operands {
                joined.extend_from_slice(delimiter);
                joined.extend_from_slice(operand);
            }
            joined
        }
    }
}

impl MergeOperator for StringAppendOperator {
    fn name(&self) -> &str {
        NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        Ok(join(&self.delimiter, existing, operands))
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        Some(join(&self.delimiter, None, operands))
    }
}
