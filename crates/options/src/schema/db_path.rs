//! Directories with the bytes they should hold.

use crate::schema::{no_short_form, options};

options! {
    /// A directory for table files (`rocksdb::DbPath`).
    pub struct DbPath, short form no_short_form;
    rows {
        /// Directory.
        path: String = String::new(), fixed honoured 3.9;
        /// Bytes the directory should hold at most; the last one takes what is left.
        target_size: u64 = 0, fixed accepted 3.9;
    }
}

impl DbPath {
    /// A directory.
    pub fn new(path: impl Into<String>, target_size: u64) -> Self {
        Self { path: path.into(), target_size }
    }
}
