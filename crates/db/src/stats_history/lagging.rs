//! Whether the column family of slices is all that keeps old WALs.
//!
//! It is written to seldom, so that its memtable would fill last of all, and every WAL since its first
//! slice would stay until then. So it is flushed along with others where it alone lags behind them,
//! as RocksDB does.

use crate::db_impl::{DbImpl, WriteStage};
use crate::stats_history::persistent::STATS_COLUMN_FAMILY_NAME;
use env::InfoLogLevel;
use std::sync::atomic::Ordering;

/// What is to be known of a column family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lag<'f> {
    pub(crate) id: u32,
    pub(crate) name: &'f [u8],
    /// The oldest WAL that it needs.
    pub(crate) log_number: u64,
    /// Whether its newest memtable holds anything.
    pub(crate) holds_any: bool,
}

/// The family of slices, if it is to be flushed with `flushed`: it is not one of these, holds
/// something, and needs older WALs than each of the `others`.
pub(crate) fn stats_family_to_flush<'f>(
    families: impl Iterator<Item = Lag<'f>> + Clone,
    flushed: &[u32],
    is_other: impl Fn(u32) -> bool,
) -> Option<u32> {
    let stats =
        families.clone().find(|family| family.name == STATS_COLUMN_FAMILY_NAME.as_bytes())?;
    if flushed.is_empty() || flushed.contains(&stats.id) || !stats.holds_any {
        return None;
    }
    let mut others = families.filter(|family| family.id != stats.id && is_other(family.id));
    others.all(|other| other.log_number > stats.log_number).then_some(stats.id)
}

impl DbImpl {
    /// The family of slices, if it is to be flushed along with `flushed`: [`stats_family_to_flush`].
    pub(crate) fn lagging_stats_family(
        &self,
        stage: &WriteStage,
        flushed: &[u32],
        is_other: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let options = self.options();
        if !options.persist_stats_to_disk || options.atomic_flush {
            return None;
        }
        let families = stage.memtables.families().iter().map(|family| Lag {
            id: family.data.id,
            name: &family.data.name,
            log_number: family.data.log_number.load(Ordering::Acquire),
            holds_any: !family.memtable.is_empty(),
        });
        let found = stats_family_to_flush(families, flushed, is_other);
        if found.is_some()
            && let Ok(writing) = self.writing()
        {
            writing.info_log.say_later(
                InfoLogLevel::Info,
                format_args!("Force flushing stats CF with others to avoid holding old logs"),
            );
        }
        found
    }
}

#[cfg(test)]
mod tests;
