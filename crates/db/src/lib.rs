//! The database: open, recover, read.
//!
//! [`Db::open_for_read_only`] reads CURRENT, the MANIFEST and the WALs; [`Db::get`] and
//! [`Db::new_iterator`] then go through memtables and tables from new to old. A read reads aloud in
//! `read/get.rs`, a scan in `read/scan.rs` and `read/db_iter.rs`, an open in `recovery.rs`.

#![forbid(unsafe_code)]

mod approximate_size;
mod column_family;
mod db;
mod flow_control;
mod inspect;
mod internal_stats;
mod live_files;
mod property;
mod read;
mod recovery;
mod sanitize;
mod shape;
mod sorted_run;
mod super_version;
mod table_set;
mod warnings;

pub use column_family::{ColumnFamilyDescriptor, ColumnFamilyHandle, DEFAULT_COLUMN_FAMILY_NAME};
pub use db::{Db, KeyPresence, OpenContext};
pub use inspect::InternalEntries;
pub use live_files::LiveFileMetaData;
pub use read::db_iter::DbIterator;
pub use read::value_resolver::Columns;
pub use recovery::{PreparedTransaction, RecoveredDb, TransactionWritePolicy};
pub use shape::ShapeOptions;
pub use table::{ReadOptions, ReadTier};
pub use warnings::reading_warnings;
