//! Index and filter blocks, held by the table or by the block cache.
//!
//! Those that the cache holds are linked from the table as data blocks are from their index: a lookup
//! that hits takes no lock, however hot the block is, and the cache decides all the same what stays.

use crate::format::BlockHandle;
use crate::frame_slots::{FrameSlots, Residence, Resident, SlotRef, UseMark};
use base::FastPath;
use cache::LinkedValue;
use std::any::Any;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What a block of index, filter or dictionary holds, ready for use.
#[derive(Debug)]
pub(crate) struct Meta<T> {
    contents: T,
    use_mark: UseMark,
    residence: Residence<Self>,
}

impl<T> Meta<T> {
    pub(super) fn new(contents: T) -> Self {
        Self { contents, use_mark: UseMark::default(), residence: Residence::default() }
    }
}

impl<T> Resident for Meta<T> {
    #[inline]
    fn use_mark(&self) -> &UseMark {
        &self.use_mark
    }

    #[inline]
    fn residence(&self) -> &Residence<Self> {
        &self.residence
    }
}

impl<T: Any + Send + Sync> LinkedValue for Meta<T> {
    fn link_count(&self) -> usize {
        self.residence.link_count(self)
    }

    fn take_use(&self) -> bool {
        self.use_mark.take()
    }

    fn left_cache(&self) {
        self.residence.leave_cache();
    }
}

impl<T> Deref for Meta<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.contents
    }
}

/// A block that is loaded when it is first needed.
#[derive(Debug)]
pub(super) struct MetaBlock<T> {
    pub(super) handle: BlockHandle,
    holder: Holder<T>,
}

#[derive(Debug)]
enum Holder<T> {
    Table(OnceLock<Arc<Meta<T>>>),
    /// The block cache, with one link.
    Cache(FrameSlots<Meta<T>>),
}

impl<T> MetaBlock<T> {
    pub(super) fn new(handle: BlockHandle, is_resident: bool) -> Self {
        let holder = match is_resident {
            true => Holder::Table(OnceLock::new()),
            false => Holder::Cache(FrameSlots::default()),
        };
        Self { handle, holder }
    }

    /// Whether the table holds it, from when it is first needed.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.holder, Holder::Table(_))
    }

    /// The block, if the table holds it already.
    #[inline]
    pub(super) fn resident(&self) -> Option<&T> {
        Some(self.held()?)
    }

    /// As [`Self::resident`], to be held by others too.
    #[inline]
    pub(super) fn held(&self) -> Option<&Arc<Meta<T>>> {
        match &self.holder {
            Holder::Table(slot) => slot.get(),
            Holder::Cache(_) => None,
        }
    }

    /// The block, if the table holds it already, or `cached` finds it.
    pub(super) fn in_memory(
        &self,
        cached: impl FnOnce(BlockHandle) -> Option<Arc<Meta<T>>>,
    ) -> Option<Arc<Meta<T>>> {
        match &self.holder {
            Holder::Table(slot) => slot.get().cloned(),
            Holder::Cache(_) => cached(self.handle),
        }
    }

    /// The block, by `load` unless the table holds it or the block cache does, which is told to
    /// `note_hit`.
    #[inline]
    pub(super) fn get<E>(
        &self,
        note_hit: impl FnOnce(&T),
        load: impl FnOnce(BlockHandle, bool) -> Result<Arc<Meta<T>>, E>,
    ) -> Result<MetaRef<'_, T>, E> {
        match &self.holder {
            Holder::Table(slot) => match slot.get() {
                Some(block) => Ok(MetaRef::Borrowed(block)),
                None => {
                    let block = load(self.handle, false)?;
                    Ok(MetaRef::Borrowed(slot.get_or_init(|| block)))
                }
            },
            Holder::Cache(slots) => {
                by_link(slots, 0, 1, note_hit, || load(self.handle, true)).map(MetaRef::Cached)
            }
        }
    }
}

/// The block at `position` of `count`, by its link, or by `load` from the block cache or the file.
#[inline]
fn by_link<T, E>(
    slots: &FrameSlots<Meta<T>>,
    position: usize,
    count: usize,
    note_hit: impl FnOnce(&T),
    load: impl FnOnce() -> Result<Arc<Meta<T>>, E>,
) -> Result<SlotRef<Meta<T>>, E> {
    if let Some(block) = slots.get(position) {
        note_hit(&block);
        return Ok(block);
    }
    let block = load()?;
    if FastPath::FrameLinks.is_on() {
        slots.link(position, count, &block);
    }
    Ok(block.into())
}

/// A block of a table, borrowed from it, or in the block cache.
#[derive(Debug)]
pub(super) enum MetaRef<'t, T> {
    Borrowed(&'t Arc<Meta<T>>),
    Cached(SlotRef<Meta<T>>),
}

impl<T> MetaRef<'_, T> {
    pub(super) fn into_arc(self) -> Arc<Meta<T>> {
        match self {
            Self::Borrowed(block) => Arc::clone(block),
            Self::Cached(block) => block.into_arc(),
        }
    }
}

impl<T> Deref for MetaRef<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(block) => block,
            Self::Cached(block) => block,
        }
    }
}
