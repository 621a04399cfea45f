//! `UInt64AddOperator`: sums of little-endian 64-bit integers.

use super::MergeOperator;
use crate::status::Result;

pub(super) const NAME: &str = "UInt64AddOperator";

/// Adds operands to the value, modulo 2^64. A value or operand that is not 8 bytes long counts as
/// zero, as in RocksDB: that is the operator's definition, not an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct UInt64AddOperator;

fn sum(numbers: impl Iterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
    let decode = |raw: &[u8]| raw.try_into().map_or(0, u64::from_le_bytes);
    let total = numbers.fold(0u64, |total, raw| total.wrapping_add(decode(raw.as_ref())));
    total.to_le_bytes().to_vec()
}

impl MergeOperator for UInt64AddOperator {
    fn name(&self) -> &str {
        NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        Ok(sum(existing.iter().chain(operands)))
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        Some(sum(operands.iter()))
    }
}
