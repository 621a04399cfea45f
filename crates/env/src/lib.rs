//! File systems behind one trait.
//!
//! Everything that touches a disk goes through [`FileSystem`], so that tests can run the engine in
//! memory, count its operations, fail the k-th, or drop what was not synced. This crate knows no
//! file format.

#![forbid(unsafe_code)]

pub mod file_system;

pub use file_system::{
    Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile,
};
