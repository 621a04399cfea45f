//! Inverses of distributions, and the mix of operations.

use crate::flags::Flags;

/// A generalized Pareto distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pareto {
    theta: f64,
    k: f64,
    sigma: f64,
}

impl Pareto {
    /// Parameters from the flags of these names.
    pub(super) fn of(flags: &Flags, names: [&str; 3]) -> Self {
        let [theta, k, sigma] = names.map(|name| flags.double(name));
        Self { theta, k, sigma }
    }

    /// What a share of `u` of all is above of.
    pub(super) fn inverse(self, u: f64) -> i64 {
        let Self { theta, k, sigma } = self;
        rounded_up(match k == 0.0 {
            true => theta - sigma * u.ln(),
            false => theta + sigma * (u.powf(-k) - 1.0) / k,
        })
    }
}

/// The `x` of `u = a * x^b`.
pub(super) fn power_inverse(u: f64, a: f64, b: f64) -> i64 {
    rounded_up((u / a).powf(1.0 / b))
}

/// As x86 converts it: what does not fit is the least number there is.
fn rounded_up(value: f64) -> i64 {
    let value = value.ceil();
    match (-(2f64.powi(63))..2f64.powi(63)).contains(&value) {
        true => value as i64,
        false => i64::MIN,
    }
}

/// How much of each kind of operation there is.
#[derive(Clone, Debug)]
pub(super) struct OperationMix {
    /// Where each kind ends: numbers below the last are spread over them.
    ends: Vec<u64>,
    shares: Vec<f64>,
}

impl OperationMix {
    pub(super) fn new(ratios: &[f64]) -> Self {
        const RANGE: f64 = 1000.0;
        let sum: f64 = ratios.iter().sum();
        let shares: Vec<f64> = ratios.iter().map(|ratio| ratio / sum).collect();
        let mut end = 0;
        let ends = shares.iter().map(|share| {
            end += (RANGE * share).ceil() as u64;
            end
        });
        Self { ends: ends.collect(), shares }
    }

    /// The kind of an operation on the key at this position.
    pub(super) fn choose(&self, position: u64) -> usize {
        let range = self.ends.last().copied().unwrap_or_default().max(1);
        let place = position % range;
        self.ends.iter().position(|end| place < *end).unwrap_or(0)
    }

    pub(super) fn share(&self, kind: usize) -> f64 {
        self.shares[kind]
    }
}
