//! What a scan goes over: one run, or several merged.
//!
//! The kinds that there are are told apart here, so that no step of a scan calls a table's iterator, or
//! the merge, through a table of functions.

use crate::read::level_iterator::LevelIterator;
use base::dbformat::extract_user_key;
use base::{
    FastPath, InternalIterator, InternalKeyComparator, NewerVersion, PinnableSlice, Result,
    SeekStep, SequenceNumber,
};
use iterator::{Direction, MergingIterator, PassedKeys, VecIterator, pass_hidden};
use table::{BlockRun, RunLimits};

/// A sorted run.
pub(crate) enum ScanRun {
    /// A file of level 0, or a level.
    Level(Box<LevelIterator>),
    /// A memtable, or what a test is over.
    Other(Box<dyn InternalIterator>),
}

/// All runs of a scan.
enum ScanRuns {
    One(ScanRun),
    Merged(Box<MergingIterator<ScanRun>>),
}

/// A cursor over all entries of a scan.
pub(crate) struct ScanCursor {
    runs: ScanRuns,
    /// While the scan is in this, `runs` stand where it began; each move but [`Self::step`] ends it.
    in_block: BlockRun,
}

impl ScanCursor {
    /// Over all of `runs`, whose keys are in the order of `comparator`.
    pub(crate) fn new(comparator: &InternalKeyComparator, mut runs: Vec<ScanRun>) -> Self {
        let none = || ScanRun::Other(Box::new(VecIterator::empty(comparator.clone())));
        let runs = match runs.len() {
            0 | 1 => ScanRuns::One(runs.pop().unwrap_or_else(none)),
            _ => ScanRuns::Merged(Box::new(MergingIterator::new(comparator.clone(), runs))),
        };
        Self { runs, in_block: BlockRun::default() }
    }

    /// Lets go of what was read, and stands nowhere, as when it was made.
    pub(crate) fn rest(&mut self) {
        let to_rest = |run: &mut ScanRun| {
            if let ScanRun::Level(level) = run {
                level.rest();
            }
        };
        self.in_block = BlockRun::default();
        match &mut self.runs {
            ScanRuns::One(run) => to_rest(run),
            ScanRuns::Merged(merged) => merged.rest(to_rest),
        }
    }

    /// The entry here, while the scan is in a run within a block.
    #[inline(always)]
    pub(crate) fn in_block(&self) -> Option<&BlockRun> {
        self.in_block.is_active().then_some(&self.in_block)
    }

    /// Goes on to the next value of a run that [`Self::begin_run`] has begun in this direction. Whether
    /// there is one.
    #[inline(always)]
    pub(crate) fn step(&mut self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self.in_block.step_on(),
            Direction::Backward => self.in_block.step_back(),
        }
    }

    /// Begins a run at the entry here if those that follow in its block are nothing but values, each of
    /// another user key, as old as `sequence`, before anything else in the scan and before `bound`. For keys
    /// that are ordered as bytes, without timestamps.
    #[inline]
    pub(crate) fn begin_run(
        &mut self,
        direction: Direction,
        sequence: SequenceNumber,
        bound: Option<&[u8]>,
    ) {
        if !FastPath::BlockRuns.is_on() {
            return;
        }
        let (run, other) = match &mut self.runs {
            ScanRuns::One(run) => (run, None),
            ScanRuns::Merged(merged) => match merged.steady_child() {
                Some((run, other)) => (run, other.map(extract_user_key)),
                None => return,
            },
        };
        if let ScanRun::Level(level) = run {
            let is_backward = direction == Direction::Backward;
            let limits = RunLimits { is_backward, sequence, ends: [other, bound] };
            level.begin_run(&mut self.in_block, &limits);
        }
    }

    /// Leaves the run that the scan is in, if it is in one.
    #[inline]
    pub(crate) fn end_run(&mut self) {
        if self.in_block.is_active() {
            self.leave_run();
        }
    }

    #[inline(never)]
    fn leave_run(&mut self) {
        let run = match &mut self.runs {
            ScanRuns::One(run) => Some(run),
            ScanRuns::Merged(merged) => merged.current_child(),
        };
        if let Some(ScanRun::Level(level)) = run {
            level.end_run(&mut self.in_block);
        }
        if let ScanRuns::Merged(merged) = &mut self.runs {
            merged.note_current_moved();
        }
    }

    /// Which run the cursor stands in.
    #[inline]
    pub(crate) fn current_run(&self) -> usize {
        match &self.runs {
            ScanRuns::One(_) => 0,
            ScanRuns::Merged(cursor) => cursor.current_index(),
        }
    }

    /// Seeks the runs from `first` on, of which the current one is one, to `target` in the direction of the
    /// scan: range tombstones hide what they have until then.
    pub(crate) fn pass_hidden(
        &mut self,
        first: usize,
        target: &[u8],
        direction: Direction,
    ) -> Result<()> {
        self.end_run();
        match &mut self.runs {
            ScanRuns::One(cursor) => pass_hidden(cursor, target, direction),
            ScanRuns::Merged(cursor) => cursor.pass_hidden(first, target),
        }
    }

    /// As [`MergingIterator::pass_deleted_keys`]; in one run alone nothing.
    #[inline]
    pub(crate) fn pass_deleted_keys(
        &mut self,
        sequence: SequenceNumber,
        bound: Option<&[u8]>,
        user_key: &mut Vec<u8>,
    ) -> Result<PassedKeys> {
        self.end_run();
        match &mut self.runs {
            ScanRuns::One(_) => Ok(PassedKeys::default()),
            ScanRuns::Merged(cursor) => cursor.pass_deleted_keys(sequence, bound, user_key),
        }
    }
}

impl InternalIterator for ScanCursor {
    #[inline(always)]
    fn valid(&self) -> bool {
        self.runs.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.end_run();
        self.runs.seek_to_first()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.end_run();
        self.runs.seek_to_last()
    }

    #[inline(always)]
    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.end_run();
        self.runs.seek(target)
    }

    #[inline(always)]
    fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<bool> {
        self.end_run();
        self.runs.approach(target, step)
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.end_run();
        self.runs.seek_for_prev(target)
    }

    #[inline(always)]
    fn next(&mut self) -> Result<()> {
        self.end_run();
        self.runs.next()
    }

    #[inline(always)]
    fn prev(&mut self) -> Result<()> {
        self.end_run();
        self.runs.prev()
    }

    fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        self.end_run();
        self.runs.pass_deletions(limit)
    }

    fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        self.end_run();
        self.runs.pass_deletions_back(limit)
    }

    #[inline(always)]
    fn key(&self) -> &[u8] {
        match self.in_block() {
            Some(run) => run.key(),
            None => self.runs.key(),
        }
    }

    #[inline(always)]
    fn value(&self) -> &[u8] {
        match self.in_block() {
            Some(run) => run.value(),
            None => self.runs.value(),
        }
    }

    #[inline(always)]
    fn starts_user_key(&self) -> bool {
        // All entries of a run do, but the first may not.
        self.in_block().is_none() && self.runs.starts_user_key()
    }

    #[inline(always)]
    fn newer_version(&self) -> NewerVersion<'_> {
        match self.in_block() {
            Some(_) => NewerVersion::Unknown,
            None => self.runs.newer_version(),
        }
    }

    fn pinned_value(&self) -> PinnableSlice {
        match self.in_block() {
            Some(run) => run.pinned_value(),
            None => self.runs.pinned_value(),
        }
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
            fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<bool> {
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
iterate_as_either!(ScanRuns: One, Merged);
