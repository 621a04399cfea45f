//! Memory elsewhere that counts against a cache.
//!
//! The cache holds values of no content that are charged for, so that it keeps less of its own.

use crate::{Cache, CacheKey, CacheValue, Priority};
use base::Result;
use parking_lot::Mutex;
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

    /// Follows the use of memory: up at once, down only once a quarter is not needed any more.
    ///
    /// # Errors
    /// `MemoryLimit` where a strict limit of the cache does not allow for more; as much is charged as it
    /// does allow for.
    pub fn follow(&mut self, bytes: usize) -> Result<()> {
        if bytes < self.reserved_bytes() / 4 * 3 {
            while self.units > bytes.div_ceil(RESERVATION_UNIT_BYTES) {
                self.units -= 1;
                self.cache.erase(&self.key(self.units));
            }
        }
        while self.reserved_bytes() < bytes {
            let key = self.key(self.units);
            let value = self.value.clone();
            self.cache.insert(key, value, RESERVATION_UNIT_BYTES, Priority::Low)?;
            self.units += 1;
        }
        Ok(())
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
        // Nothing is asked for.
        let _ = self.follow(0);
    }
}

/// Memory of many holders that is charged to a cache together, so that units are not charged for each.
#[derive(Debug)]
pub struct ChargedMemory {
    state: Mutex<ChargedState>,
}

#[derive(Debug)]
struct ChargedState {
    reservation: CacheReservation,
    bytes: usize,
}

impl ChargedMemory {
    /// None yet, charged to this cache; `value` as for [`CacheReservation::new`].
    pub fn new(cache: Arc<dyn Cache>, value: CacheValue) -> Self {
        let reservation = CacheReservation::new(cache, value);
        Self { state: Mutex::new(ChargedState { reservation, bytes: 0 }) }
    }

    /// Charges for so many bytes until what is returned is dropped.
    ///
    /// # Errors
    /// `MemoryLimit` where a strict limit of the cache does not allow for them; nothing is charged then.
    pub fn charge(self: &Arc<Self>, bytes: usize) -> Result<MemoryCharge> {
        let mut charge = MemoryCharge { memory: Arc::clone(self), bytes: 0 };
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Follows memory of one holder that says how much it has altogether. What a strict limit does not
    /// allow for is not charged.
    pub fn follow(&self, bytes: usize) {
        let mut state = self.state.lock();
        state.bytes = bytes;
        // Whoever says how much there is cannot have less.
        let _ = state.reservation.follow(bytes);
    }

    /// Bytes charged now, in whole units.
    pub fn reserved_bytes(&self) -> usize {
        self.state.lock().reservation.reserved_bytes()
    }
}

/// A part of [`ChargedMemory`], given back when dropped.
#[derive(Debug)]
pub struct MemoryCharge {
    memory: Arc<ChargedMemory>,
    bytes: usize,
}

impl MemoryCharge {
    /// Charges for so many bytes more.
    ///
    /// # Errors
    /// `MemoryLimit` where a strict limit of the cache does not allow for them; they are not charged then.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        let mut state = self.memory.state.lock();
        let (before, after) = (state.bytes, state.bytes + bytes);
        if let Err(status) = state.reservation.follow(after) {
            // Less than was charged is allowed for.
            let _ = state.reservation.follow(before);
            return Err(status);
        }
        state.bytes = after;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        let mut state = self.memory.state.lock();
        state.bytes -= self.bytes;
        let bytes = state.bytes;
        // Less than was charged is allowed for.
        let _ = state.reservation.follow(bytes);
    }
}

#[cfg(test)]
mod tests;
