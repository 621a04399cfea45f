//! What samples say: median, spread, and how sure a ratio is.
//!
//! All of it is pure. The bootstrap draws from a generator with a seed, so that a report can be made
//! again from the same samples.

#[cfg(test)]
mod tests;

/// The middle of `samples`; of an even number of them, the mean of the two in the middle. None of none.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The largest of `samples` divided by the smallest: 1 where all are equal. None of none, and where the
/// smallest is not above zero.
pub fn spread(samples: &[f64]) -> Option<f64> {
    let smallest = samples.iter().copied().min_by(f64::total_cmp)?;
    let largest = samples.iter().copied().max_by(f64::total_cmp)?;
    (smallest > 0.0).then(|| largest / smallest)
}

/// A range that holds the true value with some confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies in it, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// How a bootstrap is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// Where its random numbers begin.
    pub seed: u64,
    /// How many times samples are drawn again.
    pub resamples: usize,
    /// Share of the draws that the interval covers, between 0 and 1.
    pub confidence: f64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { seed: 1, resamples: 2000, confidence: 0.95 }
    }
}

/// Rounds that are needed before anything is said about certainty: of fewer, every draw is one of
/// very few values.
pub const ROUNDS_MIN: usize = 3;

/// The interval of `median(numerator) / median(denominator)`, from rounds drawn again with
/// replacement. Each pair is one round: both were measured one after the other, so what disturbed one
/// disturbed the other, and they are drawn together.
///
/// None with fewer rounds than [`ROUNDS_MIN`], and where a median below the line is not above zero.
pub fn ratio_interval(rounds: &[(f64, f64)], bootstrap: &Bootstrap) -> Option<Interval> {
    if rounds.len() < ROUNDS_MIN {
        return None;
    }
    let mut random = SplitMix64(bootstrap.seed);
    let mut ratios = Vec::with_capacity(bootstrap.resamples);
    for _ in 0..bootstrap.resamples {
        let draw: Vec<(f64, f64)> =
            (0..rounds.len()).map(|_| rounds[random.below(rounds.len())]).collect();
        ratios.push(ratio(&draw)?);
    }
    ratios.sort_by(f64::total_cmp);
    let tail = (1.0 - bootstrap.confidence) / 2.0;
    let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share).round() as usize];
    Some(Interval { low: at(tail), high: at(1.0 - tail) })
}

/// `median(numerator) / median(denominator)` of rounds. None of none, and where the median below the
/// line is not above zero.
pub fn ratio(rounds: &[(f64, f64)]) -> Option<f64> {
    let (above, below): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
    let below = median(&below)?;
    let above = median(&above)?;
    (below > 0.0).then(|| above / below)
}

/// Random numbers for draws: small, with a seed, good enough for statistics.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, which is not zero. All are equally likely, up to 2^-64 of a share each.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.draw()) * end as u128) >> 64) as usize
    }
}
