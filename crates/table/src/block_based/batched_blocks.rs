//! The blocks that several lookups wait for, read from their files together.

use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::staged_get::StagedGet;
use crate::block_based::table_stats::{BlockKind, ReadTimer};
use crate::block_fetcher::read_timers;
use crate::data_block::DataBlock;
use crate::format::BlockHandle;
use base::Result;
use base::block_capacity::block_capacity;
use env::{BatchRead, read_batch};
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

/// Brings the data blocks of `staged` that no link leads to: from the block cache, or, all together, from
/// their files. Lookups of blocks that cannot be read fail when they are visited.
pub fn read_missing_blocks<'s, 't: 's, 'l: 's>(
    staged: impl Iterator<Item = &'s mut StagedGet<'t, 'l>>,
) {
    let waiting = staged.filter_map(|get| {
        let (handle, options) = get.wanted()?;
        Some(WithoutBlock { get, handle, options })
    });
    bring_together(&mut waiting.collect::<Vec<_>>());
}

/// A lookup that waits for a data block.
struct WithoutBlock<'s, 't, 'l> {
    get: &'s mut StagedGet<'t, 'l>,
    handle: BlockHandle,
    options: BlockReadOptions,
}

impl<'t> BlockWaiter<'t> for WithoutBlock<'_, 't, '_> {
    type Blocks = DataBlocks;

    fn wanted(&self) -> MissingBlock<&'t BlockBasedTable> {
        let &Self { ref get, handle, options } = self;
        MissingBlock { table: get.table(), blocks: DataBlocks, handle, options }
    }

    fn bring(&mut self, block: Result<Arc<DataBlock>>, was_read: bool) {
        self.get.bring(block, was_read);
    }
}

/// Who waits for a block that is not at hand.
pub(super) trait BlockWaiter<'t> {
    type Blocks: BatchedBlocks;

    fn wanted(&self) -> MissingBlock<&'t BlockBasedTable, Self::Blocks>;

    /// Takes the block, which was read for this one, or found in memory or read for another one.
    fn bring(&mut self, block: BlockResult<Self::Blocks>, was_read: bool);
}

/// Brings each of `waiters` its block: from the block cache, or, all together, from their files.
pub(super) fn bring_together<'t, W: BlockWaiter<'t>>(waiters: &mut [W]) {
    let mut missing: Vec<MissingBlock<&BlockBasedTable, W::Blocks>> = Vec::new();
    // Of each of them, those who wait for it.
    let mut waiting: Vec<Vec<usize>> = Vec::new();
    for (at, waiter) in waiters.iter_mut().enumerate() {
        let wanted = waiter.wanted();
        if let Some(known) = missing.iter().position(|one| one.is_same(&wanted)) {
            waiting[known].push(at);
            continue;
        }
        let MissingBlock { table, blocks, handle, options } = wanted;
        match blocks.without_reading(table, handle, options).transpose() {
            Some(block) => waiter.bring(block, false),
            None => {
                missing.push(wanted);
                waiting.push(vec![at]);
            }
        }
    }
    if let Some(one) = missing.first() {
        one.table.stats.count_batch(missing.len());
        read_blocks(&missing, |at, block| {
            for (number, &at) in waiting[at].iter().enumerate() {
                waiters[at].bring(block.clone(), number == 0);
            }
        });
    }
}

/// Blocks of one kind, to who reads them together.
pub(super) trait BatchedBlocks: Copy {
    type Block;

    const KIND: BlockKind;

    /// Whether they live in the block cache of their table, if it has one.
    fn live_in_cache(self) -> bool;

    /// A block out of memory, if it is there; an error if it is not and must not be read.
    fn without_reading(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<Self::Block>>>;

    /// Makes a block of what was `read` of it and its trailer, counts it as read, and puts it where it lives.
    fn take(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
        read: Vec<u8>,
        timer: Option<ReadTimer>,
    ) -> Result<Arc<Self::Block>>;

    /// A block is not in the cache, if it would live there.
    fn count_miss(self, table: &BlockBasedTable) {
        if self.live_in_cache() && table.cache.is_some() {
            table.stats.count_miss(table.stats.recorder(), Self::KIND);
        }
    }
}

/// A block of such a kind, or why there is none.
pub(super) type BlockResult<B> = Result<Arc<<B as BatchedBlocks>::Block>>;

/// Data blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataBlocks;

impl BatchedBlocks for DataBlocks {
    type Block = DataBlock;

    const KIND: BlockKind = BlockKind::Data;

    fn live_in_cache(self) -> bool {
        true
    }

    fn without_reading(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<DataBlock>>> {
        table.block_without_reading(handle, options)
    }

    fn take(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
        read: Vec<u8>,
        timer: Option<ReadTimer>,
    ) -> Result<Arc<DataBlock>> {
        let dictionary = table.load_dictionary(options)?;
        let fetcher = table.fetcher(options.verify_checksums, options.terms());
        let contents = fetcher.unpack(handle, &read, dictionary.as_deref())?;
        let block = table.decoder.decode(&contents).map(Arc::new);
        let block = block.map_err(|status| fetcher.explain(handle, &status))?;
        table.stats.count_read(timer);
        table.keep_block(handle, &block, options)?;
        Ok(block)
    }
}

/// A block that is to be read; it is not in the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct MissingBlock<T, B = DataBlocks> {
    pub(super) table: T,
    pub(super) blocks: B,
    pub(super) handle: BlockHandle,
    pub(super) options: BlockReadOptions,
}

/// Reads all `missing` at once, one at least, and has `bring` take each with its place in there. They go to
/// where they live.
pub(super) fn read_blocks<T: Deref<Target = BlockBasedTable>, B: BatchedBlocks>(
    missing: &[MissingBlock<T, B>],
    mut bring: impl FnMut(usize, BlockResult<B>),
) {
    let _activity = missing[0].options.activity.begin_if_unknown();
    let (mut reads, mut prepared) = (Vec::with_capacity(missing.len()), Vec::new());
    for (at, one) in missing.iter().enumerate() {
        match one.prepare() {
            Ok((read, timer)) => {
                reads.push(read);
                prepared.push((at, timer));
            }
            Err(status) => bring(at, Err(status)),
        }
    }
    let timers = read_timers();
    read_batch(&mut reads);
    drop(timers);
    for ((at, timer), read) in prepared.into_iter().zip(reads) {
        bring(at, missing[at].decode(read, timer));
    }
}

impl<T: Deref<Target = BlockBasedTable>, B: BatchedBlocks> MissingBlock<T, B> {
    fn is_same(&self, other: &Self) -> bool {
        ptr::eq(&*self.table, &*other.table) && self.handle.offset == other.handle.offset
    }

    fn prepare(&self) -> Result<(BatchRead<'_>, Option<ReadTimer>)> {
        let &Self { ref table, blocks, handle, options } = self;
        blocks.count_miss(table);
        let timer = table.stats.start_read(B::KIND, handle);
        let fetcher = table.fetcher(options.verify_checksums, options.terms());
        let length = fetcher.prepare(handle)?;
        // Some are kept in that very memory.
        let bytes = Vec::with_capacity(block_capacity(length));
        Ok((BatchRead::new(&*table.file, handle.offset, length, bytes), timer))
    }

    fn decode(&self, read: BatchRead<'_>, timer: Option<ReadTimer>) -> BlockResult<B> {
        let &Self { ref table, blocks, handle, options } = self;
        read.found?;
        blocks.take(table, handle, options, read.bytes, timer)
    }
}
