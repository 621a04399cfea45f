//! The value of an entry, lent to whoever visits it.

use crate::data_block::DataBlock;
use base::PinnableSlice;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The bytes of a value, which can be kept.
#[derive(Debug)]
pub struct EntryValue<'a>(Repr<'a>);

#[derive(Debug)]
enum Repr<'a> {
    InBlock { block: &'a Arc<DataBlock>, range: Range<usize> },
    Resolved(&'a PinnableSlice),
}

impl<'a> EntryValue<'a> {
    pub(super) fn in_block(block: &'a Arc<DataBlock>, range: Range<usize>) -> Self {
        Self(Repr::InBlock { block, range })
    }

    pub(super) fn resolved(value: &'a PinnableSlice) -> Self {
        Self(Repr::Resolved(value))
    }

    /// The value, kept alive together with the block it is in.
    pub fn pin(&self) -> PinnableSlice {
        match &self.0 {
            Repr::InBlock { block, range } => {
                PinnableSlice::pinned(Arc::clone(block) as _, range.clone())
            }
            Repr::Resolved(value) => (*value).clone(),
        }
    }
}

impl Deref for EntryValue<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::InBlock { block, range } => &block.padded()[range.clone()],
            Repr::Resolved(value) => value,
        }
    }
}
