//! The command lines of ldb and sst_dump, and those of ours that look into databases.
//!
//! [`ldb::main`] and [`sst_dump::main`] take the arguments behind the program's name and print what
//! RocksDB's programs print; [`shape::main`] prints the shape of the tree, [`options_command::main`]
//! chooses, compares and checks options. [`serve_metrics::main`] and [`top::main`] follow a database
//! that another process may be writing.

#![forbid(unsafe_code)]

mod any_database;
mod command_failure;
mod ending;
mod flags;
pub mod ldb;
pub mod options_command;
mod print;
pub mod serve_metrics;
pub mod shape;
pub mod sst_dump;
pub mod top;
mod watch;
