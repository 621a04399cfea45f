//! An order in place of one that is not there.

use base::Comparator;
use std::cmp::Ordering;

/// Orders keys bytewise under the name of a comparator that nobody registered. Files of a level may
/// come in the wrong order, which a shape does not show.
#[derive(Debug)]
pub(super) struct FallbackComparator {
    pub(super) name: String,
}

impl Comparator for FallbackComparator {
    fn name(&self) -> &str {
        &self.name
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }
}
