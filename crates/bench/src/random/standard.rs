//! What programs in C++ draw from the default engine of libstdc++, bit for bit.

/// `std::minstd_rand0`, which is `std::default_random_engine`.
#[derive(Clone, Debug)]
pub(crate) struct MinimalStandard(u64);

impl MinimalStandard {
    const MODULUS: u64 = (1 << 31) - 1;

    /// A generator that starts from `seed`; the default seed is 1.
    pub(crate) fn new(seed: u32) -> Self {
        match u64::from(seed) % Self::MODULUS {
            0 => Self(1),
            state => Self(state),
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0 * 16_807 % Self::MODULUS;
        self.0
    }

    /// `std::generate_canonical<double, 53>`: two draws, from 0 to below 1.
    fn canonical(&mut self) -> f64 {
        const RANGE: f64 = (MinimalStandard::MODULUS - 1) as f64;
        let low = (self.next() - 1) as f64;
        let sum = low + (self.next() - 1) as f64 * RANGE;
        let value = sum / (RANGE * RANGE);
        if value < 1.0 { value } else { 1.0_f64.next_down() }
    }

    /// `std::bernoulli_distribution`: true with this probability.
    pub(crate) fn is_true(&mut self, probability: f64) -> bool {
        self.canonical() < probability
    }
}

/// `std::normal_distribution<double>` over that engine (G. Marsaglia's polar method).
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    mean: f64,
    deviation: f64,
    engine: MinimalStandard,
    saved: Option<f64>,
}

impl Normal {
    pub(crate) fn new(mean: f64, deviation: f64, engine: MinimalStandard) -> Self {
        Self { mean, deviation, engine, saved: None }
    }

    pub(crate) fn next(&mut self) -> f64 {
        let standard = self.saved.take().unwrap_or_else(|| {
            loop {
                let x = 2.0 * self.engine.canonical() - 1.0;
                let y = 2.0 * self.engine.canonical() - 1.0;
                let square = x * x + y * y;
                if square <= 1.0 && square != 0.0 {
                    let factor = (-2.0 * square.ln() / square).sqrt();
                    self.saved = Some(x * factor);
                    break y * factor;
                }
            }
        });
        standard * self.deviation + self.mean
    }
}

#[cfg(test)]
mod tests;
