//! The transactions of a `TransactionDB`, by name.

use std::collections::BTreeMap;
use std::ptr;
use std::rc::Rc;

use testing::judges::protocol::{Bytes, Operation, TransactionPolicy, TransactionStep};

use librocksdb::{Failure, Result, StatusSlot, copied, free, slice_of};
use librocksdb::{Functions, Raw};

/// A `rocksdb_transactiondb_options_t`.
pub(super) struct TransactionDbOptions {
    functions: Rc<Functions>,
    raw: Raw,
}

impl TransactionDbOptions {
    pub(super) fn new(functions: &Rc<Functions>, policy: TransactionPolicy) -> Result<Self> {
        let create = functions.transactiondb_options_create()?;
        // SAFETY: takes nothing and gives a new object.
        let options = Self { functions: Rc::clone(functions), raw: unsafe { create() } };
        let number = match policy {
            // What it is unless told otherwise, and old releases cannot be told.
            TransactionPolicy::WriteCommitted => return Ok(options),
            TransactionPolicy::WritePrepared => 1,
            TransactionPolicy::WriteUnprepared => 2,
        };
        let set = functions.transactiondb_options_set_write_policy()?;
        // SAFETY: live options and a number of the enumeration.
        unsafe { set(options.raw, number) };
        Ok(options)
    }

    pub(super) fn raw(&self) -> Raw {
        self.raw
    }
}

impl Drop for TransactionDbOptions {
    fn drop(&mut self) {
        if let Ok(destroy) = self.functions.transactiondb_options_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

/// Transactions that were begun, or found prepared. They must be gone before the database is.
pub(super) struct Transactions {
    functions: Rc<Functions>,
    by_name: BTreeMap<Bytes, Raw>,
}

impl Transactions {
    pub(super) fn new(functions: &Rc<Functions>) -> Self {
        Self { functions: Rc::clone(functions), by_name: BTreeMap::new() }
    }

    /// Does a step of the transaction `name`.
    ///
    /// # Safety
    /// `database` must be the `TransactionDB` of these transactions, `families` handles of its.
    pub(super) unsafe fn step(
        &mut self,
        database: Raw,
        families: &BTreeMap<Bytes, Raw>,
        name: &Bytes,
        step: &TransactionStep,
    ) -> Result<()> {
        if *step == TransactionStep::Begin {
            // SAFETY: the caller's promise.
            return unsafe { self.begin(database, name) };
        }
        let transaction = *self
            .by_name
            .get(name)
            .ok_or_else(|| Failure::Refused(format!("no transaction {name}")))?;
        let functions = &self.functions;
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live transaction and a place for the status.
        unsafe {
            match step {
                TransactionStep::Begin => {}
                TransactionStep::Write(operations) => {
                    for operation in operations {
                        self.write(transaction, families, operation)?;
                    }
                }
                TransactionStep::Prepare => {
                    (functions.transaction_prepare()?)(transaction, status.slot());
                }
                TransactionStep::Commit => {
                    (functions.transaction_commit()?)(transaction, status.slot());
                }
                TransactionStep::Rollback => {
                    (functions.transaction_rollback()?)(transaction, status.slot());
                }
            }
        }
        status.check()?;
        if matches!(step, TransactionStep::Commit | TransactionStep::Rollback) {
            self.by_name.remove(name);
            // SAFETY: it is forgotten, and destroyed once.
            unsafe { (self.functions.transaction_destroy()?)(transaction) };
        }
        Ok(())
    }

    /// # Safety
    /// As of [`Transactions::step`].
    unsafe fn begin(&mut self, database: Raw, name: &Bytes) -> Result<()> {
        let functions = &self.functions;
        let set_name = functions.transaction_set_name()?;
        // SAFETY: a live database; the options are created and destroyed here.
        let transaction = unsafe {
            let write = (functions.writeoptions_create()?)();
            let options = (functions.transaction_options_create()?)();
            let begin = functions.transaction_begin()?;
            let transaction = begin(database, write, options, ptr::null_mut());
            (functions.transaction_options_destroy()?)(options);
            (functions.writeoptions_destroy()?)(write);
            transaction
        };
        let (data, length) = slice_of(&name.0);
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live transaction, a name with its length, a place for the status.
        unsafe { set_name(transaction, data, length, status.slot()) };
        let named = status.check();
        self.by_name.insert(name.clone(), transaction);
        named
    }

    /// # Safety
    /// `transaction` must be alive, `families` handles of its database.
    unsafe fn write(
        &self,
        transaction: Raw,
        families: &BTreeMap<Bytes, Raw>,
        operation: &Operation,
    ) -> Result<()> {
        let functions = &self.functions;
        let handle = |name: &Bytes| {
            let handle = families.get(name).copied();
            handle.ok_or_else(|| Failure::Refused(format!("no family {name} is open")))
        };
        let mut status = StatusSlot::new(functions);
        // SAFETY: the caller's promises; keys and values with their lengths; a place for the status.
        unsafe {
            match operation {
                Operation::Put { family, key, value } | Operation::Merge { family, key, value } => {
                    let add = match operation {
                        Operation::Put { .. } => functions.transaction_put_cf()?,
                        _ => functions.transaction_merge_cf()?,
                    };
                    let ((key, key_length), (value, value_length)) =
                        (slice_of(&key.0), slice_of(&value.0));
                    let family = handle(family)?;
                    add(transaction, family, key, key_length, value, value_length, status.slot());
                }
                Operation::Delete { family, key } => {
                    let (key, length) = slice_of(&key.0);
                    let delete = functions.transaction_delete_cf()?;
                    delete(transaction, handle(family)?, key, length, status.slot());
                }
                other => {
                    return Err(Failure::Unsupported(format!("{other:?} in a transaction")));
                }
            }
        }
        status.check()
    }

    /// The names of all transactions that are prepared. Those that were not begun here can be
    /// committed or rolled back now.
    ///
    /// # Safety
    /// As of [`Transactions::step`].
    pub(super) unsafe fn prepared(&mut self, database: Raw) -> Result<Vec<Bytes>> {
        let functions = &self.functions;
        let get = functions.transactiondb_get_prepared_transactions()?;
        let get_name = functions.transaction_get_name()?;
        let mut count = 0;
        let mut names = Vec::new();
        // SAFETY: a live database, a place for the count. The list has `count` transactions, or is
        // null; each name has the length that comes with it, and both are given back once.
        unsafe {
            let list = get(database, &raw mut count);
            for index in 0..count {
                let transaction = *list.add(index);
                let mut length = 0;
                let name = get_name(transaction, &raw mut length);
                let copy = Bytes(copied(name, length));
                free(functions, name.cast())?;
                // Of a second handle only a name is wanted: destroying it would destroy the
                // transaction, so it is left.
                self.by_name.entry(copy.clone()).or_insert(transaction);
                names.push(copy);
            }
            if !list.is_null() {
                free(functions, list.cast())?;
            }
        }
        names.sort();
        Ok(names)
    }
}

impl Drop for Transactions {
    /// What is prepared stays so in the log; what is not is as if it had never been begun.
    fn drop(&mut self) {
        let Ok(destroy) = self.functions.transaction_destroy() else { return };
        for transaction in self.by_name.values() {
            // SAFETY: each is destroyed once, before its database.
            unsafe { destroy(*transaction) };
        }
    }
}
