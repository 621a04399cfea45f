//! The numbers of a block's entries ([`sort_prefix`](crate::sort_prefix)), in their order.
//!
//! ```text
//! fixed64 number, each
//! ```
//!
//! or
//!
//! ```text
//! fixed32 high half, each
//! ```
//!
//! where the low halves of all are the same, which then stands beside the array, and where high halves tell
//! all numbers apart that differ, so that nobody asks for the low ones. The first is so where few bytes tell
//! the keys of a block apart and the rest of them is the same or nothing: counters, keys with an ending. The
//! second is so where keys begin with what tells them apart: hashes, random numbers. Half as many lines of
//! memory are searched then.

use kernels::{SortedNumber, lower_bound};

/// Bytes of a whole number.
const WHOLE_SIZE: usize = 8;
/// Bytes of a half.
const HALF_SIZE: usize = 4;

/// More equal numbers than these are not counted one by one.
const COUNTED_TIES_MAX: usize = 8;

/// What of numbers is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NumberForm {
    #[default]
    Whole,
    /// The high halves, and this low half of all.
    SameLow(u32),
    /// The high halves.
    HighOnly,
}

impl NumberForm {
    /// How many of the bytes that a number is made of are known.
    #[inline]
    pub(crate) fn known_bytes(self) -> usize {
        match self {
            Self::Whole | Self::SameLow(_) => WHOLE_SIZE,
            Self::HighOnly => HALF_SIZE,
        }
    }
}

/// Numbers where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SortedNumbers<'a> {
    Whole(&'a [[u8; WHOLE_SIZE]]),
    High(HighHalves<'a>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct HighHalves<'a> {
    halves: &'a [[u8; HALF_SIZE]],
    /// Of all; the greatest that there is if low halves are not known: then none is known to be less than
    /// another number of the same high half.
    low: u32,
    is_low_known: bool,
}

/// Makes high halves of whole numbers where these do, and returns what is kept then. They do not without their
/// low halves if `needs_all_bytes`, unless those are the same.
pub(crate) fn shorten(numbers: &mut Vec<u8>, needs_all_bytes: bool) -> NumberForm {
    let form = form_of(numbers.as_chunks().0, needs_all_bytes);
    if form != NumberForm::Whole {
        let count = numbers.len() / WHOLE_SIZE;
        for index in 0..count {
            let high = index * WHOLE_SIZE + HALF_SIZE;
            numbers.copy_within(high..high + HALF_SIZE, index * HALF_SIZE);
        }
        numbers.truncate(count * HALF_SIZE);
    }
    form
}

fn form_of(numbers: &[[u8; WHOLE_SIZE]], needs_all_bytes: bool) -> NumberForm {
    let Some(first) = numbers.first() else { return NumberForm::Whole };
    let low = first.number() as u32;
    if numbers.iter().all(|number| number.number() as u32 == low) {
        return NumberForm::SameLow(low);
    }
    let high_halves_do = || {
        numbers.windows(2).all(|pair| {
            let [one, other] = [pair[0].number(), pair[1].number()];
            one >> 32 != other >> 32 || one == other
        })
    };
    if !needs_all_bytes && high_halves_do() { NumberForm::HighOnly } else { NumberForm::Whole }
}

impl<'a> SortedNumbers<'a> {
    /// Those that lie in `bytes`.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], form: NumberForm) -> Self {
        let (low, is_low_known) = match form {
            NumberForm::Whole => return Self::Whole(bytes.as_chunks().0),
            NumberForm::SameLow(low) => (low, true),
            NumberForm::HighOnly => (u32::MAX, false),
        };
        Self::High(HighHalves { halves: bytes.as_chunks().0, low, is_low_known })
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Whole(numbers) => numbers.len(),
            Self::High(high) => high.halves.len(),
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

    /// The number at `index`; bits that are not known are set.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn at(self, index: usize) -> u64 {
        match self {
            Self::Whole(numbers) => numbers[index].number(),
            Self::High(high) => high.halves[index].number() << 32 | u64::from(high.low),
        }
    }

    /// Index of the first that is not known to be less than `wanted`.
    #[inline]
    pub(crate) fn lower_bound(self, wanted: u64) -> usize {
        match self {
            Self::Whole(numbers) => lower_bound(numbers, wanted),
            // One of the same high half is less if its low half is.
            Self::High(high) => {
                lower_bound(high.halves, (wanted >> 32) + u64::from(high.low < wanted as u32))
            }
        }
    }

    /// Index of the first that is known to be greater than `wanted`.
    #[inline]
    pub(crate) fn upper_bound(self, wanted: u64) -> usize {
        match self {
            Self::High(high) if !high.is_low_known => lower_bound(high.halves, (wanted >> 32) + 1),
            _ => match wanted.checked_add(1) {
                Some(next) => self.lower_bound(next),
                None => self.len(),
            },
        }
    }

    /// How many from `start` on may be `number`, of which none is known to be less.
    #[inline]
    pub(crate) fn ties(self, start: usize, number: u64) -> usize {
        match self {
            Self::Whole(numbers) => ties(&numbers[start..], number),
            Self::High(high) if high.is_low_known && high.low != number as u32 => 0,
            Self::High(high) => ties(&high.halves[start..], number >> 32),
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
