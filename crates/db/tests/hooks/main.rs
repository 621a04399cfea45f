//! What users bring along does what it is for: filters, partitioners, collectors and the rest of
//! docs/hooks.md, through a whole database.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod caches_and_clocks;
mod collectors;
mod compaction_filters;
mod file_checksums;
mod fixture;
mod flush_block_policies;
mod memtables;
mod merge_operators;
mod orders;
mod panics;
mod partitioners;
mod rate_limiters;
mod read_limits;
mod registered_names;
mod write_buffer_managers;
