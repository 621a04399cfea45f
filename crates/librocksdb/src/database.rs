//! Open databases, their families and snapshots.

use crate::batch::{WriteBatch, WriteOptions};
use crate::failure::{Failure, Result, StatusSlot, slice_of};
use crate::functions::Raw;
use crate::library::Library;
use crate::options::{Options, c_string};
use std::ffi::{CString, c_int};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// A `rocksdb_t` that is closed when nobody needs it any more.
pub(crate) struct Handle {
    pub(crate) library: Arc<Library>,
    pub(crate) raw: Raw,
}

// SAFETY: a database of RocksDB may be used by any number of threads at once.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Ok(close) = self.library.functions.close() {
            // SAFETY: opened by RocksDB; families, snapshots and cursors hold a reference each, so
            // that all are gone.
            unsafe { close(self.raw) };
        }
    }
}

/// The family that every database has.
pub(crate) const DEFAULT_FAMILY: &str = "default";

/// An open database.
pub struct Database {
    pub(crate) handle: Arc<Handle>,
    families: Vec<Family>,
}

/// A column family.
#[derive(Clone)]
pub struct Family(Arc<FamilyHandle>);

struct FamilyHandle {
    name: String,
    raw: Raw,
    database: Arc<Handle>,
}

// SAFETY: a handle never changes.
unsafe impl Send for FamilyHandle {}
// SAFETY: as above.
unsafe impl Sync for FamilyHandle {}

impl Drop for FamilyHandle {
    fn drop(&mut self) {
        if let Ok(destroy) = self.database.library.functions.column_family_handle_destroy() {
            // SAFETY: a handle of a database that is still open, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

impl Family {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// `function`, which takes the family `default` alone, where this is that family: the oldest releases
    /// have no other form of some functions. Otherwise why there is none, as `failure` says.
    pub(crate) fn by_default<F>(&self, function: Result<F>, failure: Failure) -> Result<F> {
        if self.name() == DEFAULT_FAMILY { function.map_err(|_| failure) } else { Err(failure) }
    }

    #[inline]
    pub(crate) fn raw(&self) -> Raw {
        self.0.raw
    }

    pub(crate) fn is_of(&self, database: &Arc<Handle>) -> bool {
        Arc::ptr_eq(&self.0.database, database)
    }
}

/// A state that stays readable until all copies are dropped.
#[derive(Clone)]
pub struct Snapshot(Arc<SnapshotHandle>);

struct SnapshotHandle {
    raw: Raw,
    database: Arc<Handle>,
}

// SAFETY: a snapshot never changes.
unsafe impl Send for SnapshotHandle {}
// SAFETY: as above.
unsafe impl Sync for SnapshotHandle {}

impl Drop for SnapshotHandle {
    fn drop(&mut self) {
        if let Ok(release) = self.database.library.functions.release_snapshot() {
            // SAFETY: a snapshot of a database that is still open, released once.
            unsafe { release(self.database.raw, self.raw) };
        }
    }
}

impl Snapshot {
    pub(crate) fn raw(&self) -> Raw {
        self.0.raw
    }
}

impl Database {
    /// Opens the families of a database, each with its options.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    pub fn open(
        library: &Arc<Library>,
        path: &Path,
        options: &Options,
        families: &[(&str, &Options)],
        read_only: bool,
    ) -> Result<Self> {
        let functions = &library.functions;
        let path = c_string(path.as_os_str().as_encoded_bytes())?;
        let names: Vec<CString> =
            families.iter().map(|(name, _)| c_string(name.as_bytes())).collect::<Result<_>>()?;
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).zip(&names).collect();
        let pointers: Vec<_> = names.iter().map(|(pointer, _)| *pointer).collect();
        let each: Vec<Raw> = families.iter().map(|(_, options)| options.raw()).collect();
        let mut handles: Vec<Raw> = vec![ptr::null_mut(); families.len()];
        let count = c_int::try_from(families.len())
            .map_err(|_| Failure::Unsupported("so many families".to_owned()))?;
        let (open, open_for_reading) =
            (functions.open_column_families()?, functions.open_for_read_only_column_families()?);
        let (first, each, into) = (pointers.as_ptr(), each.as_ptr(), handles.as_mut_ptr());
        let mut status = StatusSlot::new(functions);
        let (of_database, path, slot) = (options.raw(), path.as_ptr(), status.slot());
        // SAFETY: arrays of `count` names, options and places for handles, all alive here.
        let raw = unsafe {
            match read_only {
                true => open_for_reading(of_database, path, count, first, each, into, 0, slot),
                false => open(of_database, path, count, first, each, into, slot),
            }
        };
        status.check()?;
        let handle = Arc::new(Handle { library: Arc::clone(library), raw });
        let families = families.iter().zip(handles).map(|((name, _), raw)| {
            let (name, database) = ((*name).to_owned(), Arc::clone(&handle));
            Family(Arc::new(FamilyHandle { name, raw, database }))
        });
        let families = families.collect();
        Ok(Self { handle, families })
    }

    /// The family of this name, if it was opened.
    pub fn family(&self, name: &str) -> Option<Family> {
        self.families.iter().find(|family| family.name() == name).cloned()
    }

    /// All families that were opened.
    pub(crate) fn families(&self) -> &[Family] {
        &self.families
    }

    /// The library that has it open.
    pub fn library(&self) -> &Arc<Library> {
        &self.handle.library
    }

    /// The newest state.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let create = self.handle.library.functions.create_snapshot()?;
        // SAFETY: a live database.
        let raw = unsafe { create(self.handle.raw) };
        Ok(Snapshot(Arc::new(SnapshotHandle { raw, database: Arc::clone(&self.handle) })))
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    #[inline]
    pub fn write(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        let functions = &self.handle.library.functions;
        let write = functions.write()?;
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live database, options and batch, a place for the status.
        unsafe { write(self.handle.raw, options.raw(), batch.raw(), status.slot()) };
        status.check()
    }
}

/// Writes of one entry: each is a function of the library with the same form.
macro_rules! writes {
    ($($(#[$doc:meta])* $method:ident, $function:ident ($($argument:ident),*);)*) => {
        impl Database {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// `Refused` with RocksDB's status.
            #[inline]
            pub fn $method(
                &self,
                options: &WriteOptions,
                family: &Family,
                $($argument: &[u8],)*
            ) -> Result<()> {
                debug_assert!(family.is_of(&self.handle), "a family of another database");
                let functions = &self.handle.library.functions;
                let write = functions.$function()?;
                $(let $argument = slice_of($argument);)*
                let mut status = StatusSlot::new(functions);
                let (database, family) = (self.handle.raw, family.raw());
                // SAFETY: a live database, options and family, strings with their lengths, a place
                // for the status.
                unsafe {
                    write(
                        database, options.raw(), family, $($argument.0, $argument.1,)*
                        status.slot(),
                    );
                }
                status.check()
            }
        )*}
    };
}

writes! {
    /// Sets the value of a key.
    put, put_cf(key, value);
    /// Merges an operand into the value of a key.
    merge, merge_cf(key, operand);
    /// Deletes a key.
    delete, delete_cf(key);
    /// Deletes a key that was put once since it was last deleted.
    single_delete, singledelete_cf(key);
}
