//! Merges the inputs of a compaction whose keys are ordered as bytes.
//!
//! Each input is a level, or a file of L0, gone over block by block ([`TableScan`]). Which of them
//! has the next entry a [`LoserTree`] says, by eight bytes of each key; keys themselves are compared
//! where these are equal. No call is virtual and no key is copied on the way.
//!
//! Other orders, and tables whose entries do not show as they are stored, go through
//! [`iterator::merge`], which gives the same entries in the same order.

use crate::level_input_iterator::{LevelInputIterator, LevelInputOptions};
use base::{InternalKeyComparator, Result};
use iterator::LoserTree;
use std::sync::Arc;
use table::{StoredEntry, TableScan};
use version::FileMetaData;

/// A sorted run: the level it is of, and its files.
pub(crate) type InputRun = (usize, Vec<Arc<FileMetaData>>);

type Source = LevelInputIterator<TableScan>;

/// The rank of a source that has come to its end: no other source is behind it.
const END: u64 = u64::MAX;

/// A cursor over all entries of sorted runs. Entries with equal internal keys come in the order of
/// the runs.
pub(crate) struct MergeKernel {
    comparator: InternalKeyComparator,
    sources: Vec<Source>,
    tree: LoserTree,
    /// The source with the entry here.
    current: usize,
}

impl MergeKernel {
    pub(crate) fn new(options: &LevelInputOptions, runs: Vec<InputRun>) -> Self {
        let source = |(level, files)| Source::new(options.clone(), level, files);
        Self {
            comparator: options.comparator.clone(),
            sources: runs.into_iter().map(source).collect(),
            tree: LoserTree::default(),
            current: 0,
        }
    }

    #[inline]
    pub(crate) fn valid(&self) -> bool {
        self.sources.get(self.current).is_some_and(Source::valid)
    }

    pub(crate) fn seek_to_first(&mut self) -> Result<()> {
        self.sources.iter_mut().try_for_each(Source::seek_to_first)?;
        self.start();
        Ok(())
    }

    /// Moves to the first entry at or after the internal key `target`.
    pub(crate) fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.sources.iter_mut().try_for_each(|source| source.seek(target))?;
        self.start();
        Ok(())
    }

    fn start(&mut self) {
        let Self { comparator, sources, tree, .. } = self;
        let ranks: Vec<u64> = sources.iter().map(rank).collect();
        tree.start(&ranks, |a, b| is_before(comparator, sources, a, b));
        self.current = tree.winner().unwrap_or(0);
    }

    pub(crate) fn next(&mut self) -> Result<()> {
        self.next_inlined()
    }

    /// As [`Self::next`], for the loop that goes over most entries.
    #[inline(always)]
    pub(crate) fn next_inlined(&mut self) -> Result<()> {
        let Self { comparator, sources, tree, current } = self;
        let Some(source) = sources.get_mut(*current) else { return Ok(()) };
        let rank = source.next_rank()?.unwrap_or(END);
        tree.advance(rank, |a, b| is_before(comparator, sources, a, b));
        *current = tree.winner().unwrap_or(0);
        Ok(())
    }

    /// The entry here; none if not valid.
    #[inline(always)]
    pub(crate) fn entry(&self) -> Option<StoredEntry<'_>> {
        self.sources.get(self.current)?.stored_entry()
    }

    /// The internal key here.
    ///
    /// # Panics
    /// As [`Self::value`]: if not valid.
    #[inline]
    pub(crate) fn key(&self) -> &[u8] {
        self.sources[self.current].current().key()
    }

    #[inline]
    pub(crate) fn value(&self) -> &[u8] {
        self.sources[self.current].current().value()
    }
}

#[inline]
fn rank(source: &Source) -> u64 {
    source.rank().unwrap_or(END)
}

/// Whether the entry of source `a`, which has the rank of `b`, is before that of `b`.
#[cold]
fn is_before(comparator: &InternalKeyComparator, sources: &[Source], a: usize, b: usize) -> bool {
    let (first, second) = (&sources[a], &sources[b]);
    match (first.valid(), second.valid()) {
        (true, true) => {
            let (first, second) = (first.current().key(), second.current().key());
            comparator.compare(first, second).then(a.cmp(&b)).is_lt()
        }
        (is_valid, _) => is_valid,
    }
}

#[cfg(test)]
mod tests;
