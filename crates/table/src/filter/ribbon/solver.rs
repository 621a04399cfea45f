//! Solving the equations of the keys for the segments of a Ribbon filter.
//!
//! A table with room for one equation per slot is filled by Gaussian elimination as keys come; since
//! every equation begins with a coefficient of 1 at its slot, the table is triangular and is solved
//! from the last slot to the first. RocksDB's rules for sizes and seeds are kept, so that the bytes
//! come out equal, though any solution would do.

use super::{COLUMNS_MAX, Equation, Layout, MARKER, SEGMENT, WIDTH, equation, parity, raw_seed};

/// How many slots as many keys need that one seed in about 20 succeeds, for 2^8 to 2^17 slots.
const KEYS_FOR_SLOTS_LOG2: [f64; 10] =
    [248.851, 499.532, 1001.26, 2003.97, 4005.59, 8000.39, 15966.6, 31828.1, 63447.3, 126_506.0];
const FIRST_LOG2: i32 = 8;
const LAST_LOG2: i32 = 17;

/// What it grows by for each power of two beyond.
const FACTOR_PER_LOG2: f64 = 0.0038;

/// Keys that fit 2^log2 slots.
fn keys_for(log2: i32) -> f64 {
    match log2 {
        ..FIRST_LOG2 => 0.0,
        FIRST_LOG2..=LAST_LOG2 => KEYS_FOR_SLOTS_LOG2[(log2 - FIRST_LOG2) as usize],
        _ => {
            let factor = factor_of_last() - f64::from(LAST_LOG2) * FACTOR_PER_LOG2;
            2f64.powi(log2) / (factor + f64::from(log2) * FACTOR_PER_LOG2)
        }
    }
}

/// Slots per key of the largest known size.
fn factor_of_last() -> f64 {
    2f64.powi(LAST_LOG2) / KEYS_FOR_SLOTS_LOG2[9]
}

/// Slots for so many keys, at least one: a multiple of the width, at least two blocks.
pub(super) fn slots_for(entries_count: usize) -> u32 {
    let count = entries_count as f64;
    let mut log2 = (count.log2() + 0.5) as i32;
    let mut keys = keys_for(log2);
    if keys == 0.0 {
        return 2 * WIDTH;
    }
    if count < keys {
        log2 -= 1;
        keys = keys_for(log2);
    }
    let power = 2f64.powi(log2);
    let fraction = (count - keys) / (keys_for(log2 + 1) - keys);
    let slots = (fraction * power + power + 0.999_999_999) as u32;
    slots.next_multiple_of(WIDTH).max(2 * WIDTH)
}

/// Bytes of segments for this false positive rate. What a whole number of segments cannot express is
/// rounded up or down by the first hash, so that it is right on average over many filters.
pub(super) fn segments_length(slots: u32, one_in_fp_rate: f64, first_hash: u64) -> usize {
    let block_count = slots / WIDTH;
    if one_in_fp_rate >= f64::from(u32::MAX) {
        return (block_count * COLUMNS_MAX) as usize * SEGMENT;
    }
    let columns = (one_in_fp_rate as u64).max(1).ilog2();
    let at_most = 2f64.powi(-(columns as i32));
    let at_least = 2f64.powi(-(columns as i32) - 1);
    let fewer = (1.0 / one_in_fp_rate - at_least) / (at_most - at_least);
    let rounding = ((first_hash >> 32) as f64 + 0.5) / 2f64.powi(32);
    let start_count = f64::from(slots - (WIDTH - 1));
    let lower_blocks = ((fewer * start_count + rounding) / f64::from(WIDTH)) as u32;
    (block_count * columns + block_count - lower_blocks.min(block_count)) as usize * SEGMENT
}

/// Keys for so many slots: the opposite of [`slots_for`].
pub(super) fn entries_for(slots: u32) -> usize {
    if slots == 0 {
        return 0;
    }
    let log2 = f64::from(slots).log2();
    let floor = log2 as i32;
    if floor < LAST_LOG2 {
        let upper = f64::from(slots) / 2f64.powi(floor) - 1.0;
        return (upper * keys_for(floor + 1) + (1.0 - upper) * keys_for(floor)) as usize;
    }
    let factor = factor_of_last() + (log2 - f64::from(LAST_LOG2)) * FACTOR_PER_LOG2;
    (f64::from(slots) / factor) as usize
}

/// The most slots whose segments fit `length` bytes; 0 if those of two blocks don't.
pub(super) fn slots_within(length: usize, one_in_fp_rate: f64) -> u32 {
    let fits = |slots| segments_length(slots, one_in_fp_rate, 0) <= length;
    // No filter takes fewer bits per slot than its rate is worth.
    let bits_per_slot = one_in_fp_rate.log2().clamp(0.01, f64::from(COLUMNS_MAX));
    let blocks_max = length as f64 * 8.0 / bits_per_slot / f64::from(WIDTH) + 1.0;
    let (mut low, mut high) = (0, blocks_max.min(f64::from(u32::MAX / WIDTH - 1)) as u32);
    while low < high {
        let middle = high - (high - low) / 2;
        if middle < 2 || fits(middle * WIDTH) { low = middle } else { high = middle - 1 }
    }
    if low < 2 || !fits(low * WIDTH) { 0 } else { low * WIDTH }
}

/// The contents of a filter of these hashes; `None` if no seed lets all equations be solved.
pub(super) fn build(hashes: &[u64], slots: u32, length: usize) -> Option<Vec<u8>> {
    let mut table = Table::new(slots);
    let first_seed = *hashes.first()? as u8;
    let seed = (0..=u8::MAX)
        .map(|ordinal| first_seed.wrapping_add(ordinal))
        .find(|&seed| table.fill(hashes, seed))?;
    let block_count = slots / WIDTH;
    let [low, middle, high, _] = block_count.to_le_bytes();
    let mut contents = table.solve(Layout::new((length / SEGMENT) as u32, block_count), length);
    contents.extend_from_slice(&[MARKER, seed, low, middle, high]);
    Some(contents)
}

struct Table {
    coefficients: Vec<u128>,
    results: Vec<u32>,
}

impl Table {
    fn new(slots: u32) -> Self {
        let slots = slots as usize;
        Self { coefficients: vec![0; slots], results: vec![0; slots] }
    }

    /// Takes in the equations of all hashes. Says whether none contradicts the others.
    fn fill(&mut self, hashes: &[u64], seed: u8) -> bool {
        self.coefficients.fill(0);
        self.results.fill(0);
        let raw_seed = raw_seed(seed);
        let start_count = self.coefficients.len() as u32 - (WIDTH - 1);
        hashes.iter().all(|&hash| self.add(equation(hash, raw_seed, start_count)))
    }

    fn add(&mut self, equation: Equation) -> bool {
        let Equation { start, mut coefficients, mut result } = equation;
        let mut slot = start as usize;
        loop {
            let row = &mut self.coefficients[slot];
            if *row == 0 {
                *row = coefficients;
                self.results[slot] = result;
                return true;
            }
            coefficients ^= *row;
            result ^= self.results[slot];
            if coefficients == 0 {
                return result == 0;
            }
            // Both begin with 1, so the first coefficient is gone.
            let zeros = coefficients.trailing_zeros();
            coefficients >>= zeros;
            slot += zeros as usize;
        }
    }

    /// The segments. Each column's window holds the solution of the 128 slots from the current on.
    fn solve(&self, layout: Layout, length: usize) -> Vec<u8> {
        let mut contents = vec![0; length];
        let block_count = self.coefficients.len() as u32 / WIDTH;
        let mut windows = [0u128; COLUMNS_MAX as usize];
        for block in (0..block_count).rev() {
            let columns = layout.columns(block).min(COLUMNS_MAX) as usize;
            for slot in (block * WIDTH..(block + 1) * WIDTH).rev() {
                let coefficients = self.coefficients[slot as usize];
                let result = self.results[slot as usize];
                for (column, window) in windows[..columns].iter_mut().enumerate() {
                    let shifted = *window << 1;
                    let sum = parity(shifted & coefficients) ^ result >> column;
                    *window = shifted | u128::from(sum & 1);
                }
            }
            let at = layout.first(block) * SEGMENT;
            let segments = contents[at..at + columns * SEGMENT].chunks_exact_mut(SEGMENT);
            for (segment, window) in segments.zip(windows) {
                segment.copy_from_slice(&window.to_le_bytes());
            }
        }
        contents
    }
}
