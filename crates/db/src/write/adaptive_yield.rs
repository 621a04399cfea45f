//! How long a waiting writer gives its processor to others before it parks: parking costs a system
//! call to both sides and a while to be woken, yielding costs little where there are few threads and
//! much where there are many. So waiters keep an account of whether yielding ends a wait.

use options::DbOptions;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Of so many waits one yields whatever the account says, to learn of better times.
const SAMPLING_PERIOD: u32 = 256;
/// What one outcome adds to the account or takes from it.
const STAKE: i32 = 1 << 17;
/// The part of the account that fades with each outcome.
const FADING: i32 = 1 << 10;
/// Yields that took long before the wait is given up: others want the processor.
const SLOW_YIELDS_MAX: u32 = 3;

/// Yielding by `write_thread_max_yield_usec` and `write_thread_slow_yield_usec`.
#[derive(Debug, Default)]
pub(crate) struct AdaptiveYield {
    /// Not at all if zero.
    yield_max: Duration,
    slow_yield: Duration,
    /// Above zero where yielding has ended waits of late, below where it has not.
    credit: AtomicI32,
    waits: AtomicU32,
}

impl AdaptiveYield {
    /// By the database's options; none without `enable_write_thread_adaptive_yield`.
    pub(crate) fn new(options: &DbOptions) -> Self {
        let yield_max = match options.enable_write_thread_adaptive_yield {
            true => Duration::from_micros(options.write_thread_max_yield_usec),
            false => Duration::ZERO,
        };
        let slow_yield = Duration::from_micros(options.write_thread_slow_yield_usec);
        Self { yield_max, slow_yield, ..Self::default() }
    }

    /// Yields until `outcome` is there; none if it does not seem to come soon.
    pub(crate) fn yield_until<T>(&self, outcome: impl Fn() -> Option<T>) -> Option<T> {
        if self.yield_max.is_zero() {
            return None;
        }
        // Lost updates of these two do no harm.
        let is_sample = self.waits.fetch_add(1, Ordering::Relaxed).is_multiple_of(SAMPLING_PERIOD);
        if !is_sample && self.credit.load(Ordering::Relaxed) < 0 {
            return None;
        }
        let start = Instant::now();
        let (mut last, mut slow_yields) = (start, 0);
        let mut found = None;
        while last - start <= self.yield_max && slow_yields < SLOW_YIELDS_MAX {
            thread::yield_now();
            found = outcome();
            if found.is_some() {
                break;
            }
            let now = Instant::now();
            slow_yields += u32::from(now - last >= self.slow_yield);
            last = now;
        }
        if is_sample || slow_yields >= SLOW_YIELDS_MAX {
            self.note(found.is_some());
        }
        found
    }

    fn note(&self, was_worth_it: bool) {
        let credit = self.credit.load(Ordering::Relaxed);
        let stake = if was_worth_it { STAKE } else { -STAKE };
        self.credit.store(credit - credit / FADING + stake, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
