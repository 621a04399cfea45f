//! `StringAppendTESTOperator`: [`StringAppendOperator`](super::StringAppendOperator) without
//! partial merges, so that long lists of operands survive in files.

use super::MergeOperator;
use super::stringappend::join;
use crate::status::Result;

pub(super) const NAME: &str = "StringAppendTESTOperator";

/// Appends operands to the value with a delimiter between each two; never merges operands alone.
#[derive(Clone, Debug)]
pub struct StringAppendTestOperator {
    delimiter: Vec<u8>,
}

impl StringAppendTestOperator {
    /// Joins with `delimiter`, the option of that name.
    pub fn new(delimiter: impl Into<Vec<u8>>) -> Self {
        Self { delimiter: delimiter.into() }
    }
}

impl MergeOperator for StringAppendTestOperator {
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
}
