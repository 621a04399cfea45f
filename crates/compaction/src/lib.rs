//! What to compact, and doing it.
//!
//! Decide, then act: a picker is a pure function from a version and options to a choice of files;
//! a job merges them, drops what no snapshot needs, builds tables and hands back a version edit.
//! This crate knows no database and installs nothing.

#![forbid(unsafe_code)]
