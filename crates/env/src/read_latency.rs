//! How long reads of files take.

use base::histogram::Histogram;
use parking_lot::Mutex;

/// How long reads of some files took, in microseconds. Reading takes far longer than the lock.
#[derive(Debug, Default)]
pub struct ReadLatency(Mutex<Histogram>);

impl ReadLatency {
    /// A read took so long.
    pub fn add(&self, micros: u64) {
        self.0.lock().add(micros);
    }

    /// All of them so far.
    pub fn histogram(&self) -> Histogram {
        self.0.lock().clone()
    }
}
