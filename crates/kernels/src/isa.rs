//! Which instructions kernels use.

use std::sync::atomic::{AtomicU8, Ordering};

/// Sets of instructions that kernels have forms for, from the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Isa {
    /// What every processor has.
    Scalar = 1,
    /// 256-bit vectors of x86-64.
    Avx2 = 2,
    /// 512-bit vectors of x86-64, with operations on bytes and words.
    Avx512 = 3,
}

/// The variable that may name the best set.
const VARIABLE: &str = "TOUCHSTONE_ISA";

/// 0 as long as nobody has looked. Relaxed: whoever looks finds the same.
static BEST: AtomicU8 = AtomicU8::new(0);

impl Isa {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// The best one that this processor has, and that the environment's `TOUCHSTONE_ISA` allows: `scalar`, `avx2` or
    /// `avx512` say that there is to be none better, to try the others on a processor that has them all. The first
    /// call in the process decides.
    #[inline]
    pub fn best() -> Self {
        match BEST.load(Ordering::Relaxed) {
            3 => Self::Avx512,
            2 => Self::Avx2,
            1 => Self::Scalar,
            _ => Self::find_best(),
        }
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Its name as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    #[cold]
    fn find_best() -> Self {
        let best = match std::env::var_os(VARIABLE) {
            None => Self::best_up_to(Self::Avx512),
            Some(name) => match Self::ALL.into_iter().find(|isa| *isa.name() == *name) {
                Some(limit) => Self::best_up_to(limit),
                None => {
                    eprintln!(
                        "warning: {VARIABLE} is {name:?}, not scalar, avx2 or avx512; it has no effect"
                    );
                    Self::best_up_to(Self::Avx512)
                }
            },
        };
        BEST.store(best as u8, Ordering::Relaxed);
        best
    }

    fn best_up_to(limit: Self) -> Self {
        let available = |isa: &Self| *isa <= limit && isa.is_available();
        Self::ALL.into_iter().rev().find(available).unwrap_or(Self::Scalar)
    }
}

#[cfg(test)]
mod tests;
