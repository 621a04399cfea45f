//! Iterators: held open by a session, or run over a whole family.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr;
use std::rc::Rc;
use std::slice;

use testing::content::{ColumnsHash, ContentHash};
use testing::judges::protocol::{Content, Move};

use librocksdb::{Failure, Result, StatusSlot, copied, slice_of};
use librocksdb::{Functions, Raw};

/// What an iterator should see.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) snapshot: Option<Raw>,
    pub(super) timestamp: Option<Vec<u8>>,
    pub(super) lower: Option<Vec<u8>>,
    pub(super) upper: Option<Vec<u8>>,
}

/// `rocksdb_readoptions_t`, with the strings that it points to.
pub(super) struct ReadOptions {
    functions: Rc<Functions>,
    raw: Raw,
    _view: View,
}

impl ReadOptions {
    pub(super) fn new(functions: &Rc<Functions>, view: View) -> Result<Self> {
        let create = functions.readoptions_create()?;
        // SAFETY: takes nothing and gives a new object.
        let raw = unsafe { create() };
        let options = Self { functions: Rc::clone(functions), raw, _view: view };
        let set_total_order = functions.readoptions_set_total_order_seek()?;
        // SAFETY: live options; the strings' bytes stay where they are as long as the options live.
        unsafe {
            set_total_order(raw, 1);
            if let Some(snapshot) = options._view.snapshot {
                (functions.readoptions_set_snapshot()?)(raw, snapshot);
            }
            let set = [
                (&options._view.timestamp, functions.readoptions_set_timestamp()),
                (&options._view.lower, functions.readoptions_set_iterate_lower_bound()),
                (&options._view.upper, functions.readoptions_set_iterate_upper_bound()),
            ];
            for (string, set) in set {
                if let Some(string) = string {
                    let (data, length) = slice_of(string);
                    set?(raw, data, length);
                }
            }
        }
        Ok(options)
    }

    pub(super) fn raw(&self) -> Raw {
        self.raw
    }
}

impl Drop for ReadOptions {
    fn drop(&mut self) {
        if let Ok(destroy) = self.functions.readoptions_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

/// A `rocksdb_iterator_t`. Its owner drops it before the database.
pub(super) struct Iterator {
    functions: Rc<Functions>,
    raw: Raw,
    _options: ReadOptions,
}

impl Iterator {
    /// A new iterator over a family of an open database.
    ///
    /// # Safety
    /// `database` and `family` must be alive for as long as the iterator.
    pub(super) unsafe fn new(
        functions: &Rc<Functions>,
        database: Raw,
        family: Raw,
        view: View,
    ) -> Result<Self> {
        let create = functions.create_iterator_cf()?;
        let options = ReadOptions::new(functions, view)?;
        // SAFETY: all three are alive.
        let raw = unsafe { create(database, options.raw, family) };
        Ok(Self { functions: Rc::clone(functions), raw, _options: options })
    }

    /// Moves, and gives the entry that it is on then.
    pub(super) fn go(&mut self, to: &Move) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        self.step(to)?;
        if self.is_valid()? { Ok(Some((self.key()?, self.value()?))) } else { Ok(None) }
    }

    fn step(&mut self, to: &Move) -> Result<()> {
        let functions = &self.functions;
        if matches!(to, Move::Next | Move::Prev) && !self.is_valid()? {
            return Err(Failure::Refused("the iterator is not on an entry".to_owned()));
        }
        // SAFETY: a live iterator, on an entry where the move needs one; keys with their lengths.
        unsafe {
            match to {
                Move::SeekToFirst => (functions.iter_seek_to_first()?)(self.raw),
                Move::SeekToLast => (functions.iter_seek_to_last()?)(self.raw),
                Move::Next => (functions.iter_next()?)(self.raw),
                Move::Prev => (functions.iter_prev()?)(self.raw),
                Move::Seek(key) => {
                    let (data, length) = slice_of(&key.0);
                    (functions.iter_seek()?)(self.raw, data, length);
                }
                Move::SeekForPrev(key) => {
                    let (data, length) = slice_of(&key.0);
                    (functions.iter_seek_for_prev()?)(self.raw, data, length);
                }
            }
        }
        if self.is_valid()? { Ok(()) } else { self.status() }
    }

    fn is_valid(&self) -> Result<bool> {
        let valid = self.functions.iter_valid()?;
        // SAFETY: a live iterator.
        Ok(unsafe { valid(self.raw) } != 0)
    }

    fn status(&self) -> Result<()> {
        let get_error = self.functions.iter_get_error()?;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: a live iterator and a place for the status.
        unsafe { get_error(self.raw, status.slot()) };
        status.check()
    }

    fn key(&self) -> Result<Vec<u8>> {
        self.part(self.functions.iter_key()?)
    }

    fn value(&self) -> Result<Vec<u8>> {
        self.part(self.functions.iter_value()?)
    }

    fn part(&self, of: Part) -> Result<Vec<u8>> {
        let mut length = 0;
        // SAFETY: the iterator is on an entry, and does not move while its bytes are copied.
        unsafe {
            let data = of(self.raw, &raw mut length);
            Ok(copied(data, length))
        }
    }

    /// The columns of the entry that the iterator is on, if this release has them.
    fn columns(&self) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
        let columns = self.functions.columns()?;
        // SAFETY: `rocksdb_iterator_t` holds a pointer to the iterator, which is one of that class;
        // the vector is begin, end and capacity, its elements two pairs of pointer and length.
        unsafe {
            let iterator = *self.raw.cast::<Raw>();
            let [begin, end, _] = *columns(iterator);
            let count = (end - begin) / size_of::<[usize; 4]>();
            if count == 0 {
                return Some(Vec::new());
            }
            let columns = slice::from_raw_parts(begin as *const [usize; 4], count).iter();
            Some(
                columns
                    .map(|[name, name_length, value, value_length]| {
                        let name = copied(ptr::with_exposed_provenance(*name), *name_length);
                        (name, copied(ptr::with_exposed_provenance(*value), *value_length))
                    })
                    .collect(),
            )
        }
    }

    /// Everything from the first entry to the last; then back, which must give the same.
    pub(super) fn content(&mut self, timestamps: bool) -> Result<Content> {
        let (mut pairs, mut entities) = (ContentHash::new(), ColumnsHash::new());
        let mut hashes = Vec::new();
        let mut sees_columns = true;
        let mut reached = self.step(&Move::SeekToFirst);
        while reached.is_ok() && self.is_valid()? {
            let (key, value) = (self.key()?, self.value()?);
            if timestamps {
                let timestamp = self.part(self.functions.iter_timestamp()?)?;
                pairs.push_with_timestamp(&key, &timestamp, &value);
            } else {
                pairs.push(&key, &value);
            }
            match self.columns() {
                Some(columns) => entities.push(&key, &columns),
                None => sees_columns = false,
            }
            hashes.push(hash_of(&key, &value));
            reached = self.step(&Move::Next);
        }
        let mut content = Content {
            count: pairs.count(),
            sha256: pairs.sha256(),
            columns_sha256: sees_columns.then(|| entities.sha256()),
            error: None,
        };
        content.error = match reached {
            Err(Failure::Refused(error)) => Some(error),
            Err(other) => return Err(other),
            Ok(()) => self.backward_difference(&hashes)?,
        };
        Ok(content)
    }

    fn backward_difference(&mut self, forward: &[u64]) -> Result<Option<String>> {
        let mut expected = forward.iter().rev();
        let mut reached = self.step(&Move::SeekToLast);
        let mut count = 0_u64;
        while reached.is_ok() && self.is_valid()? {
            if expected.next() != Some(&hash_of(&self.key()?, &self.value()?)) {
                return Ok(Some(format!("read backwards, pair {count} is another")));
            }
            count += 1;
            reached = self.step(&Move::Prev);
        }
        match reached {
            Err(Failure::Refused(error)) => Ok(Some(format!("read backwards: {error}"))),
            Err(other) => Err(other),
            Ok(()) if expected.next().is_some() => {
                Ok(Some(format!("read backwards: {count} pairs")))
            }
            Ok(()) => Ok(None),
        }
    }
}

impl Drop for Iterator {
    fn drop(&mut self) {
        if let Ok(destroy) = self.functions.iter_destroy() {
            // SAFETY: created by RocksDB, destroyed once, before the database.
            unsafe { destroy(self.raw) };
        }
    }
}

/// `rocksdb_iter_key` and its like.
type Part = unsafe extern "C" fn(Raw, *mut usize) -> *const std::ffi::c_char;

fn hash_of(key: &[u8], value: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key, value).hash(&mut hasher);
    hasher.finish()
}
