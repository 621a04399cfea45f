//! The data blocks that several lookups wait for, read from their files together.

use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::staged_get::StagedGet;
use crate::block_based::table_stats::{BlockKind, ReadTimer};
use crate::block_fetcher::read_timers;
use crate::data_block::DataBlock;
use crate::format::BlockHandle;
use base::Result;
use env::{BatchRead, read_batch};
use std::sync::Arc;

/// A block that is to be read.
struct Missing<'t> {
    table: &'t BlockBasedTable,
    handle: BlockHandle,
    options: BlockReadOptions,
    timer: Option<ReadTimer>,
    /// Lookups that wait for it.
    waiting: Vec<usize>,
}

/// Brings the data blocks of `staged` that no link leads to: from the block cache, or, all together, from
/// their files. Lookups of blocks that cannot be read fail when they are visited.
pub fn read_missing_blocks<'s, 't: 's, 'l: 's>(
    staged: impl Iterator<Item = &'s mut StagedGet<'t, 'l>>,
) {
    let mut staged: Vec<_> = staged.filter(|get| get.wanted().is_some()).collect();
    let mut missing: Vec<Missing<'t>> = Vec::new();
    for (at, get) in staged.iter_mut().enumerate() {
        let Some((handle, options)) = get.wanted() else { continue };
        let table = get.table();
        let is_same = |one: &&mut Missing<'_>| {
            std::ptr::eq(one.table, table) && one.handle.offset == handle.offset
        };
        if let Some(one) = missing.iter_mut().find(is_same) {
            one.waiting.push(at);
            continue;
        }
        match table.block_without_reading(handle, options).transpose() {
            Some(block) => get.bring(block, false),
            None => {
                missing.push(Missing { table, handle, options, timer: None, waiting: vec![at] });
            }
        }
    }
    if !missing.is_empty() {
        read_all(missing, &mut staged);
    }
}

fn read_all(mut missing: Vec<Missing<'_>>, staged: &mut [&mut StagedGet<'_, '_>]) {
    let _activity = missing[0].options.activity.begin_if_unknown();
    let mut reads = Vec::with_capacity(missing.len());
    missing.retain_mut(|one| match one.prepare() {
        Ok(read) => {
            reads.push(read);
            true
        }
        Err(status) => {
            one.waiting.iter().for_each(|&at| staged[at].bring(Err(status.clone()), true));
            false
        }
    });
    if let Some(one) = missing.first() {
        one.table.stats.count_batch(reads.len());
    }
    let timers = read_timers();
    read_batch(&mut reads);
    drop(timers);
    for (one, read) in missing.iter().zip(reads) {
        let block = one.decode(read);
        for (number, &at) in one.waiting.iter().enumerate() {
            staged[at].bring(block.clone(), number == 0);
        }
    }
}

impl<'t> Missing<'t> {
    fn prepare(&mut self) -> Result<BatchRead<'t>> {
        let &mut Self { table, handle, options, .. } = self;
        let recorder = table.stats.recorder();
        table.count_data_block_miss(recorder);
        self.timer = table.stats.start_read(BlockKind::Data, handle);
        let fetcher = table.fetcher(options.verify_checksums, options.terms());
        let length = fetcher.prepare(handle)?;
        let bytes = Vec::with_capacity(length);
        Ok(BatchRead::new(&*table.file, handle.offset, length, bytes))
    }

    /// The block of what was read; it goes to the cache.
    fn decode(&self, read: BatchRead<'_>) -> Result<Arc<DataBlock>> {
        let &Self { table, handle, options, timer, .. } = self;
        read.found?;
        let dictionary = table.load_dictionary(options)?;
        let fetcher = table.fetcher(options.verify_checksums, options.terms());
        let contents = fetcher.unpack(handle, &read.bytes, dictionary.as_deref())?;
        let block = table.decoder.decode(&contents).map(Arc::new);
        let block = block.map_err(|status| fetcher.explain(handle, &status))?;
        table.stats.count_read(timer);
        table.keep_block(handle, &block, options)?;
        Ok(block)
    }
}
