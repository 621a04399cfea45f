//! Stall conditions in RocksDB's words.

use crate::flow_control::stall_condition::{StallCause, StallCondition, StallState};
use env::InfoLogLevel;
use options::ColumnFamilyOptions;

/// What the info log says of a column family's state; nothing where all is well. Delayed writes pass
/// at `rate` bytes a second.
pub(crate) fn stall_text(
    state: &StallState,
    options: &ColumnFamilyOptions,
    rate: u64,
) -> Option<(InfoLogLevel, String)> {
    let (memtables, runs) = (state.immutable_memtables, state.l0_runs);
    let bytes = state.pending_compaction_bytes;
    let why = |cause| match cause {
        StallCause::Memtables => format!(
            "we have {memtables} immutable memtables (waiting for flush), max_write_buffer_number \
             is set to {}",
            options.max_write_buffer_number
        ),
        StallCause::L0Files => format!("we have {runs} level-0 files"),
        StallCause::PendingCompactionBytes => {
            format!("of estimated pending compaction bytes {bytes}")
        }
    };
    match state.condition(options) {
        StallCondition::Stopped(cause) => {
            Some((InfoLogLevel::Warn, format!("Stopping writes because {}", why(cause))))
        }
        StallCondition::Delayed(cause) => Some((
            InfoLogLevel::Warn,
            format!("Stalling writes because {} rate {rate}", why(cause)),
        )),
        StallCondition::Normal if state.needs_speedup(options) => {
            let cause = match state.has_many_l0_runs(options) {
                true => StallCause::L0Files,
                false => StallCause::PendingCompactionBytes,
            };
            let text = format!("Increasing compaction threads because {}", why(cause));
            Some((InfoLogLevel::Info, text))
        }
        StallCondition::Normal => None,
    }
}

#[cfg(test)]
mod tests;
