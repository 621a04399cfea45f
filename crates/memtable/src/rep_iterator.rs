//! The iterator of a representation that has a cursor: counts what perf context counts.

use crate::memtable_rep::{MemTableEntry, start_seek};
use base::{Approached, InternalIterator, PinnableSlice, Result, SeekStep};
use perf_context::{PerfMetric, count};

/// Stands on a record, or nowhere, and holds what it stands on.
pub(crate) trait RepCursor: Send {
    fn valid(&self) -> bool;
    fn seek_to_first(&mut self);
    fn seek_to_last(&mut self);
    /// To the first record from the internal key `target` on.
    fn seek(&mut self, target: &[u8]);
    /// To the last record up to the internal key `target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// # Panics
    /// As [`Self::prev`] and [`Self::entry`]: if the cursor stands nowhere.
    fn next(&mut self);
    fn prev(&mut self);
    fn entry(&self) -> MemTableEntry<'_>;
    /// Asks for the memory of the record, if there is one, and of the one after it.
    fn prefetch(&self) {}
    /// Whether the record before is known to be of another user key, timestamps aside.
    fn starts_user_key(&self) -> bool {
        false
    }
}

/// Iterates by a cursor.
pub(crate) struct RepIterator<C> {
    cursor: C,
    /// Which seek, if it is the next one, has nothing to do any more.
    approached: Approached,
    /// Which one steps are taken to.
    aim: Approached,
}

impl<C: RepCursor> RepIterator<C> {
    pub(crate) fn new(cursor: C) -> Self {
        Self { cursor, approached: Approached::Nothing, aim: Approached::Nothing }
    }

    #[inline]
    fn aim_at(&mut self, seek: Approached) {
        (self.approached, self.aim) = (Approached::Nothing, seek);
    }

    /// Makes the seek that steps are taken to.
    #[inline(never)]
    fn seek_ahead(&mut self, target: &[u8]) {
        let _timer = start_seek();
        match self.aim {
            Approached::SeekForPrev => self.cursor.seek_for_prev(target),
            Approached::Seek | Approached::Nothing => self.cursor.seek(target),
        }
        self.cursor.prefetch();
        self.approached = self.aim;
    }
}

impl<C: RepCursor> InternalIterator for RepIterator<C> {
    fn valid(&self) -> bool {
        self.cursor.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.approached = Approached::Nothing;
        self.cursor.seek_to_first();
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.approached = Approached::Nothing;
        self.cursor.seek_to_last();
        Ok(())
    }

    /// In one of the steps, while tables wait for what they have asked for in the one before.
    #[inline]
    fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<bool> {
        match step {
            SeekStep::FindBlock => self.aim_at(Approached::Seek),
            SeekStep::FindBlockBefore => self.aim_at(Approached::SeekForPrev),
            SeekStep::FindHead => self.seek_ahead(target),
            SeekStep::TakeBlock | SeekStep::FindEntry => {}
        }
        // The record that the seek asks for is waited for by none of the later steps.
        Ok(matches!(step, SeekStep::FindBlock | SeekStep::FindBlockBefore))
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        if self.approached.take(Approached::Seek) {
            return Ok(());
        }
        let _timer = start_seek();
        self.cursor.seek(target);
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        if self.approached.take(Approached::SeekForPrev) {
            return Ok(());
        }
        let _timer = start_seek();
        self.cursor.seek_for_prev(target);
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        count(PerfMetric::NextOnMemtableCount, 1);
        self.cursor.next();
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        count(PerfMetric::PrevOnMemtableCount, 1);
        self.cursor.prev();
        Ok(())
    }

    fn key(&self) -> &[u8] {
        self.cursor.entry().key()
    }

    fn value(&self) -> &[u8] {
        self.cursor.entry().value()
    }

    fn entry(&self) -> Option<(&[u8], &[u8])> {
        self.cursor.valid().then(|| {
            let entry = self.cursor.entry();
            (entry.key(), entry.value())
        })
    }

    fn starts_user_key(&self) -> bool {
        self.cursor.starts_user_key()
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.cursor.entry().pinned_value()
    }
}
