//! `MaxOperator`: the greatest of the value and its operands.

use super::MergeOperator;
use crate::status::Result;

pub(super) const NAME: &str = "MaxOperator";

/// Keeps the greatest in bytewise order, whatever the column family's comparator.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxOperator;

impl MergeOperator for MaxOperator {
    fn name(&self) -> &str {
        NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        Ok(existing
            .iter()
            .chain(operands)
            .max()
            .map_or_else(Vec::new, |greatest| greatest.to_vec()))
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        operands.iter().max().map(|greatest| greatest.to_vec())
    }
}
