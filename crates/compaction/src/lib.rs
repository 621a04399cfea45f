//! What to compact, and doing it.
//!
//! Decide, then act: a picker is a pure function from a version and options to a choice of files;
//! a job merges them, drops what no snapshot needs, builds tables and hands back a version edit.
//! This crate knows no database and installs nothing.

#![forbid(unsafe_code)]

mod blob_file_builder;
pub mod blob_garbage_meter;
mod block_copy;
pub mod build_table;
pub mod cancellation;
mod checksummed_file;
pub mod compaction;
mod compaction_input;
mod compaction_iterator;
pub mod compaction_job;
mod compaction_outputs;
pub mod compaction_reason;
pub mod compaction_stats;
mod created_files;
pub mod deeper_levels;
pub mod giving_way;
pub mod in_progress;
pub mod iteration_stats;
pub mod job_environment;
mod level_input_iterator;
mod merge_kernel;
mod output_splitter;
pub mod output_table;
mod output_validator;
pub mod picker;
pub mod range_tombstones;
mod sliced_input;
pub mod snapshot_rules;
pub mod subcompaction;
#[cfg(test)]
mod test_environment;
mod timestamp_stripping_iterator;

pub use blob_file_builder::BlobFileOptions;
pub use build_table::{BuildTableInput, BuildTableOptions, BuiltTable, build_table};
pub use cancellation::Cancellation;
pub use compaction::{Compaction, CompactionInputFiles, compare_boundaries};
pub use compaction_input::KeyRange;
pub use compaction_job::{
    CompactionJob, CompactionJobOptions, CompactionOutcome, Helpers, TtlSplit,
};
pub use compaction_reason::CompactionReason;
pub use compaction_stats::CompactionStats;
pub use giving_way::{GivesWay, TimeAside, UrgentWork, time_aside};
pub use in_progress::{CompactionId, CompactionsInProgress, OutputRange, RunningCompaction};
pub use iteration_stats::IterationStats;
pub use job_environment::{JobEnvironment, NewOutputFile, OutputFileHint};
pub use output_table::{OutputFile, OutputTableOptions};
pub use picker::compact_files::{CompactFilesOptions, compact_files};
pub use picker::manual::{CompactRangeOptions, ManualCompaction, ManualStep};
pub use picker::options::PickerOptions;
pub use picker::refit::refit_level;
pub use picker::{PickerInput, needs_compaction, pick_compaction};
pub use sliced_input::{MemTableSlices, gathered_bytes};
pub use snapshot_rules::SnapshotRules;
pub use subcompaction::{KeyAnchor, generate_subcompaction_boundaries};
