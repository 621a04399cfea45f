//! The index of a table: one flat index, or a flat index of partitions.

use crate::block_based::batched_blocks::MissingBlock;
use crate::block_based::meta_block::{Meta, MetaBlock, MetaRef};
use crate::block_based::meta_reads::{MetaBlocks, MetaForm};
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::table_stats::BlockKind;
use crate::data_block::DataBlock;
use crate::format::BlockHandle;
use crate::frame_slots::{BlockRef, FrameSlots};
use crate::index::{FlatIndex, IndexBlockFormat};
use base::{FastPath, Result};
use statistics::Recorder;
use std::sync::{Arc, OnceLock};

/// How the index blocks of a table are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexLayout {
    pub(super) format: IndexBlockFormat,
    pub(super) missing_timestamp_size: usize,
}

impl IndexLayout {
    /// The index of one level, or the top level, that is `block`.
    #[inline]
    pub(super) fn top<'t>(
        self,
        block: &'t MetaBlock<FlatIndex>,
        table: &BlockBasedTable,
        options: BlockReadOptions,
        recorder: Option<Recorder<'_>>,
    ) -> Result<MetaRef<'t, FlatIndex>> {
        let load = |handle, use_cache| table.load_meta_block(self, handle, use_cache, options);
        block.get(note_hit::<Self>(table, recorder), load)
    }
}

impl MetaForm for IndexLayout {
    type Contents = FlatIndex;

    const KIND: BlockKind = BlockKind::Index;

    fn decode(self, table: &BlockBasedTable, block: Vec<u8>) -> Result<FlatIndex> {
        FlatIndex::decode(&block, self.format, &table.comparator, self.missing_timestamp_size)
    }

    fn memory_usage_bytes(index: &FlatIndex) -> usize {
        index.charge_bytes()
    }
}

/// Counts a block that was reached by its link as found in the block cache.
#[inline]
pub(super) fn note_hit<F: MetaForm>(
    table: &BlockBasedTable,
    recorder: Option<Recorder<'_>>,
) -> impl FnOnce(&F::Contents) {
    move |block| table.stats.count_hit(recorder, F::KIND, || F::memory_usage_bytes(block))
}

/// A block that a table holds from when it is first needed.
type HeldBlock<T> = OnceLock<Arc<Meta<T>>>;

/// Blocks that an index leads to, held by the table or by the block cache.
#[derive(Debug)]
pub(super) enum Partitions<T> {
    /// One slot per partition, made when the first is needed.
    Resident(OnceLock<Box<[HeldBlock<T>]>>),
    /// By links.
    Cached(FrameSlots<Meta<T>>),
}

impl<T> Partitions<T> {
    pub(super) fn new(is_resident: bool) -> Self {
        match is_resident {
            true => Self::Resident(OnceLock::new()),
            false => Self::Cached(FrameSlots::default()),
        }
    }

    /// The partitions that the table holds already.
    pub(super) fn resident(&self) -> impl Iterator<Item = &T> {
        let slots = match self {
            Self::Resident(slots) => slots.get(),
            Self::Cached(_) => None,
        };
        slots.into_iter().flatten().filter_map(|slot| Some(&***slot.get()?))
    }

    /// The partition at `position` of `top`, if the table holds it already, or `cached` finds it.
    pub(super) fn in_memory(
        &self,
        top: &FlatIndex,
        position: usize,
        cached: impl FnOnce(BlockHandle) -> Option<Arc<Meta<T>>>,
    ) -> Option<Arc<Meta<T>>> {
        match self {
            Self::Resident(slots) => slots.get()?.get(position)?.get().cloned(),
            Self::Cached(_) => cached(top.handle(position)),
        }
    }

    /// The partition at `position` of `top`, if the table holds it or a link leads to it, which is counted.
    #[inline]
    pub(super) fn find<'t, F: MetaForm<Contents = T>>(
        &'t self,
        table: &'t BlockBasedTable,
        form: F,
        (top, position): (&FlatIndex, usize),
        options: BlockReadOptions,
        recorder: Option<Recorder<'_>>,
    ) -> std::result::Result<MetaRef<'t, T>, UnheldPartition<'t, F>> {
        match self {
            Self::Cached(slots) => {
                if let Some(block) = slots.get(position) {
                    note_hit::<F>(table, recorder)(&block);
                    return Ok(MetaRef::Cached(block));
                }
            }
            Self::Resident(slots) => {
                if let Some(block) = slots.get().and_then(|slots| slots[position].get()) {
                    return Ok(MetaRef::Borrowed(block));
                }
            }
        }
        let (handle, count) = (top.handle(position), top.len());
        Err(UnheldPartition { table, partitions: self, form, handle, position, count, options })
    }

    /// Puts the partition at `position` of `count` where it lives.
    fn keep(&self, position: usize, count: usize, block: Arc<Meta<T>>) -> MetaRef<'_, T> {
        match self {
            Self::Cached(slots) => {
                if FastPath::FrameLinks.is_on() {
                    slots.link(position, count, &block);
                }
                MetaRef::Cached(block.into())
            }
            Self::Resident(slots) => {
                let slots = slots.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
                MetaRef::Borrowed(slots[position].get_or_init(|| block))
            }
        }
    }
}

/// A partition that neither its table holds nor a link leads to. The block cache may have it.
#[derive(Debug)]
pub(super) struct UnheldPartition<'t, F: MetaForm> {
    table: &'t BlockBasedTable,
    partitions: &'t Partitions<F::Contents>,
    form: F,
    handle: BlockHandle,
    /// In the top level, which has `count`.
    position: usize,
    count: usize,
    options: BlockReadOptions,
}

impl<'t, F: MetaForm> UnheldPartition<'t, F> {
    /// Which entry of the top level leads to it.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The partition, from the block cache or the file.
    pub(super) fn load(&self) -> Result<MetaRef<'t, F::Contents>> {
        let MetaBlocks { form, use_cache } = self.blocks();
        let block = self.table.load_meta_block(form, self.handle, use_cache, self.options)?;
        Ok(self.keep(block))
    }

    /// What has to be read where the block cache does not have it either.
    pub(super) fn missing(&self) -> MissingBlock<&'t BlockBasedTable, MetaBlocks<F>> {
        let &Self { table, handle, options, .. } = self;
        MissingBlock { table, blocks: self.blocks(), handle, options }
    }

    /// Takes the block, which is counted as found in the cache unless it `was_read` for who waits for it.
    pub(super) fn bring(
        &self,
        block: Arc<Meta<F::Contents>>,
        was_read: bool,
    ) -> MetaRef<'t, F::Contents> {
        if !was_read {
            self.blocks().count_hit(self.table, &block);
        }
        self.keep(block)
    }

    fn blocks(&self) -> MetaBlocks<F> {
        let use_cache = matches!(self.partitions, Partitions::Cached(_));
        MetaBlocks { form: self.form, use_cache }
    }

    fn keep(&self, block: Arc<Meta<F::Contents>>) -> MetaRef<'t, F::Contents> {
        self.partitions.keep(self.position, self.count, block)
    }
}

/// The index of a table.
#[derive(Debug)]
pub(super) struct TableIndex {
    pub(super) top: MetaBlock<FlatIndex>,
    pub(super) layout: IndexLayout,
    pub(super) partitions: Option<Partitions<FlatIndex>>,
}

impl TableIndex {
    #[inline]
    pub(super) fn is_two_level(&self) -> bool {
        self.partitions.is_some()
    }

    /// The index, if it is of one level and the table holds it already.
    #[inline]
    pub(super) fn resident(&self) -> Option<&FlatIndex> {
        if self.is_two_level() { None } else { self.top.resident() }
    }

    /// The index, or the top level of a two-level one.
    #[inline]
    pub(super) fn top(
        &self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
        recorder: Option<Recorder<'_>>,
    ) -> Result<MetaRef<'_, FlatIndex>> {
        self.layout.top(&self.top, table, options, recorder)
    }

    /// A partition of a two-level index, of which `top` is the top level.
    #[inline]
    pub(super) fn partition<'t>(
        &'t self,
        table: &'t BlockBasedTable,
        top: &FlatIndex,
        position: usize,
        options: BlockReadOptions,
        recorder: Option<Recorder<'_>>,
    ) -> Result<MetaRef<'t, FlatIndex>> {
        let Some(partitions) = &self.partitions else {
            let block = table.load_meta_block(self.layout, top.handle(position), true, options)?;
            return Ok(MetaRef::Cached(block.into()));
        };
        let found = partitions.find(table, self.layout, (top, position), options, recorder);
        found.or_else(|partition| partition.load())
    }
}

/// A position in the index of a table.
#[derive(Debug)]
pub(super) struct IndexCursor {
    /// The whole index, or the top level.
    top: Option<Arc<Meta<FlatIndex>>>,
    /// In a two-level index: position of the partition, and the partition.
    partition: Option<(usize, Arc<Meta<FlatIndex>>)>,
    /// In the index or partition.
    position: usize,
    /// The position that was marked last, if that was in the same index or partition.
    marked: usize,
}

impl IndexCursor {
    pub(super) fn new() -> Self {
        Self { top: None, partition: None, position: 0, marked: usize::MAX }
    }

    /// Stands nowhere, as one that is made anew, and holds nothing that `index` does not hold itself.
    pub(super) fn rest(&mut self, index: &TableIndex) {
        if !index.top.is_held() {
            self.top = None;
        }
        self.partition = None;
        self.marked = usize::MAX;
        self.set_end();
    }

    /// Whether there is a block here.
    #[inline]
    pub(super) fn has_block(&self) -> bool {
        self.current().is_some_and(|index| self.position < index.len())
    }

    /// Marks the place here, and no other one.
    #[inline]
    pub(super) fn mark(&mut self) {
        self.marked = self.position;
    }

    /// Whether it is known, without a look at the handle, that the place is the one that was marked last.
    #[inline]
    pub(super) fn is_at_mark(&self) -> bool {
        self.position == self.marked
    }

    #[inline]
    fn current(&self) -> Option<&Arc<Meta<FlatIndex>>> {
        match &self.partition {
            Some((_, partition)) => Some(partition),
            None => self.top.as_ref(),
        }
    }

    /// The handle of the block here, if there is one.
    #[inline]
    pub(super) fn handle(&self) -> Option<BlockHandle> {
        let index = self.current()?;
        (self.position < index.len()).then(|| index.handle(self.position))
    }

    /// The data block here, if the index leads to it directly.
    #[inline]
    pub(super) fn frame(&self) -> Option<Arc<DataBlock>> {
        self.current()?.frame(self.position).map(BlockRef::into_arc)
    }

    /// Asks for the link to the data block here.
    #[inline]
    pub(super) fn prefetch_link(&self) {
        if let Some(index) = self.current() {
            index.prefetch_link(self.position);
        }
    }

    /// Asks for the head of the data block here, if the index leads to it directly.
    #[inline]
    pub(super) fn prefetch_frame(&self) {
        if let Some(index) = self.current() {
            index.prefetch_frame(self.position);
        }
    }

    /// The index leads to the data block here from now on, while the block cache holds it.
    pub(super) fn link_frame(&self, block: &Arc<DataBlock>) {
        if let Some(index) = self.current() {
            index.link_frame(self.position, block);
        }
    }

    /// Handle and block of the place after, if it is in the same index or partition and that leads
    /// to the block directly.
    pub(super) fn next_frame(&self) -> Option<(BlockHandle, Arc<DataBlock>)> {
        self.frame_at(self.position.checked_add(1)?)
    }

    /// As [`Self::next_frame`], of the place before.
    pub(super) fn frame_before(&self) -> Option<(BlockHandle, Arc<DataBlock>)> {
        self.frame_at(self.position.checked_sub(1)?)
    }

    /// Asks for the head of the next block, if it is in the same index or partition.
    pub(super) fn prefetch_next_frame(&self) {
        self.prefetch_frame_at(self.position.saturating_add(1));
    }

    /// As [`Self::prefetch_next_frame`], of the block before.
    pub(super) fn prefetch_frame_before(&self) {
        self.prefetch_frame_at(self.position.wrapping_sub(1));
    }

    /// Asks for the head of the block two places on, so that the next look ahead does not wait for it.
    pub(super) fn prefetch_second_frame(&self) {
        self.prefetch_frame_at(self.position.saturating_add(2));
    }

    /// As [`Self::prefetch_second_frame`], of the block two places before.
    pub(super) fn prefetch_second_frame_before(&self) {
        self.prefetch_frame_at(self.position.wrapping_sub(2));
    }

    fn prefetch_frame_at(&self, position: usize) {
        if let Some(index) = self.current() {
            index.prefetch_frame(position);
        }
    }

    fn frame_at(&self, position: usize) -> Option<(BlockHandle, Arc<DataBlock>)> {
        let index = self.current()?;
        let block = index.frame(position)?.into_arc();
        Some((index.handle(position), block))
    }

    /// The user key of the separator here; see [`FlatIndex::user_key`].
    pub(super) fn user_key<'a>(&'a self, scratch: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        let index = self.current()?;
        (self.position < index.len()).then(|| index.user_key(self.position, scratch))
    }

    /// As [`Self::user_key`], of the place before, if it is in the same index or partition.
    pub(super) fn user_key_before<'a>(&'a self, scratch: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        let index = self.current()?;
        let before = self.position.checked_sub(1)?;
        (self.position < index.len()).then(|| index.user_key(before, scratch))
    }

    #[inline(always)]
    fn load_top(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<Arc<Meta<FlatIndex>>> {
        match &self.top {
            Some(top) => Ok(Arc::clone(top)),
            None => {
                let top = table.index.top(table, options, table.stats.recorder())?.into_arc();
                Ok(Arc::clone(self.top.insert(top)))
            }
        }
    }

    /// Makes the partition at `position` the current one; none if there is no such.
    fn load_partition(
        &mut self,
        table: &BlockBasedTable,
        position: usize,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<Meta<FlatIndex>>>> {
        let top = self.load_top(table, options)?;
        if position >= top.len() {
            self.set_end();
            return Ok(None);
        }
        if let Some((current, partition)) = &self.partition
            && *current == position
        {
            return Ok(Some(Arc::clone(partition)));
        }
        self.partition = None;
        (self.position, self.marked) = (usize::MAX, usize::MAX);
        let recorder = table.stats.recorder();
        let partition = table.index.partition(table, &top, position, options, recorder)?.into_arc();
        self.partition = Some((position, Arc::clone(&partition)));
        Ok(Some(partition))
    }

    /// Leaves the cursor at no block.
    pub(super) fn set_end(&mut self) {
        self.position = usize::MAX;
    }

    pub(super) fn seek_to_first(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        self.load_top(table, options)?;
        if table.index.is_two_level() {
            self.load_partition(table, 0, options)?;
        }
        self.position = 0;
        self.skip_empty_forward(table, options)
    }

    pub(super) fn seek_to_last(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        let top = self.load_top(table, options)?;
        let mut index = Some(Arc::clone(&top));
        if table.index.is_two_level() {
            index = self.load_partition(table, top.len().wrapping_sub(1), options)?;
        }
        self.position = index.map_or(usize::MAX, |index| index.len().wrapping_sub(1));
        self.skip_empty_backward(table, options)
    }

    pub(super) fn seek(
        &mut self,
        table: &BlockBasedTable,
        target: &[u8],
        options: BlockReadOptions,
    ) -> Result<()> {
        if let Some(top) = &self.top
            && !table.index.is_two_level()
        {
            self.position = top.seek_from(self.position, target);
            return Ok(());
        }
        let top = self.load_top(table, options)?;
        if !table.index.is_two_level() {
            self.position = top.seek(target);
            return Ok(());
        }
        let last = self.partition.as_ref().map_or(usize::MAX, |(position, _)| *position);
        let position = top.seek_from(last, target);
        if let Some(partition) = self.load_partition(table, position, options)? {
            self.position = partition.seek_from(self.position, target);
        }
        self.skip_empty_forward(table, options)
    }

    /// Moves to the next block. The cursor must be at one.
    #[inline]
    pub(super) fn next(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        self.position += 1;
        self.skip_empty_forward(table, options)
    }

    /// Moves to the block before. The cursor must be at one.
    pub(super) fn prev(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        self.position = self.position.wrapping_sub(1);
        self.skip_empty_backward(table, options)
    }

    /// In a two-level index goes to the first block of the next partition while the end of one is
    /// reached.
    #[inline]
    fn skip_empty_forward(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        while let Some((at, partition)) = &self.partition
            && self.position != usize::MAX
            && self.position >= partition.len()
        {
            let next = at + 1;
            if self.load_partition(table, next, options)?.is_some() {
                self.position = 0;
            }
        }
        Ok(())
    }

    /// In a two-level index goes to the last block of the partition before while the start of one
    /// is reached.
    fn skip_empty_backward(
        &mut self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        while let Some((at, _)) = &self.partition
            && self.position == usize::MAX
            && *at > 0
        {
            let before = at - 1;
            if let Some(partition) = self.load_partition(table, before, options)? {
                self.position = partition.len().wrapping_sub(1);
            }
        }
        Ok(())
    }
}
