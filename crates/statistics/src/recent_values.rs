//! Values that were added lately, with how often.
//!
//! What programs do repeats: most read values of one size, or none, and write batches of one. So two values
//! are kept with how often they were added lately; the older one goes elsewhere when a third one comes. A
//! value that is one of them costs a comparison or two and an addition.

use crate::histogram_sums::{add, load, store};
use std::sync::atomic::AtomicU64;

/// Two values that were added lately, the newer one first; one thread adds, and all may read.
#[derive(Debug)]
pub(crate) struct RecentValues([Run; 2]);

/// A value, and how often it was added.
#[derive(Debug)]
struct Run {
    value: AtomicU64,
    count: AtomicU64,
}

/// What a run of no value has for one; nobody adds it.
const NO_VALUE: u64 = u64::MAX;

impl Run {
    const fn new() -> Self {
        Self { value: AtomicU64::new(NO_VALUE), count: AtomicU64::new(0) }
    }

    fn get(&self) -> (u64, u64) {
        (load(&self.value), load(&self.count))
    }

    fn set(&self, (value, count): (u64, u64)) {
        store(&self.value, value);
        store(&self.count, count);
    }
}

/// What changes it is by the owning thread only, or when there is none.
impl RecentValues {
    pub(crate) const fn new() -> Self {
        Self([const { Run::new() }; 2])
    }

    /// Adds a value, if it is one that was added lately.
    #[inline]
    pub(crate) fn add(&self, value: u64) -> bool {
        let run = self.0.iter().find(|run| load(&run.value) == value);
        if let Some(run) = run {
            add(&run.count, 1);
        }
        run.is_some()
    }

    /// Adds a value that was not added lately; returns that which made room, with how often it was.
    pub(crate) fn begin(&self, value: u64) -> (u64, u64) {
        let [newer, older] = &self.0;
        let gone = older.get();
        older.set(newer.get());
        newer.set((value, 1));
        gone
    }

    /// No value was added lately; returns those that were.
    pub(crate) fn take(&self) -> [(u64, u64); 2] {
        let gone = self.all();
        self.0.iter().for_each(|run| run.set((NO_VALUE, 0)));
        gone
    }

    /// The values, with how often each was added.
    pub(crate) fn all(&self) -> [(u64, u64); 2] {
        self.0.each_ref().map(Run::get)
    }
}
