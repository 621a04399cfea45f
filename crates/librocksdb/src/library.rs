//! A library that was loaded, and what is known of it.

use crate::failure::{Result, copied, free};
use crate::functions::Functions;
use std::ffi::{CStr, c_char};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands in a library that was compiled with assertions: each has its condition as text, and
/// hundreds end like this.
const ASSERTED: &[u8] = b" != nullptr\0";

/// The first release whose levels of the perf context are those of today.
const NEWER_PERF_LEVELS: (u32, u32) = (9, 1);

/// A library that was loaded. It stays loaded as long as the process lives.
pub struct Library {
    pub(crate) functions: Functions,
    path: PathBuf,
    version: String,
    assertions: bool,
}

impl Library {
    /// Loads a library.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn load(path: &Path) -> std::result::Result<Arc<Self>, String> {
        let content = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let functions = Functions::load(path)?;
        Ok(Arc::new(Self {
            version: functions.version().unwrap_or_else(|| "unknown".to_owned()),
            functions,
            path: path.to_owned(),
            assertions: content.windows(ASSERTED.len()).any(|bytes| bytes == ASSERTED),
        }))
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its release, for instance `7.8.3`, or `unknown`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether its release is this one or a later one, as far as it says which it is.
    pub(crate) fn is_since(&self, release: (u32, u32)) -> bool {
        let mut numbers = self.version.split('.').map(|number| number.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= release
    }

    /// Whether it was compiled with assertions.
    pub fn assertions(&self) -> bool {
        self.assertions
    }

    /// Sets what this thread counts and times, by the numbers of RocksDB 11, and begins with zeros.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn start_perf(&self, level: i32) -> Result<()> {
        // The level that counts waits came later, and moved those above it.
        let is_older = !self.is_since(NEWER_PERF_LEVELS);
        let level = if is_older && level > 2 { level - 1 } else { level };
        let (create, destroy) =
            (self.functions.perfcontext_create()?, self.functions.perfcontext_destroy()?);
        let (reset, set) = (self.functions.perfcontext_reset()?, self.functions.set_perf_level()?);
        // SAFETY: the context is the thread's own; what points to it is made and destroyed here.
        unsafe {
            set(level);
            let context = create();
            reset(context);
            destroy(context);
        }
        Ok(())
    }

    /// What this thread has counted since, but for zeros.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn perf_report(&self) -> Result<String> {
        let (create, destroy) =
            (self.functions.perfcontext_create()?, self.functions.perfcontext_destroy()?);
        let report = self.functions.perfcontext_report()?;
        // SAFETY: as above; the text is the caller's, who gives it back.
        unsafe {
            let context = create();
            let text = report(context, 1);
            destroy(context);
            self.take_text(text)
        }
    }

    /// Copies a text and gives it back; an empty one for null.
    ///
    /// # Safety
    /// `text` must be null or a C string that RocksDB allocated for its caller.
    pub(crate) unsafe fn take_text(&self, text: *mut c_char) -> Result<String> {
        if text.is_null() {
            return Ok(String::new());
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { copied(text, CStr::from_ptr(text).count_bytes()) };
        // SAFETY: the caller's promise; the text was copied.
        unsafe { free(&self.functions, text.cast())? };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
