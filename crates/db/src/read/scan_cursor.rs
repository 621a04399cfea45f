//! What a scan goes over: one run, or several merged.
//!
//! The kinds that there are are told apart here, so that no step of a scan calls a table's iterator, or
//! the merge, through a table of functions.

use crate::read::level_iterator::LevelIterator;
use base::{
    InternalIterator, InternalKeyComparator, NewerVersion, PinnableSlice, Result, SeekStep,
};
use iterator::{MergingIterator, VecIterator};

/// A sorted run.
pub(crate) enum ScanRun {
    /// A file of level 0, or a level.
    Level(Box<LevelIterator>),
    /// A memtable, or what a test is over.
    Other(Box<dyn InternalIterator>),
}

/// A cursor over all entries of a scan.
pub(crate) enum ScanCursor {
    One(ScanRun),
    Merged(Box<MergingIterator<ScanRun>>),
}

impl ScanCursor {
    /// Over all of `runs`, whose keys are in the order of `comparator`.
    pub(crate) fn new(comparator: &InternalKeyComparator, mut runs: Vec<ScanRun>) -> Self {
        if runs.len() > 1 {
            return Self::Merged(Box::new(MergingIterator::new(comparator.clone(), runs)));
        }
        let none = || ScanRun::Other(Box::new(VecIterator::empty(comparator.clone())));
        Self::One(runs.pop().unwrap_or_else(none))
    }
}

/// Has whichever it is of two kinds do what an iterator does.
macro_rules! iterate_as_either {
    ($kind:ident: $one:ident, $other:ident) => {
        impl InternalIterator for $kind {
            #[inline(always)]
            fn valid(&self) -> bool {
                match self {
                    Self::$one(cursor) => cursor.valid(),
                    Self::$other(cursor) => cursor.valid(),
                }
            }

            #[inline(always)]
            fn seek_to_first(&mut self) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.seek_to_first(),
                    Self::$other(cursor) => cursor.seek_to_first(),
                }
            }

            #[inline(always)]
            fn seek_to_last(&mut self) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.seek_to_last(),
                    Self::$other(cursor) => cursor.seek_to_last(),
                }
            }

            #[inline(always)]
            fn seek(&mut self, target: &[u8]) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.seek(target),
                    Self::$other(cursor) => cursor.seek(target),
                }
            }

            #[inline(always)]
            fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.approach(target, step),
                    Self::$other(cursor) => cursor.approach(target, step),
                }
            }

            #[inline(always)]
            fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.seek_for_prev(target),
                    Self::$other(cursor) => cursor.seek_for_prev(target),
                }
            }

            #[inline(always)]
            fn next(&mut self) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.next(),
                    Self::$other(cursor) => cursor.next(),
                }
            }

            #[inline(always)]
            fn prev(&mut self) -> Result<()> {
                match self {
                    Self::$one(cursor) => cursor.prev(),
                    Self::$other(cursor) => cursor.prev(),
                }
            }

            fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
                match self {
                    Self::$one(cursor) => cursor.pass_deletions(limit),
                    Self::$other(cursor) => cursor.pass_deletions(limit),
                }
            }

            fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
                match self {
                    Self::$one(cursor) => cursor.pass_deletions_back(limit),
                    Self::$other(cursor) => cursor.pass_deletions_back(limit),
                }
            }

            #[inline(always)]
            fn key(&self) -> &[u8] {
                match self {
                    Self::$one(cursor) => cursor.key(),
                    Self::$other(cursor) => cursor.key(),
                }
            }

            #[inline(always)]
            fn value(&self) -> &[u8] {
                match self {
                    Self::$one(cursor) => cursor.value(),
                    Self::$other(cursor) => cursor.value(),
                }
            }

            #[inline(always)]
            fn starts_user_key(&self) -> bool {
                match self {
                    Self::$one(cursor) => cursor.starts_user_key(),
                    Self::$other(cursor) => cursor.starts_user_key(),
                }
            }

            #[inline(always)]
            fn newer_version(&self) -> NewerVersion<'_> {
                match self {
                    Self::$one(cursor) => cursor.newer_version(),
                    Self::$other(cursor) => cursor.newer_version(),
                }
            }

            #[inline(always)]
            fn pinned_value(&self) -> PinnableSlice {
                match self {
                    Self::$one(cursor) => cursor.pinned_value(),
                    Self::$other(cursor) => cursor.pinned_value(),
                }
            }
        }
    };
}

iterate_as_either!(ScanRun: Level, Other);
iterate_as_either!(ScanCursor: One, Merged);
