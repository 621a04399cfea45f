//! Blocks of index, filter and dictionary, from the block cache or from the file.

use crate::block_based::batched_blocks::BatchedBlocks;
use crate::block_based::meta_block::Meta;
use crate::block_based::perf_counts::time_of_reads;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, TableCacheHandle};
use crate::block_based::table_stats::{BlockKind, ReadTimer};
use crate::block_fetcher::BlockFetcher;
use crate::format::BlockHandle;
use crate::frame_slots::Resident;
use base::{Result, Status};
use cache::{CacheKey, CacheValue};
use perf_context::Timer;
use std::sync::Arc;

/// What such blocks are, and what becomes of them.
pub(super) trait MetaForm: Copy {
    type Contents: Send + Sync + 'static;

    const KIND: BlockKind;

    /// What a block holds, ready for use.
    fn decode(self, table: &BlockBasedTable, block: Vec<u8>) -> Result<Self::Contents>;

    /// What that is charged for in the block cache.
    fn memory_usage_bytes(contents: &Self::Contents) -> usize;
}

/// Blocks of one form.
#[derive(Clone, Copy, Debug)]
pub(super) struct MetaBlocks<F> {
    pub(super) form: F,
    /// Whether they live in the block cache.
    pub(super) use_cache: bool,
}

impl<F: MetaForm> MetaBlocks<F> {
    /// A block, if it is in the cache.
    fn cached(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
    ) -> Option<Arc<Meta<F::Contents>>> {
        table.cache.as_ref().filter(|_| self.use_cache)?.meta_block(handle)
    }

    /// A block was found in memory without having been read for who looks for it.
    pub(super) fn count_hit(self, table: &BlockBasedTable, block: &Meta<F::Contents>) {
        if self.use_cache && table.cache.is_some() {
            let bytes = || F::memory_usage_bytes(block);
            table.stats.count_hit(table.stats.recorder(), F::KIND, bytes);
        }
    }

    /// A block of what `fetcher` has read, put where it lives.
    fn finish(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
        fetcher: &BlockFetcher<'_>,
        contents: Vec<u8>,
        timer: Option<ReadTimer>,
    ) -> Result<Arc<Meta<F::Contents>>> {
        let contents = self.form.decode(table, contents);
        let contents = contents.map_err(|status| fetcher.explain(handle, &status))?;
        let block = Arc::new(Meta::new(contents));
        table.stats.count_read(timer);
        if let Some(TableCacheHandle { cache, id, meta_priority }) = &table.cache
            && self.use_cache
            && options.fill_cache
        {
            let charge = F::memory_usage_bytes(&block);
            let key = CacheKey::new(*id, handle.offset);
            block.residence().enter_cache();
            let value = CacheValue::Linked(block.clone());
            let inserted = cache.insert(key, value, charge, *meta_priority);
            table.stats.count_insertion(F::KIND, charge, inserted.as_ref().ok());
            inserted?;
        }
        Ok(block)
    }
}

impl<F: MetaForm> BatchedBlocks for MetaBlocks<F> {
    type Block = Meta<F::Contents>;

    const KIND: BlockKind = F::KIND;

    fn live_in_cache(self) -> bool {
        self.use_cache
    }

    fn without_reading(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<Self::Block>>> {
        let found = self.cached(table, handle);
        if found.is_none() && !options.may_read_files {
            self.count_miss(table);
            return Err(not_in_cache());
        }
        Ok(found)
    }

    fn take(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        options: BlockReadOptions,
        read: Vec<u8>,
        timer: Option<ReadTimer>,
    ) -> Result<Arc<Self::Block>> {
        let fetcher = table.fetcher(true, options.terms());
        let contents = fetcher.unpack_owned(handle, read, None)?;
        self.finish(table, handle, options, &fetcher, contents, timer)
    }
}

impl BlockBasedTable {
    /// A block of index, filter or dictionary. Checksums are always verified. `use_cache` says whether it
    /// lives in the block cache.
    pub(super) fn load_meta_block<F: MetaForm>(
        &self,
        form: F,
        handle: BlockHandle,
        use_cache: bool,
        options: BlockReadOptions,
    ) -> Result<Arc<Meta<F::Contents>>> {
        let _timer = Timer::start(time_of_reads(F::KIND));
        let blocks = MetaBlocks { form, use_cache };
        if let Some(block) = blocks.without_reading(self, handle, options)? {
            blocks.count_hit(self, &block);
            return Ok(block);
        }
        blocks.count_miss(self);
        let _activity = options.activity.begin_if_unknown();
        let timer = self.stats.start_read(F::KIND, handle);
        let fetcher = self.fetcher(true, options.terms());
        let contents = fetcher.fetch(handle, None, None)?;
        blocks.finish(self, handle, options, &fetcher, contents, timer)
    }
}

#[cold]
pub(super) fn not_in_cache() -> Status {
    Status::incomplete("no blocking io")
}
