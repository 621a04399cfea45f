//! Tables that are written apart from a database, and taken in.

use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use testing::judges::protocol::{Bytes, Operation};

use super::Database;
use crate::ffi::options::Options;
use librocksdb::{Failure, Functions, Raw, Result, StatusSlot, c_string};

/// A `rocksdb_sstfilewriter_t` and what it was made of.
struct Writer {
    functions: Rc<Functions>,
    raw: Raw,
    environment: Raw,
    _options: Options,
}

impl Writer {
    fn new(functions: &Rc<Functions>) -> Result<Self> {
        let options = Options::new(functions)?;
        let (new_environment, new_writer) =
            (functions.envoptions_create()?, functions.sstfilewriter_create()?);
        // SAFETY: takes nothing and gives a new object; the second is made of live ones, which this
        // struct keeps as long as it.
        let (environment, raw) = unsafe {
            let environment = new_environment();
            (environment, new_writer(environment, options.raw()))
        };
        Ok(Self { functions: Rc::clone(functions), raw, environment, _options: options })
    }

    fn add(&self, operation: &Operation) -> Result<()> {
        let functions = &self.functions;
        let mut status = StatusSlot::new(functions);
        let pointer = |bytes: &Bytes| bytes.0.as_ptr().cast::<c_char>();
        // SAFETY: a live writer; pointers go with the lengths of what they point to.
        unsafe {
            match operation {
                Operation::Put { key, value, .. } => {
                    let (k, v) = (pointer(key), pointer(value));
                    let put = functions.sstfilewriter_put()?;
                    put(self.raw, k, key.0.len(), v, value.0.len(), status.slot());
                }
                Operation::Merge { key, value, .. } => {
                    let (k, v) = (pointer(key), pointer(value));
                    let merge = functions.sstfilewriter_merge()?;
                    merge(self.raw, k, key.0.len(), v, value.0.len(), status.slot());
                }
                Operation::Delete { key, .. } => {
                    let delete = functions.sstfilewriter_delete()?;
                    delete(self.raw, pointer(key), key.0.len(), status.slot());
                }
                Operation::DeleteRange { begin, end, .. } => {
                    let (b, e) = (pointer(begin), pointer(end));
                    let delete = functions.sstfilewriter_delete_range()?;
                    delete(self.raw, b, begin.0.len(), e, end.0.len(), status.slot());
                }
                other => return Err(Failure::Unsupported(format!("{other:?} in a table"))),
            }
        }
        status.check()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let destroy = (self.functions.sstfilewriter_destroy(), self.functions.envoptions_destroy());
        if let (Ok(destroy_writer), Ok(destroy_environment)) = destroy {
            // SAFETY: both are live and used no more; the writer goes first.
            unsafe {
                destroy_writer(self.raw);
                destroy_environment(self.environment);
            }
        }
    }
}

fn c_path(path: &Path) -> Result<CString> {
    c_string(path.as_os_str().as_encoded_bytes())
}

impl Database {
    pub(crate) fn write_table(&self, path: &Path, operations: &[Operation]) -> Result<()> {
        let writer = Writer::new(&self.functions)?;
        let (path, open) = (c_path(path)?, self.functions.sstfilewriter_open()?);
        let finish = self.functions.sstfilewriter_finish()?;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: a live writer and a C string.
        unsafe { open(writer.raw, path.as_ptr(), status.slot()) };
        status.check()?;
        operations.iter().try_for_each(|operation| writer.add(operation))?;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: a live writer.
        unsafe { finish(writer.raw, status.slot()) };
        status.check()
    }

    pub(crate) fn ingest(&mut self, family: &Bytes, paths: &[PathBuf]) -> Result<()> {
        let functions = &self.functions;
        let family = self.family(family)?;
        let paths: Vec<CString> = paths.iter().map(|path| c_path(path)).collect::<Result<_>>()?;
        let pointers: Vec<_> = paths.iter().map(|path| path.as_ptr()).collect();
        let (create, destroy) = (
            functions.ingestexternalfileoptions_create()?,
            functions.ingestexternalfileoptions_destroy()?,
        );
        let ingest = functions.ingest_external_file_cf()?;
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live database and family, an array of C strings with its length; the options live
        // here.
        unsafe {
            let options = create();
            ingest(self.raw, family, pointers.as_ptr(), pointers.len(), options, status.slot());
            destroy(options);
        }
        status.check()
    }
}
