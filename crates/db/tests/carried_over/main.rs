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
mod temperatures;
mod timestamps;

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory for a test: in memory where there is one, since each flush is synced.
fn scratch() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    let parent = match in_memory.is_dir() {
        true => in_memory.to_owned(),
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    };
    tempfile::tempdir_in(parent).unwrap()
}
