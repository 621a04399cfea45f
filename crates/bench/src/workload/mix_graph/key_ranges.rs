//! Ranges of keys, some more popular than others: `a*e^(b*i) + c*e^(d*i)` for range number `i`.

use super::distributions::power_inverse;
use crate::random::Random64;

/// A range, and where its share of the draws begins.
#[derive(Clone, Copy, Debug)]
struct KeyRange {
    start: i64,
    share: i64,
}

/// All ranges, in an order that depends on the parameters alone.
#[derive(Clone, Debug)]
pub(super) struct KeyRanges {
    ranges: Vec<KeyRange>,
    share_sum: i64,
    /// Keys of a range.
    size: u64,
}

impl KeyRanges {
    pub(super) fn new(key_count: u64, range_count: u64, [a, b, c, d]: [f64; 4]) -> Self {
        const NONE: f64 = 1e-16;
        let range_count = range_count.max(1);
        let (mut scale, mut ranges) = (0, Vec::new());
        for index in (1..=range_count).rev() {
            let popularity = a * (b * index as f64).exp() + c * (d * index as f64).exp();
            let popularity = if popularity < NONE { 0.0 } else { popularity };
            // The first is the least popular; it gets a share of at least 1.
            if scale == 0 && popularity > 0.0 {
                scale = (1.0 / popularity).floor() as i64 + 1;
            }
            ranges.push(KeyRange { start: 0, share: (scale as f64 * popularity).floor() as i64 });
        }
        let share_sum: i64 = ranges.iter().map(|range| range.share).sum();
        let mut random = Random64::new(share_sum as u64);
        for index in 0..ranges.len() {
            let other = random.next_u64() % range_count;
            ranges.swap(index, other as usize);
        }
        let mut start = 0;
        for range in &mut ranges {
            range.start = start;
            start += range.share;
        }
        Self { ranges, share_sum: share_sum.max(1), size: (key_count / range_count).max(1) }
    }

    /// The key that `drawn` stands for; keys of a range follow `a * x^b`.
    pub(super) fn number(&self, drawn: u64, a: f64, b: f64) -> u64 {
        let place = drawn as i64 % self.share_sum;
        let after = self.ranges.partition_point(|range| range.start <= place);
        let share = (drawn % self.size) as f64 / self.size as f64;
        let seed = power_inverse(share, a, b);
        let offset = Random64::new(seed as u64).next_u64() % self.size;
        self.size * after.saturating_sub(1) as u64 + offset
    }
}
