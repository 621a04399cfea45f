//! What one read of a column family looks at, pinned together.

use crate::sorted_run::SortedRun;
use memtable::MemTable;
use std::sync::Arc;
use version::Version;

/// Memtables and sorted runs, newest first.
#[derive(Debug)]
pub(crate) struct SuperVersion {
    /// Counts the states of the column family, from 1.
    pub(crate) number: u64,
    /// The memtable that takes writes, then immutable ones from new to old.
    pub(crate) memtables: Vec<Arc<MemTable>>,
    /// Each file of level 0 from new to old, then each level that has files.
    pub(crate) runs: Vec<Arc<SortedRun>>,
    pub(crate) version: Arc<Version>,
}

impl SuperVersion {
    pub(crate) fn new(memtables: Vec<Arc<MemTable>>, version: Arc<Version>) -> Self {
        let mut runs = Vec::new();
        for level in 0..version.num_levels() {
            let files = version.level_files(level);
            if level == 0 {
                let each = files.iter().map(std::slice::from_ref);
                runs.extend(each.map(|file| Arc::new(SortedRun::new(0, file))));
            } else if !files.is_empty() {
                runs.push(Arc::new(SortedRun::new(level, files)));
            }
        }
        Self { number: 1, memtables, runs, version }
    }
}
