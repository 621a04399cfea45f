//! Options of databases and families, out of option strings.

use crate::failure::{Failure, Result, StatusSlot};
use crate::functions::Raw;
use crate::library::Library;
use std::ffi::CString;
use std::sync::Arc;

/// Options of a database and a family (`rocksdb_options_t`). Objects in them, such as a block cache,
/// are shared by all that is opened with them and by copies.
pub struct Options {
    library: Arc<Library>,
    raw: Raw,
}

// SAFETY: what is in them changes through `&mut self` alone; RocksDB counts references of what they
// share with atomics.
unsafe impl Send for Options {}
// SAFETY: as above.
unsafe impl Sync for Options {}

impl Options {
    /// RocksDB's defaults.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn new(library: &Arc<Library>) -> Result<Self> {
        let create = library.functions.options_create()?;
        // SAFETY: takes nothing and gives a new object.
        Ok(Self { library: Arc::clone(library), raw: unsafe { create() } })
    }

    pub(crate) fn raw(&self) -> Raw {
        self.raw
    }

    pub(crate) fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// A copy with the options of a string changed.
    ///
    /// # Errors
    /// `Refused` for an option that the release does not know, or a value that it does not take.
    pub fn with_string(&self, string: &str) -> Result<Self> {
        let parse = self.library.functions.get_options_from_string()?;
        let changed = Self::new(&self.library)?;
        let string = c_string(string.as_bytes())?;
        let mut status = StatusSlot::new(&self.library.functions);
        // SAFETY: two live options objects, a C string and a place for the status.
        unsafe { parse(self.raw, string.as_ptr(), changed.raw, status.slot()) };
        status.check()?;
        Ok(changed)
    }

    /// Gives tables a `HyperClockCache` of this capacity in bytes, with the charge of an entry in bytes (0 where
    /// it is not known), over so many shards (negative: as many as the release takes to be right). Table options
    /// are RocksDB's defaults otherwise; a string that changes some of them leaves the cache as it is.
    ///
    /// # Errors
    /// `Unsupported`: releases before 8.1 have none.
    pub fn set_hyper_clock_cache(
        &mut self,
        capacity: usize,
        entry_charge: usize,
        num_shard_bits: i32,
    ) -> Result<()> {
        let functions = &self.library.functions;
        let create_options = functions.hyper_clock_cache_options_create()?;
        let set_bits = functions.hyper_clock_cache_options_set_num_shard_bits()?;
        let destroy_options = functions.hyper_clock_cache_options_destroy()?;
        let create_cache = functions.cache_create_hyper_clock_opts()?;
        let destroy_cache = functions.cache_destroy()?;
        let create_table = functions.block_based_options_create()?;
        let set_cache = functions.block_based_options_set_block_cache()?;
        let set_table = functions.options_set_block_based_table_factory()?;
        let destroy_table = functions.block_based_options_destroy()?;
        // SAFETY: each object is created here, used while it lives and destroyed once; table options share the
        // ownership of the cache, and the live options copy the table options.
        unsafe {
            let (cache_options, table) = (create_options(capacity, entry_charge), create_table());
            set_bits(cache_options, num_shard_bits);
            let cache = create_cache(cache_options);
            set_cache(table, cache);
            set_table(self.raw, table);
            destroy_table(table);
            destroy_cache(cache);
            destroy_options(cache_options);
        }
        Ok(())
    }

    /// Makes what is opened with these and with copies count what it does.
    ///
    /// # Errors
    /// `Unsupported`, also for a level where the release cannot be told one.
    pub fn enable_statistics(&mut self, level: Option<i32>) -> Result<()> {
        let enable = self.library.functions.options_enable_statistics()?;
        // SAFETY: live options.
        unsafe { enable(self.raw) };
        if let Some(level) = level {
            let set = self.library.functions.options_set_statistics_level()?;
            // SAFETY: live options.
            unsafe { set(self.raw, level) };
        }
        Ok(())
    }

    /// What was counted, as text; an empty one if nothing is.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn statistics_text(&self) -> Result<String> {
        let get = self.library.functions.options_statistics_get_string()?;
        // SAFETY: live options; the text is the caller's, or null.
        unsafe { self.library.take_text(get(self.raw)) }
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        if let Ok(destroy) = self.library.functions.options_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

/// A string that ends with a zero byte, as most of the C functions take them.
///
/// # Errors
/// `Unsupported` if there is a zero byte in it.
pub fn c_string(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| {
        Failure::Unsupported(format!("a zero byte in the string {}", bytes.escape_ascii()))
    })
}
