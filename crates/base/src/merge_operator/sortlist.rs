//! `MergeSortOperator` (nickname `sortlist`): sorted lists of integers become one.
//!
//! A list is decimal 32-bit integers between commas. As in RocksDB a NUL byte ends it, spaces
//! before a number and anything between a number and the next comma are ignored, and a value
//! that was put rather than merged takes no part.

use super::MergeOperator;
use crate::dbformat::hex;
use crate::status::{Result, Status};

pub(super) const NAME: &str = "MergeSortOperator";

/// Merges lists of integers, each sorted in ascending order.
#[derive(Clone, Copy, Debug, Default)]
pub struct SortListOperator;

/// Reads a number as C's `strtol` does; `None` where RocksDB's `std::stoi` would throw.
fn parse_number(text: &[u8]) -> Option<i32> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let text = &text[text.iter().take_while(|byte| is_space(byte)).count()..];
    let sign_length = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let digits = text[sign_length..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&text[..sign_length + digits]).ok()?.parse().ok()
}

fn parse_list(operand: &[u8]) -> Result<Vec<i32>> {
    let end = operand.iter().position(|&byte| byte == 0).unwrap_or(operand.len());
    operand[..end]
        .split(|&byte| byte == b',')
        .map(|number| {
            parse_number(number).ok_or_else(|| {
                let found = hex(number);
                Status::corruption(format!("{NAME}: expected a 32-bit integer, found 0x{found}"))
            })
        })
        .collect()
}

/// Merges as RocksDB does, so that lists which are not sorted give the same result too.
fn merge_two(left: &[i32], right: &[i32]) -> Vec<i32> {
    let (mut left, mut right) = (left, right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some((first_left, rest_left)), Some((first_right, rest_right))) =
        (left.split_first(), right.split_first())
    {
        if first_left < first_right {
            merged.push(*first_left);
            left = rest_left;
        } else {
            merged.push(*first_right);
            right = rest_right;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    merged
}

fn merge_lists(operands: &[&[u8]]) -> Result<Vec<u8>> {
    let merged = operands
        .iter()
        .try_fold(Vec::new(), |merged, operand| Ok(merge_two(&merged, &parse_list(operand)?)))?;
    Ok(merged.iter().map(i32::to_string).collect::<Vec<_>>().join(",").into_bytes())
}

impl MergeOperator for SortListOperator {
    fn name(&self) -> &str {
        NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        _existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        merge_lists(operands)
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        merge_lists(operands).ok()
    }
}
