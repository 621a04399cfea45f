//! The hashes of a filter's keys, until it is built.
//!
//! A list that grows by doubling is copied again and again into memory that nobody has touched before,
//! which for the keys of one large table takes longer than hashing them. Here hashes lie in pieces of
//! one size, and pieces of filters that are built are kept for those that follow.

use parking_lot::Mutex;

/// Hashes of a piece: 64 KiB of large ones.
const PIECE_LENGTH: usize = 8192;
/// Lists that are no longer have no piece, but memory of their own.
const SHORT_LENGTH: usize = 1024;
/// So many pieces are kept for the whole process: enough for the hashes of a million keys.
const KEPT_MAX: usize = 128;

type Pieces<H> = Mutex<Vec<Vec<H>>>;

static KEPT_64: Pieces<u64> = Mutex::new(Vec::new());
static KEPT_32: Pieces<u32> = Mutex::new(Vec::new());

/// Frees what is kept for filters to come.
pub fn release_kept_hashes() {
    drop(std::mem::take(&mut *KEPT_64.lock()));
    drop(std::mem::take(&mut *KEPT_32.lock()));
}

/// A hash of either size.
pub(super) trait FilterHash: Copy + PartialEq + 'static {
    /// Pieces that can be used again, all empty.
    fn kept() -> &'static Pieces<Self>;
}

impl FilterHash for u64 {
    fn kept() -> &'static Pieces<Self> {
        &KEPT_64
    }
}

impl FilterHash for u32 {
    fn kept() -> &'static Pieces<Self> {
        &KEPT_32
    }
}

/// Hashes in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct HashList<H: FilterHash> {
    /// Full ones.
    pieces: Vec<Vec<H>>,
    /// What is behind them. Has an entry if there is any.
    last: Vec<H>,
}

impl<H: FilterHash> Default for HashList<H> {
    fn default() -> Self {
        Self { pieces: Vec::new(), last: Vec::new() }
    }
}

impl<H: FilterHash> HashList<H> {
    #[inline]
    pub(super) fn push(&mut self, hash: H) {
        if self.last.len() == self.last.capacity() {
            self.make_room();
        }
        self.last.push(hash);
    }

    #[cold]
    fn make_room(&mut self) {
        if self.last.capacity() < SHORT_LENGTH {
            return self.last.reserve(1);
        }
        let kept = H::kept().lock().pop();
        let mut piece = kept.unwrap_or_else(|| Vec::with_capacity(PIECE_LENGTH));
        if self.last.capacity() < PIECE_LENGTH {
            piece.extend_from_slice(&self.last);
            self.last = piece;
        } else {
            self.pieces.push(std::mem::replace(&mut self.last, piece));
        }
    }

    #[inline]
    pub(super) fn last(&self) -> Option<H> {
        self.last.last().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum::<usize>() + self.last.len()
    }

    /// All hashes, piece by piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[H]> {
        self.pieces.iter().chain([&self.last]).map(Vec::as_slice)
    }
}

impl<H: FilterHash> Drop for HashList<H> {
    fn drop(&mut self) {
        self.pieces.push(std::mem::take(&mut self.last));
        self.pieces.retain_mut(|piece| {
            piece.clear();
            piece.capacity() == PIECE_LENGTH
        });
        let mut kept = H::kept().lock();
        let room = KEPT_MAX.saturating_sub(kept.len());
        self.pieces.truncate(room);
        kept.append(&mut self.pieces);
    }
}

#[cfg(test)]
mod tests;
