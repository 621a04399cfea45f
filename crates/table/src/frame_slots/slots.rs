//! Slots, links in them, and what blocks know of the cache that they are in, whatever the blocks are. The
//! model test (`tests/frame_slots_model`) takes this file as it is.

use crate::sync_primitives::{ArcSwapOption, AtomicBool, Guard, Mutex};
use kernels::prefetch::{LINE_SIZE, prefetch_address, prefetch_value};
use std::fmt;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// What slots may lead to.
pub(crate) trait Resident: Sized {
    fn use_mark(&self) -> &UseMark;

    fn residence(&self) -> &Residence<Self>;

    /// Where that begins which is read next after the block's head, if that is elsewhere; null if not.
    #[inline]
    fn beside(&self) -> *const u8 {
        ptr::null()
    }
}

/// Lines that are asked for of what is beside a block's head: the directory of a block of usual size.
const BESIDE_LINES: usize = 6;
/// Lines of a block's head.
const HEAD_LINES: usize = 2;
/// Bytes before the block in its allocation: the counts of who holds it.
const COUNTS_SIZE: usize = 2 * size_of::<usize>();

/// A link, and next to it where the block has what is read after its head. Who follows the link asks
/// for both at once, rather than for one after the other.
struct Slot<T> {
    link: ArcSwapOption<T>,
    /// May be of another block than the link, or of one that is gone: it is only asked for, never read.
    beside: AtomicPtr<u8>,
}

impl<T> Slot<T> {
    fn empty() -> Self {
        Self { link: ArcSwapOption::empty(), beside: AtomicPtr::default() }
    }

    /// Asks for what is beside the head of the block, if it is linked.
    #[inline]
    fn prefetch_beside(&self) {
        let start: *const u8 = self.beside.load(Ordering::Relaxed);
        if !start.is_null() {
            (0..BESIDE_LINES)
                .for_each(|line| prefetch_address(start.wrapping_add(line * LINE_SIZE)));
        }
    }
}

/// A slot for each block that an index leads to. They are made when the first block is linked.
pub(crate) struct FrameSlots<T>(OnceLock<Arc<[Slot<T>]>>);

impl<T: Resident> FrameSlots<T> {
    /// The block at a position of the index, if it is linked. Marks it as used.
    #[inline]
    pub(crate) fn get(&self, position: usize) -> Option<SlotRef<T>> {
        let slot = self.slot(position)?;
        slot.prefetch_beside();
        let guard = slot.link.load();
        guard.as_ref()?.use_mark().note();
        Some(SlotRef(Repr::Linked(guard)))
    }

    /// As [`Self::get`], without a look at the block, whose memory is asked for. Who then uses it has to
    /// [`SlotRef::note_use`].
    #[inline]
    pub(crate) fn approach(&self, position: usize) -> Option<SlotRef<T>> {
        let slot = self.slot(position)?;
        slot.prefetch_beside();
        let guard = slot.link.load();
        prefetch_head(Arc::as_ptr(guard.as_ref()?));
        Some(SlotRef(Repr::Linked(guard)))
    }

    #[inline]
    fn slot(&self, position: usize) -> Option<&Slot<T>> {
        self.0.get()?.get(position)
    }

    /// Asks for the link at a position.
    #[inline]
    pub(crate) fn prefetch_link(&self, position: usize) {
        if let Some(slot) = self.slot(position) {
            prefetch_value(slot);
        }
    }

    /// Asks for the head of the block at a position, and for what is beside it, if it is linked.
    #[inline]
    pub(crate) fn prefetch_frame(&self, position: usize) {
        if let Some(slot) = self.slot(position) {
            slot.prefetch_beside();
            if let Some(block) = &*slot.link.load() {
                prefetch_head(Arc::as_ptr(block));
            }
        }
    }

    /// As [`Self::get`], with a reference of its own: of links that are merely looked at a thread can
    /// hold few at a time.
    #[inline]
    pub(crate) fn get_held(&self, position: usize) -> Option<Arc<T>> {
        let block = self.slot(position)?.link.load_full()?;
        block.use_mark().note();
        Some(block)
    }

    /// Links the block at a position, unless it is in no cache. `count` is the number of blocks.
    pub(crate) fn link(&self, position: usize, count: usize, block: &Arc<T>) {
        let Ok(at) = u32::try_from(position) else { return };
        let mut state = block.residence().0.lock();
        if let ResidenceState::Outside = *state {
            return;
        }
        let slots = self.0.get_or_init(|| (0..count).map(|_| Slot::empty()).collect());
        if let Some(slot) = slots.get(position) {
            *state = ResidenceState::Linked { slots: Arc::downgrade(slots), at };
            slot.beside.store(block.beside().cast_mut(), Ordering::Relaxed);
            slot.link.store(Some(Arc::clone(block)));
        }
    }
}

impl<T> FrameSlots<T> {
    /// How many blocks are linked.
    pub(crate) fn linked_count(&self) -> usize {
        let slots = self.0.get().into_iter().flat_map(|slots| slots.iter());
        slots.filter(|slot| slot.link.load().is_some()).count()
    }

    /// Bytes of memory.
    pub(crate) fn memory_usage_bytes(&self) -> usize {
        self.0.get().map_or(0, |slots| size_of_val(&**slots))
    }

    /// Bytes of memory of slots for `count` blocks, once they are made.
    pub(crate) fn memory_usage_max_bytes(count: usize) -> usize {
        count * size_of::<Slot<T>>()
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

/// Asks for a block's head and for the counts before it. The pointer need not be valid any more.
#[inline]
fn prefetch_head<T>(block: *const T) {
    let start = block.cast::<u8>().wrapping_sub(COUNTS_SIZE);
    (0..=HEAD_LINES).for_each(|line| {
        let offset = (line * LINE_SIZE).min(HEAD_LINES * LINE_SIZE - 1);
        prefetch_address(start.wrapping_add(offset));
    });
}

/// Whether a block was reached by its link since the cache last asked. Relaxed: it matters roughly.
#[derive(Debug, Default)]
pub(crate) struct UseMark(AtomicBool);

impl UseMark {
    /// Reads more often than it writes, so that readers share the line.
    #[inline]
    fn note(&self) {
        if !self.0.load(Ordering::Relaxed) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// See [`cache::LinkedValue::take_use`].
    pub(crate) fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

/// What a block knows of the cache that it is in.
pub(crate) struct Residence<T>(Mutex<ResidenceState<T>>);

enum ResidenceState<T> {
    /// In no cache.
    Outside,
    /// In a cache, never linked.
    Inside,
    /// In a cache. The slot may be empty by now, or hold another block of the same place in the file.
    Linked { slots: Weak<[Slot<T>]>, at: u32 },
}

impl<T> ResidenceState<T> {
    /// The slot, if it is there still, and its number.
    fn slot(&self) -> Option<(Arc<[Slot<T>]>, usize)> {
        match self {
            Self::Linked { slots, at } => Some((slots.upgrade()?, *at as usize)),
            Self::Outside | Self::Inside => None,
        }
    }
}

impl<T> Default for Residence<T> {
    fn default() -> Self {
        Self(Mutex::new(ResidenceState::Outside))
    }
}

impl<T> fmt::Debug for Residence<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.0.lock() {
            ResidenceState::Outside => "Outside",
            ResidenceState::Inside => "Inside",
            ResidenceState::Linked { .. } => "Linked",
        })
    }
}

impl<T> Residence<T> {
    /// The block is about to be put into a cache.
    pub(crate) fn enter_cache(&self) {
        let mut state = self.0.lock();
        if let ResidenceState::Outside = *state {
            *state = ResidenceState::Inside;
        }
    }

    /// See [`cache::LinkedValue::link_count`]; `owner` is the block that this belongs to.
    pub(crate) fn link_count(&self, owner: &T) -> usize {
        let state = self.0.lock();
        let is_linked = state.slot().is_some_and(|(slots, at)| {
            slots[at].link.load().as_ref().is_some_and(|block| ptr::eq(&**block, owner))
        });
        usize::from(is_linked)
    }

    /// See [`cache::LinkedValue::left_cache`].
    pub(crate) fn leave_cache(&self) {
        let mut state = self.0.lock();
        let slot = std::mem::replace(&mut *state, ResidenceState::Outside).slot();
        // If another block has taken the place meanwhile, it is looked up in the cache once more.
        let unlinked = slot.and_then(|(slots, at)| slots[at].link.swap(None));
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

impl<T: Resident> SlotRef<T> {
    /// Marks the block as used.
    #[inline]
    pub(crate) fn note_use(&self) {
        self.use_mark().note();
    }
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
