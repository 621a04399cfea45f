//! Batches of writes, and how they are written.

use crate::database::Family;
use crate::failure::{Result, slice_of};
use crate::functions::Raw;
use crate::library::Library;
use std::ffi::{c_int, c_uchar};
use std::sync::Arc;

/// Writes that become visible together (`rocksdb_writebatch_t`).
pub struct WriteBatch {
    library: Arc<Library>,
    raw: Raw,
}

// SAFETY: it belongs to nobody else, and changes through `&mut self` alone.
unsafe impl Send for WriteBatch {}

impl WriteBatch {
    /// An empty one.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn new(library: &Arc<Library>) -> Result<Self> {
        let create = library.functions.writebatch_create()?;
        // SAFETY: takes nothing and gives a new object.
        Ok(Self { library: Arc::clone(library), raw: unsafe { create() } })
    }

    #[inline]
    pub(crate) fn raw(&mut self) -> Raw {
        self.raw
    }

    /// Empties it and keeps its memory.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn clear(&mut self) -> Result<()> {
        let clear = self.library.functions.writebatch_clear()?;
        // SAFETY: a live batch.
        unsafe { clear(self.raw) };
        Ok(())
    }

    /// How many writes it has.
    pub fn count(&self) -> u64 {
        let Ok(count) = self.library.functions.writebatch_count() else { return 0 };
        // SAFETY: a live batch.
        unsafe { count(self.raw) }.try_into().unwrap_or(0)
    }
}

macro_rules! entries {
    ($($(#[$doc:meta])* $method:ident, $function:ident ($($argument:ident),*);)*) => {
        impl WriteBatch {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// `Unsupported`.
            #[inline]
            pub fn $method(&mut self, family: &Family, $($argument: &[u8]),*) -> Result<()> {
                let add = self.library.functions.$function()?;
                $(let $argument = slice_of($argument);)*
                // SAFETY: a live batch and family, strings with their lengths.
                unsafe { add(self.raw, family.raw(), $($argument.0, $argument.1),*) };
                Ok(())
            }
        )*}
    };
}

entries! {
    /// Sets the value of a key.
    put, writebatch_put_cf(key, value);
    /// Merges an operand into the value of a key.
    merge, writebatch_merge_cf(key, operand);
    /// Deletes a key.
    delete, writebatch_delete_cf(key);
    /// Deletes a key that was put once since it was last deleted.
    single_delete, writebatch_singledelete_cf(key);
    /// Deletes the keys from `begin` on to before `end`.
    delete_range, writebatch_delete_range_cf(begin, end);
}

impl Drop for WriteBatch {
    fn drop(&mut self) {
        if let Ok(destroy) = self.library.functions.writebatch_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

/// How writes are done (`rocksdb_writeoptions_t`). Nothing changes them once they are made.
#[derive(Clone)]
pub struct WriteOptions(Arc<WriteOptionsHandle>);

struct WriteOptionsHandle {
    library: Arc<Library>,
    raw: Raw,
}

// SAFETY: nothing changes them once they are made.
unsafe impl Send for WriteOptionsHandle {}
// SAFETY: as above.
unsafe impl Sync for WriteOptionsHandle {}

impl Drop for WriteOptionsHandle {
    fn drop(&mut self) {
        if let Ok(destroy) = self.library.functions.writeoptions_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

impl WriteOptions {
    /// Options by RocksDB's names.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn new(
        library: &Arc<Library>,
        sync: bool,
        disable_wal: bool,
        no_slowdown: bool,
        low_pri: bool,
    ) -> Result<Self> {
        let functions = &library.functions;
        let create = functions.writeoptions_create()?;
        // SAFETY: takes nothing and gives a new object.
        let raw = unsafe { create() };
        let handle = WriteOptionsHandle { library: Arc::clone(library), raw };
        let (set_sync, disable) =
            (functions.writeoptions_set_sync()?, functions.writeoptions_disable_WAL()?);
        // SAFETY: live options that are nobody else's yet.
        unsafe {
            set_sync(raw, c_uchar::from(sync));
            disable(raw, c_int::from(disable_wal));
            if no_slowdown {
                (functions.writeoptions_set_no_slowdown()?)(raw, 1);
            }
            if low_pri {
                (functions.writeoptions_set_low_pri()?)(raw, 1);
            }
        }
        Ok(Self(Arc::new(handle)))
    }

    #[inline]
    pub(crate) fn raw(&self) -> Raw {
        self.0.raw
    }
}
