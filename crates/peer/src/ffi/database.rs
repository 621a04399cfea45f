//! An open database with its families, snapshots and iterators.

mod external_tables;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use testing::judges::protocol::{
    Bytes, Contents, FamilyOpening, LiveFile, Mode, Move, Opening, Operation, TransactionStep,
};

use super::iterator::{Iterator, ReadOptions, View};
use super::options::{OpenOptions, Options, directory, of_family};
use super::transactions::{TransactionDbOptions, Transactions};
use crate::batch;
use librocksdb::{Failure, Result, StatusSlot, c_string, copied, free, slice_of};
use librocksdb::{Functions, Raw};

/// How often and how long [`Database::wait_for_idle`] looks.
const LOOKS: usize = 4000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(15);

/// An open database.
pub(crate) struct Database {
    functions: Rc<Functions>,
    /// A `rocksdb_t`, or a `rocksdb_transactiondb_t`. Each is a pointer to a C++ object alone, and a
    /// `TransactionDB` is a `DB`, so that the functions for one do for the other.
    raw: Raw,
    families: BTreeMap<Bytes, Raw>,
    snapshots: BTreeMap<u64, Raw>,
    iterators: BTreeMap<u64, Iterator>,
    /// There for a `TransactionDB`.
    transactions: Option<Transactions>,
    last_number: u64,
}

/// The names of a directory's families.
pub(crate) fn list_families(functions: &Rc<Functions>, directory: &CStr) -> Result<Vec<CString>> {
    let list = functions.list_column_families()?;
    let destroy = functions.list_column_families_destroy()?;
    let options = Options::new(functions)?;
    let mut count = 0;
    let mut status = StatusSlot::new(functions);
    // SAFETY: live options, a C string, places for the count and the status.
    let names = unsafe { list(options.raw(), directory.as_ptr(), &raw mut count, status.slot()) };
    status.check()?;
    // SAFETY: a list that succeeded has `count` C strings, which are copied and then destroyed.
    unsafe {
        let copies = (0..count).map(|index| CStr::from_ptr(*names.add(index)).to_owned()).collect();
        destroy(names, count);
        Ok(copies)
    }
}

impl Database {
    /// Opens a database.
    pub(crate) fn open(functions: &Rc<Functions>, opening: &Opening) -> Result<Self> {
        let path = directory(opening)?;
        let names = match opening.families.as_slice() {
            [] => list_families(functions, &path)?,
            _ => Vec::new(),
        };
        let options = OpenOptions::of(functions, opening, names)?;
        let names: Vec<_> = options.families.iter().map(|(name, _)| name.as_ptr()).collect();
        let each: Vec<_> = options.families.iter().map(|(_, options)| options.raw()).collect();
        let mut handles: Vec<Raw> = vec![ptr::null_mut(); names.len()];
        let count = c_int::try_from(names.len())
            .map_err(|_| Failure::Unsupported("so many families".to_owned()))?;
        let (names, each, into) = (names.as_ptr(), each.as_ptr(), handles.as_mut_ptr());
        let of_database = options.database.raw();
        let transactions = match opening.transactions {
            Some(policy) => Some(TransactionDbOptions::new(functions, policy)?),
            None => None,
        };
        let mut status = StatusSlot::new(functions);
        // SAFETY: arrays of `count` names, options and places for handles, all alive here.
        let raw = unsafe {
            match opening.mode {
                _ if let Some(transactions) = &transactions => (functions
                    .transactiondb_open_column_families()?)(
                    of_database,
                    transactions.raw(),
                    path.as_ptr(),
                    count,
                    names,
                    each,
                    into,
                    status.slot(),
                ),
                Mode::ReadOnly => (functions.open_for_read_only_column_families()?)(
                    of_database,
                    path.as_ptr(),
                    count,
                    names,
                    each,
                    into,
                    0,
                    status.slot(),
                ),
                Mode::ReadWrite => (functions.open_column_families()?)(
                    of_database,
                    path.as_ptr(),
                    count,
                    names,
                    each,
                    into,
                    status.slot(),
                ),
            }
        };
        status.check()?;
        let names = options.families.iter().map(|(name, _)| Bytes::from(name.as_bytes()));
        Ok(Self {
            functions: Rc::clone(functions),
            raw,
            families: names.zip(handles).collect(),
            snapshots: BTreeMap::new(),
            iterators: BTreeMap::new(),
            transactions: opening.transactions.map(|_| Transactions::new(functions)),
            last_number: 0,
        })
    }

    fn family(&self, name: &Bytes) -> Result<Raw> {
        let family = self.families.get(name);
        family.copied().ok_or_else(|| Failure::Refused(format!("no family {name} is open")))
    }

    pub(crate) fn create_family(&mut self, family: &FamilyOpening) -> Result<()> {
        let create = self.functions.create_column_family()?;
        let options = of_family(&self.functions, family)?;
        let name = c_string(&family.name.0)?;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: a live database and options, a C string, a place for the status.
        let handle = unsafe { create(self.raw, options.raw(), name.as_ptr(), status.slot()) };
        status.check()?;
        self.families.insert(family.name.clone(), handle);
        Ok(())
    }

    pub(crate) fn drop_family(&mut self, name: &Bytes) -> Result<()> {
        let (drop, destroy) =
            (self.functions.drop_column_family()?, self.functions.column_family_handle_destroy()?);
        let handle = self.family(name)?;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: a live database, one of its handles, a place for the status.
        unsafe { drop(self.raw, handle, status.slot()) };
        status.check()?;
        self.families.remove(name);
        // Iterators over a dropped family may go on without its handle.
        // SAFETY: the handle is forgotten, and destroyed once.
        unsafe { destroy(handle) };
        Ok(())
    }

    pub(crate) fn latest_sequence(&self) -> Result<u64> {
        let get = self.functions.get_latest_sequence_number()?;
        // SAFETY: a live database.
        Ok(unsafe { get(self.raw) })
    }

    pub(crate) fn property(&self, family: &Bytes, name: &str) -> Result<Option<String>> {
        let get = self.functions.property_value_cf()?;
        let (family, name) = (self.family(family)?, c_string(name.as_bytes())?);
        // SAFETY: a live database and family, a C string.
        let text = unsafe { get(self.raw, family, name.as_ptr()) };
        if text.is_null() {
            return Ok(None);
        }
        // SAFETY: what is not null is a C string.
        let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: it was given for the caller, and is copied.
        unsafe { free(&self.functions, text.cast())? };
        Ok(Some(copy))
    }

    pub(crate) fn int_property(&self, family: &Bytes, name: &str) -> Result<Option<u64>> {
        let get = self.functions.property_int_cf()?;
        let (family, name) = (self.family(family)?, c_string(name.as_bytes())?);
        let mut value = 0;
        // SAFETY: a live database and family, a C string, a number of ours.
        let status = unsafe { get(self.raw, family, name.as_ptr(), &raw mut value) };
        Ok((status == 0).then_some(value))
    }

    pub(crate) fn get(
        &self,
        family: &Bytes,
        key: &Bytes,
        snapshot: Option<u64>,
    ) -> Result<Option<Vec<u8>>> {
        let get = self.functions.get_cf()?;
        let view = View { snapshot: self.snapshot_of(snapshot)?, ..View::default() };
        let options = ReadOptions::new(&self.functions, view)?;
        let family = self.family(family)?;
        let (data, length) = slice_of(&key.0);
        let mut value_length = 0;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: live objects of one database, a key with its length, places for the results.
        let value = unsafe {
            get(self.raw, options.raw(), family, data, length, &raw mut value_length, status.slot())
        };
        status.check()?;
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: a value that is not null has that length.
        let copy = unsafe { copied(value, value_length) };
        // SAFETY: it was given for the caller, and is copied.
        unsafe { free(&self.functions, value.cast())? };
        Ok(Some(copy))
    }

    pub(crate) fn write(
        &mut self,
        operations: &[Operation],
        sync: bool,
        disable_wal: bool,
    ) -> Result<()> {
        let functions = &self.functions;
        let is_entity = |one: &Operation| matches!(one, Operation::PutEntity { .. });
        if operations.iter().any(is_entity) && functions.columns().is_none() {
            // An older release would take it into its log, and then not know what it is.
            return Err(Failure::Unsupported("wide columns".to_owned()));
        }
        let batch = batch::encode(operations, |family| self.family_id(family))?;
        let (data, length) = slice_of(&batch);
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live database; batch and options are created and destroyed here.
        unsafe {
            let batch = (functions.writebatch_create_from()?)(data, length);
            let options = (functions.writeoptions_create()?)();
            (functions.writeoptions_set_sync()?)(options, u8::from(sync));
            (functions.writeoptions_disable_WAL()?)(options, c_int::from(disable_wal));
            (functions.write()?)(self.raw, options, batch, status.slot());
            (functions.writeoptions_destroy()?)(options);
            (functions.writebatch_destroy()?)(batch);
        }
        status.check()
    }

    fn family_id(&self, name: &Bytes) -> Result<u32> {
        let handle = self.family(name)?;
        if let Ok(get_id) = self.functions.column_family_handle_get_id() {
            // SAFETY: a live handle.
            return Ok(unsafe { get_id(handle) });
        }
        let get_id = self.functions.family_id()?;
        // SAFETY: a live handle begins with a pointer to the object that has this function.
        Ok(unsafe { get_id(*handle.cast::<Raw>()) })
    }

    /// Does a step of a transaction.
    pub(crate) fn transaction(&mut self, name: &Bytes, step: &TransactionStep) -> Result<()> {
        let Self { transactions, families, raw, .. } = self;
        let transactions = transactions.as_mut().ok_or_else(no_transactions)?;
        // SAFETY: the database has transactions, so it is a `TransactionDB`; it lives as long as
        // they do, and so do its families.
        unsafe { transactions.step(*raw, families, name, step) }
    }

    /// The names of all transactions that are prepared.
    pub(crate) fn prepared_transactions(&mut self) -> Result<Vec<Bytes>> {
        let transactions = self.transactions.as_mut().ok_or_else(no_transactions)?;
        // SAFETY: as above.
        unsafe { transactions.prepared(self.raw) }
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    pub(crate) fn snapshot(&mut self) -> Result<u64> {
        let create = self.functions.create_snapshot()?;
        // SAFETY: a live database.
        let snapshot = unsafe { create(self.raw) };
        let number = self.next_number();
        self.snapshots.insert(number, snapshot);
        Ok(number)
    }

    pub(crate) fn release_snapshot(&mut self, number: u64) -> Result<()> {
        let release = self.functions.release_snapshot()?;
        let snapshot = self.snapshot_of(Some(number))?;
        self.snapshots.remove(&number);
        if let Some(snapshot) = snapshot {
            // SAFETY: a snapshot of this database, released once.
            unsafe { release(self.raw, snapshot) };
        }
        Ok(())
    }

    fn snapshot_of(&self, number: Option<u64>) -> Result<Option<Raw>> {
        let Some(number) = number else { return Ok(None) };
        match self.snapshots.get(&number) {
            Some(snapshot) => Ok(Some(*snapshot)),
            None => Err(Failure::Refused(format!("no snapshot {number}"))),
        }
    }

    pub(crate) fn iterator(
        &mut self,
        family: &Bytes,
        snapshot: Option<u64>,
        (lower, upper): (Option<Bytes>, Option<Bytes>),
    ) -> Result<u64> {
        let view = View {
            snapshot: self.snapshot_of(snapshot)?,
            lower: lower.map(|bytes| bytes.0),
            upper: upper.map(|bytes| bytes.0),
            timestamp: None,
        };
        let family = self.family(family)?;
        // SAFETY: iterators are dropped before the database is closed, and one over a dropped
        // family keeps that family itself.
        let iterator = unsafe { Iterator::new(&self.functions, self.raw, family, view)? };
        let number = self.next_number();
        self.iterators.insert(number, iterator);
        Ok(number)
    }

    pub(crate) fn go(&mut self, iterator: u64, to: &Move) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let found = self.iterators.get_mut(&iterator);
        found.ok_or_else(|| Failure::Refused(format!("no iterator {iterator}")))?.go(to)
    }

    pub(crate) fn drop_iterator(&mut self, iterator: u64) {
        self.iterators.remove(&iterator);
    }

    pub(crate) fn dump(
        &self,
        timestamp: Option<&Bytes>,
        snapshot: Option<u64>,
    ) -> Result<Contents> {
        let mut contents = Contents::new();
        for (name, family) in &self.families {
            let view = View {
                snapshot: self.snapshot_of(snapshot)?,
                timestamp: timestamp.map(|bytes| bytes.0.clone()),
                ..View::default()
            };
            // SAFETY: the iterator is dropped at the end of this turn.
            let mut iterator = unsafe { Iterator::new(&self.functions, self.raw, *family, view)? };
            contents.insert(name.clone(), iterator.content(timestamp.is_some())?);
        }
        Ok(contents)
    }

    /// Options of a family, or without one of the database.
    pub(crate) fn set_options(
        &self,
        family: Option<&Bytes>,
        options: &[(String, String)],
    ) -> Result<()> {
        let texts = |of: fn(&(String, String)) -> &String| -> Result<Vec<CString>> {
            options.iter().map(|option| c_string(of(option).as_bytes())).collect()
        };
        let owned = (texts(|(name, _)| name)?, texts(|(_, value)| value)?);
        let pointers =
            |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (names, values) = (pointers(&owned.0), pointers(&owned.1));
        let count = c_int::try_from(options.len()).unwrap_or(c_int::MAX);
        let mut status = StatusSlot::new(&self.functions);
        let (of_names, of_values) = (names.as_ptr(), values.as_ptr());
        match family {
            Some(family) => {
                let (set, family) = (self.functions.set_options_cf()?, self.family(family)?);
                // SAFETY: a live database and family, as many C strings as `count` says.
                unsafe { set(self.raw, family, count, of_names, of_values, status.slot()) };
            }
            None => {
                let set = self.functions.set_db_options()?;
                // SAFETY: as above.
                unsafe { set(self.raw, count, of_names, of_values, status.slot()) };
            }
        }
        status.check()
    }

    pub(crate) fn flush(&mut self, families: &[Bytes]) -> Result<()> {
        let functions = &self.functions;
        let handles = if families.is_empty() {
            self.families.values().copied().collect()
        } else {
            families.iter().map(|name| self.family(name)).collect::<Result<Vec<_>>>()?
        };
        let (create, destroy) =
            (functions.flushoptions_create()?, functions.flushoptions_destroy()?);
        let set_wait = functions.flushoptions_set_wait()?;
        let flush_one = functions.flush_cf()?;
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live database and its families; the options live here.
        unsafe {
            let options = create();
            set_wait(options, 1);
            match functions.flush_cfs() {
                // All at once: with atomic_flush that is one step.
                Ok(flush_all) => {
                    let count = c_int::try_from(handles.len()).unwrap_or(c_int::MAX);
                    flush_all(self.raw, options, handles.as_ptr(), count, status.slot());
                }
                Err(_) => {
                    for family in &handles {
                        if status.is_ok() {
                            flush_one(self.raw, options, *family, status.slot());
                        }
                    }
                }
            }
            destroy(options);
        }
        status.check()
    }

    pub(crate) fn compact(&mut self, family: &Bytes) -> Result<()> {
        /// `BottommostLevelCompaction::kForce`
        const FORCE: u8 = 2;
        let functions = &self.functions;
        let family = self.family(family)?;
        let compact = functions.compact_range_cf_opt()?;
        // SAFETY: a live database and family; the options live here; null bounds are no bounds.
        unsafe {
            let options = (functions.compactoptions_create()?)();
            (functions.compactoptions_set_bottommost_level_compaction()?)(options, FORCE);
            compact(self.raw, family, options, ptr::null(), 0, ptr::null(), 0);
            (functions.compactoptions_destroy()?)(options);
        }
        // The function has no status.
        match self.property_of_any("rocksdb.background-errors")? {
            0 => Ok(()),
            errors => Err(Failure::Refused(format!("{errors} background errors"))),
        }
    }

    /// The sum of a property over all families.
    fn property_of_any(&self, name: &str) -> Result<u64> {
        let mut sum = 0;
        for family in self.families.keys() {
            sum += self.property(family, name)?.and_then(|text| text.parse().ok()).unwrap_or(0);
        }
        Ok(sum)
    }

    /// Waits until nothing runs. What is due but never starts does not count.
    pub(crate) fn wait_for_idle(&self) -> Result<()> {
        let (mut calm, mut still) = (0, 0);
        for _ in 0..LOOKS {
            let running = self.property_of_any("rocksdb.num-running-flushes")?
                + self.property_of_any("rocksdb.mem-table-flush-pending")?
                + self.property_of_any("rocksdb.num-running-compactions")?;
            let pending = self.property_of_any("rocksdb.compaction-pending")?;
            still = if running == 0 { still + 1 } else { 0 };
            calm = if running + pending == 0 { calm + 1 } else { 0 };
            if calm >= 4 || still >= 80 {
                return Ok(());
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        Err(Failure::Refused("flushes and compactions did not come to rest".to_owned()))
    }

    pub(crate) fn live_files(&self) -> Result<Vec<LiveFile>> {
        let functions = &self.functions;
        let family_of = functions.livefiles_column_family_name().ok();
        let key = |of: LiveKey, files, index| {
            let mut length = 0;
            // SAFETY: a live list, an index in it; the key is copied while the list lives.
            unsafe {
                let data = of(files, index, &raw mut length);
                Bytes(copied(data, length))
            }
        };
        let mut found = Vec::new();
        // SAFETY: a live database; the list lives until the end of this block, and all strings
        // are copied before.
        unsafe {
            let files = (functions.livefiles()?)(self.raw);
            for index in 0..(functions.livefiles_count()?)(files) {
                let name = CStr::from_ptr((functions.livefiles_name()?)(files, index));
                let family =
                    family_of.map(|get| CStr::from_ptr(get(files, index)).to_bytes().into());
                let level = (functions.livefiles_level()?)(files, index);
                found.push(LiveFile {
                    name: name.to_string_lossy().trim_start_matches('/').to_owned(),
                    family,
                    level: u32::try_from(level).unwrap_or(u32::MAX),
                    size_bytes: (functions.livefiles_size()?)(files, index) as u64,
                    smallest: key(functions.livefiles_smallestkey()?, files, index),
                    largest: key(functions.livefiles_largestkey()?, files, index),
                });
            }
            (functions.livefiles_destroy()?)(files);
        }
        found.sort();
        Ok(found)
    }
}

impl Drop for Database {
    /// RocksDB wants everything of a database to be gone before it is.
    fn drop(&mut self) {
        self.iterators.clear();
        let has_transactions = self.transactions.take().is_some();
        let functions = &self.functions;
        let (Ok(release), Ok(destroy), Ok(close)) = (
            functions.release_snapshot(),
            functions.column_family_handle_destroy(),
            functions.close(),
        ) else {
            return;
        };
        // SAFETY: each is given back once, the database last.
        unsafe {
            for snapshot in self.snapshots.values() {
                release(self.raw, *snapshot);
            }
            for family in self.families.values() {
                destroy(*family);
            }
            match functions.transactiondb_close() {
                Ok(close_transactions) if has_transactions => close_transactions(self.raw),
                _ => close(self.raw),
            }
        }
    }
}

fn no_transactions() -> Failure {
    Failure::Refused("the database was not opened with transactions".to_owned())
}

/// `rocksdb_livefiles_smallestkey` and its like.
type LiveKey = unsafe extern "C" fn(Raw, c_int, *mut usize) -> *const c_char;
