//! The partitions of indexes and filters that several lookups wait for, read from their files together.

use crate::block_based::batched_blocks::{BlockResult, BlockWaiter, MissingBlock, bring_together};
use crate::block_based::index_reader::UnheldPartition;
use crate::block_based::meta_block::MetaRef;
use crate::block_based::meta_reads::{MetaBlocks, MetaForm};
use crate::block_based::perf_counts::time_of_reads;
use crate::block_based::reader::BlockBasedTable;
use crate::block_based::staged_get::StagedGet;
use base::Result;
use perf_context::Timer;

/// Asks the filters of `staged` that are partitioned; [`StagedGet::pass_filter`] tells what they say.
/// Partitions that are in no memory are read from their files together.
pub fn ask_partitioned_filters<'s, 't: 's, 'l: 's>(
    staged: impl Iterator<Item = &'s mut StagedGet<'t, 'l>>,
) {
    // Takes no memory where nobody waits; no iterator is collected, as that would make a call for each.
    let mut waiting = Vec::new();
    for get in staged {
        if let Some((partition, hash)) = get.approach_filter() {
            let take = move |bits: Result<_>| get.bring_filter(bits, hash);
            waiting.push(WithoutPartition { partition, take });
        }
    }
    bring_partitions(waiting);
}

/// [`StagedGet::find_block`] of all `staged`. Partitions of indexes that are in no memory are read from their
/// files together.
pub fn find_blocks<'s, 't: 's, 'l: 's>(staged: impl Iterator<Item = &'s mut StagedGet<'t, 'l>>) {
    let mut waiting = Vec::new();
    for get in staged {
        if let Some(partition) = get.approach_block() {
            let number = partition.position();
            let take = move |index: Result<_>| get.bring_partition(index, number);
            waiting.push(WithoutPartition { partition, take });
        }
    }
    bring_partitions(waiting);
}

/// A lookup that waits for a partition, which it has a function take.
struct WithoutPartition<'t, F: MetaForm, T> {
    partition: UnheldPartition<'t, F>,
    take: T,
}

impl<'t, F, T> BlockWaiter<'t> for WithoutPartition<'t, F, T>
where
    F: MetaForm,
    T: FnMut(Result<MetaRef<'t, F::Contents>>),
{
    type Blocks = MetaBlocks<F>;

    fn wanted(&self) -> MissingBlock<&'t BlockBasedTable, MetaBlocks<F>> {
        self.partition.missing()
    }

    fn bring(&mut self, block: BlockResult<MetaBlocks<F>>, was_read: bool) {
        (self.take)(block.map(|block| self.partition.bring(block, was_read)));
    }
}

fn bring_partitions<'t, F, T>(mut waiting: Vec<WithoutPartition<'t, F, T>>)
where
    F: MetaForm,
    T: FnMut(Result<MetaRef<'t, F::Contents>>),
{
    if !waiting.is_empty() {
        let _timer = Timer::start(time_of_reads(F::KIND));
        bring_together(&mut waiting);
    }
}

#[cfg(test)]
mod tests;
