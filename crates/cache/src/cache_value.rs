//! What a cache holds: a shared value of any type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value that readers also reach past the cache, by links that its owner keeps. The cache decides
/// all the same how long they last: when it lets the value go it says so, and the links go too.
pub trait LinkedValue: Any + Send + Sync {
    /// How many references are such links. They don't keep the value in the cache.
    fn link_count(&self) -> usize;

    /// Whether it was reached by a link since this was last asked.
    fn take_use(&self) -> bool;

    /// The cache holds it no longer, or did not take it. Called without any lock of the cache held.
    fn left_cache(&self);

    /// Bytes of which its owner can make it again, if there are any: a secondary cache may keep them.
    fn saved(&self) -> Option<&[u8]> {
        None
    }
}

/// A cached value. Who holds a clone keeps the value alive, and in the cache.
#[derive(Clone)]
pub enum CacheValue {
    /// It is found through the cache alone.
    Plain(Arc<dyn Any + Send + Sync>),
    /// It is found by links too.
    Linked(Arc<dyn LinkedValue>),
}

impl CacheValue {
    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        match self {
            Self::Plain(value) => &**value,
            Self::Linked(value) => &**value,
        }
    }

    /// Whether it is a `T`.
    pub fn is<T: Any>(&self) -> bool {
        self.as_any().is::<T>()
    }

    /// The value as a `T`, if it is one.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        self.as_any().downcast_ref()
    }

    /// The shared value as a `T`, if it is one.
    #[inline]
    pub fn downcast<T: Any + Send + Sync>(self) -> Option<Arc<T>> {
        let value: Arc<dyn Any + Send + Sync> = match self {
            Self::Plain(value) => value,
            Self::Linked(value) => value,
        };
        value.downcast().ok()
    }

    /// Whether somebody beside the cache, which has one reference, and beside links holds it.
    pub fn is_held(&self) -> bool {
        match self {
            Self::Plain(value) => Arc::strong_count(value) > 1,
            Self::Linked(value) => {
                let count = Arc::strong_count(value);
                // Asking for links takes a lock.
                count > 1 && count > 1 + value.link_count()
            }
        }
    }

    /// Whether it was reached by a link since this was last asked.
    pub fn take_use(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Linked(value) => value.take_use(),
        }
    }

    /// Bytes of which its owner can make it again, if there are any.
    pub fn saved(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(_) => None,
            Self::Linked(value) => value.saved(),
        }
    }

    /// To be called when a cache has let it go, or did not take it, without a lock held.
    pub fn left_cache(&self) {
        if let Self::Linked(value) = self {
            value.left_cache();
        }
    }
}

impl<T: Any + Send + Sync> From<Arc<T>> for CacheValue {
    fn from(value: Arc<T>) -> Self {
        Self::Plain(value)
    }
}

impl fmt::Debug for CacheValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain",
            Self::Linked(_) => "Linked",
        })
    }
}
