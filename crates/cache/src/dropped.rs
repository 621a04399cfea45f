//! Values that leave a cache.

use crate::CacheValue;

/// Values to be dropped once the lock is released; almost always at most one.
#[derive(Debug, Default)]
pub struct Dropped {
    first: Option<CacheValue>,
    rest: Vec<CacheValue>,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        self.first.iter().chain(&self.rest).for_each(CacheValue::left_cache);
    }
}

impl Dropped {
    /// Adds one, if it is one.
    pub fn push(&mut self, value: Option<CacheValue>) {
        if self.first.is_none() {
            self.first = value;
        } else {
            self.rest.extend(value);
        }
    }
}
