//! The key under a block cursor, put together from shared prefixes and suffixes.

/// Keys up to this length need no heap.
const INLINE_SIZE: usize = 128;
/// Suffixes up to this length are copied as one block of constant size, which costs a few
/// instructions where a copy of variable size costs a call.
const CHUNK_SIZE: usize = 32;

/// A growable byte string that is cheap to cut and extend, as delta-coded keys need it.
#[derive(Clone, Debug)]
pub(crate) struct KeyBuffer {
    inline: [u8; INLINE_SIZE],
    /// Used instead of `inline` for long keys, from the first one until a key that shares nothing.
    spill: Vec<u8>,
    is_spilled: bool,
    length: usize,
}

impl KeyBuffer {
    pub(crate) fn new() -> Self {
        Self { inline: [0; INLINE_SIZE], spill: Vec::new(), is_spilled: false, length: 0 }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        if self.is_spilled { &self.spill } else { &self.inline[..self.length] }
    }

    /// Keeps the first `shared` bytes and appends `source[start..start + count]`.
    ///
    /// # Panics
    /// If `shared` is more than there is or the range is not within `source`.
    #[inline]
    pub(crate) fn splice(&mut self, shared: usize, source: &[u8], start: usize, count: usize) {
        debug_assert!(shared <= self.length);
        let is_short = count <= CHUNK_SIZE && shared <= INLINE_SIZE - CHUNK_SIZE;
        if is_short
            && (!self.is_spilled || shared == 0)
            && let Some(chunk) = source[start..].first_chunk::<CHUNK_SIZE>()
        {
            self.inline[shared..shared + CHUNK_SIZE].copy_from_slice(chunk);
            self.is_spilled = false;
            self.length = shared + count;
        } else {
            self.splice_slow(shared, &source[start..start + count]);
        }
    }

    /// Becomes the same as another.
    #[inline]
    pub(crate) fn copy(&mut self, other: &Self) {
        if other.is_spilled {
            self.spill.clone_from(&other.spill);
        } else {
            self.inline = other.inline;
        }
        (self.is_spilled, self.length) = (other.is_spilled, other.length);
    }

    /// Makes it the first `count` bytes of `source`.
    ///
    /// # Panics
    /// If there are not as many.
    #[inline]
    pub(crate) fn begin<const N: usize>(&mut self, source: &[u8; N], count: usize) {
        const { assert!(N <= INLINE_SIZE) };
        assert!(count <= N, "{count} bytes of {N}");
        self.inline[..N].copy_from_slice(source);
        self.is_spilled = false;
        self.length = count;
    }

    fn splice_slow(&mut self, shared: usize, suffix: &[u8]) {
        let length = shared + suffix.len();
        if self.is_spilled && shared > 0 || length > INLINE_SIZE {
            if !self.is_spilled {
                self.spill.clear();
                self.spill.extend_from_slice(&self.inline[..shared]);
                self.is_spilled = true;
            }
            self.spill.truncate(shared);
            self.spill.extend_from_slice(suffix);
        } else {
            self.is_spilled = false;
            self.inline[shared..length].copy_from_slice(suffix);
        }
        self.length = length;
    }
}

#[cfg(test)]
mod tests;
