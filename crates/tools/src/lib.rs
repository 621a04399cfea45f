//! The ldb, sst_dump and shape command lines.
//!
//! [`ldb::main`] and [`sst_dump::main`] take the arguments behind the program's name and print what
//! RocksDB's programs print; [`shape::main`] prints the shape of the tree, [`options_command::main`]
//! chooses, compares and checks options.

#![forbid(unsafe_code)]

pub mod ldb;
pub mod options_command;
mod print;
pub mod shape;
pub mod sst_dump;
