//! Statuses and bytes that RocksDB hands out.

use crate::functions::{Functions, Raw};
use std::ffi::{CStr, c_char};
use std::{fmt, ptr, slice};

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// RocksDB's status, or what was wrong with the question.
    Refused(String),
    /// The release lacks this.
    Unsupported(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(status) => f.write_str(status),
            Self::Unsupported(what) => write!(f, "this release of RocksDB has no {what}"),
        }
    }
}

/// Of everything here.
pub type Result<T> = std::result::Result<T, Failure>;

/// The place where a function of RocksDB puts its status.
pub struct StatusSlot<'a> {
    functions: &'a Functions,
    text: *mut c_char,
}

impl<'a> StatusSlot<'a> {
    /// An empty one.
    #[inline]
    pub fn new(functions: &'a Functions) -> Self {
        Self { functions, text: ptr::null_mut() }
    }

    /// What the function is to be given.
    #[inline]
    pub fn slot(&mut self) -> *mut *mut c_char {
        &raw mut self.text
    }

    /// Whether no failure was put here.
    #[inline]
    pub fn is_ok(&self) -> bool {
        self.text.is_null()
    }

    /// The status as a result, after the call.
    ///
    /// # Errors
    /// `Refused`.
    #[inline]
    pub fn check(self) -> Result<()> {
        if self.is_ok() { Ok(()) } else { Err(self.failure()) }
    }

    #[cold]
    fn failure(self) -> Failure {
        // SAFETY: a function that was given the slot leaves null there or a C string of its own.
        unsafe { failure_of(self.functions, self.text) }
    }
}

/// The failure that a function left, whose text is given back.
///
/// # Safety
/// `text` must be a C string that a function of RocksDB allocated for its caller.
#[cold]
pub(crate) unsafe fn failure_of(functions: &Functions, text: *mut c_char) -> Failure {
    // SAFETY: the caller's promise.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: the caller's promise; the text was copied.
    match unsafe { free(functions, text.cast()) } {
        Ok(()) => Failure::Refused(copy),
        Err(failure) => failure,
    }
}

/// Gives back memory that a function of RocksDB handed out.
///
/// # Errors
/// `Unsupported`.
///
/// # Safety
/// `memory` must be what RocksDB allocated for its caller, and given back once.
pub unsafe fn free(functions: &Functions, memory: Raw) -> Result<()> {
    let free = functions.free()?;
    // SAFETY: the caller's promise.
    unsafe { free(memory) };
    Ok(())
}

/// A copy of bytes that RocksDB points to.
///
/// # Safety
/// `data` must be null or point to `length` bytes that nobody changes during the call.
pub unsafe fn copied(data: *const c_char, length: usize) -> Vec<u8> {
    // SAFETY: the caller's promise.
    unsafe { borrowed(data, length) }.to_vec()
}

/// Bytes that RocksDB points to.
///
/// # Safety
/// `data` must be null or point to `length` bytes that live and stay as they are for `'a`.
#[inline]
pub(crate) unsafe fn borrowed<'a>(data: *const c_char, length: usize) -> &'a [u8] {
    if data.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(data.cast::<u8>(), length) }
}

/// A pointer and length as RocksDB takes strings.
#[inline]
pub fn slice_of(bytes: &[u8]) -> (*const c_char, usize) {
    (bytes.as_ptr().cast(), bytes.len())
}
