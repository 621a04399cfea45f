//! The trees that engines had, and whether they were the same in all processes.

use crate::journal::Entry;
use crate::plan::{Spec, Tree};
use record::{FamilyShape, Record, shape_text};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// How far two trees may differ that count as the same: files of a level.
const FILES: u64 = 1;

/// One in so many bytes of a level.
const BYTES: u64 = 50;

/// Entries of the memtable.
const ENTRIES: u64 = 200;

/// The tree that an engine had with an option set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeRow {
    /// Name of the option set.
    pub set: String,
    /// The engine's name in the comparison.
    pub engine: String,
    /// What the tree was in the first of them.
    pub tree: String,
    /// Processes that were run: one for each round, and one for each round that was repeated.
    pub processes: usize,
    /// Those whose tree was unlike the first one's by more than a file of a level, 2 % of its bytes, or 200
    /// entries of the memtable.
    pub unlike: usize,
}

/// The trees of all option sets that choose one, for the engines that have levels.
pub fn trees(spec: &Spec, entries: &[Entry]) -> Vec<TreeRow> {
    let names = spec.engine_names();
    let sets = spec.sets.iter().enumerate().filter(|(_, set)| set.tree != Tree::AsItComes);
    let row = |set: usize, engine: usize| {
        let trees = of_processes(entries, set, engine);
        let first = trees.first()?;
        Some(TreeRow {
            set: spec.sets[set].name.clone(),
            engine: names[engine].clone(),
            tree: shape_text::line(first),
            processes: trees.len(),
            unlike: trees.iter().filter(|tree| !is_like(tree, first)).count(),
        })
    };
    let engines = 0..names.len();
    sets.flat_map(|(set, _)| engines.clone().filter_map(move |engine| row(set, engine))).collect()
}

/// The tree before what counts, of each process.
fn of_processes(entries: &[Entry], of_set: usize, of_engine: usize) -> Vec<&FamilyShape> {
    let tree = |records: &'_ [Record]| -> Option<usize> {
        records.iter().position(|record| !record.warmup && record.shape.before.is_some())
    };
    let cells = entries.iter().filter_map(|entry| match entry {
        Entry::Cell { group, engine, records, .. }
            if (group.set, *engine) == (of_set, of_engine) =>
        {
            records[tree(records)?].shape.before.as_ref()?.values().next()
        }
        _ => None,
    });
    cells.collect()
}

/// Whether two trees are as alike as two runs may be.
pub fn is_like(tree: &FamilyShape, other: &FamilyShape) -> bool {
    let level = |of: &FamilyShape, number: usize| {
        of.levels
            .iter()
            .find(|level| level.level == number)
            .map_or((0, 0), |level| (level.files, level.bytes))
    };
    let numbers = tree.levels.iter().chain(&other.levels).map(|level| level.level);
    let levels_are = numbers.into_iter().all(|number| {
        let ((files, bytes), (other_files, other_bytes)) =
            (level(tree, number), level(other, number));
        files.abs_diff(other_files) <= FILES
            && (files == 0) == (other_files == 0)
            && bytes.abs_diff(other_bytes) <= bytes / BYTES
    });
    levels_are && tree.memtable_entries.abs_diff(other.memtable_entries) <= ENTRIES
}
