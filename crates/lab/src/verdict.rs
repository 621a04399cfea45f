//! Whether one engine is faster than another, as far as the samples say.

use crate::statistics::Interval;
use serde::{Deserialize, Serialize};

/// Differences below this are not worth a word, however sure they are.
const WORTH_MENTIONING: f64 = 0.01;

/// What a ratio means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is what the others are compared with.
    Reference,
    /// Better than the reference.
    Better,
    /// Worse than the reference.
    Worse,
    /// The difference is within the noise.
    Equal,
    /// Too few rounds to say.
    Unknown,
}

impl Verdict {
    /// For tables.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Reference => "",
            Self::Better => "+",
            Self::Worse => "-",
            Self::Equal => "=",
            Self::Unknown => "?",
        }
    }
}

/// What a ratio to the reference means, with the interval of it. Above 1 is better.
pub fn verdict(ratio: f64, interval: Option<Interval>) -> Verdict {
    match interval {
        None => Verdict::Unknown,
        Some(interval) if interval.contains(1.0) => Verdict::Equal,
        Some(_) if (ratio - 1.0).abs() < WORTH_MENTIONING => Verdict::Equal,
        Some(_) if ratio > 1.0 => Verdict::Better,
        Some(_) => Verdict::Worse,
    }
}

#[cfg(test)]
mod tests;
