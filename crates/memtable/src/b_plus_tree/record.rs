//! A record of a tree: in one piece of memory, written once.
//!
//! ```text
//! length of the user key   4 bytes
//! length of the value      4
//! user key, trailer, value
//! ```

use crate::arena::{ALIGNMENT, ArenaWriter};
use crate::memtable_rep::length;
use base::dbformat::TRAILER_SIZE;
use std::ptr::NonNull;

/// The address of a record. Nothing says how long it is good: its arena has to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record(NonNull<Header>);

#[repr(C)]
#[derive(Debug)]
pub(super) struct Header {
    user_key_length: u32,
    value_length: u32,
}

const _: () = assert!(align_of::<Header>() <= ALIGNMENT);

impl Record {
    pub(super) fn new(
        arena: &mut ArenaWriter,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> Self {
        let header = Header { user_key_length: length(user_key), value_length: length(value) };
        let key_size = user_key.len() + TRAILER_SIZE;
        let record = arena.allocate(size_of::<Header>() + key_size + value.len()).cast::<Header>();
        // SAFETY: the piece is aligned for a header, as large as all that is written, one after the
        // other, and nobody else knows of it yet.
        unsafe {
            record.write(header);
            let bytes = record.add(1).cast::<u8>();
            bytes.copy_from_nonoverlapping(NonNull::from(user_key).cast(), user_key.len());
            let trailer = trailer.to_le_bytes();
            let after_key = bytes.add(user_key.len());
            after_key.copy_from_nonoverlapping(NonNull::from(&trailer).cast(), TRAILER_SIZE);
            let after_trailer = bytes.add(key_size);
            after_trailer.copy_from_nonoverlapping(NonNull::from(value).cast(), value.len());
        }
        Self(record)
    }

    pub(super) fn address(self) -> *mut Header {
        self.0.as_ptr()
    }

    /// The record at an address that [`Self::address`] gave; none if it is null.
    #[inline]
    pub(super) fn at(address: *mut Header) -> Option<Self> {
        NonNull::new(address).map(Self)
    }

    /// The internal key.
    ///
    /// # Safety
    /// The record's arena is held as long as `'a`, and the caller saw the record by what happened
    /// after it was written.
    #[inline]
    pub(super) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: the bytes follow the header in the same piece of memory, have these lengths, and
        // were written when the record was made and never after.
        unsafe {
            let size = (*self.0.as_ptr()).user_key_length as usize + TRAILER_SIZE;
            std::slice::from_raw_parts(self.0.add(1).cast::<u8>().as_ptr(), size)
        }
    }

    /// The value.
    ///
    /// # Safety
    /// As for [`Self::key`].
    #[inline]
    pub(super) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: as for `key`.
        unsafe {
            let key_size = (*self.0.as_ptr()).user_key_length as usize + TRAILER_SIZE;
            let size = (*self.0.as_ptr()).value_length as usize;
            std::slice::from_raw_parts(self.0.add(1).cast::<u8>().add(key_size).as_ptr(), size)
        }
    }
}
