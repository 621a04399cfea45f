//! A program's own code, as functions that RocksDB calls.

use crate::failure::{Result, borrowed};
use crate::functions::{Functions, Raw};
use crate::library::Library;
use crate::options::Options;
use std::cmp::Ordering;
use std::ffi::{CStr, CString, c_char, c_int, c_uchar};
use std::sync::{Arc, Mutex, PoisonError};
use std::{ptr, slice};

/// The first release whose prefix extractors are not asked what is a prefix.
const TRANSFORMS_WITHOUT_RANGES: (u32, u32) = (11, 0);

/// What becomes of a value that a compaction filter is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// It stays.
    Keep,
    /// Its key is deleted.
    Remove,
    /// It becomes this one.
    Change(Vec<u8>),
}

/// What RocksDB asks of a program: an order, a merge operator, a filter for each compaction, and a
/// prefix extractor. Called by several threads at once. A panic ends the process.
pub trait Hooks: Send + Sync + 'static {
    /// The name of all of them.
    fn name(&self) -> &CStr;
    /// Orders two keys.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;
    /// Makes a value of what was there before and operands, oldest first; none if that fails.
    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>>;
    /// Makes one operand of several; none if that fails.
    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>>;
    /// Whether one filter serves all compactions, so that none is made for each.
    fn has_one_filter(&self) -> bool;
    /// Hears that a filter is made.
    fn create_filter(&self, is_full_compaction: bool, is_manual_compaction: bool);
    /// Decides about a value.
    fn filter(&self, level: i32, key: &[u8], value: &[u8]) -> Filtered;
    /// How long the prefix of a key is; none if it has none.
    fn prefix_length(&self, key: &[u8]) -> Option<usize>;
}

type SharedHooks = Arc<dyn Hooks>;

/// What an object of RocksDB has of its own.
struct State {
    hooks: SharedHooks,
    name: CString,
    /// What makes the objects that one makes.
    create_filter: Option<CreateFilter>,
    /// The value that a filter gave last, which RocksDB copies after the call.
    changed: Mutex<Vec<u8>>,
}

/// The functions of a library that a factory of filters needs.
#[derive(Clone, Copy)]
struct CreateFilter {
    create: FilterCreate,
    is_full: unsafe extern "C" fn(Raw) -> c_uchar,
    is_manual: unsafe extern "C" fn(Raw) -> c_uchar,
}

type FilterCreate = unsafe extern "C" fn(
    Raw,
    extern "C" fn(Raw),
    crate::functions::Filter,
    extern "C" fn(Raw) -> *const c_char,
) -> Raw;

impl State {
    fn into_raw(hooks: &SharedHooks, create_filter: Option<CreateFilter>) -> Raw {
        let (hooks, name) = (Arc::clone(hooks), hooks.name().to_owned());
        let changed = Mutex::default();
        Box::into_raw(Box::new(Self { hooks, name, create_filter, changed })).cast()
    }
}

impl Options {
    /// Makes all hooks part of these options.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn set_hooks(&mut self, hooks: &Arc<dyn Hooks>) -> Result<()> {
        let library = Arc::clone(self.library());
        let functions = &library.functions;
        let (comparator, operator) = (comparator(functions, hooks)?, operator(functions, hooks)?);
        let transform = transform(&library, hooks)?;
        let (filter, set_filter) = match hooks.has_one_filter() {
            true => (one_filter(functions, hooks)?, functions.options_set_compaction_filter()?),
            false => {
                (factory(functions, hooks)?, functions.options_set_compaction_filter_factory()?)
            }
        };
        let (set_comparator, set_operator, set_transform) = (
            functions.options_set_comparator()?,
            functions.options_set_merge_operator()?,
            functions.options_set_prefix_extractor()?,
        );
        // SAFETY: live options and new objects; the options take over all but the comparator and a filter
        // of all compactions, which stay for as long as the process lives, as databases only point to
        // them.
        unsafe {
            set_comparator(self.raw(), comparator);
            set_operator(self.raw(), operator);
            set_filter(self.raw(), filter);
            set_transform(self.raw(), transform);
        }
        Ok(())
    }
}

fn comparator(functions: &Functions, hooks: &SharedHooks) -> Result<Raw> {
    let create = functions.comparator_create()?;
    // SAFETY: the callbacks have the types that the function takes, and the state is theirs.
    Ok(unsafe { create(State::into_raw(hooks, None), destroy, compare, name) })
}

fn operator(functions: &Functions, hooks: &SharedHooks) -> Result<Raw> {
    let create = functions.mergeoperator_create()?;
    let state = State::into_raw(hooks, None);
    // SAFETY: as above.
    Ok(unsafe { create(state, destroy, full_merge, partial_merge, delete_value, name) })
}

fn factory(functions: &Functions, hooks: &SharedHooks) -> Result<Raw> {
    let create = functions.compactionfilterfactory_create()?;
    let create_filter = CreateFilter {
        create: functions.compactionfilter_create()?,
        is_full: functions.compactionfiltercontext_is_full_compaction()?,
        is_manual: functions.compactionfiltercontext_is_manual_compaction()?,
    };
    let state = State::into_raw(hooks, Some(create_filter));
    // SAFETY: as above.
    Ok(unsafe { create(state, destroy, new_filter, name) })
}

fn one_filter(functions: &Functions, hooks: &SharedHooks) -> Result<Raw> {
    let create = functions.compactionfilter_create()?;
    let state = State::into_raw(hooks, None);
    // SAFETY: as above.
    Ok(unsafe { create(state, destroy, filter, name) })
}

fn transform(library: &Library, hooks: &SharedHooks) -> Result<Raw> {
    let functions = &library.functions;
    if library.is_since(TRANSFORMS_WITHOUT_RANGES) {
        let create = functions.slicetransform_create_since_11()?;
        let state = State::into_raw(hooks, None);
        // SAFETY: as above, and the release is one whose function takes these.
        return Ok(unsafe { create(state, destroy, prefix, in_domain, name) });
    }
    let create = functions.slicetransform_create()?;
    let state = State::into_raw(hooks, None);
    // SAFETY: as above, and the release is one whose function takes these.
    Ok(unsafe { create(state, destroy, prefix, in_domain, in_range, name) })
}

/// The state that an object was made with.
///
/// # Safety
/// `raw` must be what [`State::into_raw`] gave, not yet destroyed for as long as `'a`.
unsafe fn state<'a>(raw: Raw) -> &'a State {
    // SAFETY: the caller's promise.
    unsafe { &*raw.cast::<State>() }
}

extern "C" fn destroy(raw: Raw) {
    // SAFETY: RocksDB destroys an object, and with it the state it was made with, once.
    drop(unsafe { Box::from_raw(raw.cast::<State>()) });
}

extern "C" fn name(raw: Raw) -> *const c_char {
    // SAFETY: RocksDB passes the state of a live object.
    unsafe { state(raw) }.name.as_ptr()
}

extern "C" fn compare(
    raw: Raw,
    left: *const c_char,
    left_length: usize,
    right: *const c_char,
    right_length: usize,
) -> c_int {
    // SAFETY: RocksDB passes the state of a live object, and two keys with their lengths.
    unsafe {
        let (left, right) = (borrowed(left, left_length), borrowed(right, right_length));
        state(raw).hooks.compare(left, right) as c_int
    }
}

/// Operands as slices.
///
/// # Safety
/// Both arrays must have `count` elements; each operand must live for `'a` and have the length at its
/// place.
unsafe fn operands_of<'a>(
    operands: *const *const c_char,
    lengths: *const usize,
    count: c_int,
) -> Vec<&'a [u8]> {
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let (operands, lengths) =
            (slice::from_raw_parts(operands, count), slice::from_raw_parts(lengths, count));
        operands.iter().zip(lengths).map(|(at, length)| borrowed(*at, *length)).collect()
    }
}

/// Hands a value over to RocksDB, which gives it back to [`delete_value`].
///
/// # Safety
/// `success` and `length` must be places to write to.
unsafe fn handed_over(
    value: Option<Vec<u8>>,
    success: *mut c_uchar,
    length: *mut usize,
) -> *mut c_char {
    let is_there = value.is_some();
    let value = value.unwrap_or_default().into_boxed_slice();
    // SAFETY: the caller's promise.
    unsafe {
        *success = c_uchar::from(is_there);
        *length = value.len();
    }
    match is_there {
        true => Box::into_raw(value).cast(),
        false => ptr::null_mut(),
    }
}

extern "C" fn full_merge(
    raw: Raw,
    key: *const c_char,
    key_length: usize,
    base: *const c_char,
    base_length: usize,
    operands: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    length: *mut usize,
) -> *mut c_char {
    // SAFETY: RocksDB passes the state of a live object, strings with their lengths (a null base for
    // none), and places to write to.
    unsafe {
        let existing = (!base.is_null()).then(|| borrowed(base, base_length));
        let operands = operands_of(operands, lengths, count);
        let merged = state(raw).hooks.full_merge(borrowed(key, key_length), existing, &operands);
        handed_over(merged, success, length)
    }
}

extern "C" fn partial_merge(
    raw: Raw,
    key: *const c_char,
    key_length: usize,
    operands: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    length: *mut usize,
) -> *mut c_char {
    // SAFETY: as above.
    unsafe {
        let operands = operands_of(operands, lengths, count);
        let merged = state(raw).hooks.partial_merge(borrowed(key, key_length), &operands);
        handed_over(merged, success, length)
    }
}

extern "C" fn delete_value(_raw: Raw, value: *const c_char, length: usize) {
    if !value.is_null() {
        let value = ptr::slice_from_raw_parts_mut(value.cast_mut().cast::<u8>(), length);
        // SAFETY: a value that is not null is what `handed_over` made of a box of this length.
        drop(unsafe { Box::from_raw(value) });
    }
}

extern "C" fn new_filter(raw: Raw, context: Raw) -> Raw {
    // SAFETY: RocksDB passes the state of a live factory.
    let state = unsafe { state(raw) };
    let Some(CreateFilter { create, is_full, is_manual }) = state.create_filter else {
        return ptr::null_mut();
    };
    // SAFETY: RocksDB passes a live context, and takes over the filter.
    unsafe {
        state.hooks.create_filter(is_full(context) != 0, is_manual(context) != 0);
        create(State::into_raw(&state.hooks, None), destroy, filter, name)
    }
}

extern "C" fn filter(
    raw: Raw,
    level: c_int,
    key: *const c_char,
    key_length: usize,
    value: *const c_char,
    value_length: usize,
    new_value: *mut *mut c_char,
    new_value_length: *mut usize,
    value_changed: *mut c_uchar,
) -> c_uchar {
    // SAFETY: RocksDB passes the state of a live filter, a key and a value with their lengths, and
    // places to write to. It copies the new value before it asks the filter again.
    unsafe {
        let state = state(raw);
        let (key, value) = (borrowed(key, key_length), borrowed(value, value_length));
        *value_changed = 0;
        match state.hooks.filter(level, key, value) {
            Filtered::Keep => 0,
            Filtered::Remove => 1,
            Filtered::Change(value) => {
                let mut changed = state.changed.lock().unwrap_or_else(PoisonError::into_inner);
                *changed = value;
                *new_value = changed.as_mut_ptr().cast();
                *new_value_length = changed.len();
                *value_changed = 1;
                0
            }
        }
    }
}

extern "C" fn prefix(
    raw: Raw,
    key: *const c_char,
    key_length: usize,
    length: *mut usize,
) -> *mut c_char {
    // SAFETY: RocksDB passes the state of a live object, a key with its length, and a place to write
    // to.
    unsafe {
        let wanted = state(raw).hooks.prefix_length(borrowed(key, key_length));
        *length = wanted.unwrap_or(key_length).min(key_length);
    }
    key.cast_mut()
}

extern "C" fn in_domain(raw: Raw, key: *const c_char, key_length: usize) -> c_uchar {
    // SAFETY: as above.
    unsafe { c_uchar::from(state(raw).hooks.prefix_length(borrowed(key, key_length)).is_some()) }
}

extern "C" fn in_range(_raw: Raw, _key: *const c_char, _key_length: usize) -> c_uchar {
    0
}
