//! Memory of data blocks that were dropped, for those that come after them.
//!
//! Where blocks come into a full cache others go, and rarely in the thread that they came with: readers bring some,
//! flushes and compactions others, and a file that is deleted takes all of its own along. An allocator with
//! an arena for each thread gets new memory for the ones, while what the others had stays with their arena. So what
//! blocks leave is kept here for whoever wants a piece of its size.
//!
//! Together with what is kept live blocks never take much more than they alone did at one time: where no piece
//! fits and more than a sixteenth of what they take is kept, as much is given back to the allocator as is asked of
//! it. When a cache goes, what its blocks leave goes too, for no more is kept than twice what live blocks take, and
//! a MiB. And [`trim_block_memory`], called each second, gives back what nobody took, unless blocks just take more
//! than they leave: they would have new memory, while the allocator can give little of the old to the system, and
//! nothing to a thread with another arena.
//!
//! Where many blocks go at once, as those of files that a compaction has replaced, the allocator is told to give to the
//! system what came back: glibc's keeps it for the thread that took it, and others, who read the new files, would have as
//! much again.
//!
//! What live blocks take is memory that stays, which [`env::huge_pages`] brings together in huge pages.
//!
//! Nobody waits long for another here: who finds the pool in use for more than a few microseconds asks the
//! allocator.

use env::allocator::{make_room_for_many, return_idle_memory};
use env::huge_pages;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::hint::spin_loop;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Other pieces are the allocator's business: it keeps small ones itself and returns large ones to the system.
const PIECE_SIZES: RangeInclusive<usize> = 1 << 10..=64 << 10;
/// So much may be kept however few blocks there are.
const KEPT_MIN_BYTES: usize = 1 << 20;
/// Of what nobody took for a second this part is given back.
const TRIM_DIVISOR: usize = 4;
/// Where the pieces become fewer, what would be taken in so many seconds stays.
const KEPT_SECONDS: usize = 30;

/// Of a size this part is given back before it is looked again of which there is most.
const RELEASED_AT_ONCE_DIVISOR: usize = 8;
/// How often the lock is looked at: whoever has it is about to take or leave one piece, or was put off the
/// processor.
const LOOKS_MAX: usize = 100;
/// So much at least has to come back to the allocator until it is told to give it to the system.
const RETURNED_MIN_BYTES: usize = 8 << 20;
/// This part of a block may be spare, where no piece of its own size is there.
const SPARE_DIVISOR: usize = 32;

type Piece = Box<[u8]>;

/// The pieces, by size; no class is empty.
#[derive(Debug)]
struct Pool {
    classes: BTreeMap<usize, Vec<Piece>>,
    bytes: usize,
    /// Bytes when it was trimmed.
    trimmed_bytes: usize,
    /// The fewest bytes since then.
    fewest_bytes: usize,
    /// What came back to the allocator because blocks became fewer, and it was not told to give away yet.
    returnable_bytes: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool::new());
/// What blocks have taken and not given back. Relaxed: it matters roughly.
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

impl Pool {
    const fn new() -> Self {
        Self {
            classes: BTreeMap::new(),
            bytes: 0,
            trimmed_bytes: 0,
            fewest_bytes: 0,
            returnable_bytes: 0,
        }
    }

    fn give(&mut self, piece: Piece) {
        self.bytes += piece.len();
        self.classes.entry(piece.len()).or_default().push(piece);
    }

    /// Takes out pieces of at least `bytes` bytes, or all: of the sizes of which there is most, so that what stays
    /// comes to be of the sizes that are taken.
    fn release(&mut self, bytes: usize) -> Vec<Piece> {
        let (mut released, mut sum) = (Vec::new(), 0);
        while sum < bytes
            && let Some(size) = self.fullest_class()
            && let Some(pieces) = self.classes.get_mut(&size)
        {
            let wanted = (bytes - sum).div_ceil(size);
            let count = wanted.min(pieces.len().div_ceil(RELEASED_AT_ONCE_DIVISOR));
            released.extend(pieces.drain(pieces.len() - count..));
            if pieces.is_empty() {
                self.classes.remove(&size);
            }
            sum += count * size;
        }
        self.bytes -= sum;
        self.fewest_bytes = self.fewest_bytes.min(self.bytes);
        self.trimmed_bytes = self.trimmed_bytes.saturating_sub(sum);
        released
    }

    fn fullest_class(&self) -> Option<usize> {
        self.classes.iter().max_by_key(|(size, pieces)| *size * pieces.len()).map(|(&size, _)| size)
    }

    /// Takes out a part of what nobody took since the last call, and will not soon at that pace, where live blocks
    /// take `live_bytes`.
    fn trim(&mut self, live_bytes: usize) -> Vec<Piece> {
        let wanted = match self.trimmed_bytes.saturating_sub(self.fewest_bytes) {
            0 => 0,
            drawn => (drawn * KEPT_SECONDS).max(kept_in_use_bytes(live_bytes)),
        };
        let untouched = self.fewest_bytes.saturating_sub(wanted);
        let least = untouched.min(KEPT_MIN_BYTES / 8);
        let before = self.bytes;
        let released = self.release((untouched / TRIM_DIVISOR).max(least));
        self.returnable_bytes += before - self.bytes;
        (self.trimmed_bytes, self.fewest_bytes) = (self.bytes, self.bytes);
        released
    }

    /// Takes out what is too much beside live blocks of `live_bytes`.
    fn release_excess(&mut self, live_bytes: usize) -> Vec<Piece> {
        let before = self.bytes;
        let released = self.release(before.saturating_sub(kept_max_bytes(live_bytes)));
        self.returnable_bytes += before - self.bytes;
        released
    }

    /// Whether the allocator is to be told to give away what it has, now that live blocks take `live_bytes`: not for
    /// little, as others wait for it meanwhile.
    fn begin_return(&mut self, live_bytes: usize) -> bool {
        let begins = self.returnable_bytes >= RETURNED_MIN_BYTES.max(live_bytes / 4);
        if begins {
            self.returnable_bytes = 0;
        }
        begins
    }

    /// A piece of `size` bytes, or of a little more.
    fn take(&mut self, size: usize) -> Option<Piece> {
        let (&size, _) = self.classes.range(size..=size + size / SPARE_DIVISOR).next()?;
        let Entry::Occupied(mut class) = self.classes.entry(size) else { return None };
        let piece = class.get_mut().pop()?;
        if class.get().is_empty() {
            class.remove();
        }
        self.bytes -= size;
        self.fewest_bytes = self.fewest_bytes.min(self.bytes);
        Some(piece)
    }
}

/// How much may be kept beside blocks that take `live_bytes`.
fn kept_max_bytes(live_bytes: usize) -> usize {
    KEPT_MIN_BYTES + live_bytes * 2
}

/// How much is kept even where no piece fits.
fn kept_apart_max_bytes(live_bytes: usize) -> usize {
    live_bytes / 16
}

/// How much is kept while pieces are taken at all: what comes and goes within seconds.
fn kept_in_use_bytes(live_bytes: usize) -> usize {
    live_bytes / 32
}

/// The pool, unless another has it for long.
fn pool() -> Option<MutexGuard<'static, Pool>> {
    (0..LOOKS_MAX).find_map(|_| {
        let pool = POOL.try_lock();
        if pool.is_none() {
            spin_loop();
        }
        pool
    })
}

/// Memory for `capacity` bytes; nothing is in it.
pub(crate) fn take(capacity: usize) -> Vec<u8> {
    let (mut found, mut released) = (None, Vec::new());
    if PIECE_SIZES.contains(&capacity)
        && let Some(mut pool) = pool()
    {
        found = pool.take(capacity);
        if found.is_none() && pool.bytes > kept_apart_max_bytes(LIVE_BYTES.load(Ordering::Relaxed))
        {
            released = pool.release(capacity);
        }
    }
    drop(released);
    let mut memory = found.map(Vec::from).unwrap_or_else(|| {
        make_room_for_many(capacity);
        Vec::with_capacity(capacity)
    });
    memory.clear();
    LIVE_BYTES.fetch_add(memory.capacity(), Ordering::Relaxed);
    huge_pages::begin_lasting(memory.as_ptr(), memory.capacity());
    memory
}

/// Takes the memory back of a block that is dropped: all of what [`take`] gave.
pub(crate) fn give(piece: Box<[u8]>) {
    let live_bytes = LIVE_BYTES.fetch_sub(piece.len(), Ordering::Relaxed) - piece.len();
    huge_pages::end_lasting(piece.as_ptr(), piece.len());
    if !PIECE_SIZES.contains(&piece.len()) {
        return;
    }
    let Some(mut pool) = pool() else { return };
    pool.give(piece);
    let released = pool.release_excess(live_bytes);
    drop(pool);
    drop(released);
}

/// Bytes of what dropped data blocks of the process have left and no other has taken yet.
pub fn idle_block_memory_bytes() -> usize {
    POOL.lock().bytes
}

/// Gives a part of what nobody took since the last call back to the allocator, and has that give to the system what came
/// back where it is much. To be called each second. Returns whether nothing is left.
pub fn trim_block_memory() -> bool {
    let mut pool = POOL.lock();
    let live_bytes = LIVE_BYTES.load(Ordering::Relaxed);
    let released = pool.trim(live_bytes);
    let (is_empty, returns) = (pool.bytes == 0, pool.begin_return(live_bytes));
    drop(pool);
    drop(released);
    if returns {
        return_idle_memory();
    }
    is_empty
}

#[cfg(test)]
mod tests;
