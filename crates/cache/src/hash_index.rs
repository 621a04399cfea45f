//! From 32 bits of hash to the place of an entry: open addressing, linear probing.
//!
//! A slot holds the whole hash, so that a probe reads an entry only when all 32 bits agree, and so
//! that slots can move without reading entries. Removal moves the slots behind it up, which leaves no
//! markers to skip.

/// No entry. Also the largest number of entries.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    entry: u32,
}

const EMPTY: Slot = Slot { hash: 0, entry: NONE };
const LENGTH_MIN: usize = 16;

/// Bytes of index for each entry, on average.
pub(crate) const BYTES_PER_ENTRY: usize = 2 * size_of::<Slot>();

#[derive(Debug)]
pub(crate) struct HashIndex {
    /// A power of two. Never all are used.
    slots: Box<[Slot]>,
    used: usize,
    /// Whether it grows once three quarters are used.
    grows: bool,
}

impl Default for HashIndex {
    fn default() -> Self {
        Self { slots: Box::new([EMPTY; LENGTH_MIN]), used: 0, grows: true }
    }
}

impl HashIndex {
    /// One of `slot_count` slots, a power of two, for good. Whoever adds entries leaves some free.
    pub(crate) fn fixed(slot_count: usize) -> Self {
        debug_assert!(slot_count.is_power_of_two());
        Self { slots: vec![EMPTY; slot_count].into_boxed_slice(), used: 0, grows: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.used
    }

    pub(crate) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The entry of this hash that `is_it` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot.entry == NONE {
                return None;
            }
            if slot.hash == hash && is_it(slot.entry) {
                return Some(slot.entry);
            }
            at = self.next(at);
        }
    }

    /// Adds an entry that is not there.
    pub(crate) fn insert(&mut self, hash: u32, entry: u32) {
        if self.grows && (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.used += 1;
        self.place(Slot { hash, entry });
    }

    /// Removes an entry that is there.
    pub(crate) fn remove(&mut self, hash: u32, entry: u32) {
        let mut hole = self.home(hash);
        while self.slots[hole].entry != entry {
            assert_ne!(self.slots[hole].entry, NONE, "an entry is missing from its index");
            hole = self.next(hole);
        }
        self.used -= 1;
        let mut at = hole;
        loop {
            at = self.next(at);
            let slot = self.slots[at];
            if slot.entry == NONE {
                break;
            }
            // The slot may move to the hole unless its home lies behind the hole.
            let distance = |from: usize| at.wrapping_sub(from) & (self.slots.len() - 1);
            if distance(self.home(slot.hash)) >= distance(hole) {
                self.slots[hole] = slot;
                hole = at;
            }
        }
        self.slots[hole] = EMPTY;
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() * 2].into_boxed_slice();
        let slots = std::mem::replace(&mut self.slots, larger);
        for slot in slots.iter().filter(|slot| slot.entry != NONE) {
            self.place(*slot);
        }
    }

    fn place(&mut self, slot: Slot) {
        let mut at = self.home(slot.hash);
        while self.slots[at].entry != NONE {
            at = self.next(at);
        }
        self.slots[at] = slot;
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests;
