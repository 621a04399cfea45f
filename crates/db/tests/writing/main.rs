//! A database that is open for writing: what was written is there, now and after a reopen.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod background_load;
mod background_threads;
mod basics;
mod blocking_fs;
mod column_families;
mod commits_without_calls;
mod compactions;
mod control;
mod counting_fs;
mod counts;
mod errors;
mod fixture;
mod foreground_share;
mod group_commit;
mod held_iterators;
mod held_values;
mod info_log;
mod ingestion;
mod leftovers;
mod listeners;
mod manifests;
mod many_families;
mod mapped_wals;
mod opening;
mod page_faults;
mod panics;
mod properties;
mod queues;
mod range_deletions;
mod read_beside_a_writer;
mod recovery;
mod recovery_from_errors;
mod stalls;
mod successive_merges;
mod thread_status;
mod waiting_flushes;
mod wals;
mod warm_blocks;
mod write_modes;
