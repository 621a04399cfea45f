//! How much of each 2 MiB of a process's addresses is memory that stays.
//!
//! ```text
//! address   region = address / 2 MiB        27 bits of it: all that a process has of addresses unless it asks for more
//! region    13 bits: which leaf (made when it is first needed), 14 bits: which counter of it
//! counter   bit 31: joined, bit 30: refused, below: bytes that stay
//! ```

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Bytes of a region, which are those of a huge page.
pub(super) const SIZE: usize = 1 << SIZE_BITS;
const SIZE_BITS: u32 = 21;
const LEAF_BITS: u32 = 14;
const LEAVES_MAX: usize = 1 << (48 - SIZE_BITS - LEAF_BITS);

/// With fewer bytes that stay in all of them processors keep in mind where all of their pages are.
const LASTING_MIN_BYTES: usize = 16 << 20;
/// From so many bytes that stay on a region is worth a page of its own: the rest is what lies between, or was given
/// back to the allocator.
const READY_BYTES: u32 = SIZE as u32 / 4 * 3;
/// With fewer it may be what it was before: the allocator may have given parts of it back.
const LEFT_BYTES: u32 = SIZE as u32 / 2;

/// It is in one page.
const JOINED: u32 = 1 << 31;
/// The system would not.
const REFUSED: u32 = 1 << 30;
const BYTES: u32 = REFUSED - 1;

/// 2 MiB of addresses, by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Region(pub(super) usize);

impl Region {
    pub(super) fn start(self) -> usize {
        self.0 << SIZE_BITS
    }

    fn leaf(self) -> usize {
        self.0 >> LEAF_BITS
    }

    fn place(self) -> usize {
        self.0 & ((1 << LEAF_BITS) - 1)
    }
}

/// All orderings are relaxed: what the counters say is a reason to do something, not that it may be done.
#[derive(Debug)]
pub(super) struct Regions {
    leaves: [OnceLock<Box<[AtomicU32]>>; LEAVES_MAX],
    bytes: AtomicUsize,
}

impl Regions {
    pub(super) const fn new() -> Self {
        Self { leaves: [const { OnceLock::new() }; LEAVES_MAX], bytes: AtomicUsize::new(0) }
    }

    /// Bytes that stay.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether there is enough memory that stays for anything to be done.
    pub(super) fn are_worth_it(&self) -> bool {
        self.bytes() >= LASTING_MIN_BYTES
    }

    /// Counts `addresses` as memory that stays. Returns whether there may be something to do that there was not before.
    pub(super) fn begin(&self, addresses: Range<usize>) -> bool {
        let before = self.bytes.fetch_add(addresses.len(), Ordering::Relaxed);
        let has_become_enough =
            before < LASTING_MIN_BYTES && before + addresses.len() >= LASTING_MIN_BYTES;
        let has_become_ready = parts(addresses).fold(false, |is_any_ready, (region, bytes)| {
            let Some(leaf) = self.leaves.get(region.leaf()) else { return is_any_ready };
            let leaf = leaf.get_or_init(new_leaf);
            let before = leaf[region.place()].fetch_add(bytes, Ordering::Relaxed);
            is_any_ready | (!is_ready(before) && is_ready(before + bytes))
        });
        has_become_enough || (has_become_ready && self.are_worth_it())
    }

    /// What [`Self::begin`] was told is over.
    pub(super) fn end(&self, addresses: Range<usize>) {
        self.bytes.fetch_sub(addresses.len(), Ordering::Relaxed);
        for (region, bytes) in parts(addresses) {
            let Some(counter) = self.counter(region) else { continue };
            update(counter, |counter| {
                let after = counter - bytes;
                if after & BYTES < LEFT_BYTES { after & BYTES } else { after }
            });
        }
    }

    /// The first that is ready after `region`, or from the first on if there is none.
    pub(super) fn next_ready(&self, region: Region) -> Option<Region> {
        let mut ready = self.all().filter(|(_, counter)| is_ready(*counter));
        let first = ready.next()?.0;
        if first > region {
            return Some(first);
        }
        Some(ready.find(|(other, _)| *other > region).map_or(first, |(other, _)| other))
    }

    pub(super) fn set_joined(&self, region: Region) {
        self.set(region, JOINED);
    }

    /// It is not ready any more until [`Self::forget_refused`].
    pub(super) fn set_refused(&self, region: Region) {
        self.set(region, REFUSED);
    }

    /// Whether any is refused.
    pub(super) fn has_refused(&self) -> bool {
        self.all().any(|(_, counter)| counter & REFUSED != 0)
    }

    /// Those that were refused may be ready again.
    pub(super) fn forget_refused(&self) {
        for (region, _) in self.all().filter(|(_, counter)| counter & REFUSED != 0) {
            if let Some(counter) = self.counter(region) {
                counter.fetch_and(!REFUSED, Ordering::Relaxed);
            }
        }
    }

    /// How many are joined.
    pub(super) fn joined(&self) -> usize {
        self.all().filter(|(_, counter)| counter & JOINED != 0).count()
    }

    /// Unless what was there has gone meanwhile.
    fn set(&self, region: Region, mark: u32) {
        if let Some(counter) = self.counter(region) {
            let is_left = |counter| counter & BYTES < LEFT_BYTES;
            update(counter, |counter| if is_left(counter) { counter } else { counter | mark });
        }
    }

    fn counter(&self, region: Region) -> Option<&AtomicU32> {
        Some(&self.leaves.get(region.leaf())?.get()?[region.place()])
    }

    /// What the counters say, by address; most are 0.
    fn all(&self) -> impl Iterator<Item = (Region, u32)> {
        let leaves = self.leaves.iter().enumerate();
        leaves.filter_map(|(index, leaf)| Some((index << LEAF_BITS, leaf.get()?))).flat_map(
            |(first, leaf)| {
                let counters = leaf.iter().map(|counter| counter.load(Ordering::Relaxed));
                counters.enumerate().map(move |(place, counter)| (Region(first + place), counter))
            },
        )
    }
}

fn update(counter: &AtomicU32, change: impl Fn(u32) -> u32) {
    let changed = |counter| Some(change(counter));
    // It is never given up.
    let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
}

fn new_leaf() -> Box<[AtomicU32]> {
    (0..1 << LEAF_BITS).map(|_| AtomicU32::new(0)).collect()
}

/// Neither joined nor refused, and full enough.
fn is_ready(counter: u32) -> bool {
    (READY_BYTES..=BYTES).contains(&counter)
}

/// `addresses` by regions.
fn parts(addresses: Range<usize>) -> impl Iterator<Item = (Region, u32)> {
    let mut start = addresses.start;
    std::iter::from_fn(move || {
        if start >= addresses.end {
            return None;
        }
        let region = Region(start >> SIZE_BITS);
        let end = addresses.end.min(region.start() + SIZE);
        let bytes = (end - start) as u32;
        start = end;
        Some((region, bytes))
    })
}

#[cfg(test)]
mod tests;
