//! Bad input at the level of the database.
//!
//! - Damage: every byte of a file flipped in turn, every length it could be cut to. Opening the
//!   directory and reading all of it must give an error that names a file, or what was there
//!   before. By default larger files are damaged at some offsets only and each byte in one way;
//!   `TOUCHSTONE_LONG=1` does all.
//! - Faults: every operation on the file system failing in turn.
//! - A table of errors, each with RocksDB's code and a sentence that says which file and why.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod blobs;
#[allow(dead_code, reason = "another test program uses the rest")]
#[path = "../golden/case_options.rs"]
mod case_options;
mod content;
mod damages;
mod errors;
mod faults;
mod manifests;
mod mem_database;
mod small_files;
mod tables;
mod tampering;
mod wals;
