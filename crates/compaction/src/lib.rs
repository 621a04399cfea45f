//! What to compact, and doing it.
//!
//! Decide, then act: a picker is a pure function from a version and options to a choice of files;
//! a job merges them, drops what no snapshot needs, builds tables and hands back a version edit.
//! This crate knows no database and installs nothing.

#![forbid(unsafe_code)]

pub mod compaction;
pub mod compaction_reason;
pub mod in_progress;
pub mod picker;

pub use compaction::{Compaction, CompactionInputFiles};
pub use compaction_reason::CompactionReason;
pub use in_progress::{CompactionId, CompactionsInProgress, RunningCompaction};
pub use picker::options::PickerOptions;
pub use picker::{PickerInput, needs_compaction, pick_compaction};
