//! Memory elsewhere that counts against a cache.
//!
//! The cache holds values of no content that are charged for, so that it keeps less of its own.

use crate::{Cache, CacheKey, CacheValue, Priority};
use std::sync::Arc;

/// Bytes of one value: as RocksDB's, so that statistics agree.
pub const RESERVATION_UNIT_BYTES: usize = 256 << 10;

/// A number of bytes charged to a cache, in units of [`RESERVATION_UNIT_BYTES`]. Given back when
/// dropped.
#[derive(Debug)]
pub struct CacheReservation {
    cache: Arc<dyn Cache>,
    /// What the values are, for statistics of the cache.
    value: CacheValue,
    id: u64,
    units: usize,
}

impl CacheReservation {
    /// Of nothing. `value` says to who looks into the cache what the memory is used for. As long as
    /// this lives the charges are pinned.
    pub fn new(cache: Arc<dyn Cache>, value: CacheValue) -> Self {
        let id = cache.new_id();
        Self { cache, value, id, units: 0 }
    }

    /// Follows the use of memory: up at once, down only once a quarter is not needed any more. Where
    /// a strict limit of the cache does not allow for more, less is charged.
    pub fn follow(&mut self, bytes: usize) {
        if bytes < self.reserved_bytes() / 4 * 3 {
            while self.units > bytes.div_ceil(RESERVATION_UNIT_BYTES) {
                self.units -= 1;
                self.cache.erase(&self.key(self.units));
            }
        }
        while self.reserved_bytes() < bytes {
            let key = self.key(self.units);
            let value = self.value.clone();
            if self.cache.insert(key, value, RESERVATION_UNIT_BYTES, Priority::Low).is_err() {
                break;
            }
            self.units += 1;
        }
    }

    /// Bytes charged now.
    pub fn reserved_bytes(&self) -> usize {
        self.units * RESERVATION_UNIT_BYTES
    }

    fn key(&self, unit: usize) -> CacheKey {
        CacheKey([self.id, unit as u64])
    }
}

impl Drop for CacheReservation {
    fn drop(&mut self) {
        self.follow(0);
    }
}

#[cfg(test)]
mod tests;
