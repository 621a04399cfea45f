//! What RocksDB leaves in a directory and this engine does not fully own: RocksDB writes it, this
//! engine opens the directory for writing, writes, flushes and compacts, and RocksDB finds it again.
//! Or the open is refused with the reason, and nothing has changed.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

#[allow(dead_code, reason = "the judges use all of it")]
#[path = "../rocksdb_judges/engine.rs"]
mod engine;
mod prepared_transactions;
mod sequence_times;
mod tables;
