//! The numbers of a block's entries ([`sort_prefix`](crate::sort_prefix)), in their order.
//!
//! ```text
//! fixed64 number, each
//! ```
//!
//! or, where the low halves of all are the same, which then stands beside the array:
//!
//! ```text
//! fixed32 high half, each
//! ```
//!
//! That is so where few bytes tell the keys of a block apart and the rest of them is the same or nothing:
//! counters, keys with an ending. Half as many lines of memory are searched then, and nothing is lost.

use kernels::{SortedNumber, lower_bound};

/// Bytes of a whole number.
const WHOLE_SIZE: usize = 8;
/// Bytes of a half.
const HALF_SIZE: usize = 4;

/// More equal numbers than these are not counted one by one.
const COUNTED_TIES_MAX: usize = 8;

/// Numbers where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SortedNumbers<'a> {
    Whole(&'a [[u8; WHOLE_SIZE]]),
    /// The high halves, and the low half of all.
    High(&'a [[u8; HALF_SIZE]], u32),
}

/// Makes high halves of whole numbers whose low halves are the same, and returns that.
pub(crate) fn shorten(numbers: &mut Vec<u8>) -> Option<u32> {
    let whole = numbers.as_chunks::<WHOLE_SIZE>().0;
    let low = whole.first()?.number() as u32;
    if whole.iter().any(|number| number.number() as u32 != low) {
        return None;
    }
    let count = whole.len();
    for index in 0..count {
        let high = index * WHOLE_SIZE + HALF_SIZE;
        numbers.copy_within(high..high + HALF_SIZE, index * HALF_SIZE);
    }
    numbers.truncate(count * HALF_SIZE);
    Some(low)
}

impl<'a> SortedNumbers<'a> {
    /// Those that lie in `bytes`, which have a common low half or none.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], low: Option<u32>) -> Self {
        match low {
            Some(low) => Self::High(bytes.as_chunks().0, low),
            None => Self::Whole(bytes.as_chunks().0),
        }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Whole(numbers) => numbers.len(),
            Self::High(numbers, _) => numbers.len(),
        }
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(crate) fn get(self, index: usize) -> Option<u64> {
        (index < self.len()).then(|| self.at(index))
    }

    /// The number at `index`.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn at(self, index: usize) -> u64 {
        match self {
            Self::Whole(numbers) => numbers[index].number(),
            Self::High(numbers, low) => numbers[index].number() << 32 | u64::from(low),
        }
    }

    /// Index of the first that is not less than `wanted`.
    #[inline]
    pub(crate) fn lower_bound(self, wanted: u64) -> usize {
        match self {
            Self::Whole(numbers) => lower_bound(numbers, wanted),
            // One of the same high half is less if its low half is.
            Self::High(numbers, low) => {
                lower_bound(numbers, (wanted >> 32) + u64::from(low < wanted as u32))
            }
        }
    }

    /// How many from `start` on are `number`, of which none is less.
    #[inline]
    pub(crate) fn ties(self, start: usize, number: u64) -> usize {
        match self {
            Self::Whole(numbers) => ties(&numbers[start..], number),
            Self::High(_, low) if low != number as u32 => 0,
            Self::High(numbers, _) => ties(&numbers[start..], number >> 32),
        }
    }
}

#[inline]
fn ties<N: SortedNumber>(numbers: &[N], number: u64) -> usize {
    let is_tie = |tie: &N| tie.number() == number;
    match numbers.get(COUNTED_TIES_MAX) {
        Some(far) if is_tie(far) => numbers.partition_point(is_tie),
        _ => numbers.iter().take_while(|tie| is_tie(tie)).count(),
    }
}

#[cfg(test)]
mod tests;
