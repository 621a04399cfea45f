//! When sequence numbers were given out, for column families that preserve it.
//!
//! A sample is taken when the database is opened, when a column family is created, whenever a
//! memtable is changed, and now and then: often enough that the shortest time which a column family
//! preserves has as many samples as a table has room for. Flushes write the part that a table needs
//! into its properties. Samples only ever are less exact than they could be: a bound stays a bound. As in RocksDB, an opened database knows nothing from before; tables
//! keep what was known when they were written.

use crate::db_impl::DbImpl;
use options::ColumnFamilyOptions;
use table::SeqnoToTimeMapping;
use table::seqno_to_time_mapping::{PAIRS_MAX, PAIRS_PER_TABLE_MAX};

/// For how long a column family preserves times, in seconds; 0 if it doesn't.
pub(crate) fn preserve_seconds(family: &ColumnFamilyOptions) -> u64 {
    family.preserve_internal_time_seconds.max(family.preclude_last_level_data_seconds)
}

/// What all column families together want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Retention {
    seconds: u64,
    pairs_max: usize,
    /// A sample is to be taken so often.
    cadence_seconds: u64,
}

impl Retention {
    /// None if no column family preserves times. Those that preserve them for longer than others
    /// need more pairs to be as exact.
    fn of(preserve_seconds: impl Iterator<Item = u64>) -> Option<Self> {
        let wanted: Vec<u64> = preserve_seconds.filter(|seconds| *seconds > 0).collect();
        let (shortest, longest) = (wanted.iter().min()?, wanted.iter().max()?);
        let pairs = (PAIRS_PER_TABLE_MAX as u64).saturating_mul(*longest) / shortest;
        let pairs_max = usize::try_from(pairs).map_or(PAIRS_MAX, |pairs| pairs.min(PAIRS_MAX));
        let cadence_seconds = shortest.div_ceil(PAIRS_PER_TABLE_MAX as u64);
        Some(Self { seconds: *longest, pairs_max, cadence_seconds })
    }
}

/// How often to take a sample, in seconds; 0 if no column family preserves times.
pub(crate) fn cadence_seconds<'f>(families: impl Iterator<Item = &'f ColumnFamilyOptions>) -> u64 {
    Retention::of(families.map(preserve_seconds)).map_or(0, |wanted| wanted.cadence_seconds)
}

impl DbImpl {
    /// Takes a sample, if any column family wants it.
    pub(crate) fn sample_sequence_times(&self) {
        let Ok(writing) = self.writing() else { return };
        let families = self.families.load();
        let wanted = families.iter().map(|family| preserve_seconds(&family.options()));
        let Some(retention) = Retention::of(wanted) else { return };
        // Read under the lock, so that samples come in order.
        let mut times = writing.sequence_times.lock();
        let now = self.context.clock.now_seconds();
        times.append(self.visibility.last_sequence(), now);
        times.keep_since(now, retention.seconds);
        times.limit(retention.pairs_max);
    }

    /// What is known now, for a flush of a column family.
    pub(crate) fn sequence_times(&self, family: &ColumnFamilyOptions) -> SeqnoToTimeMapping {
        match self.writing() {
            Ok(writing) if preserve_seconds(family) > 0 => writing.sequence_times.lock().clone(),
            _ => SeqnoToTimeMapping::default(),
        }
    }
}

#[cfg(test)]
mod tests;
