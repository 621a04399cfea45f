//! Libraries of RocksDB, of any release, loaded while the program runs and called through their C
//! functions.
//!
//! [`Functions`] has the functions of one library; those that its release lacks are found missing
//! when they are first asked for ([`Failure::Unsupported`]). Over it are types that are safe to use:
//! [`Library`], [`Options`], [`Database`], [`Cursor`] and what goes with them. Each keeps alive what
//! it needs, so that nothing is closed or freed under another. The crate uses nothing of the engine.

#![deny(unsafe_code)]

#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod batch;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod cursor;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod database;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod failure;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod functions;
#[expect(unsafe_code, reason = "functions that libraries of RocksDB call")]
mod hooks;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod library;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod options;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod read;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod read_options;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod upkeep;

pub use batch::{WriteBatch, WriteOptions};
pub use cursor::Cursor;
pub use database::{Database, Family, Snapshot};
pub use failure::{Failure, Result, StatusSlot, copied, free, slice_of};
pub use functions::{Compare, FullMerge, Functions, PartialMerge, Raw};
pub use hooks::{Filtered, Hooks};
pub use library::Library;
pub use options::{Options, c_string};
pub use read::{MultiGetRoom, PinnedValue};
pub use read_options::{ReadOption, ReadOptions};
pub use upkeep::{CompactRange, LiveFile};
