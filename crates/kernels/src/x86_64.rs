//! Kernels for x86-64.
//!
//! Functions with `#[target_feature]` are called only where [`Isa::best`] says that the processor has
//! the feature.

use crate::bloom_line::{LINE_SIZE, MULTIPLIER};
use crate::isa::Isa;
use crate::lower_bound::{SortedNumber, Width};
use std::arch::x86_64::*;

/// Asks for a line.
#[inline]
pub(crate) fn prefetch(address: *const u8) {
    // SAFETY: a prefetch reads nothing and faults for no address; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// How many of `numbers` are less than `wanted`, which is none that they could not be.
#[inline]
pub(crate) fn count_less_avx512<N: SortedNumber>(numbers: &[N], wanted: u64) -> usize {
    debug_assert!(Isa::Avx512.is_available());
    let (start, count) = (numbers.as_ptr().cast(), numbers.len());
    // SAFETY: the caller knows from `Isa::best` that the processor has the features. Numbers have as many
    // bytes as the sealed trait says, so the pointer is good for so many of each.
    unsafe {
        match N::WIDTH {
            Width::One => count_one_avx512(start, count, wanted as u8),
            Width::Two => count_two_avx512(start, count, wanted as u16),
            Width::Four => count_four_avx512(start, count, wanted as u32),
            Width::Eight => count_eight_avx512(start, count, wanted),
        }
    }
}

/// One for each width: its name, the number, the mask with a bit for each lane, and what there is of it to spread
/// a number over the lanes, to compare them, to compare some of them, and to load some.
macro_rules! count_avx512 {
    ($name:ident, $number:ty, $signed:ty, $mask:ty, $spread:ident, $less:ident, $some_less:ident, $load_some:ident) => {
        /// # Safety
        /// `start` must be good for reads of `count` numbers.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        unsafe fn $name(start: *const u8, count: usize, wanted: $number) -> usize {
            const SIZE: usize = size_of::<$number>();
            const LANES: usize = 64 / SIZE;
            const ALL: $mask = <$mask>::MAX;
            let wanted = $spread(wanted as $signed);
            let mut less = 0;
            let mut at = 0;
            while at + LANES <= count {
                // SAFETY: `at + LANES` is at most `count`.
                let numbers = unsafe { _mm512_loadu_si512(start.add(at * SIZE).cast()) };
                less += $less(numbers, wanted).count_ones();
                at += LANES;
            }
            let left = count - at;
            if left > 0 && count >= LANES {
                let last = (count - LANES) * SIZE;
                // SAFETY: the last `LANES` of `count`, which are no fewer.
                let numbers = unsafe { _mm512_loadu_si512(start.add(last).cast()) };
                let not_counted = !(ALL >> left);
                less += $some_less(not_counted, numbers, wanted).count_ones();
            } else if left > 0 {
                let rest = ALL >> (LANES - left);
                // SAFETY: lanes that the mask leaves out are not read; of the others there are `left`.
                let numbers = unsafe { $load_some(rest, start.cast()) };
                less += $some_less(rest, numbers, wanted).count_ones();
            }
            less as usize
        }
    };
}

count_avx512!(
    count_one_avx512,
    u8,
    i8,
    u64,
    _mm512_set1_epi8,
    _mm512_cmplt_epu8_mask,
    _mm512_mask_cmplt_epu8_mask,
    _mm512_maskz_loadu_epi8
);
count_avx512!(
    count_two_avx512,
    u16,
    i16,
    u32,
    _mm512_set1_epi16,
    _mm512_cmplt_epu16_mask,
    _mm512_mask_cmplt_epu16_mask,
    _mm512_maskz_loadu_epi16
);
count_avx512!(
    count_four_avx512,
    u32,
    i32,
    u16,
    _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask,
    _mm512_mask_cmplt_epu32_mask,
    _mm512_maskz_loadu_epi32
);
count_avx512!(
    count_eight_avx512,
    u64,
    i64,
    u8,
    _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask,
    _mm512_mask_cmplt_epu64_mask,
    _mm512_maskz_loadu_epi64
);

/// How many of `numbers` are less than `wanted`, which is none that they could not be.
#[inline]
pub(crate) fn count_less_avx2<N: SortedNumber>(numbers: &[N], wanted: u64) -> usize {
    debug_assert!(Isa::Avx2.is_available());
    let (start, count) = (numbers.as_ptr().cast(), numbers.len());
    let lanes = match N::WIDTH {
        Width::One => 32,
        Width::Two => 16,
        Width::Four => 8,
        Width::Eight => 4,
    };
    let is_less = |number: &&N| number.number() < wanted;
    let whole = match N::WIDTH {
        Width::Four if count >= lanes => count,
        _ => count / lanes * lanes,
    };
    // SAFETY: the caller knows from `Isa::best` that the processor has the feature. Numbers have as many
    // bytes as the sealed trait says, so the pointer is good for so many of each; `whole` is as each kernel
    // asks for.
    let less = unsafe {
        match N::WIDTH {
            Width::One => count_one_avx2(start, whole, wanted as u8),
            Width::Two => count_two_avx2(start, whole, wanted as u16),
            Width::Four if whole > 0 => count_four_avx2(start, whole, wanted as u32),
            Width::Four => 0,
            Width::Eight => count_eight_avx2(start, whole, wanted),
        }
    };
    less + numbers[whole..].iter().filter(is_less).count()
}

/// # Safety
/// `start` must be good for reads of `count` bytes; `count` a multiple of 32 and no more than 32 times
/// `u8::MAX`.
#[target_feature(enable = "avx2")]
unsafe fn count_one_avx2(start: *const u8, count: usize, wanted: u8) -> usize {
    const LANES: usize = 32;
    let sign = _mm256_set1_epi8(i8::MIN);
    let wanted = _mm256_xor_si256(_mm256_set1_epi8(wanted as i8), sign);
    let mut less = _mm256_setzero_si256();
    let mut at = 0;
    while at < count {
        // SAFETY: `at + LANES` is at most `count`, for both are multiples of 32.
        let numbers = unsafe { _mm256_loadu_si256(start.add(at).cast()) };
        less = _mm256_sub_epi8(less, _mm256_cmpgt_epi8(wanted, _mm256_xor_si256(numbers, sign)));
        at += LANES;
    }
    // Of four times eight bytes each sum is a number of 64 bits, whose upper half is 0.
    sum_of_eight(_mm256_sad_epu8(less, _mm256_setzero_si256()))
}

/// # Safety
/// `start` must be good for reads of `count` times two bytes; `count` a multiple of 16 and no more than
/// 16 times `i16::MAX`.
#[target_feature(enable = "avx2")]
unsafe fn count_two_avx2(start: *const u8, count: usize, wanted: u16) -> usize {
    const LANES: usize = 16;
    let sign = _mm256_set1_epi16(i16::MIN);
    let wanted = _mm256_xor_si256(_mm256_set1_epi16(wanted as i16), sign);
    let mut less = _mm256_setzero_si256();
    let mut at = 0;
    while at < count {
        // SAFETY: `at + LANES` is at most `count`, for both are multiples of 16.
        let numbers = unsafe { _mm256_loadu_si256(start.add(at * 2).cast()) };
        less = _mm256_sub_epi16(less, _mm256_cmpgt_epi16(wanted, _mm256_xor_si256(numbers, sign)));
        at += LANES;
    }
    sum_of_eight(_mm256_madd_epi16(less, _mm256_set1_epi16(1)))
}

/// The sum of eight numbers of 32 bits, without its sign.
#[target_feature(enable = "avx2")]
fn sum_of_eight(numbers: __m256i) -> usize {
    let upper = _mm256_extracti128_si256::<1>(numbers);
    let halves = _mm_add_epi32(_mm256_castsi256_si128(numbers), upper);
    let pairs = _mm_add_epi32(halves, _mm_shuffle_epi32::<0b01_00_11_10>(halves));
    let sum = _mm_add_epi32(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs));
    _mm_cvtsi128_si32(sum).unsigned_abs() as usize
}

/// # Safety
/// `start` must be good for reads of `count` times eight bytes; `count` a multiple of 4.
#[target_feature(enable = "avx2")]
unsafe fn count_eight_avx2(start: *const u8, count: usize, wanted: u64) -> usize {
    // There is only a comparison of signed numbers: with the highest bit changed, they order alike.
    let sign = _mm256_set1_epi64x(i64::MIN);
    let wanted = _mm256_xor_si256(_mm256_set1_epi64x(wanted as i64), sign);
    let mut less = _mm256_setzero_si256();
    let mut at = 0;
    while at < count {
        // SAFETY: `at + 4` is at most `count`, for both are multiples of 4.
        let numbers = unsafe { _mm256_loadu_si256(start.add(at * 8).cast()) };
        // All bits of a lane are set, which is -1, where its number is less.
        less = _mm256_add_epi64(less, _mm256_cmpgt_epi64(wanted, _mm256_xor_si256(numbers, sign)));
        at += 4;
    }
    let halves = _mm_add_epi64(_mm256_castsi256_si128(less), _mm256_extracti128_si256::<1>(less));
    let sum = _mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves);
    sum.unsigned_abs() as usize
}

/// # Safety
/// `start` must be good for reads of `count` times four bytes; `count` must be 8 at least.
#[target_feature(enable = "avx2")]
unsafe fn count_four_avx2(start: *const u8, count: usize, wanted: u32) -> usize {
    const LANES: usize = 8;
    let sign = _mm256_set1_epi32(i32::MIN);
    let wanted = _mm256_xor_si256(_mm256_set1_epi32(wanted as i32), sign);
    let mut less = _mm256_setzero_si256();
    let mut at = 0;
    while at + LANES <= count {
        // SAFETY: `at + LANES` is at most `count`.
        let numbers = unsafe { _mm256_loadu_si256(start.add(at * 4).cast()) };
        less = _mm256_add_epi32(less, _mm256_cmpgt_epi32(wanted, _mm256_xor_si256(numbers, sign)));
        at += LANES;
    }
    if at < count {
        // SAFETY: the last eight of `count`, which are no fewer.
        let numbers = unsafe { _mm256_loadu_si256(start.add((count - LANES) * 4).cast()) };
        let is_less = _mm256_cmpgt_epi32(wanted, _mm256_xor_si256(numbers, sign));
        let counted = _mm256_set1_epi32((LANES - (count - at)) as i32);
        let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        less =
            _mm256_add_epi32(less, _mm256_andnot_si256(_mm256_cmpgt_epi32(counted, lane), is_less));
    }
    sum_of_eight(less)
}

/// `MULTIPLIER` to the powers from 0 to 7, for eight probes at once.
const POWERS: [u32; 8] = {
    let mut powers = [1; 8];
    let mut index = 1;
    while index < 8 {
        powers[index] = MULTIPLIER.wrapping_mul(powers[index - 1]);
        index += 1;
    }
    powers
};

/// `MULTIPLIER` to the power of 8.
const EIGHTH_POWER: u32 = POWERS[7].wrapping_mul(MULTIPLIER);

/// A mask of the first `count` lanes of eight.
#[inline]
fn first_lanes(count: u32) -> u8 {
    (0xff_u32 >> (8 - count.min(8))) as u8
}

/// Whether the first `probes` bits of `x` are all set in a line.
#[inline]
pub(crate) fn has_all_avx512(line: &[u8; LINE_SIZE], x: u32, probes: u32) -> bool {
    debug_assert!(Isa::Avx512.is_available());
    // SAFETY: the caller knows from `Isa::best` that the processor has the features.
    unsafe { line_has_all_avx512(line, x, probes) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn line_has_all_avx512(line: &[u8; LINE_SIZE], x: u32, probes: u32) -> bool {
    // SAFETY: a line has 64 bytes, the powers have 32.
    let (words, powers) = unsafe {
        (_mm512_loadu_si512(line.as_ptr().cast()), _mm256_loadu_si256(POWERS.as_ptr().cast()))
    };
    let mut x = x;
    let mut left = probes;
    loop {
        let wanted = first_lanes(left);
        let hashes = _mm256_mullo_epi32(_mm256_set1_epi32(x as i32), powers);
        // The highest four bits choose the word of 32 bits, the next five the bit.
        let at = _mm256_srli_epi32::<28>(hashes);
        let all = _mm512_permutexvar_epi32(_mm512_castsi256_si512(at), words);
        let found = _mm512_castsi512_si256(all);
        let bit = _mm256_and_si256(_mm256_srli_epi32::<23>(hashes), _mm256_set1_epi32(31));
        let bit = _mm256_sllv_epi32(_mm256_set1_epi32(1), bit);
        if _mm256_mask_testn_epi32_mask(wanted, found, bit) != 0 {
            return false;
        }
        if left <= 8 {
            return true;
        }
        left -= 8;
        x = x.wrapping_mul(EIGHTH_POWER);
    }
}

/// Whether the first `probes` bits of `x` are all set in a line.
#[inline]
pub(crate) fn has_all_avx2(line: &[u8; LINE_SIZE], x: u32, probes: u32) -> bool {
    debug_assert!(Isa::Avx2.is_available());
    // SAFETY: the caller knows from `Isa::best` that the processor has the feature.
    unsafe { line_has_all_avx2(line, x, probes) }
}

#[target_feature(enable = "avx2")]
fn line_has_all_avx2(line: &[u8; LINE_SIZE], x: u32, probes: u32) -> bool {
    let start: *const u8 = line.as_ptr();
    // SAFETY: a line has 64 bytes, the powers have 32.
    let (low, high, powers) = unsafe {
        (
            _mm256_loadu_si256(start.cast()),
            _mm256_loadu_si256(start.add(LINE_SIZE / 2).cast()),
            _mm256_loadu_si256(POWERS.as_ptr().cast()),
        )
    };
    let mut x = x;
    let mut left = probes;
    loop {
        let hashes = _mm256_mullo_epi32(_mm256_set1_epi32(x as i32), powers);
        // Three bits choose a word of each half; the highest one chooses the half.
        let at = _mm256_srli_epi32::<28>(hashes);
        let below = _mm256_permutevar8x32_epi32(low, at);
        let above = _mm256_permutevar8x32_epi32(high, at);
        let half = _mm256_srai_epi32::<31>(hashes);
        let found = _mm256_blendv_epi8(below, above, half);
        let bit = _mm256_and_si256(_mm256_srli_epi32::<23>(hashes), _mm256_set1_epi32(31));
        let bit = _mm256_sllv_epi32(_mm256_set1_epi32(1), bit);
        let lacking = _mm256_cmpeq_epi32(_mm256_and_si256(found, bit), _mm256_setzero_si256());
        let wanted = u32::from(first_lanes(left));
        let mask = _mm256_movemask_ps(_mm256_castsi256_ps(lacking)) as u32;
        if mask & wanted != 0 {
            return false;
        }
        if left <= 8 {
            return true;
        }
        left -= 8;
        x = x.wrapping_mul(EIGHTH_POWER);
    }
}
