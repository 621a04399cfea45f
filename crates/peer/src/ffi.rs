//! RocksDB through its C functions, as safe types. All unsafe code of this crate is below here.
//!
//! What RocksDB owns never leaves these modules as a pointer: databases, families, snapshots and
//! iterators are reached through [`database::Database`], which gives them back in the right order.

pub(crate) mod database;
mod iterator;
mod operators;
mod options;
mod transactions;

pub(crate) use librocksdb::{Failure, Result};
