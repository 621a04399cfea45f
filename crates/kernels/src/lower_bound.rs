//! Where a number stands among ascending ones.
//!
//! Counting the numbers that are less has no branch that depends on them, and none of its loads
//! waits for another. Up to a page of numbers that beats halving, whose every step waits for the one
//! before.

use crate::isa::Isa;

/// A number in whatever form an array holds it. Only the types here implement it, of one, two, four and
/// eight bytes: kernels read arrays of them as memory.
pub trait SortedNumber: Copy + sealed::Bytes {
    /// The number.
    fn number(self) -> u64;
}

mod sealed {
    /// Promises as many bytes as it says, in little-endian order where kernels read them as memory.
    pub trait Bytes {
        /// How many.
        const WIDTH: super::Width;
    }
    impl Bytes for u64 {
        const WIDTH: super::Width = super::Width::Eight;
    }
    impl Bytes for [u8; 8] {
        const WIDTH: super::Width = super::Width::Eight;
    }
    impl Bytes for [u8; 4] {
        const WIDTH: super::Width = super::Width::Four;
    }
    impl Bytes for [u8; 2] {
        const WIDTH: super::Width = super::Width::Two;
    }
    impl Bytes for [u8; 1] {
        const WIDTH: super::Width = super::Width::One;
    }
}

/// Bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 1.
    One,
    /// 2.
    Two,
    /// 4.
    Four,
    /// 8.
    Eight,
}

impl Width {
    /// Up to so many numbers vector instructions count all; of more they count those of one stretch. A line of the
    /// processor's cache has few wide ones.
    const fn counted_whole_max(self) -> usize {
        match self {
            Self::One => COUNTED_MAX,
            Self::Two => 64,
            Self::Four | Self::Eight => 32,
        }
    }

    /// The greatest number of so many bytes.
    const fn number_max(self) -> u64 {
        match self {
            Self::One => u8::MAX as u64,
            Self::Two => u16::MAX as u64,
            Self::Four => u32::MAX as u64,
            Self::Eight => u64::MAX,
        }
    }
}

impl SortedNumber for u64 {
    #[inline]
    fn number(self) -> u64 {
        self
    }
}

/// Little-endian.
impl SortedNumber for [u8; 8] {
    #[inline]
    fn number(self) -> u64 {
        u64::from_le_bytes(self)
    }
}

/// Little-endian.
impl SortedNumber for [u8; 4] {
    #[inline]
    fn number(self) -> u64 {
        u64::from(u32::from_le_bytes(self))
    }
}

/// Little-endian.
impl SortedNumber for [u8; 2] {
    #[inline]
    fn number(self) -> u64 {
        u64::from(u16::from_le_bytes(self))
    }
}

impl SortedNumber for [u8; 1] {
    #[inline]
    fn number(self) -> u64 {
        u64::from(self[0])
    }
}

/// Up to so many numbers are counted; of more, one half is left aside until so few are left.
const COUNTED_MAX: usize = 256;

/// Index of the first of ascending `numbers` that is not less than `wanted`.
#[inline]
pub fn lower_bound<N: SortedNumber>(numbers: &[N], wanted: u64) -> usize {
    lower_bound_by(Isa::best(), numbers, wanted)
}

/// [`lower_bound`] by the instructions of `isa`, or the scalar ones where it is not available.
#[inline]
pub fn lower_bound_by<N: SortedNumber>(isa: Isa, numbers: &[N], wanted: u64) -> usize {
    let (mut start, mut end) = (0, numbers.len());
    while end - start > COUNTED_MAX {
        let middle = start + (end - start) / 2;
        if numbers[middle].number() < wanted { start = middle + 1 } else { end = middle }
    }
    let numbers = &numbers[start..end];
    if numbers.len() > const { N::WIDTH.counted_whole_max() } {
        let stretch = stretch_of(numbers, wanted);
        let end = numbers.len().min(stretch + STRETCH);
        return start + stretch + count_less(isa, &numbers[stretch..end], wanted);
    }
    start + count_less(isa, numbers, wanted)
}

#[inline]
fn count_less<N: SortedNumber>(isa: Isa, numbers: &[N], wanted: u64) -> usize {
    if wanted > const { N::WIDTH.number_max() } {
        return numbers.len();
    }
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Avx512 if Isa::best() >= isa => {
            return crate::x86_64::count_less_avx512(numbers, wanted);
        }
        Isa::Avx2 if Isa::best() >= isa => return crate::x86_64::count_less_avx2(numbers, wanted),
        _ => {}
    }
    let _ = isa;
    count_less_scalar(numbers, wanted)
}

/// One in so many is counted first, then those of one stretch.
const STRETCH: usize = 16;

/// Where the stretch begins that has the first number that is not less than `wanted`: one of so many numbers
/// tells, and no load waits for another.
#[inline]
fn stretch_of<N: SortedNumber>(numbers: &[N], wanted: u64) -> usize {
    let stretches = numbers.as_chunks::<STRETCH>().0;
    let last_is_less = |stretch: &[N; STRETCH]| usize::from(stretch[STRETCH - 1].number() < wanted);
    STRETCH * stretches.iter().map(last_is_less).sum::<usize>()
}

fn count_less_scalar<N: SortedNumber>(numbers: &[N], wanted: u64) -> usize {
    let start = stretch_of(numbers, wanted);
    let end = numbers.len().min(start + STRETCH);
    let is_less = |number: &N| usize::from(number.number() < wanted);
    start + numbers[start..end].iter().map(is_less).sum::<usize>()
}

#[cfg(test)]
mod tests;
