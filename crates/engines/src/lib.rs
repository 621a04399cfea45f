//! The stores that a benchmark can drive, behind one trait.
//!
//! A [`Provider`] is a store that is there to be used: it says what it is ([`Identity`]), opens
//! databases and deletes them, and has what the databases of a run share. An [`Engine`] is an open
//! database. What drives it is generic over it and compiled for each, so that no call goes through a
//! table of functions and the harness costs the same everywhere.
//!
//! | Provider | What it is |
//! | --- | --- |
//! | [`TouchstoneProvider`] | our own |
//! | [`RocksDbProvider`] | any library of RocksDB, through its C functions |
//! | `store::StoreProvider` | fjall, redb, LMDB, each behind a feature |
//! | [`NullProvider`] | answers at once, so that what is left is the harness |
//!
//! What an engine cannot do it answers with `NotSupported` and a sentence; [`Kind::may_skip`] says
//! whether a step that meets this is skipped, or has failed.

#![deny(unsafe_code)]

mod c_api;
mod destroy;
mod engine;
mod native;
mod null;
mod opening;
mod provider;
#[cfg(any(feature = "fjall", feature = "lmdb", feature = "redb"))]
pub mod store;

pub use c_api::{RocksDb, RocksDbProvider, debian_library, fetched_library};
pub use engine::{Batch, Cursor, Engine, LiveFile, MultiGetApi, PutInTable};
pub use native::{Touchstone, TouchstoneProvider};
pub use null::{NullEngine, NullProvider};
pub use opening::Opening;
pub use provider::{Identity, Kind, Provider};
