//! `compact`: compacts a range of keys.

use super::failure::{Failure, Outcome};
use super::session::Session;
use db::{BottommostLevelCompaction, CompactRangeOptions};

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let from = session.arguments.key("from", session.is_key_hex)?;
    let to = session.arguments.key("to", session.is_key_hex)?;
    let writing = session.open_for_writing()?;
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::ForceOptimized,
        ..CompactRangeOptions::default()
    };
    let compacted =
        writing.db.compact_range(&options, &writing.family, from.as_deref(), to.as_deref());
    compacted.map_err(|status| Failure::new(format!("Compaction failed: {status}")))?;
    // RocksDB forgets what it had to say of databases with times.
    session.failure_at_end = None;
    writing.close()?;
    Ok(())
}
