//! The iterator over a table.

use crate::block_based::block_run::{BlockRun, RunLimits};
use crate::block_based::embedded_blob::ResolvedEntry;
use crate::block_based::index_reader::IndexCursor;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::seek_reads::SeekReads;
use crate::block_based::seek_tally::SeekTally;
use crate::block_iter::{BlockCursor, candidates};
use crate::data_block::DataBlock;
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::read_options::ReadOptions;
use base::dbformat::extract_user_key;
use base::{
    Approached, InternalIterator, ParsedInternalKey, PinnableSlice, Result, SeekStep,
    SliceTransform,
};
use env::ReadaheadOptions;
use env::readahead::SequentialPrefetcher;
use statistics::Activity;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Whether a seek may ask the filter for the prefix of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeekFilter {
    Never,
    Always,
    /// Where the upper bound has the same prefix.
    WithinUpperBound,
}

/// What is known of a block that a seek goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Unknown,
    /// It is to be read, and was asked for.
    Asked,
    /// That at this offset is to be read, and nobody else does.
    Missing(u64),
}

/// A cursor over a table. Bounds are looked at only where they save the reading of a block:
/// whoever must not see keys beyond them looks at the keys.
#[derive(Debug)]
pub struct TableIterator {
    table: Arc<BlockBasedTable>,
    options: BlockReadOptions,
    seek_filter: SeekFilter,
    lower_bound: Option<Box<[u8]>>,
    upper_bound: Option<Box<[u8]>>,
    readahead: ReadaheadOptions,
    /// Made when the first block must be read.
    prefetcher: Option<Box<SequentialPrefetcher>>,
    index: IndexCursor,
    /// The block that `index` is at, with its offset; none after an error.
    block: Option<(u64, Arc<DataBlock>)>,
    cursor: BlockCursor,
    /// The block after, or before, once half of this one is read: looked up early, so that its lines are on
    /// their way from memory when they are needed.
    ahead: Option<(u64, Arc<DataBlock>)>,
    /// Whether it has gone from one block to another since it was sent to a key, or was sent to an end: most
    /// that are sent to a key take a few steps and never need another block, so that none is looked up for
    /// them early.
    has_crossed: bool,
    valid: bool,
    /// For which seek, if it follows, the index is where that goes.
    approached: Approached,
    /// What is known of the block there.
    wanted: Wanted,
    /// The entries of the current block that it goes to one of, once they are found.
    candidates: Option<Range<usize>>,
    /// Whether embedded blobs are to show as values, and whether the table has any.
    wants_resolved: bool,
    resolves_blobs: bool,
    resolved: Option<Box<ResolvedValue>>,
    /// Whether somebody counts seeks: not those of compactions.
    counts_seeks: bool,
    seeks: SeekTally,
}

/// Key and value of an entry that refers to an embedded blob, as they show.
#[derive(Debug)]
struct ResolvedValue {
    key: Vec<u8>,
    value: PinnableSlice,
}

impl TableIterator {
    pub(super) fn new(
        table: Arc<BlockBasedTable>,
        options: &ReadOptions,
        resolves_blobs: bool,
    ) -> Self {
        let boxed = |bound: &Option<Vec<u8>>| bound.as_deref().map(Box::from);
        Self {
            options: BlockReadOptions { activity: Activity::DbIterator, ..options.into() },
            seek_filter: seek_filter(&table, options),
            lower_bound: boxed(&options.iterate_lower_bound),
            upper_bound: boxed(&options.iterate_upper_bound),
            readahead: readahead(&table, options),
            prefetcher: None,
            index: IndexCursor::new(),
            block: None,
            cursor: BlockCursor::new(),
            ahead: None,
            has_crossed: false,
            valid: false,
            approached: Approached::Nothing,
            wanted: Wanted::Unknown,
            candidates: None,
            wants_resolved: resolves_blobs,
            resolves_blobs: resolves_blobs && table.embedded_blobs.is_some(),
            resolved: None,
            seeks: SeekTally::new(),
            counts_seeks: counts_seeks(&table),
            table,
        }
    }

    /// Goes over another table from now on, as one that is made anew with the options that this one was
    /// made with.
    pub fn change_table(&mut self, table: &Arc<BlockBasedTable>, options: &ReadOptions) {
        self.rest();
        self.index = IndexCursor::new();
        self.table = Arc::clone(table);
        self.seek_filter = seek_filter(table, options);
        self.readahead = readahead(table, options);
        self.resolves_blobs = self.wants_resolved && table.embedded_blobs.is_some();
        self.counts_seeks = counts_seeks(table);
    }

    /// Has seeks ask the table's filter for prefixes only if these are what `extractor` makes of keys: a
    /// seek to a longer prefix than the scan's would hide keys.
    #[inline]
    pub fn filter_by(&mut self, extractor: Option<&Arc<dyn SliceTransform>>) {
        if let Some(own) = &self.table.filtering.prefix_extractor
            && !extractor.is_some_and(|given| Arc::ptr_eq(given, own) || given.name() == own.name())
        {
            self.seek_filter = SeekFilter::Never;
        }
    }

    /// Lets go of all that was read, and stands nowhere, as when it was made: for a scan that may begin
    /// later.
    pub fn rest(&mut self) {
        self.add_up_seeks();
        self.prefetcher = None;
        self.index.rest(&self.table.index);
        (self.block, self.ahead) = (None, None);
        self.valid = false;
        self.approached = Approached::Nothing;
        self.candidates = None;
        self.resolved = None;
    }

    #[inline]
    fn add_up_seeks(&mut self) {
        if !self.seeks.is_empty() {
            self.seeks.add_up(&self.table.stats);
        }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BlockBasedTable> {
        &self.table
    }

    fn may_match_prefix(&self, target: &[u8]) -> Result<bool> {
        let asks = match self.seek_filter {
            SeekFilter::Never => false,
            SeekFilter::Always => true,
            SeekFilter::WithinUpperBound => self.has_prefix_of_upper_bound(target),
        };
        if !asks {
            self.begin_seek(false);
            return Ok(true);
        }
        let may_match = self.table.filter_prefix_may_match(self.options, target)?;
        if self.counts_seeks {
            self.table.stats.count_seek_filtered(may_match);
        }
        self.begin_seek(true);
        Ok(may_match)
    }

    #[inline]
    fn begin_seek(&self, was_filtered: bool) {
        if self.counts_seeks {
            self.seeks.begin(was_filtered);
        }
    }

    /// Whether all keys from `target` to the upper bound have the same prefix.
    fn has_prefix_of_upper_bound(&self, target: &[u8]) -> bool {
        let (Some(extractor), Some(upper)) =
            (&self.table.filtering.prefix_extractor, &self.upper_bound)
        else {
            return false;
        };
        let start = self.table.comparator.strip_timestamp(extract_user_key(target));
        if !extractor.in_domain(start) || !extractor.in_domain(upper) {
            return false;
        }
        let prefix = extractor.transform(start);
        prefix == extractor.transform(upper)
            || extractor.full_length_enabled() == Some(upper.len())
                && self
                    .table
                    .comparator
                    .user_comparator()
                    .is_same_length_immediate_successor(prefix, upper)
    }

    /// Makes the block at the index cursor the current one; none if the cursor is at none.
    #[inline]
    fn load_block(&mut self) -> Result<Option<&Arc<DataBlock>>> {
        let Some(handle) = self.index.handle() else {
            self.block = None;
            return Ok(None);
        };
        if !self.is_at(handle) {
            self.block = None;
            let ahead = self.ahead.take().filter(|(offset, _)| *offset == handle.offset);
            let cached = match ahead {
                Some((_, block)) => Some(block),
                None if self.wanted == Wanted::Missing(handle.offset) => {
                    self.wanted = Wanted::Unknown;
                    None
                }
                None => match self.index.frame() {
                    Some(block) => Some(block),
                    None => self.cached_block(handle)?,
                },
            };
            let block = if let Some(block) = cached {
                self.table.count_data_block_hit(&block, self.table.stats.recorder());
                if let Some(prefetcher) = &mut self.prefetcher {
                    let length = handle.size.saturating_add(BLOCK_TRAILER_SIZE as u64);
                    prefetcher.note_cached(handle.offset, length);
                }
                block
            } else {
                self.table.count_data_block_miss(self.table.stats.recorder());
                let prefetcher = self
                    .prefetcher
                    .get_or_insert_with(|| Box::new(self.table.new_prefetcher(&self.readahead)));
                let block = self.table.read_data_block(handle, self.options, Some(prefetcher))?;
                self.index.link_frame(&block);
                block
            };
            self.block = Some((handle.offset, block));
            self.seeks.note_block(&self.table.stats);
        }
        self.index.mark();
        Ok(self.block.as_ref().map(|(_, block)| block))
    }

    /// Whether the current block is the one at this handle.
    #[inline]
    fn is_at(&self, handle: BlockHandle) -> bool {
        self.block.as_ref().is_some_and(|(offset, _)| *offset == handle.offset)
    }

    /// Whether the current block is known to be the one at the index cursor: where the handle there need not be
    /// looked at, which lies apart from what a search looks at.
    #[inline]
    fn is_at_hand(&self) -> bool {
        self.index.is_at_mark() && self.block.is_some()
    }

    /// Takes the block at the index cursor, if the index leads to it directly, and asks for its directory. Whether
    /// the block is at hand then, or there is none.
    #[inline]
    fn take_block(&mut self) -> bool {
        let Some(handle) = self.index.handle() else { return true };
        if self.is_at(handle) {
            return true;
        }
        if let Some(block) = self.index.frame() {
            block.prefetch_directory();
            block.prefetch_pages();
            self.ahead = Some((handle.offset, block));
            return true;
        }
        self.ahead.as_ref().is_some_and(|(offset, _)| *offset == handle.offset)
    }

    /// As [`InternalIterator::approach`], among cursors that have what they wait for read together.
    #[inline(always)]
    pub fn approach_among(
        &mut self,
        target: &[u8],
        step: SeekStep,
        reads: &SeekReads,
    ) -> Result<bool> {
        match step {
            SeekStep::FindBlock | SeekStep::FindBlockBefore => {
                reads.clear();
                self.wanted = Wanted::Unknown;
            }
            SeekStep::TakeBlock if self.approached.is_any() => {
                if !self.take_block() {
                    self.ask_for_block(reads)?;
                }
                return Ok(true);
            }
            SeekStep::FindEntry if self.wanted == Wanted::Asked => self.take_read_block(reads)?,
            SeekStep::FindHead | SeekStep::TakeBlock | SeekStep::FindEntry => {}
        }
        self.approach(target, step)
    }

    /// Takes the block at the index cursor out of the cache, or asks for it if it has to be read and is not read
    /// ahead.
    #[inline(never)]
    fn ask_for_block(&mut self, reads: &SeekReads) -> Result<()> {
        let Some(handle) = self.index.handle() else { return Ok(()) };
        if let Some(block) = self.cached_block(handle)? {
            block.prefetch_directory();
            block.prefetch_pages();
            self.ahead = Some((handle.offset, block));
        } else if self.options.may_read_files
            && !self.readahead.begins_at_once()
            && !self.prefetcher.as_ref().is_some_and(|it| it.expects(handle.offset))
        {
            reads.ask(&self.table, handle, self.options);
            self.wanted = Wanted::Asked;
        } else {
            self.wanted = Wanted::Missing(handle.offset);
        }
        Ok(())
    }

    /// Makes the block that was asked for the current one, if it was read with others.
    #[inline(never)]
    fn take_read_block(&mut self, reads: &SeekReads) -> Result<()> {
        let Some(handle) = self.index.handle() else { return Ok(()) };
        self.wanted = Wanted::Missing(handle.offset);
        let Some(block) = reads.take(&self.table, handle) else { return Ok(()) };
        (self.wanted, self.block) = (Wanted::Unknown, None);
        let block = block?;
        let length = handle.size.saturating_add(BLOCK_TRAILER_SIZE as u64);
        let prefetcher = self
            .prefetcher
            .get_or_insert_with(|| Box::new(self.table.new_prefetcher(&self.readahead)));
        prefetcher.note_read(handle.offset, length);
        self.index.link_frame(&block);
        self.seeks.note_block(&self.table.stats);
        self.block = Some((handle.offset, block));
        self.index.mark();
        Ok(())
    }

    /// Finds the block in the index, and asks for the link to it; none if the filter says that there is nothing
    /// to find.
    #[inline(always)]
    fn find_block(&mut self, target: &[u8], step: SeekStep) -> Result<()> {
        self.valid = false;
        self.approached = Approached::Nothing;
        self.candidates = None;
        let goes_back = step == SeekStep::FindBlockBefore;
        if goes_back || self.seek_filter == SeekFilter::Never {
            self.begin_seek(false);
        } else if !self.may_match_prefix(target)? {
            self.index.set_end();
            self.approached = Approached::Seek;
            return Ok(());
        }
        self.index.seek(&self.table, target, self.options)?;
        self.index.prefetch_link();
        self.approached = if goes_back { Approached::SeekForPrev } else { Approached::Seek };
        Ok(())
    }

    /// Moves to the first entry from the internal key `target` on of the block at the index cursor, among those
    /// that steps have found, if they have.
    #[inline(always)]
    fn seek_in_block(&mut self, target: &[u8]) -> Result<()> {
        let candidates = self.candidates.take();
        if let (Some(candidates), Some((_, block))) = (candidates, &self.block) {
            self.cursor.seek_among(block, candidates, target, &self.table.comparator);
            return Ok(());
        }
        self.load_block()?;
        if let Some((_, block)) = &self.block {
            block.prefetch_pages();
            self.cursor.seek(block, target, &self.table.comparator);
        }
        Ok(())
    }

    /// Makes the block at the index cursor the current one, finds about where in it the internal key
    /// `target` is, and asks for the entry there.
    #[inline]
    fn find_entry(&mut self, target: &[u8]) -> Result<()> {
        if let Some(block) = self.load_block()? {
            let candidates = candidates(block, target);
            block.prefetch_entry(candidates.start);
            self.candidates = Some(candidates);
        }
        Ok(())
    }

    /// The block here, if it is in the cache.
    #[inline(never)]
    fn cached_block(&self, handle: BlockHandle) -> Result<Option<Arc<DataBlock>>> {
        let block = self.table.block_without_reading(handle, self.options)?;
        if let Some(block) = &block {
            self.index.link_frame(block);
        }
        Ok(block)
    }

    /// Looks up the next block, if the index leads to it directly; after a seek to a key, until a block was
    /// left, only asks for the next one's head.
    #[inline(never)]
    fn look_ahead(&mut self) {
        if !self.has_crossed {
            self.index.prefetch_next_frame();
        } else if let Some((handle, block)) = self.index.next_frame() {
            block.prefetch_start();
            self.ahead = Some((handle.offset, block));
            self.index.prefetch_second_frame();
        }
    }

    /// As [`Self::look_ahead`], for the block before.
    #[inline(never)]
    fn look_back(&mut self) {
        if !self.has_crossed {
            self.index.prefetch_frame_before();
        } else if let Some((handle, block)) = self.index.frame_before() {
            block.prefetch_end();
            self.ahead = Some((handle.offset, block));
            self.index.prefetch_second_frame_before();
        }
    }

    /// Goes to the first entry of the next block that has one, unless the current entry is valid.
    #[inline]
    fn finish_forward(&mut self) -> Result<()> {
        while let Some((_, block)) = &self.block {
            if self.cursor.valid(block) {
                self.valid = true;
                return self.resolve();
            }
            if self.separator_compares(self.upper_bound.as_deref(), Ordering::is_ge) {
                break;
            }
            self.index.next(&self.table, self.options)?;
            self.has_crossed = true;
            if let Some(block) = self.load_block()? {
                let block = Arc::clone(block);
                self.cursor.seek_to_first(&block);
            }
        }
        Ok(())
    }

    /// Goes to the last entry of the block before that has one, unless the current entry is valid.
    fn finish_backward(&mut self) -> Result<()> {
        while let Some((_, block)) = &self.block {
            if self.cursor.valid(block) {
                self.valid = true;
                return self.resolve();
            }
            self.index.prev(&self.table, self.options)?;
            self.has_crossed = true;
            // Every key of the block is at or before its separator.
            if self.separator_compares(self.lower_bound.as_deref(), Ordering::is_lt) {
                break;
            }
            if let Some(block) = self.load_block()? {
                let block = Arc::clone(block);
                self.cursor.seek_to_last(&block);
            }
        }
        Ok(())
    }

    /// Whether the separator at the index cursor compares with a bound as wanted. No bound, or no
    /// separator, does not.
    fn separator_compares(&self, bound: Option<&[u8]>, wanted: fn(Ordering) -> bool) -> bool {
        let Some(bound) = bound else { return false };
        let mut scratch = Vec::new();
        let Some(separator) = self.index.user_key(&mut scratch) else { return false };
        let comparator = &self.table.comparator;
        let has_timestamp = comparator.timestamp_size() > 0;
        let user = comparator.user_comparator();
        wanted(user.compare_without_timestamp(separator, has_timestamp, bound, false))
    }

    /// Replaces a reference to an embedded blob by what it refers to.
    #[inline]
    fn resolve(&mut self) -> Result<()> {
        if self.resolves_blobs { self.resolve_blobs() } else { Ok(()) }
    }

    #[cold]
    fn resolve_blobs(&mut self) -> Result<()> {
        self.resolved = None;
        let (Some(blobs), Some((_, block))) = (&self.table.embedded_blobs, &self.block) else {
            return Ok(());
        };
        let mut parsed = ParsedInternalKey::parse(self.cursor.key())?;
        let value = self.cursor.value(block);
        match blobs.resolve(&self.table, parsed.value_type, value, self.options) {
            Ok(None) => {}
            Ok(Some(ResolvedEntry { value_type, value })) => {
                parsed.value_type = value_type;
                let mut key = Vec::new();
                parsed.append_to(&mut key);
                self.resolved = Some(Box::new(ResolvedValue { key, value }));
            }
            Err(status) => {
                self.valid = false;
                return Err(status);
            }
        }
        Ok(())
    }

    /// If the table has nothing but point deletions, moves to the last of them. Whether it has moved.
    ///
    /// # Errors
    /// As a seek.
    pub fn pass_table_of_deletions(&mut self) -> Result<bool> {
        self.leave_table_of_deletions(Self::move_to_last)
    }

    /// As [`Self::pass_table_of_deletions`], back to the first of them.
    ///
    /// # Errors
    /// As a seek.
    pub fn pass_table_of_deletions_back(&mut self) -> Result<bool> {
        self.leave_table_of_deletions(Self::move_to_first)
    }

    #[inline]
    fn leave_table_of_deletions(
        &mut self,
        leave: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<bool> {
        if !self.table.properties().holds_only_point_deletions() {
            return Ok(false);
        }
        let place = |cursor: &Self| {
            (cursor.block.as_ref().map(|(offset, _)| *offset), cursor.cursor.index())
        };
        let before = place(self);
        leave(self)?;
        Ok(place(self) != before)
    }

    fn move_to_first(&mut self) -> Result<()> {
        self.valid = false;
        self.approached = Approached::Nothing;
        self.has_crossed = true;
        self.index.seek_to_first(&self.table, self.options)?;
        if let Some(block) = self.load_block()? {
            let block = Arc::clone(block);
            self.cursor.seek_to_first(&block);
        }
        self.finish_forward()
    }

    fn move_to_last(&mut self) -> Result<()> {
        self.valid = false;
        self.approached = Approached::Nothing;
        self.has_crossed = true;
        self.index.seek_to_last(&self.table, self.options)?;
        if let Some(block) = self.load_block()? {
            let block = Arc::clone(block);
            self.cursor.seek_to_last(&block);
        }
        self.finish_backward()
    }

    /// Begins a run at the entry here, if that is worth it. Until [`Self::end_run`] gets it back the cursor
    /// must not be asked anything.
    #[inline]
    pub fn begin_run(&mut self, run: &mut BlockRun, limits: &RunLimits<'_>) {
        let Some((_, block)) = self.block.as_ref().filter(|_| self.valid && !self.resolves_blobs)
        else {
            return;
        };
        if run.begin(block, &self.cursor, limits) && (run.passes_middle() || !self.has_crossed) {
            match limits.is_backward {
                true => self.look_back(),
                false => self.look_ahead(),
            }
        }
    }

    /// Goes where a run has come to that began here.
    #[inline]
    pub fn end_run(&mut self, run: &mut BlockRun) {
        run.end(&mut self.cursor);
    }

    /// Whether the first user key of a block is behind the separator from the block before.
    #[inline(never)]
    fn starts_user_key_of_block(&self) -> bool {
        let comparator = &self.table.comparator;
        let mut scratch = Vec::new();
        let Some(separator) = self.index.user_key_before(&mut scratch) else { return false };
        let user_key = extract_user_key(self.cursor.key());
        comparator.timestamp_size() == 0
            && comparator.compare_user_keys(separator, user_key).is_lt()
    }

    #[inline]
    fn current_block(&self) -> &Arc<DataBlock> {
        match &self.block {
            Some((_, block)) => block,
            None => panic!("iterator is not valid"),
        }
    }
}

/// What seeks ask the filter of `table`.
fn seek_filter(table: &BlockBasedTable, options: &ReadOptions) -> SeekFilter {
    if table.filter.is_none() || table.filtering.prefix_extractor.is_none() {
        SeekFilter::Never
    } else if options.prefix_same_as_start {
        SeekFilter::Always
    } else if options.auto_prefix_mode {
        SeekFilter::WithinUpperBound
    } else if options.total_order_seek {
        SeekFilter::Never
    } else {
        SeekFilter::Always
    }
}

fn readahead(table: &BlockBasedTable, options: &ReadOptions) -> ReadaheadOptions {
    match options.readahead_size {
        0 => table.readahead,
        size => ReadaheadOptions::fixed(size),
    }
}

/// Whether seeks of a table are counted.
fn counts_seeks(table: &BlockBasedTable) -> bool {
    table.stats.statistics().is_some() && !Activity::current().is_compaction()
}

impl Drop for TableIterator {
    fn drop(&mut self) {
        self.add_up_seeks();
    }
}

impl InternalIterator for TableIterator {
    #[inline]
    fn valid(&self) -> bool {
        self.valid
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.begin_seek(false);
        self.move_to_first()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.begin_seek(false);
        self.move_to_last()
    }

    fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        let Self { cursor, table, .. } = self;
        let Some((_, block)) = self.block.as_ref().filter(|(_, it)| it.holds_only_deletions())
        else {
            return Ok(false);
        };
        Ok(cursor.pass_deletions(block, limit, &table.comparator))
    }

    fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        let Self { cursor, table, .. } = self;
        let Some((_, block)) = self.block.as_ref().filter(|(_, it)| it.holds_only_deletions())
        else {
            return Ok(false);
        };
        Ok(cursor.pass_deletions_back(block, limit, &table.comparator))
    }

    fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<bool> {
        match step {
            SeekStep::FindBlock | SeekStep::FindBlockBefore => {
                self.find_block(target, step)?;
                return Ok(self.index.has_block() && !self.is_at_hand());
            }
            SeekStep::FindHead if self.approached.is_any() && !self.is_at_hand() => {
                self.index.prefetch_frame();
            }
            SeekStep::TakeBlock if self.approached.is_any() => {
                self.take_block();
            }
            SeekStep::FindEntry if self.approached.is_any() => self.find_entry(target)?,
            SeekStep::FindHead | SeekStep::TakeBlock | SeekStep::FindEntry => return Ok(false),
        }
        Ok(true)
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.valid = false;
        self.has_crossed = false;
        if !self.approached.take(Approached::Seek) {
            self.candidates = None;
            if !self.may_match_prefix(target)? {
                return Ok(());
            }
            self.index.seek(&self.table, target, self.options)?;
        }
        self.seek_in_block(target)?;
        self.finish_forward()
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.valid = false;
        self.has_crossed = false;
        if !self.approached.take(Approached::SeekForPrev) {
            self.candidates = None;
            self.begin_seek(false);
            self.index.seek(&self.table, target, self.options)?;
        }
        self.seek_in_block(target)?;
        let Some((_, block)) = &self.block else { return self.move_to_last() };
        if !self.cursor.valid(block) {
            // The target is between the last key of the block and its separator.
            self.cursor.seek_to_last(block);
        } else if self.table.comparator.compare(self.cursor.key(), target).is_gt() {
            self.cursor.prev(block);
        }
        self.finish_backward()
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        debug_assert!(self.valid, "next of an iterator that is not valid");
        let Some((_, block)) = &self.block else { return Ok(()) };
        if self.cursor.next(block) {
            if self.cursor.is_halfway(block) {
                self.look_ahead();
            }
            return self.resolve();
        }
        self.valid = false;
        self.finish_forward()
    }

    #[inline]
    fn prev(&mut self) -> Result<()> {
        debug_assert!(self.valid, "prev of an iterator that is not valid");
        let Some((_, block)) = &self.block else { return Ok(()) };
        if self.cursor.prev(block) {
            if self.cursor.is_halfway(block) {
                self.look_back();
            }
            return self.resolve();
        }
        self.valid = false;
        self.finish_backward()
    }

    #[inline]
    fn key(&self) -> &[u8] {
        debug_assert!(self.valid, "key of an iterator that is not valid");
        match &self.resolved {
            Some(resolved) => &resolved.key,
            None => self.cursor.key(),
        }
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.seeks.note_value();
        match &self.resolved {
            Some(resolved) => &resolved.value,
            None => self.cursor.value(self.current_block()),
        }
    }

    #[inline]
    fn starts_user_key(&self) -> bool {
        match &self.block {
            Some(_) if self.cursor.index() == 0 => self.starts_user_key_of_block(),
            Some((_, block)) => self.cursor.starts_user_key(block),
            None => false,
        }
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.seeks.note_value();
        match &self.resolved {
            Some(resolved) => resolved.value.clone(),
            None => {
                let block = Arc::clone(self.current_block());
                PinnableSlice::pinned(block, self.cursor.value_range())
            }
        }
    }
}
