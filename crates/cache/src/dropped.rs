//! Values that leave a cache.

use crate::{CacheKey, CacheValue, SecondaryCache};

/// A value that leaves, with its key if it is for want of room.
#[derive(Debug)]
struct Leaving {
    value: CacheValue,
    evicted: Option<CacheKey>,
}

/// Values to be dropped once the lock is released; almost always at most one.
#[derive(Debug, Default)]
pub struct Dropped {
    first: Option<Leaving>,
    rest: Vec<Leaving>,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        self.all().for_each(|leaving| leaving.value.left_cache());
    }
}

impl Dropped {
    /// Adds one, if it is one.
    pub fn push(&mut self, value: Option<CacheValue>) {
        self.add(value.map(|value| Leaving { value, evicted: None }));
    }

    /// Adds one that had to make room.
    pub fn push_evicted(&mut self, key: CacheKey, value: Option<CacheValue>) {
        self.add(value.map(|value| Leaving { value, evicted: Some(key) }));
    }

    /// Offers what had to make room to the next tier. To be called without a lock of the cache.
    pub(crate) fn offer_to(&self, secondary: &dyn SecondaryCache) {
        for leaving in self.all() {
            if let (Some(key), Some(bytes)) = (&leaving.evicted, leaving.value.saved()) {
                secondary.insert(key, bytes, false);
            }
        }
    }

    fn add(&mut self, leaving: Option<Leaving>) {
        if self.first.is_none() {
            self.first = leaving;
        } else {
            self.rest.extend(leaving);
        }
    }

    fn all(&self) -> impl Iterator<Item = &Leaving> {
        self.first.iter().chain(&self.rest)
    }
}
