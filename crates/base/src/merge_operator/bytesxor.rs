//! `BytesXOR`: exclusive or, byte by byte.

use super::MergeOperator;
use crate::status::Result;

pub(super) const NAME: &str = "BytesXOR";

/// The exclusive or of the value and its operands; the shorter ones count as padded with zeroes.
#[derive(Clone, Copy, Debug, Default)]
pub struct BytesXorOperator;

fn xor<'a>(parts: impl Iterator<Item = &'a &'a [u8]>) -> Vec<u8> {
    let mut result = Vec::new();
    for part in parts {
        if result.len() < part.len() {
            result.resize(part.len(), 0);
        }
        result.iter_mut().zip(*part).for_each(|(byte, other)| *byte ^= other);
    }
    result
}

impl MergeOperator for BytesXorOperator {
    fn name(&self) -> &str {
        NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        Ok(xor(existing.iter().chain(operands)))
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        Some(xor(operands.iter()))
    }
}
