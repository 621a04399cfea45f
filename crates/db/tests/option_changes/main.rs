//! Options that are changed while the database is open: which names RocksDB takes then, what it
//! finds in the OPTIONS file, and changes that race with everything else.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod names;
mod options_file;
mod storm;

use db::{ColumnFamilyDescriptor, Db, OpenContext};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::Path;

/// A database with these options, made where there is none.
fn open(path: &Path, options: &str, family: &str, context: &OpenContext) -> Db {
    let options = DbOptions::from_string(&format!("create_if_missing=true;{options}")).unwrap();
    let family = ColumnFamilyOptions::from_string(family).unwrap();
    let descriptors = [ColumnFamilyDescriptor::new("default", family)];
    Db::open(&options, path, &descriptors, context).unwrap()
}
