//! Lookups.

use crate::database::{Database, Family};
use crate::failure::{Result, StatusSlot, borrowed, failure_of, free, slice_of};
use crate::functions::Raw;
use crate::library::Library;
use crate::read_options::ReadOptions;
use std::ffi::c_char;
use std::ops::Deref;
use std::ptr;

/// A value where RocksDB has it.
pub struct PinnedValue<'a> {
    library: &'a Library,
    raw: Raw,
    bytes: &'a [u8],
}

impl Deref for PinnedValue<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

impl Drop for PinnedValue<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Ok(destroy) = self.library.functions.pinnableslice_destroy() {
            // SAFETY: RocksDB gave it, and it is destroyed once; the bytes are gone with `self`.
            unsafe { destroy(self.raw) };
        }
    }
}

/// Arrays that a lookup of several keys needs, kept for the next one.
#[derive(Default)]
pub struct MultiGetRoom {
    keys: Vec<*const c_char>,
    key_lengths: Vec<usize>,
    families: Vec<Raw>,
    values: Vec<*mut c_char>,
    value_lengths: Vec<usize>,
    slices: Vec<Raw>,
    errors: Vec<*mut c_char>,
}

impl MultiGetRoom {
    fn prepare(&mut self, keys: &[Vec<u8>]) {
        self.keys.clear();
        self.keys.extend(keys.iter().map(|key| slice_of(key).0));
        self.key_lengths.clear();
        self.key_lengths.extend(keys.iter().map(Vec::len));
        self.errors.clear();
        self.errors.resize(keys.len(), ptr::null_mut());
    }
}

impl Database {
    /// The value of a key, if it has one.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    #[inline]
    pub fn get<'a>(
        &'a self,
        options: &ReadOptions,
        family: &Family,
        key: &[u8],
    ) -> Result<Option<PinnedValue<'a>>> {
        debug_assert!(family.is_of(&self.handle), "a family of another database");
        let library = &*self.handle.library;
        let (get, value_of) =
            (library.functions.get_pinned_cf()?, library.functions.pinnableslice_value()?);
        let (data, length) = slice_of(key);
        let mut status = StatusSlot::new(&library.functions);
        // SAFETY: a live database, options and family, a key with its length, a place for the
        // status.
        let raw = unsafe {
            get(self.handle.raw, options.raw(), family.raw(), data, length, status.slot())
        };
        status.check()?;
        if raw.is_null() {
            return Ok(None);
        }
        let mut length = 0;
        // SAFETY: a slice that was found; its bytes stay until it is destroyed, and it holds what
        // they are in.
        let bytes = unsafe {
            let data = value_of(raw, &raw mut length);
            borrowed(data, length)
        };
        Ok(Some(PinnedValue { library, raw, bytes }))
    }

    /// Hands the values of several keys to `visit`, by the function that takes arrays of slices.
    ///
    /// # Errors
    /// `Refused` with the first status that is none of success.
    pub fn batched_multi_get(
        &self,
        options: &ReadOptions,
        family: &Family,
        keys: &[Vec<u8>],
        room: &mut MultiGetRoom,
        mut visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        let functions = &self.handle.library.functions;
        let get = functions.batched_multi_get_cf()?;
        let (value_of, destroy) =
            (functions.pinnableslice_value()?, functions.pinnableslice_destroy()?);
        room.prepare(keys);
        room.slices.clear();
        room.slices.resize(keys.len(), ptr::null_mut());
        // SAFETY: a live database, options and family; arrays of as many keys, lengths and places as
        // are said.
        unsafe {
            get(
                self.handle.raw,
                options.raw(),
                family.raw(),
                keys.len(),
                room.keys.as_ptr(),
                room.key_lengths.as_ptr(),
                room.slices.as_mut_ptr(),
                room.errors.as_mut_ptr(),
                false,
            );
        }
        for (index, slice) in room.slices.iter().enumerate() {
            if slice.is_null() {
                visit(index, None);
                continue;
            }
            let mut length = 0;
            // SAFETY: a slice that was found, destroyed once, after its bytes were looked at.
            unsafe {
                let data = value_of(*slice, &raw mut length);
                visit(index, Some(borrowed(data, length)));
                destroy(*slice);
            }
        }
        self.first_failure(&room.errors)
    }

    /// Hands the values of several keys to `visit`, by the function that takes vectors of strings.
    ///
    /// # Errors
    /// `Refused` with the first status that is none of success.
    pub fn multi_get(
        &self,
        options: &ReadOptions,
        family: &Family,
        keys: &[Vec<u8>],
        room: &mut MultiGetRoom,
        mut visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        let functions = &self.handle.library.functions;
        let get = functions.multi_get_cf()?;
        room.prepare(keys);
        room.families.clear();
        room.families.resize(keys.len(), family.raw());
        room.values.clear();
        room.values.resize(keys.len(), ptr::null_mut());
        room.value_lengths.clear();
        room.value_lengths.resize(keys.len(), 0);
        // SAFETY: as in `batched_multi_get`.
        unsafe {
            get(
                self.handle.raw,
                options.raw(),
                room.families.as_ptr(),
                keys.len(),
                room.keys.as_ptr(),
                room.key_lengths.as_ptr(),
                room.values.as_mut_ptr(),
                room.value_lengths.as_mut_ptr(),
                room.errors.as_mut_ptr(),
            );
        }
        for (index, (value, length)) in room.values.iter().zip(&room.value_lengths).enumerate() {
            if value.is_null() {
                visit(index, None);
                continue;
            }
            // SAFETY: a value that is not null has that length, and is the caller's, who gives it back
            // after it was looked at.
            unsafe {
                visit(index, Some(borrowed(*value, *length)));
                free(functions, value.cast())?;
            }
        }
        self.first_failure(&room.errors)
    }

    /// The first failure of several keys; all texts are given back.
    fn first_failure(&self, errors: &[*mut c_char]) -> Result<()> {
        let mut first = Ok(());
        for error in errors.iter().filter(|error| !error.is_null()) {
            // SAFETY: what is not null is a C string of the caller's, taken once.
            let failure = unsafe { failure_of(&self.handle.library.functions, *error) };
            first = first.and(Err(failure));
        }
        first
    }
}
