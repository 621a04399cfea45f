//! RocksDB through its C functions, as safe types. All unsafe code of this crate is below here.
//!
//! What RocksDB owns never leaves these modules as a pointer: databases, families, snapshots and
//! iterators are reached through [`database::Database`], which gives them back in the right order.

pub(crate) mod database;
pub(crate) mod functions;
mod iterator;
mod operators;
mod options;
mod transactions;

use std::ffi::c_char;
use std::{ptr, slice};

use functions::{Functions, Raw};

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// RocksDB's status, or what was wrong with the question.
    Refused(String),
    /// The release lacks this.
    Unsupported(String),
}

/// Of everything here.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// The place where a function of RocksDB puts its status.
struct Status<'a> {
    functions: &'a Functions,
    text: *mut c_char,
}

impl<'a> Status<'a> {
    fn new(functions: &'a Functions) -> Self {
        Self { functions, text: ptr::null_mut() }
    }

    fn slot(&mut self) -> *mut *mut c_char {
        &raw mut self.text
    }

    fn is_ok(&self) -> bool {
        self.text.is_null()
    }

    /// The status as a result, after the call.
    fn check(self) -> Result<()> {
        if self.is_ok() {
            return Ok(());
        }
        // SAFETY: a function that was given the slot leaves null there or a C string.
        let text = unsafe { std::ffi::CStr::from_ptr(self.text) }.to_string_lossy().into_owned();
        free(self.functions, self.text.cast())?;
        Err(Failure::Refused(text))
    }
}

/// Gives back memory that a function of RocksDB handed out.
fn free(functions: &Functions, memory: Raw) -> Result<()> {
    let free = functions.free()?;
    // SAFETY: callers pass what RocksDB allocated for them, once.
    unsafe { free(memory) };
    Ok(())
}

/// A copy of bytes that RocksDB points to.
///
/// # Safety
/// `data` must be null or point to `length` bytes that nobody changes during the call.
unsafe fn copied(data: *const c_char, length: usize) -> Vec<u8> {
    if data.is_null() || length == 0 {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(data.cast::<u8>(), length) }.to_vec()
}

/// A pointer and length as RocksDB takes strings.
fn slice_of(bytes: &[u8]) -> (*const c_char, usize) {
    (bytes.as_ptr().cast(), bytes.len())
}
