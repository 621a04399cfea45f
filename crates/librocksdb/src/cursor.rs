//! Cursors.

use crate::database::{Database, Family};
use crate::failure::{Result, StatusSlot, borrowed, slice_of};
use crate::functions::Raw;
use crate::library::Library;
use crate::read_options::ReadOptions;
use std::ffi::{c_char, c_uchar};

/// The functions that a cursor calls for each entry, looked up once.
#[derive(Clone, Copy)]
struct Moves {
    valid: unsafe extern "C" fn(Raw) -> c_uchar,
    next: unsafe extern "C" fn(Raw),
    prev: unsafe extern "C" fn(Raw),
    seek: unsafe extern "C" fn(Raw, *const c_char, usize),
    seek_for_prev: unsafe extern "C" fn(Raw, *const c_char, usize),
    seek_to_first: unsafe extern "C" fn(Raw),
    seek_to_last: unsafe extern "C" fn(Raw),
    key: unsafe extern "C" fn(Raw, *mut usize) -> *const c_char,
    value: unsafe extern "C" fn(Raw, *mut usize) -> *const c_char,
    get_error: unsafe extern "C" fn(Raw, *mut *mut c_char),
    destroy: unsafe extern "C" fn(Raw),
}

/// A cursor over a family (`rocksdb_iterator_t`). It borrows the options, whose bounds it points to.
pub struct Cursor<'a> {
    library: &'a Library,
    raw: Raw,
    moves: Moves,
    /// Whether it stands at an entry, as of the last move.
    valid: bool,
}

impl Database {
    /// A cursor over the keys of a family, that stands nowhere yet.
    ///
    /// # Errors
    /// `Unsupported`.
    #[inline]
    pub fn cursor<'a>(
        &'a self,
        options: &'a ReadOptions,
        family: &'a Family,
    ) -> Result<Cursor<'a>> {
        let library = &*self.handle.library;
        let functions = &library.functions;
        let create = functions.create_iterator_cf()?;
        let moves = Moves {
            valid: functions.iter_valid()?,
            next: functions.iter_next()?,
            prev: functions.iter_prev()?,
            seek: functions.iter_seek()?,
            seek_for_prev: functions.iter_seek_for_prev()?,
            seek_to_first: functions.iter_seek_to_first()?,
            seek_to_last: functions.iter_seek_to_last()?,
            key: functions.iter_key()?,
            value: functions.iter_value()?,
            get_error: functions.iter_get_error()?,
            destroy: functions.iter_destroy()?,
        };
        // SAFETY: a live database, options and family, all of which outlive the cursor.
        let raw = unsafe { create(self.handle.raw, options.raw(), family.raw()) };
        Ok(Cursor { library, raw, moves, valid: false })
    }
}

impl Cursor<'_> {
    /// Whether it stands at an entry.
    #[inline]
    pub fn valid(&self) -> bool {
        self.valid
    }

    #[inline]
    fn moved(&mut self) {
        // SAFETY: a live iterator.
        self.valid = unsafe { (self.moves.valid)(self.raw) != 0 };
    }

    /// The error that it met, if any.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    pub fn status(&self) -> Result<()> {
        let mut status = StatusSlot::new(&self.library.functions);
        // SAFETY: a live iterator and a place for the status.
        unsafe { (self.moves.get_error)(self.raw, status.slot()) };
        status.check()
    }

    /// To the first entry.
    pub fn seek_to_first(&mut self) {
        // SAFETY: a live iterator.
        unsafe { (self.moves.seek_to_first)(self.raw) };
        self.moved();
    }

    /// To the last entry.
    pub fn seek_to_last(&mut self) {
        // SAFETY: a live iterator.
        unsafe { (self.moves.seek_to_last)(self.raw) };
        self.moved();
    }

    /// To the first entry at or after `target`.
    #[inline]
    pub fn seek(&mut self, target: &[u8]) {
        let (data, length) = slice_of(target);
        // SAFETY: a live iterator, a key with its length.
        unsafe { (self.moves.seek)(self.raw, data, length) };
        self.moved();
    }

    /// To the last entry at or before `target`.
    #[inline]
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        let (data, length) = slice_of(target);
        // SAFETY: a live iterator, a key with its length.
        unsafe { (self.moves.seek_for_prev)(self.raw, data, length) };
        self.moved();
    }

    /// To the next entry. Stays nowhere if it stands nowhere.
    #[inline]
    pub fn next(&mut self) {
        if self.valid {
            // SAFETY: a live iterator that is valid.
            unsafe { (self.moves.next)(self.raw) };
            self.moved();
        }
    }

    /// To the entry before. Stays nowhere if it stands nowhere.
    #[inline]
    pub fn prev(&mut self) {
        if self.valid {
            // SAFETY: a live iterator that is valid.
            unsafe { (self.moves.prev)(self.raw) };
            self.moved();
        }
    }

    /// The key where it stands; nothing if it stands nowhere.
    #[inline]
    pub fn key(&self) -> &[u8] {
        if !self.valid {
            return &[];
        }
        let mut length = 0;
        // SAFETY: a live iterator that is valid; the key stays until it is moved, for which `self` must be free.
        unsafe {
            let data = (self.moves.key)(self.raw, &raw mut length);
            borrowed(data, length)
        }
    }

    /// The value where it stands; nothing if it stands nowhere.
    #[inline]
    pub fn value(&self) -> &[u8] {
        if !self.valid {
            return &[];
        }
        let mut length = 0;
        // SAFETY: as above.
        unsafe {
            let data = (self.moves.value)(self.raw, &raw mut length);
            borrowed(data, length)
        }
    }
}

impl Drop for Cursor<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: created by RocksDB, destroyed once.
        unsafe { (self.moves.destroy)(self.raw) };
    }
}
