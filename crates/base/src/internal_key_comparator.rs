//! The order of internal keys: user key by the family's comparator, then newest first.
//!
//! Every comparison of user keys goes through here, and counts in the perf context of its thread.

use crate::comparator::{BYTEWISE_NAME, BytewiseComparator, Comparator};
use crate::dbformat::{TRAILER_SIZE, extract_trailer, extract_user_key};
use crate::key_prefix::key_prefix;
use perf_context::{PerfMetric, count};
use std::cmp::Ordering;
use std::sync::Arc;

/// Orders internal keys. Cheap to clone; the bytewise order is compared without a virtual call.
#[derive(Clone, Debug)]
pub struct InternalKeyComparator {
    user: Arc<dyn Comparator>,
    bytewise: bool,
    timestamp_size: usize,
}

impl InternalKeyComparator {
    /// The order that follows from a user comparator.
    pub fn new(user: Arc<dyn Comparator>) -> Self {
        let bytewise = user.name() == BYTEWISE_NAME;
        let timestamp_size = user.timestamp_size();
        Self { user, bytewise, timestamp_size }
    }

    /// The default order.
    pub fn bytewise() -> Self {
        Self::new(Arc::new(BytewiseComparator))
    }

    /// The order of user keys.
    pub fn user_comparator(&self) -> &Arc<dyn Comparator> {
        &self.user
    }

    /// Whether user keys are ordered as plain bytes.
    #[inline]
    pub fn is_bytewise(&self) -> bool {
        self.bytewise
    }

    /// Bytes of timestamp at the end of user keys.
    #[inline]
    pub fn timestamp_size(&self) -> usize {
        self.timestamp_size
    }

    /// Orders two internal keys.
    ///
    /// # Panics
    /// If one is shorter than a trailer.
    #[inline]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare_user_keys(extract_user_key(a), extract_user_key(b))
            .then_with(|| extract_trailer(b).cmp(&extract_trailer(a)))
    }

    /// Orders two user keys, timestamps included.
    #[inline]
    pub fn compare_user_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        count_comparison();
        if self.bytewise { a.cmp(b) } else { self.user.compare(a, b) }
    }

    /// Orders two user keys that both end in a timestamp by what comes before it.
    #[inline]
    pub fn compare_without_timestamp(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.timestamp_size == 0 {
            self.compare_user_keys(a, b)
        } else {
            count_comparison();
            self.user.compare_without_timestamp(a, true, b, true)
        }
    }

    /// Whether two user keys that both end in a timestamp are equal before it.
    #[inline]
    pub fn is_equal_without_timestamp(&self, a: &[u8], b: &[u8]) -> bool {
        count_comparison();
        if self.bytewise {
            // Most keys that are asked about differ early, which takes no call to find out.
            a.len() == b.len() && (std::ptr::eq(a, b) || key_prefix(a) == key_prefix(b) && a == b)
        } else if self.timestamp_size == 0 {
            self.user.equal(a, b)
        } else {
            self.user.compare_without_timestamp(a, true, b, true).is_eq()
        }
    }

    /// The user key without its timestamp.
    #[inline]
    pub fn strip_timestamp<'a>(&self, user_key: &'a [u8]) -> &'a [u8] {
        &user_key[..user_key.len().saturating_sub(self.timestamp_size)]
    }

    /// Whether `internal_key` is long enough to hold a trailer and a timestamp.
    #[inline]
    pub fn is_long_enough(&self, internal_key: &[u8]) -> bool {
        internal_key.len() >= TRAILER_SIZE + self.timestamp_size
    }
}

#[inline]
fn count_comparison() {
    count(PerfMetric::UserKeyComparisonCount, 1);
}
