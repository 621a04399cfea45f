//! The data blocks that several lookups wait for, read from their files together.

use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::staged_get::StagedGet;
use crate::block_based::table_stats::{BlockKind, ReadTimer};
use crate::block_fetcher::read_timers;
use crate::data_block::DataBlock;
use crate::format::BlockHandle;
use base::Result;
use env::{BatchRead, read_batch};
use std::ops::Deref;
use std::sync::Arc;

/// Brings the data blocks of `staged` that no link leads to: from the block cache, or, all together, from
/// their files. Lookups of blocks that cannot be read fail when they are visited.
pub fn read_missing_blocks<'s, 't: 's, 'l: 's>(
    staged: impl Iterator<Item = &'s mut StagedGet<'t, 'l>>,
) {
    let mut staged: Vec<_> = staged.filter(|get| get.wanted().is_some()).collect();
    let mut missing: Vec<MissingBlock<&'t BlockBasedTable>> = Vec::new();
    // Of each of them, the lookups that wait for it.
    let mut waiting: Vec<Vec<usize>> = Vec::new();
    for (at, get) in staged.iter_mut().enumerate() {
        let Some((handle, options)) = get.wanted() else { continue };
        let table = get.table();
        let is_same = |one: &MissingBlock<&BlockBasedTable>| {
            std::ptr::eq(one.table, table) && one.handle.offset == handle.offset
        };
        if let Some(known) = missing.iter().position(is_same) {
            waiting[known].push(at);
            continue;
        }
        match table.block_without_reading(handle, options).transpose() {
            Some(block) => get.bring(block, false),
            None => {
                missing.push(MissingBlock { table, handle, options });
                waiting.push(vec![at]);
            }
        }
    }
    if let Some(one) = missing.first() {
        one.table.stats.count_batch(missing.len());
        read_blocks(&missing, |at, block| {
            for (number, &at) in waiting[at].iter().enumerate() {
                staged[at].bring(block.clone(), number == 0);
            }
        });
    }
}

/// A data block that is to be read; it is not in the cache.
#[derive(Debug)]
pub(super) struct MissingBlock<T> {
    pub(super) table: T,
    pub(super) handle: BlockHandle,
    pub(super) options: BlockReadOptions,
}

/// Reads all `missing` at once, one at least, and has `bring` take each with its place in there. They go to the
/// cache.
pub(super) fn read_blocks<T: Deref<Target = BlockBasedTable>>(
    missing: &[MissingBlock<T>],
    mut bring: impl FnMut(usize, Result<Arc<DataBlock>>),
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

impl<T: Deref<Target = BlockBasedTable>> MissingBlock<T> {
    fn prepare(&self) -> Result<(BatchRead<'_>, Option<ReadTimer>)> {
        let &Self { ref table, handle, options } = self;
        let recorder = table.stats.recorder();
        table.count_data_block_miss(recorder);
        let timer = table.stats.start_read(BlockKind::Data, handle);
        let fetcher = table.fetcher(options.verify_checksums, options.terms());
        let length = fetcher.prepare(handle)?;
        let bytes = Vec::with_capacity(length);
        Ok((BatchRead::new(&*table.file, handle.offset, length, bytes), timer))
    }

    fn decode(&self, read: BatchRead<'_>, timer: Option<ReadTimer>) -> Result<Arc<DataBlock>> {
        let &Self { ref table, handle, options } = self;
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
