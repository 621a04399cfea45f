//! Goes through the entries of a table once, forward: the input of compactions.
//!
//! Beside [`TableIterator`](super::TableIterator), which can turn round and seeks often, this one
//! lays the entries of each block out side by side ([`EntryColumns`]) as the block comes from the
//! file; no directory is made of it, and where it is stored as it is it is looked at in the memory that
//! it was read into with others ([`ReadWindow`]). Blocks that are in the block cache are taken from
//! there.

use crate::block_based::index_reader::IndexCursor;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::whole_block::WholeBlock;
use crate::data_block::DataBlock;
use crate::entry_columns::{EntryColumns, RankOrder, StoredEntry};
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::read_options::ReadOptions;
use crate::read_window::{ReadWindow, StoredRange, WindowBlock};
use base::Result;
use env::ReadaheadOptions;
use env::readahead::SequentialPrefetcher;
use statistics::Activity;
use std::sync::Arc;

/// A cursor over a table that only goes forward. The upper bound is looked at only where that saves
/// the reading of a block.
#[derive(Debug)]
pub struct TableScan {
    table: Arc<BlockBasedTable>,
    options: BlockReadOptions,
    upper_bound: Option<Box<[u8]>>,
    order: RankOrder,
    readahead: ReadaheadOptions,
    /// Made when the first block must be read.
    prefetcher: Option<SequentialPrefetcher>,
    /// One that is over, for its memory.
    last_prefetcher: Option<SequentialPrefetcher>,
    index: IndexCursor,
    window: ReadWindow,
    block: ScannedBlock,
    /// The block as the file has it, if that is at hand, as long as its first entry is laid out.
    stored: Option<StoredRange>,
    columns: EntryColumns,
    /// The entry of the columns.
    position: usize,
}

/// A block in the plain form.
#[derive(Debug)]
enum ScannedBlock {
    Read(WindowBlock),
    Cached(Arc<DataBlock>),
}

impl ScannedBlock {
    const NONE: Self = Self::Read(WindowBlock::Apart(Vec::new()));

    #[inline]
    fn contents<'b>(&'b self, window: &'b ReadWindow) -> &'b [u8] {
        match self {
            Self::Read(WindowBlock::Inside(range)) => &window.bytes()[range.clone()],
            Self::Read(WindowBlock::Apart(contents)) => contents,
            Self::Cached(block) => block.contents(),
        }
    }
}

impl TableScan {
    /// A scan that is not valid until it is moved. `order` is the same for all that are merged.
    pub(super) fn new(
        table: Arc<BlockBasedTable>,
        options: &ReadOptions,
        order: RankOrder,
    ) -> Self {
        let readahead = match options.readahead_size {
            0 => table.readahead,
            size => ReadaheadOptions::fixed(size),
        };
        Self {
            options: BlockReadOptions { activity: Activity::DbIterator, ..options.into() },
            upper_bound: options.iterate_upper_bound.as_deref().map(Box::from),
            order,
            readahead,
            prefetcher: None,
            last_prefetcher: None,
            index: IndexCursor::new(),
            window: ReadWindow::new(table.data_end()),
            block: ScannedBlock::NONE,
            stored: None,
            columns: EntryColumns::default(),
            position: 0,
            table,
        }
    }

    /// The same scan in the memory of another one, which is over.
    pub fn in_memory_of(mut self, last: Self) -> Self {
        self.window = last.window.renew(self.table.data_end());
        self.columns = last.columns;
        self.last_prefetcher = last.prefetcher;
        self.stand_nowhere();
        self
    }

    /// Whether the cursor stands on an entry.
    #[inline]
    pub fn valid(&self) -> bool {
        self.position < self.columns.len()
    }

    /// Moves to the first entry.
    ///
    /// # Errors
    /// As the other moves: of reading, after which the cursor stands nowhere.
    pub fn seek_to_first(&mut self) -> Result<()> {
        self.stand_nowhere();
        self.index.seek_to_first(&self.table, self.options)?;
        self.load_block()?;
        self.skip_empty_blocks()
    }

    /// Moves to the first entry at or after the internal key `target`.
    ///
    /// # Errors
    /// As [`Self::seek_to_first`].
    pub fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.stand_nowhere();
        self.index.seek(&self.table, target, self.options)?;
        self.load_block()?;
        self.skip_empty_blocks()?;
        while self.valid() && self.table.comparator.compare(self.key(), target).is_lt() {
            self.next()?;
        }
        Ok(())
    }

    /// Moves on by one. The cursor must be valid.
    ///
    /// # Errors
    /// As [`Self::seek_to_first`].
    #[expect(clippy::should_implement_trait, reason = "entries are lent, which no Iterator can do")]
    #[inline]
    pub fn next(&mut self) -> Result<()> {
        self.position += 1;
        if self.position < self.columns.len() { Ok(()) } else { self.next_entries() }
    }

    /// Moves on by one, within what is laid out. Returns [`Self::rank`] of what it moves to; none at its
    /// end, from where [`Self::next_entries`] goes on.
    #[inline(always)]
    pub fn next_laid_out(&mut self) -> Option<u64> {
        self.position += 1;
        self.rank()
    }

    /// The data block whose first entry is here, if all of it is laid out and is at hand as the file has
    /// it.
    #[inline]
    pub fn whole_block(&self) -> Option<WholeBlock<'_>> {
        let stored = self.stored.as_ref().filter(|_| self.is_at_whole_block())?;
        Some(WholeBlock {
            table: &self.table,
            stored: self.window.bytes().get(stored.range.clone())?,
            compression_type: stored.compression_type,
            contents: self.block.contents(&self.window),
            columns: &self.columns,
        })
    }

    /// Whether the entry here is the first of those that are laid out.
    #[inline(always)]
    pub fn is_at_first(&self) -> bool {
        self.position == 0
    }

    fn is_at_whole_block(&self) -> bool {
        self.is_at_first() && self.stored.is_some() && self.columns.reach_end_of_block()
    }

    /// [`Self::rank`] of the last entry of [`Self::whole_block`].
    #[inline]
    pub fn whole_block_end(&self) -> Option<u64> {
        self.columns.last_rank().filter(|_| self.is_at_whole_block())
    }

    /// Moves to the last of the entries that are laid out.
    pub fn go_to_last_laid_out(&mut self) {
        self.position = self.columns.len().saturating_sub(1);
    }

    /// The number of the user key here by the order that the scan was given; none if not valid.
    #[inline]
    pub fn rank(&self) -> Option<u64> {
        self.columns.rank(self.position)
    }

    /// The internal key here.
    ///
    /// # Panics
    /// As [`Self::value`]: if not valid.
    #[inline]
    pub fn key(&self) -> &[u8] {
        self.columns.key(self.position)
    }

    /// The value here.
    #[inline]
    pub fn value(&self) -> &[u8] {
        self.columns.value(self.block.contents(&self.window), self.position)
    }

    /// The entry here; none if not valid.
    #[inline(always)]
    pub fn stored_entry(&self) -> Option<StoredEntry<'_>> {
        self.columns.stored_entry(self.block.contents(&self.window), self.position)
    }

    fn stand_nowhere(&mut self) {
        self.columns.clear();
        self.position = 0;
    }

    /// Goes on behind the last entry that is laid out.
    ///
    /// # Errors
    /// As [`Self::seek_to_first`].
    #[inline(never)]
    pub fn next_entries(&mut self) -> Result<()> {
        self.stored = None;
        self.lay_out()?;
        self.skip_empty_blocks()
    }

    /// Goes to the first entry of the next block that has one, unless there is an entry.
    fn skip_empty_blocks(&mut self) -> Result<()> {
        while !self.valid() && self.index.handle().is_some() && !self.is_behind_upper_bound() {
            self.index.next(&self.table, self.options)?;
            self.load_block()?;
        }
        Ok(())
    }

    /// Whether all keys of later blocks are at or after the upper bound.
    fn is_behind_upper_bound(&self) -> bool {
        let Some(upper_bound) = &self.upper_bound else { return false };
        let mut scratch = Vec::new();
        let separator = self.index.user_key(&mut scratch);
        separator.is_some_and(|separator| separator >= &**upper_bound)
    }

    fn lay_out(&mut self) -> Result<()> {
        self.position = 0;
        let Self { table, window, block, columns, index, order, .. } = self;
        let filled = columns.fill(block.contents(window), order);
        filled.map(drop).map_err(|status| match index.handle() {
            Some(handle) => table.explain(handle, &status),
            None => status,
        })
    }

    /// Begins the block that the index is at, if it is at one.
    fn load_block(&mut self) -> Result<()> {
        self.stand_nowhere();
        (self.block, self.stored) = (ScannedBlock::NONE, None);
        let Some(handle) = self.index.handle() else { return Ok(()) };
        let cached = self.index.frame().or_else(|| self.table.cached_data_block(handle));
        self.block = match cached {
            Some(block) => {
                self.table.count_data_block_hit(&block, self.table.stats.recorder());
                if let Some(prefetcher) = &mut self.prefetcher {
                    let length = handle.size.saturating_add(BLOCK_TRAILER_SIZE as u64);
                    prefetcher.note_cached(handle.offset, length);
                }
                ScannedBlock::Cached(block)
            }
            None => {
                let (block, stored) = self.read_block(handle)?;
                self.stored = stored;
                ScannedBlock::Read(block)
            }
        };
        let begun = self.columns.begin(self.block.contents(&self.window));
        begun.map_err(|status| self.table.explain(handle, &status))?;
        self.lay_out()
    }

    fn read_block(&mut self, handle: BlockHandle) -> Result<(WindowBlock, Option<StoredRange>)> {
        let Self { table, options, window, readahead, prefetcher, last_prefetcher, .. } = self;
        table.count_data_block_miss(table.stats.recorder());
        let prefetcher = prefetcher.get_or_insert_with(|| {
            let new = table.new_prefetcher(readahead);
            match last_prefetcher.take() {
                Some(last) => new.in_memory_of(last),
                None => new,
            }
        });
        table.read_plain_block(handle, *options, window, prefetcher)
    }
}

#[cfg(test)]
mod tests;
