//! More urgent work, done by a job in its own thread where it can be left for a while.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Work that waits for a thread.
pub trait UrgentWork: Send + Sync + fmt::Debug {
    /// Does some of it, if it is the job's turn, and says how long that took. No lock is held that
    /// the work could need.
    fn run(&self) -> TimeAside;
}

/// How long a job was left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeAside {
    /// Time.
    pub micros: u64,
    /// Processor time.
    pub cpu_micros: u64,
}

/// For whom a job goes aside. By default for nobody.
#[derive(Clone, Debug, Default)]
pub struct GivesWay {
    /// Whether there is any reason to ask.
    pub is_wanted: Arc<AtomicBool>,
    /// Whom to ask then.
    pub work: Option<Arc<dyn UrgentWork>>,
}

thread_local! {
    static ASIDE: Cell<TimeAside> = const { Cell::new(TimeAside { micros: 0, cpu_micros: 0 }) };
}

impl GivesWay {
    /// Whether the job should ask.
    #[inline]
    pub(crate) fn is_wanted(&self) -> bool {
        // Relaxed: who asks looks under a lock.
        self.is_wanted.load(Ordering::Relaxed)
    }

    /// Asks.
    #[cold]
    pub(crate) fn ask(&self) {
        let Some(work) = &self.work else { return };
        let took = work.run();
        ASIDE.set(ASIDE.get() + took);
    }
}

/// How long this thread has left its jobs so far: no part of what they took themselves.
pub fn time_aside() -> TimeAside {
    ASIDE.get()
}

impl std::ops::Add for TimeAside {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { micros: self.micros + other.micros, cpu_micros: self.cpu_micros + other.cpu_micros }
    }
}

impl std::ops::Sub for TimeAside {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            micros: self.micros.saturating_sub(other.micros),
            cpu_micros: self.cpu_micros.saturating_sub(other.cpu_micros),
        }
    }
}
