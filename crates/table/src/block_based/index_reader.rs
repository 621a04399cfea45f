//! The index of a table: one flat index, or a flat index of partitions.

use crate::block_based::meta_block::{Meta, MetaBlock, MetaRef, by_link};
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::table_stats::BlockKind;
use crate::data_block::DataBlock;
use crate::format::BlockHandle;
use crate::frame_slots::{BlockRef, FrameSlots};
use crate::index::{FlatIndex, IndexBlockFormat};
use base::Result;
use statistics::Recorder;
use std::sync::{Arc, OnceLock};

/// How the index blocks of a table are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexLayout {
    pub(super) format: IndexBlockFormat,
    pub(super) missing_timestamp_size: usize,
}

impl IndexLayout {
    /// Loads an index block of this layout.
    pub(super) fn load(
        self,
        table: &BlockBasedTable,
        handle: BlockHandle,
        use_cache: bool,
        options: BlockReadOptions,
    ) -> Result<Arc<Meta<FlatIndex>>> {
        let decode = |block: Vec<u8>| {
            FlatIndex::decode(&block, self.format, &table.comparator, self.missing_timestamp_size)
        };
        let kind = BlockKind::Index;
        let usage = FlatIndex::charge_bytes;
        table.load_meta_block(kind, handle, use_cache, options, decode, usage)
    }
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

    /// The partition at `position` of `top`, by `load` unless the table holds it or the block cache
    /// does, which is told to `note_hit`.
    #[inline]
    pub(super) fn get(
        &self,
        top: &FlatIndex,
        position: usize,
        note_hit: impl FnOnce(&T),
        load: impl FnOnce(BlockHandle, bool) -> Result<Arc<Meta<T>>>,
    ) -> Result<MetaRef<'_, T>> {
        let handle = top.handle(position);
        let slots = match self {
            Self::Cached(slots) => {
                let load = || load(handle, true);
                return by_link(slots, position, top.len(), note_hit, load).map(MetaRef::Cached);
            }
            Self::Resident(slots) => slots,
        };
        let slots = slots.get_or_init(|| (0..top.len()).map(|_| OnceLock::new()).collect());
        match slots[position].get() {
            Some(block) => Ok(MetaRef::Borrowed(block)),
            None => {
                let block = load(handle, false)?;
                Ok(MetaRef::Borrowed(slots[position].get_or_init(|| block)))
            }
        }
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
        let load = |handle, use_cache| self.layout.load(table, handle, use_cache, options);
        self.top.get(note_hit(table, recorder), load)
    }

    /// A partition of a two-level index, of which `top` is the top level.
    #[inline]
    pub(super) fn partition(
        &self,
        table: &BlockBasedTable,
        top: &FlatIndex,
        position: usize,
        options: BlockReadOptions,
        recorder: Option<Recorder<'_>>,
    ) -> Result<MetaRef<'_, FlatIndex>> {
        let load = |handle, use_cache| self.layout.load(table, handle, use_cache, options);
        match &self.partitions {
            Some(partitions) => partitions.get(top, position, note_hit(table, recorder), load),
            None => load(top.handle(position), true).map(|index| MetaRef::Cached(index.into())),
        }
    }
}

/// Counts an index that was reached by its link as found in the block cache.
#[inline]
pub(super) fn note_hit(
    table: &BlockBasedTable,
    recorder: Option<Recorder<'_>>,
) -> impl FnOnce(&FlatIndex) {
    move |index| table.stats.count_hit(recorder, BlockKind::Index, || index.charge_bytes())
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
}

impl IndexCursor {
    pub(super) fn new() -> Self {
        Self { top: None, partition: None, position: 0 }
    }

    /// Stands nowhere, as one that is made anew, and holds nothing that `index` does not hold itself.
    pub(super) fn rest(&mut self, index: &TableIndex) {
        if !index.top.is_held() {
            self.top = None;
        }
        self.partition = None;
        self.set_end();
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
        self.position = usize::MAX;
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
            self.position = top.seek(target);
            return Ok(());
        }
        let top = self.load_top(table, options)?;
        let position = top.seek(target);
        if !table.index.is_two_level() {
            self.position = position;
            return Ok(());
        }
        if let Some(partition) = self.load_partition(table, position, options)? {
            self.position = partition.seek(target);
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
