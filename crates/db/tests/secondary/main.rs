//! Secondaries: databases that follow what another process, or another part of this one, is writing.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod errors;
mod files;
mod live_db_bench;
mod ours;
mod place;
mod rocksdb;
mod tails;
mod writer;
