//! The compactions that run, as far as others must keep out of their way.

use crate::compaction::Compaction;
use base::InternalKeyComparator;
use std::collections::HashSet;
use version::CompactionStyle;

/// A range of a level that something running will write files into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputRange {
    /// The level.
    pub level: usize,
    /// Smallest user key, with its timestamp.
    pub smallest_user_key: Vec<u8>,
    /// Largest user key, with its timestamp; inclusive.
    pub largest_user_key: Vec<u8>,
}

/// What one compaction holds while it runs. Ingestion and `change_level` hold such too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunningCompaction {
    /// Numbers of its input files.
    pub files: Vec<u64>,
    /// Where it writes.
    pub output: Option<OutputRange>,
    /// Sorted runs among the input files: each file of L0, each deeper level.
    pub sorted_runs: usize,
    /// It takes files of L0: no second one may, but for merges of newer L0 files among themselves.
    /// Universal compactions all count as such.
    pub is_level0: bool,
}

impl RunningCompaction {
    /// What `compaction` holds.
    pub fn of(compaction: &Compaction) -> Self {
        Self {
            files: compaction.input_files().map(|(_, file)| file.number).collect(),
            output: Some(OutputRange {
                level: compaction.output_level,
                smallest_user_key: compaction.smallest_user_key.clone(),
                largest_user_key: compaction.largest_user_key.clone(),
            }),
            sorted_runs: compaction
                .inputs
                .iter()
                .map(|input| if input.level == 0 { input.files.len() } else { 1 })
                .sum(),
            is_level0: compaction.start_level == 0
                || compaction.compaction_style == CompactionStyle::Universal,
        }
    }
}

/// Name of a registered compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompactionId(u64);

/// The running compactions of a column family.
///
/// A picker's choice is registered before the lock that guards both is given up, and unregistered
/// when its edit is installed or it failed.
#[derive(Debug, Default)]
pub struct CompactionsInProgress {
    next_id: u64,
    running: Vec<(CompactionId, RunningCompaction)>,
    files: HashSet<u64>,
}

impl CompactionsInProgress {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the files and the output range.
    ///
    /// # Panics
    /// If another one holds one of the files.
    pub fn register(&mut self, running: RunningCompaction) -> CompactionId {
        for file in &running.files {
            assert!(self.files.insert(*file), "table file {file} is in two compactions");
        }
        let id = CompactionId(self.next_id);
        self.next_id += 1;
        self.running.push((id, running));
        id
    }

    /// Gives them back.
    ///
    /// # Panics
    /// If `id` is not registered.
    pub fn unregister(&mut self, id: CompactionId) {
        let position = self.running.iter().position(|(running, _)| *running == id);
        let Some((_, running)) = position.map(|position| self.running.remove(position)) else {
            return;
        };
        for file in running.files {
            self.files.remove(&file);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Sorted runs that they read.
    pub fn sorted_runs(&self) -> usize {
        self.running.iter().map(|(_, running)| running.sorted_runs).sum()
    }

    /// Whether the table file is an input of one.
    pub fn has_file(&self, number: u64) -> bool {
        self.files.contains(&number)
    }

    /// Whether one takes files of L0.
    pub fn has_level0(&self) -> bool {
        self.running.iter().any(|(_, running)| running.is_level0)
    }

    /// Whether one writes to `level` somewhere between the two user keys, both inclusive.
    pub fn writes_to_range(
        &self,
        comparator: &InternalKeyComparator,
        level: usize,
        smallest_user_key: &[u8],
        largest_user_key: &[u8],
    ) -> bool {
        let outputs = self.running.iter().filter_map(|(_, running)| running.output.as_ref());
        outputs.filter(|output| output.level == level).any(|output| {
            let compare = |a, b| comparator.compare_without_timestamp(a, b);
            compare(smallest_user_key, &output.largest_user_key).is_le()
                && compare(largest_user_key, &output.smallest_user_key).is_ge()
        })
    }
}

#[cfg(test)]
mod tests;
