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
