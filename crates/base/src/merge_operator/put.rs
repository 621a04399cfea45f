//! `PutOperator`: a merge that overwrites.

use super::MergeOperator;
use crate::status::{Result, Status};

pub(super) const NAME: &str = "PutOperator";

/// The newest operand is the value.
#[derive(Clone, Copy, Debug, Default)]
pub struct PutOperator;

impl MergeOperator for PutOperator {
    fn name(&self) -> &str {
        NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        _existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        match operands.last() {
            Some(newest) => Ok(newest.to_vec()),
            None => Err(Status::invalid_argument("merge of no operands")),
        }
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        operands.last().map(|newest| newest.to_vec())
    }
}
