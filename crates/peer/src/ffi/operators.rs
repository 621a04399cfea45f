//! The fixtures' own comparator and merge operator, as functions that RocksDB calls.

use std::ffi::{c_char, c_int, c_uchar};
use std::{ptr, slice};

use librocksdb::{Functions, Raw};
use librocksdb::{Result, copied};

/// `golden.shortlex`, a new `rocksdb_comparator_t`. Nothing frees it: options and databases point
/// to it as long as they live.
pub(super) fn shortlex(functions: &Functions) -> Result<Raw> {
    let create = functions.comparator_create()?;
    // SAFETY: the callbacks have the types that the function takes, and no state.
    Ok(unsafe { create(ptr::null_mut(), nothing, shortlex_compare, shortlex_name) })
}

/// `golden.append`, a new `rocksdb_mergeoperator_t` for the options that take it over.
pub(super) fn append(functions: &Functions) -> Result<Raw> {
    let create = functions.mergeoperator_create()?;
    // SAFETY: the callbacks have the types that the function takes, and no state.
    Ok(unsafe {
        create(ptr::null_mut(), nothing, append_full, append_partial, drop_value, append_name)
    })
}

extern "C" fn nothing(_state: Raw) {}

extern "C" fn shortlex_name(_state: Raw) -> *const c_char {
    c"golden.shortlex".as_ptr()
}

extern "C" fn shortlex_compare(
    _state: Raw,
    left: *const c_char,
    left_length: usize,
    right: *const c_char,
    right_length: usize,
) -> c_int {
    // SAFETY: RocksDB passes two keys with their lengths.
    let (left, right) = unsafe { (copied(left, left_length), copied(right, right_length)) };
    left.len().cmp(&right.len()).then_with(|| left.cmp(&right)) as c_int
}

extern "C" fn append_name(_state: Raw) -> *const c_char {
    c"golden.append".as_ptr()
}

/// Base and operands with `|` between them.
extern "C" fn append_full(
    _state: Raw,
    _key: *const c_char,
    _key_length: usize,
    base: *const c_char,
    base_length: usize,
    operands: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    length: *mut usize,
) -> *mut c_char {
    let count = usize::try_from(count).unwrap_or(0);
    let mut parts = Vec::with_capacity(count + 1);
    if !base.is_null() {
        // SAFETY: a base that is not null has the length given.
        parts.push(unsafe { copied(base, base_length) });
    }
    if count > 0 {
        // SAFETY: both arrays have `count` elements.
        let (operands, lengths) = unsafe {
            (slice::from_raw_parts(operands, count), slice::from_raw_parts(lengths, count))
        };
        for (operand, length) in operands.iter().zip(lengths) {
            // SAFETY: each operand has the length at its place.
            parts.push(unsafe { copied(*operand, *length) });
        }
    }
    let value = parts.join(&b'|').into_boxed_slice();
    // SAFETY: RocksDB passes places to write to.
    unsafe {
        *success = 1;
        *length = value.len();
    }
    // Comes back to `drop_value` with this length.
    Box::into_raw(value).cast()
}

extern "C" fn append_partial(
    _state: Raw,
    _key: *const c_char,
    _key_length: usize,
    _operands: *const *const c_char,
    _lengths: *const usize,
    _count: c_int,
    success: *mut c_uchar,
    length: *mut usize,
) -> *mut c_char {
    // SAFETY: RocksDB passes places to write to.
    unsafe {
        *success = 0;
        *length = 0;
    }
    ptr::null_mut()
}

extern "C" fn drop_value(_state: Raw, value: *const c_char, length: usize) {
    if !value.is_null() {
        let value = ptr::slice_from_raw_parts_mut(value.cast_mut().cast::<u8>(), length);
        // SAFETY: a value that is not null is what `append_full` made a box into.
        drop(unsafe { Box::from_raw(value) });
    }
}
