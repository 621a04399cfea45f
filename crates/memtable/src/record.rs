//! A record of a memtable: in one piece of memory, written once, at any address.
//!
//! ```text
//! length of the user key   1 byte
//! length of the value      2
//! user key, trailer, value
//! ```
//!
//! Where one of them is too long for that, lengths have four bytes behind a mark that they do:
//!
//! ```text
//! 255                      1 byte
//! length of the user key   4
//! length of the value      4
//! user key, trailer, value
//! ```

use crate::arena::ArenaWriter;
use crate::memtable_rep::length;
use base::dbformat::TRAILER_SIZE;
use std::ptr::NonNull;

/// The address of a record. Nothing says how long it is good: its arena has to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record(NonNull<Header>);

/// What a record begins with: the length of its user key, or [`LONG`].
#[repr(transparent)]
#[derive(Debug)]
pub(crate) struct Header(u8);

/// The mark of a header with long lengths.
const LONG: u8 = u8::MAX;
const SHORT_HEADER_SIZE: usize = size_of::<Header>() + size_of::<u16>();
const LONG_HEADER_SIZE: usize = size_of::<Header>() + 2 * size_of::<u32>();

// So that four bytes of any record may be looked at at once.
const _: () = assert!(SHORT_HEADER_SIZE + TRAILER_SIZE >= size_of::<u32>());

/// The sizes of a record's parts.
struct Sizes {
    header: usize,
    user_key: usize,
    value: usize,
}

impl Sizes {
    #[inline]
    fn new(user_key: &[u8], value: &[u8]) -> Self {
        let (user_key, value) = (user_key.len(), value.len());
        let is_short = user_key < usize::from(LONG) && value <= usize::from(u16::MAX);
        let header = if is_short { SHORT_HEADER_SIZE } else { LONG_HEADER_SIZE };
        Self { header, user_key, value }
    }

    #[inline]
    fn whole(&self) -> usize {
        self.header + self.user_key + TRAILER_SIZE + self.value
    }
}

impl Record {
    /// What the address of a record is a multiple of.
    pub(crate) const ALIGNMENT: usize = align_of::<Header>();

    /// Bytes of a record.
    #[inline]
    pub(crate) fn size(user_key: &[u8], value: &[u8]) -> usize {
        Sizes::new(user_key, value).whole()
    }

    /// A record with a piece of an arena to itself.
    ///
    /// # Panics
    /// If the key or the value is 4 GiB or longer.
    pub(crate) fn new(
        arena: &mut ArenaWriter,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> Self {
        let piece = arena.allocate(Self::size(user_key, value));
        // SAFETY: pieces are aligned for a header, this one is as large as the record, and nobody
        // else knows of it yet.
        unsafe { Self::write(piece, user_key, trailer, value) }
    }

    /// Writes a record to an address.
    ///
    /// # Safety
    /// From the address on the caller has as many bytes as [`Self::size`] says to itself.
    ///
    /// # Panics
    /// As [`Self::new`].
    #[inline]
    pub(crate) unsafe fn write(
        address: NonNull<u8>,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> Self {
        let sizes = Sizes::new(user_key, value);
        // SAFETY: the address has room for all that is written, one after the other, and nothing of it
        // has to be aligned.
        unsafe {
            if sizes.header == SHORT_HEADER_SIZE {
                address.write(user_key.len() as u8);
                copy(&(value.len() as u16).to_le_bytes(), address.add(size_of::<Header>()));
            } else {
                let (key_length, value_length) = (length(user_key), length(value));
                address.write(LONG);
                let lengths = address.add(size_of::<Header>());
                copy(&key_length.to_le_bytes(), lengths);
                copy(&value_length.to_le_bytes(), lengths.add(size_of::<u32>()));
            }
            let bytes = address.add(sizes.header);
            copy(user_key, bytes);
            copy(&trailer.to_le_bytes(), bytes.add(user_key.len()));
            copy(value, bytes.add(user_key.len() + TRAILER_SIZE));
        }
        Self(address.cast())
    }

    pub(crate) fn address(self) -> *mut Header {
        self.0.as_ptr()
    }

    /// The record at an address that [`Self::address`] gave; none if it is null.
    #[inline]
    pub(crate) fn at(address: *mut Header) -> Option<Self> {
        NonNull::new(address).map(Self)
    }

    /// The record that was written to an address.
    #[inline]
    pub(crate) fn from_address(address: NonNull<u8>) -> Self {
        Self(address.cast())
    }

    /// # Safety
    /// As for [`Self::key`].
    #[inline]
    unsafe fn sizes(self) -> Sizes {
        let start = self.0.cast::<u8>();
        // SAFETY: as for `key`; no record has less than four bytes, and one with long lengths has them.
        unsafe {
            let first = u32::from_le_bytes(start.cast::<[u8; 4]>().read());
            if first as u8 != LONG {
                let (user_key, value) = (first as u8, (first >> u8::BITS) as u16);
                let (user_key, value) = (usize::from(user_key), usize::from(value));
                return Sizes { header: SHORT_HEADER_SIZE, user_key, value };
            }
            let lengths = start.add(size_of::<Header>()).cast::<[u8; 4]>();
            Sizes {
                header: LONG_HEADER_SIZE,
                user_key: u32::from_le_bytes(lengths.read()) as usize,
                value: u32::from_le_bytes(lengths.add(1).read()) as usize,
            }
        }
    }

    /// Bytes from `start` on.
    ///
    /// # Safety
    /// As for [`Self::key`], and the record has so many.
    #[inline]
    unsafe fn bytes<'a>(self, start: usize, size: usize) -> &'a [u8] {
        // SAFETY: the bytes lie in one piece of memory, and were written when the record was made and
        // never after.
        unsafe { std::slice::from_raw_parts(self.0.cast::<u8>().add(start).as_ptr(), size) }
    }

    /// The internal key.
    ///
    /// # Safety
    /// The record's arena is held as long as `'a`, and the caller saw the record by what happened
    /// after it was written.
    #[inline]
    pub(crate) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's, and these are where it was written.
        unsafe {
            let sizes = self.sizes();
            self.bytes(sizes.header, sizes.user_key + TRAILER_SIZE)
        }
    }

    /// Bytes of the record, its header among them.
    ///
    /// # Safety
    /// As for [`Self::key`].
    #[inline]
    pub(crate) unsafe fn whole_size(self) -> usize {
        // SAFETY: as for `key`.
        unsafe { self.sizes().whole() }
    }

    /// The value.
    ///
    /// # Safety
    /// As for [`Self::key`].
    #[inline]
    pub(crate) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: as for `key`.
        unsafe {
            let sizes = self.sizes();
            self.bytes(sizes.header + sizes.user_key + TRAILER_SIZE, sizes.value)
        }
    }
}

/// # Safety
/// `target` has room for `bytes` and does not overlap with them.
unsafe fn copy(bytes: &[u8], target: NonNull<u8>) {
    // SAFETY: the caller's.
    unsafe { target.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
}

#[cfg(test)]
mod tests;
