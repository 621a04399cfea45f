//! Bytes that are either owned or a piece of something shared, such as a cached block.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Something that owns bytes and can be shared.
pub trait PinnedBytes: Send + Sync {
    /// The bytes, always the same.
    fn bytes(&self) -> &[u8];
}

impl PinnedBytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

impl PinnedBytes for Box<[u8]> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A value handed to the user. Holding one keeps the shared bytes alive and nothing else.
#[derive(Clone)]
pub struct PinnableSlice(Repr);

#[derive(Clone)]
enum Repr {
    Owned(Vec<u8>),
    Pinned { owner: Arc<dyn PinnedBytes>, range: Range<usize> },
}

impl PinnableSlice {
    /// Bytes that are shared are copied for users up to this size: a copy takes no longer than counting a reference,
    /// on whose count all readers meet, and holds nothing back.
    pub const COPIED_SIZE_MAX: usize = 256;

    /// A piece of `owner`.
    ///
    /// # Panics
    /// If `range` is not within the owner's bytes.
    #[inline]
    pub fn pinned(owner: Arc<dyn PinnedBytes>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= owner.bytes().len(), "range out of owner");
        Self(Repr::Pinned { owner, range })
    }

    /// How many bytes, without asking who owns them.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Owned(bytes) => bytes.len(),
            Repr::Pinned { range, .. } => range.len(),
        }
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the bytes are shared rather than owned.
    pub fn is_pinned(&self) -> bool {
        matches!(self.0, Repr::Pinned { .. })
    }

    /// The bytes as a vector, without a copy where they are owned.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Owned(bytes) => bytes,
            Repr::Pinned { ref owner, ref range } => owner.bytes()[range.clone()].to_vec(),
        }
    }
}

impl Deref for PinnableSlice {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Owned(bytes) => bytes,
            Repr::Pinned { owner, range } => &owner.bytes()[range.clone()],
        }
    }
}

impl AsRef<[u8]> for PinnableSlice {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for PinnableSlice {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Repr::Owned(bytes))
    }
}

impl From<&[u8]> for PinnableSlice {
    fn from(bytes: &[u8]) -> Self {
        Self(Repr::Owned(bytes.to_vec()))
    }
}

impl Default for PinnableSlice {
    fn default() -> Self {
        Self(Repr::Owned(Vec::new()))
    }
}

impl PartialEq for PinnableSlice {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for PinnableSlice {}

impl fmt::Debug for PinnableSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::dbformat::hex(self))
    }
}
