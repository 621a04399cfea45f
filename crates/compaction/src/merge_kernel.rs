//! Merges the inputs of a compaction whose keys are ordered as bytes.
//!
//! Each input is a level, or a file of L0, gone over block by block ([`TableScan`]). Which of them
//! has the next entry a [`LoserTree`] says, by eight bytes of each key; keys themselves are compared
//! where these are equal. No call is virtual and no key is copied on the way.
//!
//! Where a data block begins that no other input has a key within, the merge stops for a moment: the
//! block may go on whole ([`MergeKernel::whole_block`]).
//!
//! Other orders, and tables whose entries do not show as they are stored, go through
//! [`iterator::merge`], which gives the same entries in the same order.

use crate::level_input_iterator::{LevelInputIterator, LevelInputOptions};
use base::dbformat::extract_user_key;
use base::{InternalKeyComparator, Result};
use iterator::LoserTree;
use std::sync::Arc;
use table::{StoredEntry, TableScan, WholeBlock};
use version::FileMetaData;

/// A sorted run: the level it is of, and its files.
pub(crate) type InputRun = (usize, Vec<Arc<FileMetaData>>);

type Source = LevelInputIterator<TableScan>;

/// The rank of a source that has come to its end: no other source is behind it.
const END: u64 = u64::MAX;

/// What a move came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next entry, or the end.
    Entry,
    /// The first entry of a data block that no other source seems to have a key within.
    Block,
}

/// A cursor over all entries of sorted runs. Entries with equal internal keys come in the order of
/// the runs.
pub(crate) struct MergeKernel {
    comparator: InternalKeyComparator,
    sources: Vec<Source>,
    tree: LoserTree,
    /// The source with the entry here.
    current: usize,
    /// Whether blocks may go on whole.
    offers_blocks: bool,
}

impl MergeKernel {
    pub(crate) fn new(
        options: &LevelInputOptions,
        runs: Vec<InputRun>,
        offers_blocks: bool,
    ) -> Self {
        let source = |(level, files)| Source::new(options.clone(), level, files);
        Self {
            comparator: options.comparator.clone(),
            sources: runs.into_iter().map(source).collect(),
            tree: LoserTree::default(),
            current: 0,
            offers_blocks,
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
        match self.next_laid_out() {
            true => Ok(()),
            false => self.next_entries().map(drop),
        }
    }

    /// Moves on, for the loop that goes over most entries. Returns whether it did; if not, the source here is
    /// at the end of what it has laid out, and [`Self::next_entries`] is to follow.
    #[inline(always)]
    pub(crate) fn next_laid_out(&mut self) -> bool {
        let Self { comparator, sources, tree, current, .. } = self;
        let Some(source) = sources.get_mut(*current) else { return false };
        let Some(rank) = source.next_laid_out() else { return false };
        tree.advance(rank, |a, b| is_before(comparator, sources, a, b));
        *current = tree.winner().unwrap_or(0);
        true
    }

    /// Moves on where [`Self::next_laid_out`] has come to an end.
    #[inline(never)]
    pub(crate) fn next_entries(&mut self) -> Result<Step> {
        let Self { comparator, sources, tree, current, .. } = self;
        let last = *current;
        let Some(source) = sources.get_mut(last) else { return Ok(Step::Entry) };
        let rank = source.next_entries()?.unwrap_or(END);
        tree.advance(rank, |a, b| is_before(comparator, sources, a, b));
        *current = tree.winner().unwrap_or(0);
        let end = match self.offers_blocks && self.current == last {
            true => self.sources[last].whole_block_end(),
            false => None,
        };
        // Where ranks are the same, keys are compared before the block goes on.
        Ok(match end.is_some_and(|end| end <= self.tree.runner_up()) {
            true => Step::Block,
            false => Step::Entry,
        })
    }

    /// Whether [`Self::whole_block`] may be there.
    #[inline(always)]
    pub(crate) fn may_be_at_block(&self) -> bool {
        self.offers_blocks && self.sources.get(self.current).is_some_and(Source::is_at_first)
    }

    /// The data block that begins here, if all keys of other sources come after its last one.
    pub(crate) fn whole_block(&self) -> Option<WholeBlock<'_>> {
        if !self.offers_blocks {
            return None;
        }
        let source = self.sources.get(self.current)?;
        let end = source.whole_block_end()?;
        let runner_up = self.tree.runner_up();
        if runner_up != 0 && end > runner_up {
            return None;
        }
        let block = source.whole_block()?;
        self.is_before_others(end, extract_user_key(block.last_key())).then_some(block)
    }

    /// Whether a user key of this rank comes before those of all sources but the one here.
    fn is_before_others(&self, rank: u64, user_key: &[u8]) -> bool {
        let mut others = self.sources.iter().enumerate();
        others.all(|(index, source)| match source.rank() {
            Some(other) if index != self.current => {
                rank < other || rank == other && user_key < extract_user_key(source.current().key())
            }
            _ => true,
        })
    }

    /// Moves to the last entry that the source here has laid out: of [`Self::whole_block`], if that is
    /// there. The others must all be behind it.
    pub(crate) fn go_to_last_laid_out(&mut self) {
        if let Some(source) = self.sources.get_mut(self.current) {
            source.go_to_last_laid_out();
        }
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
