//! What one read of a column family looks at, pinned together.

use crate::property::table_stats::TableStats;
use crate::read::idle_iterators::IdleIterators;
use crate::read::value_resolver::ValueResolver;
use crate::sorted_run::SortedRun;
use base::SequenceNumber;
use memtable::MemTable;
use options::ColumnFamilyOptions;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use version::Version;

/// Memtables and sorted runs, newest first. Constant after construction, but for the memtable that
/// takes writes and for what is found out of tables later.
#[derive(Debug)]
pub(crate) struct SuperVersion {
    /// Counts the states of the column family, from 1.
    pub(crate) number: u64,
    /// The memtable that takes writes, then immutable ones from new to old.
    pub(crate) memtables: Vec<Arc<MemTable>>,
    /// Each file of level 0 from new to old, then each level that has files.
    pub(crate) runs: Vec<Arc<SortedRun>>,
    pub(crate) version: Arc<Version>,
    /// The column family's options.
    pub(crate) options: Arc<ColumnFamilyOptions>,
    /// Turns stored values of this state into what users see.
    pub(crate) resolver: ValueResolver,
    /// Versions before this time may have been dropped.
    pub(crate) full_history_ts_low: Option<Vec<u8>>,
    /// What the tables say of themselves, once asked.
    pub(crate) table_stats: OnceLock<Arc<TableStats>>,
    largest_immutable_sequence: OnceLock<SequenceNumber>,
    pub(crate) idle_iterators: IdleIterators,
}

/// What a new state is made of, beside the state before it.
#[derive(Debug)]
pub(crate) struct SuperVersionParts {
    pub(crate) memtables: Vec<Arc<MemTable>>,
    pub(crate) version: Arc<Version>,
    pub(crate) options: Arc<ColumnFamilyOptions>,
    pub(crate) resolver: ValueResolver,
    pub(crate) full_history_ts_low: Option<Vec<u8>>,
}

impl SuperVersion {
    /// The first state of a column family.
    pub(crate) fn first(parts: SuperVersionParts) -> Self {
        let runs = sorted_runs(&parts.version, &[]);
        Self::new(1, runs, parts)
    }

    /// The state after this one with everything as it is now, but with tables that are opened anew:
    /// those that are open were opened by other options.
    pub(crate) fn next_with_tables_closed(&self, parts: SuperVersionParts) -> Self {
        let runs = sorted_runs(&parts.version, &[]);
        Self::new(self.number + 1, runs, parts)
    }

    /// The state after this one. Runs that did not change stay, with the tables they have opened.
    pub(crate) fn next(&self, parts: SuperVersionParts) -> Self {
        let runs = match Arc::ptr_eq(&self.version, &parts.version) {
            true => self.runs.clone(),
            false => sorted_runs(&parts.version, &self.runs),
        };
        let next = Self::new(self.number + 1, runs, parts);
        if Arc::ptr_eq(&self.version, &next.version)
            && let Some(stats) = self.table_stats.get()
        {
            let _ = next.table_stats.set(stats.clone());
        }
        next
    }

    fn new(number: u64, runs: Vec<Arc<SortedRun>>, parts: SuperVersionParts) -> Self {
        let SuperVersionParts { memtables, version, options, mut resolver, full_history_ts_low } =
            parts;
        resolver.blobs.version = version.clone();
        let table_stats = OnceLock::new();
        Self {
            number,
            memtables,
            runs,
            version,
            options,
            resolver,
            full_history_ts_low,
            table_stats,
            largest_immutable_sequence: OnceLock::new(),
            idle_iterators: IdleIterators::default(),
        }
    }

    /// No entry has a greater sequence number, but for those in the memtable that takes writes.
    pub(crate) fn largest_immutable_sequence(&self) -> SequenceNumber {
        *self.largest_immutable_sequence.get_or_init(|| {
            let memtables = self.memtables.iter().skip(1).filter_map(|old| old.largest_sequence());
            let files = self.runs.iter().flat_map(|run| run.files());
            memtables.chain(files.map(|file| file.largest_seqno)).max().unwrap_or(0)
        })
    }
}

fn sorted_runs(version: &Version, before: &[Arc<SortedRun>]) -> Vec<Arc<SortedRun>> {
    let mut runs = Vec::new();
    // There may be thousands of files in L0.
    let level0_before: HashMap<u64, &Arc<SortedRun>> = before
        .iter()
        .filter(|run| run.level() == 0)
        .filter_map(|run| Some((run.files().first()?.number, run)))
        .collect();
    for level in 0..version.num_levels() {
        let files = version.level_files(level);
        if level == 0 {
            runs.extend(files.iter().map(|file| {
                let file = std::slice::from_ref(file);
                let same = level0_before.get(&file[0].number).filter(|run| run.has_files(file));
                same.map(|&run| run.clone()).unwrap_or_else(|| Arc::new(SortedRun::new(0, file)))
            }));
        } else if !files.is_empty() {
            let old = before.iter().find(|run| run.level() == level);
            runs.push(match old {
                Some(old) if old.has_files(files) => old.clone(),
                Some(old) => Arc::new(SortedRun::after(old, files)),
                None => Arc::new(SortedRun::new(level, files)),
            });
        }
    }
    runs
}
