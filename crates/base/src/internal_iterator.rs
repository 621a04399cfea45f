//! The iterator that memtables, blocks, tables, levels and merges all are.

use crate::status::Result;

/// A step on the way to a seek. Each ends by asking for the memory that the next one looks at, so that
/// who takes it with several cursors before the next waits for all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekStep {
    /// Finds the block in the index.
    FindBlock,
    /// The same for a seek to the last entry at or before the target.
    FindBlockBefore,
    /// Finds the head of the block.
    FindHead,
    /// Takes the block.
    TakeBlock,
    /// Finds the entry in the block.
    FindEntry,
}

impl SeekStep {
    /// All steps to [`InternalIterator::seek`], in their order.
    pub const ALL: [Self; 4] = [Self::FindBlock, Self::FindHead, Self::TakeBlock, Self::FindEntry];
    /// All steps to [`InternalIterator::seek_for_prev`].
    pub const ALL_BEFORE: [Self; 4] =
        [Self::FindBlockBefore, Self::FindHead, Self::TakeBlock, Self::FindEntry];
}

/// Which seek a cursor has taken steps to and not made yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approached {
    /// None.
    #[default]
    Nothing,
    /// [`InternalIterator::seek`].
    Seek,
    /// [`InternalIterator::seek_for_prev`].
    SeekForPrev,
}

impl Approached {
    /// Whether it is to something.
    #[inline]
    pub fn is_any(self) -> bool {
        self != Self::Nothing
    }

    /// A seek is made, and nothing is left of the steps. Whether they led to it.
    #[inline]
    pub fn take(&mut self, made: Self) -> bool {
        std::mem::take(self) == made
    }
}

/// What a cursor knows, without a step, of versions newer than the one that it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewerVersion<'a> {
    /// There is none: the entry before, if there is one, is of another user key, timestamps aside.
    None,
    /// This internal key is one of them.
    Known(&'a [u8]),
    /// Finding out would take a step.
    Unknown,
}

/// A cursor over internal keys in [`InternalKeyComparator`](crate::InternalKeyComparator) order.
///
/// A move that fails leaves the cursor invalid; the error is in the move's result and nowhere
/// else, so callers pass it on. After an error only a seek may be called.
pub trait InternalIterator: Send {
    /// Whether the cursor stands on an entry.
    fn valid(&self) -> bool;

    /// Moves to the first entry.
    fn seek_to_first(&mut self) -> Result<()>;

    /// Moves to the last entry.
    fn seek_to_last(&mut self) -> Result<()>;

    /// Moves to the first entry at or after the internal key `target`.
    fn seek(&mut self, target: &[u8]) -> Result<()>;

    /// Takes a step on the way to `seek(target)`, or to `seek_for_prev(target)`, which has to be the next move and
    /// is as good without. The cursor is not valid until then. Whether it waits for something that it has asked for,
    /// so that another step is worth it.
    fn approach(&mut self, _target: &[u8], _step: SeekStep) -> Result<bool> {
        Ok(false)
    }

    /// Moves to the last entry at or before the internal key `target`.
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()>;

    /// Moves on by one.
    ///
    /// # Panics
    /// May panic if not valid.
    fn next(&mut self) -> Result<()>;

    /// Moves back by one.
    ///
    /// # Panics
    /// May panic if not valid.
    fn prev(&mut self) -> Result<()>;

    /// The internal key here; good until the next move.
    ///
    /// # Panics
    /// May panic if not valid.
    fn key(&self) -> &[u8];

    /// The value here; good until the next move.
    ///
    /// # Panics
    /// May panic if not valid.
    fn value(&self) -> &[u8];

    /// Key and value here, good until the next move; none if not valid.
    fn entry(&self) -> Option<(&[u8], &[u8])> {
        self.valid().then(|| (self.key(), self.value()))
    }

    /// Passes point deletions in a row together, where summaries tell of them: goes on to a later entry,
    /// if from here to there all are point deletions and come before the internal key `limit`. Whether
    /// it has moved.
    ///
    /// # Panics
    /// May panic if not valid.
    fn pass_deletions(&mut self, _limit: Option<&[u8]>) -> Result<bool> {
        Ok(false)
    }

    /// As [`Self::pass_deletions`], going back over entries that come after `limit`.
    ///
    /// # Panics
    /// May panic if not valid.
    fn pass_deletions_back(&mut self, _limit: Option<&[u8]>) -> Result<bool> {
        Ok(false)
    }

    /// Whether the entry before, if there is one, is known to be of another user key (timestamps
    /// aside), so that this is its user key's newest. False where finding out would take a step.
    ///
    /// # Panics
    /// May panic if not valid.
    fn starts_user_key(&self) -> bool {
        false
    }

    /// What is known of newer versions of the user key here.
    ///
    /// # Panics
    /// May panic if not valid.
    #[inline]
    fn newer_version(&self) -> NewerVersion<'_> {
        if self.starts_user_key() { NewerVersion::None } else { NewerVersion::Unknown }
    }

    /// The value here, kept alive by a reference of its own where that is cheaper than a copy.
    ///
    /// # Panics
    /// May panic if not valid.
    fn pinned_value(&self) -> crate::PinnableSlice {
        crate::PinnableSlice::from(self.value())
    }
}

impl<I: InternalIterator + ?Sized> InternalIterator for Box<I> {
    #[inline]
    fn valid(&self) -> bool {
        (**self).valid()
    }
    #[inline]
    fn seek_to_first(&mut self) -> Result<()> {
        (**self).seek_to_first()
    }
    #[inline]
    fn seek_to_last(&mut self) -> Result<()> {
        (**self).seek_to_last()
    }
    #[inline]
    fn seek(&mut self, target: &[u8]) -> Result<()> {
        (**self).seek(target)
    }
    #[inline]
    fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<bool> {
        (**self).approach(target, step)
    }
    #[inline]
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        (**self).seek_for_prev(target)
    }
    #[inline]
    fn next(&mut self) -> Result<()> {
        (**self).next()
    }
    #[inline]
    fn prev(&mut self) -> Result<()> {
        (**self).prev()
    }
    #[inline]
    fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        (**self).pass_deletions(limit)
    }
    #[inline]
    fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        (**self).pass_deletions_back(limit)
    }
    #[inline]
    fn key(&self) -> &[u8] {
        (**self).key()
    }
    #[inline]
    fn value(&self) -> &[u8] {
        (**self).value()
    }
    #[inline]
    fn starts_user_key(&self) -> bool {
        (**self).starts_user_key()
    }
    #[inline]
    fn newer_version(&self) -> NewerVersion<'_> {
        (**self).newer_version()
    }
    #[inline]
    fn pinned_value(&self) -> crate::PinnableSlice {
        (**self).pinned_value()
    }
}
