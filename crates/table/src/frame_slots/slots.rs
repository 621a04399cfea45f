//! Slots, links in them, and what blocks know of the cache that they are in, whatever the blocks are. The
//! model test (`tests/frame_slots_model`) takes this file as it is.

use crate::sync_primitives::{ArcSwapOption, AtomicBool, Guard, Mutex};
use kernels::prefetch::prefetch_value;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};

/// What slots may lead to.
pub(crate) trait Resident: Sized {
    fn residence(&self) -> &Residence<Self>;
}

/// A slot for each block that an index leads to. They are made when the first block is linked.
pub(crate) struct FrameSlots<T>(OnceLock<Arc<[ArcSwapOption<T>]>>);

impl<T: Resident> FrameSlots<T> {
    /// The block at a position of the index, if it is linked. Marks it as used.
    #[inline]
    pub(crate) fn get(&self, position: usize) -> Option<SlotRef<T>> {
        let guard = self.0.get()?.get(position)?.load();
        guard.as_ref()?.residence().note_use();
        Some(SlotRef(Repr::Linked(guard)))
    }

    /// Asks for the link at a position.
    #[inline]
    pub(crate) fn prefetch_link(&self, position: usize) {
        if let Some(slot) = self.0.get().and_then(|slots| slots.get(position)) {
            prefetch_value(slot);
        }
    }

    /// Asks for the head of the block at a position, if it is linked.
    #[inline]
    pub(crate) fn prefetch_frame(&self, position: usize) {
        if let Some(slot) = self.0.get().and_then(|slots| slots.get(position))
            && let Some(block) = &*slot.load()
        {
            prefetch_value(Arc::as_ptr(block));
        }
    }

    /// As [`Self::get`], with a reference of its own: of links that are merely looked at a thread can
    /// hold few at a time.
    #[inline]
    pub(crate) fn get_held(&self, position: usize) -> Option<Arc<T>> {
        let block = self.0.get()?.get(position)?.load_full()?;
        block.residence().note_use();
        Some(block)
    }

    /// Links the block at a position, unless it is in no cache. `count` is the number of blocks.
    pub(crate) fn link(&self, position: usize, count: usize, block: &Arc<T>) {
        let mut state = block.residence().state.lock();
        if !state.is_in_cache {
            return;
        }
        let slots = self.0.get_or_init(|| (0..count).map(|_| ArcSwapOption::empty()).collect());
        if let Some(slot) = slots.get(position) {
            state.link = Some((Arc::downgrade(slots), position));
            slot.store(Some(Arc::clone(block)));
        }
    }
}

impl<T> FrameSlots<T> {
    /// How many blocks are linked.
    pub(crate) fn linked_count(&self) -> usize {
        let slots = self.0.get().into_iter().flat_map(|slots| slots.iter());
        slots.filter(|slot| slot.load().is_some()).count()
    }

    /// Bytes of memory.
    pub(crate) fn memory_usage_bytes(&self) -> usize {
        self.0.get().map_or(0, |slots| size_of_val(&**slots))
    }

    /// Bytes of memory of slots for `count` blocks, once they are made.
    pub(crate) fn memory_usage_max_bytes(count: usize) -> usize {
        count * size_of::<ArcSwapOption<T>>()
    }
}

impl<T> Default for FrameSlots<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> fmt::Debug for FrameSlots<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.get().map(|slots| slots.len());
        f.debug_struct("FrameSlots").field("count", &count).finish()
    }
}

/// What a block knows of the cache that it is in.
pub(crate) struct Residence<T> {
    /// Reached by its link since the cache last asked. Relaxed: it matters roughly.
    was_used: AtomicBool,
    state: Mutex<ResidenceState<T>>,
}

struct ResidenceState<T> {
    is_in_cache: bool,
    /// Where it may be linked: the slot may be empty by now, or hold another block of the same
    /// place in the file.
    link: Option<(Weak<[ArcSwapOption<T>]>, usize)>,
}

impl<T> Default for Residence<T> {
    fn default() -> Self {
        let state = ResidenceState { is_in_cache: false, link: None };
        Self { was_used: AtomicBool::new(false), state: Mutex::new(state) }
    }
}

impl<T> fmt::Debug for Residence<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_in_cache = self.state.lock().is_in_cache;
        f.debug_struct("Residence").field("is_in_cache", &is_in_cache).finish_non_exhaustive()
    }
}

impl<T> Residence<T> {
    /// The block is about to be put into a cache.
    pub(crate) fn enter_cache(&self) {
        self.state.lock().is_in_cache = true;
    }

    /// Reads more often than it writes, so that readers share the line.
    #[inline]
    fn note_use(&self) {
        if !self.was_used.load(Ordering::Relaxed) {
            self.was_used.store(true, Ordering::Relaxed);
        }
    }

    /// See [`cache::LinkedValue::link_count`]; `owner` is the block that this belongs to.
    pub(crate) fn link_count(&self, owner: &T) -> usize {
        let state = self.state.lock();
        let slots = state.link.as_ref().and_then(|(slots, at)| Some((slots.upgrade()?, *at)));
        let is_linked = slots.is_some_and(|(slots, at)| {
            slots[at].load().as_ref().is_some_and(|block| std::ptr::eq(&**block, owner))
        });
        usize::from(is_linked)
    }

    /// See [`cache::LinkedValue::take_use`].
    pub(crate) fn take_use(&self) -> bool {
        self.was_used.load(Ordering::Relaxed) && self.was_used.swap(false, Ordering::Relaxed)
    }

    /// See [`cache::LinkedValue::left_cache`].
    pub(crate) fn leave_cache(&self) {
        let mut state = self.state.lock();
        state.is_in_cache = false;
        let Some((slots, at)) = state.link.take() else { return };
        // If another block has taken the place meanwhile, it is looked up in the cache once more.
        let unlinked = slots.upgrade().and_then(|slots| slots[at].swap(None));
        drop(state);
        drop(unlinked);
    }
}

/// A block, by its link or held.
pub(crate) struct SlotRef<T>(Repr<T>);

enum Repr<T> {
    Linked(Guard<Option<Arc<T>>>),
    Held(Arc<T>),
}

impl<T> SlotRef<T> {
    pub(crate) fn into_arc(self) -> Arc<T> {
        match self.0 {
            Repr::Linked(guard) => match Guard::into_inner(guard) {
                Some(block) => block,
                None => unreachable!("linked to nothing"),
            },
            Repr::Held(block) => block,
        }
    }
}

impl<T> From<Arc<T>> for SlotRef<T> {
    fn from(block: Arc<T>) -> Self {
        Self(Repr::Held(block))
    }
}

impl<T: fmt::Debug> fmt::Debug for SlotRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SlotRef").field(&**self).finish()
    }
}

impl<T> Deref for SlotRef<T> {
    type Target = Arc<T>;

    #[inline]
    fn deref(&self) -> &Arc<T> {
        match &self.0 {
            Repr::Linked(guard) => match &**guard {
                Some(block) => block,
                None => unreachable!("linked to nothing"),
            },
            Repr::Held(block) => block,
        }
    }
}
