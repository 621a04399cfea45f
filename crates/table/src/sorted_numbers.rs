//! The numbers of a block's entries ([`sort_prefix`](crate::sort_prefix)), in their order.
//!
//! ```text
//! fixed64 number, each
//! ```
//!
//! or
//!
//! ```text
//! fixed32 high half, each; or fixed16 highest quarter, each; or byte, the highest, each
//! ```
//!
//! where the rest of all is the same, which then stands beside the array, or, of halves only, where high
//! halves tell all numbers apart that differ, so that nobody asks for the low ones. The first is so where few
//! bytes tell the keys of a block apart and the rest of them is the same or nothing: counters, keys with an
//! ending. The second is so where keys begin with what tells them apart: hashes, random numbers. Half, a
//! quarter or an eighth as many lines of memory are searched then.

use kernels::{SortedNumber, lower_bound};

/// Bytes of a whole number.
const WHOLE_SIZE: usize = 8;
/// Bytes of a half.
const HALF_SIZE: usize = 4;
/// Bytes of a quarter.
const QUARTER_SIZE: usize = 2;
/// Bytes of an eighth.
const EIGHTH_SIZE: usize = 1;

/// More equal numbers than these are not counted one by one.
const COUNTED_TIES_MAX: usize = 8;

/// What of numbers is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NumberForm {
    #[default]
    Whole,
    /// The high halves; the low half of all is the same.
    SameLow,
    /// The high halves; the low ones are not known.
    HighOnly,
    /// The highest quarters; the rest of all is the same.
    SameRest,
    /// The highest bytes; the rest of all is the same.
    SameButFirst,
}

impl NumberForm {
    /// How many of the bytes that a number is made of are known.
    #[inline]
    pub(crate) fn known_bytes(self) -> usize {
        match self {
            Self::Whole | Self::SameLow | Self::SameRest | Self::SameButFirst => WHOLE_SIZE,
            Self::HighOnly => HALF_SIZE,
        }
    }

    /// Bytes of each number that are kept.
    #[inline]
    pub(crate) fn kept_bytes(self) -> usize {
        match self {
            Self::Whole => WHOLE_SIZE,
            Self::SameLow | Self::HighOnly => HALF_SIZE,
            Self::SameRest => QUARTER_SIZE,
            Self::SameButFirst => EIGHTH_SIZE,
        }
    }

    /// Appends what is kept of `numbers`.
    pub(crate) fn append(self, numbers: &[u64], output: &mut Vec<u8>) {
        match self {
            Self::Whole => append_parts::<WHOLE_SIZE>(numbers, output),
            Self::SameLow | Self::HighOnly => append_parts::<HALF_SIZE>(numbers, output),
            Self::SameRest => append_parts::<QUARTER_SIZE>(numbers, output),
            Self::SameButFirst => append_parts::<EIGHTH_SIZE>(numbers, output),
        }
    }
}

/// Appends the high bytes of `numbers`, so many of each.
fn append_parts<const SIZE: usize>(numbers: &[u64], output: &mut Vec<u8>) {
    let start = output.len();
    output.resize(start + numbers.len() * SIZE, 0);
    let parts = output[start..].as_chunks_mut::<SIZE>().0;
    for (part, number) in parts.iter_mut().zip(numbers) {
        part.copy_from_slice(&number.to_le_bytes()[WHOLE_SIZE - SIZE..]);
    }
}

/// Numbers where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SortedNumbers<'a> {
    Whole(&'a [[u8; WHOLE_SIZE]]),
    Halves(HighParts<'a, HALF_SIZE>),
    Quarters(HighParts<'a, QUARTER_SIZE>),
    Eighths(HighParts<'a, EIGHTH_SIZE>),
}

/// The high bytes of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HighParts<'a, const SIZE: usize> {
    parts: &'a [[u8; SIZE]],
    /// The low bytes of all; the greatest that there are if these are not known: then none is known to be
    /// less than another number of the same high bytes.
    rest: u64,
    is_rest_known: bool,
}

/// All bits of the bytes after the first `SIZE`.
const fn rest_mask(size: usize) -> u64 {
    u64::MAX >> (8 * size)
}

/// What to keep of whole numbers: high halves, quarters or bytes where these do, and the rest of all, or what stands
/// for it. They do not without the rest if `needs_all_bytes`, unless that is the same.
pub(crate) fn form_of(numbers: &[u64], needs_all_bytes: bool) -> (NumberForm, u64) {
    let Some(&first) = numbers.first() else { return (NumberForm::Whole, 0) };
    // Where any two differ.
    let different = numbers.iter().fold(0, |bits, number| bits | (number ^ first));
    for (form, size) in [
        (NumberForm::SameButFirst, EIGHTH_SIZE),
        (NumberForm::SameRest, QUARTER_SIZE),
        (NumberForm::SameLow, HALF_SIZE),
    ] {
        if different & rest_mask(size) == 0 {
            return (form, first & rest_mask(size));
        }
    }
    let high_halves_do = || {
        numbers.windows(2).all(|pair| {
            let [one, other] = [pair[0], pair[1]];
            one >> 32 != other >> 32 || one == other
        })
    };
    if !needs_all_bytes && high_halves_do() {
        (NumberForm::HighOnly, rest_mask(HALF_SIZE))
    } else {
        (NumberForm::Whole, 0)
    }
}

impl<'a, const SIZE: usize> HighParts<'a, SIZE>
where
    [u8; SIZE]: SortedNumber,
{
    #[inline]
    fn new(bytes: &'a [u8], rest: u64, is_rest_known: bool) -> Self {
        Self { parts: bytes.as_chunks().0, rest, is_rest_known }
    }

    #[inline]
    fn at(self, index: usize) -> u64 {
        self.parts[index].number() << (64 - 8 * SIZE) | self.rest
    }

    #[inline]
    fn lower_bound(self, wanted: u64) -> usize {
        // One of the same high bytes is less if its rest is.
        let is_behind = self.rest < wanted & const { rest_mask(SIZE) };
        lower_bound(self.parts, (wanted >> (64 - 8 * SIZE)) + u64::from(is_behind))
    }

    #[inline]
    fn upper_bound(self, wanted: u64) -> usize {
        // Where it is not known, it is the greatest, and must not be taken for less.
        let is_behind = !self.is_rest_known || self.rest <= wanted & const { rest_mask(SIZE) };
        lower_bound(self.parts, (wanted >> (64 - 8 * SIZE)) + u64::from(is_behind))
    }

    #[inline]
    fn ties(self, start: usize, number: u64) -> usize {
        if self.is_rest_known && self.rest != number & const { rest_mask(SIZE) } {
            return 0;
        }
        ties(&self.parts[start..], number >> (64 - 8 * SIZE))
    }
}

impl<'a> SortedNumbers<'a> {
    /// Those that lie in `bytes`; `rest` is what [`form_of`] returned.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], form: NumberForm, rest: u64) -> Self {
        match form {
            NumberForm::Whole => Self::Whole(bytes.as_chunks().0),
            NumberForm::SameButFirst => Self::Eighths(HighParts::new(bytes, rest, true)),
            NumberForm::SameRest => Self::Quarters(HighParts::new(bytes, rest, true)),
            NumberForm::SameLow => Self::Halves(HighParts::new(bytes, rest, true)),
            NumberForm::HighOnly => Self::Halves(HighParts::new(bytes, rest, false)),
        }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Whole(numbers) => numbers.len(),
            Self::Halves(high) => high.parts.len(),
            Self::Quarters(high) => high.parts.len(),
            Self::Eighths(high) => high.parts.len(),
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
            Self::Halves(high) => high.at(index),
            Self::Quarters(high) => high.at(index),
            Self::Eighths(high) => high.at(index),
        }
    }

    /// Index of the first that is not known to be less than `wanted`.
    #[inline]
    pub(crate) fn lower_bound(self, wanted: u64) -> usize {
        match self {
            Self::Whole(numbers) => lower_bound(numbers, wanted),
            Self::Halves(high) => high.lower_bound(wanted),
            Self::Quarters(high) => high.lower_bound(wanted),
            Self::Eighths(high) => high.lower_bound(wanted),
        }
    }

    /// Index of the first that is known to be greater than `wanted`.
    #[inline]
    pub(crate) fn upper_bound(self, wanted: u64) -> usize {
        match self {
            Self::Whole(numbers) => match wanted.checked_add(1) {
                Some(next) => lower_bound(numbers, next),
                None => numbers.len(),
            },
            Self::Halves(high) => high.upper_bound(wanted),
            Self::Quarters(high) => high.upper_bound(wanted),
            Self::Eighths(high) => high.upper_bound(wanted),
        }
    }

    /// How many from `start` on may be `number`, of which none is known to be less.
    #[inline]
    pub(crate) fn ties(self, start: usize, number: u64) -> usize {
        match self {
            Self::Whole(numbers) => ties(&numbers[start..], number),
            Self::Halves(high) => high.ties(start, number),
            Self::Quarters(high) => high.ties(start, number),
            Self::Eighths(high) => high.ties(start, number),
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
