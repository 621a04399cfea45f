//! Fixtures and data-driven tests; for dev-dependencies only.
//!
//! - [`child`]: a test of the same program, in a process of its own.
//! - [`fixtures`]: the directories under `fixtures/golden/` that released versions of RocksDB
//!   wrote, with what RocksDB read from each.
//! - [`content`]: the hashes those records hold, computed over what a reader found.
//! - [`parallel`]: a check run over many items on all cores, with one report of the failures.
//! - [`corrupt`]: every byte of a file flipped in turn, every length it could be cut to.
//! - [`limits`]: a test with only so much memory and time.
//! - [`datadriven`]: tests that are text files of commands and expected output.
//! - [`hexes`]: byte strings as hexadecimal.
//! - [`judges`]: releases of RocksDB that judge a directory.
//! - [`long_mode`]: whether tests do all they could, or what the gate has time for.
//! - [`loom_models`]: what several threads do at once, in the orders that they can take turns in.
//! - [`model`]: random operation sequences, and a model that knows what they must read.
//! - [`peer`]: RocksDB's own programs, where they are installed.
//! - [`random`]: numbers that are the same in every run.
//! - [`scratch`]: directories on a file system that can do what a test needs.
//! - [`wait`]: waiting for what another thread or process is to do.
//!
//! This crate must not know any crate of the engine, so that every one of them can use it.

pub mod child;
pub mod content;
pub mod corrupt;
pub mod datadriven;
pub mod fixtures;
pub mod hexes;
pub mod judges;
pub mod limits;
pub mod long_mode;
pub mod loom_models;
pub mod model;
pub mod parallel;
pub mod peer;
pub mod random;
pub mod scratch;
pub mod wait;
