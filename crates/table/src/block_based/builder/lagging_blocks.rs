//! Data blocks that are complete and not written yet, because other threads compress them
//! (`parallel_threads`).
//!
//! What a block brings about when it is written, its place, its entry in the index and the sums of the
//! properties, lags behind the keys that are added. So no block lags where the index wants to know of
//! keys, or the filter ends its partitions where the index does.

use super::BlockBasedTableBuilder;
use crate::block_based::compression_threads::{BLOCKS_PER_THREAD, CompressionThreads};
use crate::filter::filter_block_builder::FilterBlockBuilder;
use crate::format::BLOCK_TRAILER_SIZE;
use crate::index::index_builder::IndexBuilder;
use crate::table_builder_options::TableBuilderOptions;
use base::Result;
use compression::CompressionType;
use std::collections::VecDeque;
use std::mem;

#[derive(Debug)]
pub(super) struct LaggingBlocks {
    threads_max: usize,
    /// From the first block on.
    threads: Option<CompressionThreads>,
    blocks: VecDeque<LaggingBlock>,
    blocks_max: usize,
    /// What the blocks may take in the file, and their entries in the index.
    sizes_max: (u64, u64),
    /// What may lie between two blocks.
    padding_max: u64,
    /// Memory of blocks that were written.
    spare: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct LaggingBlock {
    /// None while the threads have it.
    contents: Option<Vec<u8>>,
    last_key: Vec<u8>,
    next_key: Option<Vec<u8>>,
    sizes_max: (u64, u64),
}

impl LaggingBlocks {
    /// None if blocks are to be written as soon as they are complete.
    pub(super) fn new(
        options: &TableBuilderOptions,
        index: &IndexBuilder,
        filter: Option<&FilterBlockBuilder>,
    ) -> Option<Self> {
        /// Whatever the option says.
        const THREADS_MAX: u32 = 64;
        let threads = options.compression_options.parallel_threads.min(THREADS_MAX) as usize;
        let may_lag = threads > 1
            && options.compression != CompressionType::None
            && !index.wants_keys()
            && filter.is_none_or(|filter| !filter.follows_index());
        let super_block_padding = options
            .super_block_alignment_size
            .checked_div(options.super_block_alignment_space_overhead_ratio);
        let block_padding = if options.block_align { super::PAGE_SIZE } else { 0 };
        may_lag.then(|| Self {
            threads_max: threads - 1,
            threads: None,
            blocks: VecDeque::new(),
            blocks_max: BLOCKS_PER_THREAD * threads,
            sizes_max: (0, 0),
            padding_max: super_block_padding.unwrap_or(0) + block_padding,
            spare: Vec::new(),
        })
    }

    /// Ends the threads. Returns the processor time that they took, in microseconds.
    pub(super) fn finish(self) -> u64 {
        self.threads.map_or(0, CompressionThreads::finish)
    }
}

impl BlockBasedTableBuilder {
    /// Has a data block compressed, and leaves other memory in its place.
    pub(super) fn lag(
        &mut self,
        block: &mut Vec<u8>,
        last_key: &[u8],
        next_key: Option<&[u8]>,
    ) -> Result<()> {
        let is_full =
            self.lagging.as_ref().is_some_and(|lagging| lagging.blocks.len() >= lagging.blocks_max);
        if is_full {
            self.settle_oldest()?;
        }
        let is_tried = self.compressor.is_worth_a_try(block.len());
        let Some(lagging) = &mut self.lagging else { return Ok(()) };
        let contents = mem::replace(block, lagging.spare.pop().unwrap_or_default());
        let next_length = next_key.map_or(0, <[u8]>::len);
        let sizes_max = (
            (contents.len() + BLOCK_TRAILER_SIZE) as u64 + lagging.padding_max,
            index_entry_size_max(last_key.len() + next_length),
        );
        lagging.sizes_max.0 += sizes_max.0;
        lagging.sizes_max.1 += sizes_max.1;
        let contents = if is_tried {
            let (codec, count) = (self.compressor.codec(), lagging.threads_max);
            let start = || CompressionThreads::start(codec, count);
            lagging.threads.get_or_insert_with(start).begin(contents);
            None
        } else {
            Some(contents)
        };
        lagging.blocks.push_back(LaggingBlock {
            contents,
            last_key: last_key.to_vec(),
            next_key: next_key.map(<[u8]>::to_vec),
            sizes_max,
        });
        Ok(())
    }

    /// Writes the oldest block that is not written yet. Says whether there was one.
    fn settle_oldest(&mut self) -> Result<bool> {
        let Some(lagging) = &mut self.lagging else { return Ok(false) };
        let Some(block) = lagging.blocks.pop_front() else { return Ok(false) };
        lagging.sizes_max.0 -= block.sizes_max.0;
        lagging.sizes_max.1 -= block.sizes_max.1;
        let (mut contents, compressed) = match block.contents {
            Some(contents) => {
                let compressed = self.compressor.compress(&contents, true)?;
                (contents, compressed)
            }
            None => {
                let ended = lagging.threads.as_ref().and_then(CompressionThreads::end);
                let Some((contents, tried)) = ended else { return Ok(false) };
                let compressed = self.compressor.compress_by(contents.len(), true, || tried)?;
                (contents, compressed)
            }
        };
        let next_key = block.next_key.as_deref();
        self.write_compressed(&mut contents, compressed, &block.last_key, next_key)?;
        if let Some(lagging) = &mut self.lagging {
            contents.clear();
            lagging.spare.push(contents);
        }
        Ok(true)
    }

    /// Writes all blocks that are complete: with `parallel_threads` they need not be written yet.
    /// Until then [`Self::estimated_file_size`] does not count them.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn settle(&mut self) -> Result<()> {
        self.status.clone()?;
        let result = self.settle_all();
        if let Err(status) = &result {
            self.status = Err(status.clone());
        }
        result
    }

    pub(super) fn settle_all(&mut self) -> Result<()> {
        while self.settle_oldest()? {}
        Ok(())
    }

    /// Whether all blocks that are complete are written.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.lagging.as_ref().is_none_or(|lagging| lagging.blocks.is_empty())
    }

    /// What [`Self::estimated_file_size`] will not be above once all blocks that are complete are
    /// written.
    #[inline]
    pub fn file_size_at_most(&self) -> u64 {
        self.estimated_file_size() + self.lagging.as_ref().map_or(0, |lagging| lagging.sizes_max.0)
    }

    /// As [`Self::file_size_at_most`], of [`Self::estimated_tail_size`].
    pub fn tail_size_at_most(&self) -> u64 {
        self.estimated_tail_size() + self.lagging.as_ref().map_or(0, |lagging| lagging.sizes_max.1)
    }
}

/// Of a key that is no longer than two together, which may begin a partition and is then in its entry,
/// too.
fn index_entry_size_max(keys_length: usize) -> u64 {
    /// Numbers, and what a partition has beside its entries.
    const REST_SIZE: usize = 256;
    (2 * keys_length + REST_SIZE) as u64
}
