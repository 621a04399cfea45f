//! A record of a memtable: in one piece of memory, written once.
//!
//! ```text
//! length of the user key   4 bytes
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

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header {
    user_key_length: u32,
    value_length: u32,
}

impl Record {
    /// What the address of a record is a multiple of.
    pub(crate) const ALIGNMENT: usize = align_of::<Header>();

    /// Bytes of a record.
    #[inline]
    pub(crate) fn size(user_key: &[u8], value: &[u8]) -> usize {
        size_of::<Header>() + user_key.len() + TRAILER_SIZE + value.len()
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
    /// From the address on, which is a multiple of [`Self::ALIGNMENT`], the caller has as many bytes as
    /// [`Self::size`] says to itself.
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
        let header = Header { user_key_length: length(user_key), value_length: length(value) };
        let record = address.cast::<Header>();
        // SAFETY: the address is aligned for a header, and has room for all that is written, one
        // after the other.
        unsafe {
            record.write(header);
            let bytes = record.add(1).cast::<u8>();
            copy(user_key, bytes);
            copy(&trailer.to_le_bytes(), bytes.add(user_key.len()));
            copy(value, bytes.add(user_key.len() + TRAILER_SIZE));
        }
        Self(record)
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

    /// The internal key.
    ///
    /// # Safety
    /// The record's arena is held as long as `'a`, and the caller saw the record by what happened
    /// after it was written.
    #[inline]
    pub(crate) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: the bytes follow the header in the same piece of memory, have these lengths, and
        // were written when the record was made and never after.
        unsafe {
            let size = (*self.0.as_ptr()).user_key_length as usize + TRAILER_SIZE;
            std::slice::from_raw_parts(self.0.add(1).cast::<u8>().as_ptr(), size)
        }
    }

    /// Bytes of the record, its header among them.
    ///
    /// # Safety
    /// As for [`Self::key`].
    #[inline]
    pub(crate) unsafe fn whole_size(self) -> usize {
        // SAFETY: as for `key`.
        let Header { user_key_length, value_length } = unsafe { &*self.0.as_ptr() };
        size_of::<Header>() + *user_key_length as usize + TRAILER_SIZE + *value_length as usize
    }

    /// The value.
    ///
    /// # Safety
    /// As for [`Self::key`].
    #[inline]
    pub(crate) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: as for `key`.
        unsafe {
            let key_size = (*self.0.as_ptr()).user_key_length as usize + TRAILER_SIZE;
            let size = (*self.0.as_ptr()).value_length as usize;
            std::slice::from_raw_parts(self.0.add(1).cast::<u8>().add(key_size).as_ptr(), size)
        }
    }
}

/// # Safety
/// `target` has room for `bytes` and does not overlap with them.
unsafe fn copy(bytes: &[u8], target: NonNull<u8>) {
    // SAFETY: the caller's.
    unsafe { target.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
}
