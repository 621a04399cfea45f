//! One sorted run made of several.
//!
//! The child that stands on the next entry is kept apart from the others, of which the first is known, the
//! runner-up (`runners_up`): while the same child stays ahead a move costs one comparison. Each place
//! caches the first eight bytes of its child's user key, so that most comparisons of bytewise keys
//! look at two integers and at no child.
//!
//! A seek goes through the tables step by step, each step in all of them before the next, so that what
//! they wait for from memory they wait for together.
//!
//! Entries with equal internal keys come in the order of their children, and in the opposite order
//! backward.

mod deleted_keys;
mod runners_up;

use crate::{Direction, VecIterator};
use base::dbformat::extract_user_key;
use base::{
    FastPath, InternalIterator, InternalKeyComparator, NewerVersion, PinnableSlice, Result,
    SeekStep, key_prefix,
};
pub use deleted_keys::PassedKeys;
use perf_context::{PerfMetric, Timer, count};
use runners_up::RunnersUp;
use std::cmp::Ordering;

/// A child that stands on an entry.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Orders places as their user keys' first bytes do in the direction of the scan; zero for
    /// orders other than bytewise.
    rank: u64,
    child: usize,
}

/// Merges any number of children, of one type so that none is called through a table of functions.
pub struct MergingIterator<I = Box<dyn InternalIterator>> {
    children: Children<I>,
    direction: Direction,
    current: Option<Place>,
    /// Whether the last move left the current child ahead of the others.
    stays: bool,
    /// The valid children other than the current one.
    others: RunnersUp,
    /// The key to return to when the direction changes; kept for its allocation.
    anchor: Vec<u8>,
}

/// The children and how to order them, borrowed apart from the heap.
struct Children<I> {
    comparator: InternalKeyComparator,
    iterators: Vec<I>,
}

impl<I: InternalIterator> Children<I> {
    #[inline]
    fn place(&self, child: usize, direction: Direction) -> Place {
        let rank = if self.comparator.is_bytewise() {
            let prefix = key_prefix(extract_user_key(self.iterators[child].key()));
            match direction {
                Direction::Forward => prefix,
                Direction::Backward => !prefix,
            }
        } else {
            0
        };
        Place { rank, child }
    }

    /// Whether two children stand on entries of different user keys, timestamps aside.
    #[inline]
    fn differ(&self, a: &Place, b: &Place) -> bool {
        let user_key = |place: &Place| extract_user_key(self.iterators[place.child].key());
        a.rank != b.rank || !self.comparator.is_equal_without_timestamp(user_key(a), user_key(b))
    }

    /// Whether `a` comes before `b` in the direction of the scan.
    #[inline(always)]
    fn is_before(&self, direction: Direction, a: &Place, b: &Place) -> bool {
        a.rank < b.rank || a.rank == b.rank && self.is_before_by_key(direction, a, b)
    }

    /// As [`Self::is_before`], for places that ranks don't tell apart.
    #[inline(never)]
    fn is_before_by_key(&self, direction: Direction, a: &Place, b: &Place) -> bool {
        let order = self
            .comparator
            .compare(self.iterators[a.child].key(), self.iterators[b.child].key())
            .then(a.child.cmp(&b.child));
        match direction {
            Direction::Forward => order.is_lt(),
            Direction::Backward => order.is_gt(),
        }
    }
}

/// Merges `children`. A single child is returned as it is.
pub fn merge(
    comparator: &InternalKeyComparator,
    mut children: Vec<Box<dyn InternalIterator>>,
) -> Box<dyn InternalIterator> {
    match children.len() {
        0 => Box::new(VecIterator::empty(comparator.clone())),
        1 => children.swap_remove(0),
        _ => Box::new(MergingIterator::new(comparator.clone(), children)),
    }
}

/// Seeks a cursor over entries that range tombstones hide.
///
/// # Errors
/// As a seek.
pub fn pass_hidden(
    cursor: &mut impl InternalIterator,
    target: &[u8],
    direction: Direction,
) -> Result<()> {
    count(PerfMetric::InternalRangeDelReseekCount, 1);
    match direction {
        Direction::Forward => cursor.seek(target),
        Direction::Backward => cursor.seek_for_prev(target),
    }
}

impl<I: InternalIterator> MergingIterator<I> {
    /// Merges `iterators`, whose keys must be in the order of `comparator`.
    pub fn new(comparator: InternalKeyComparator, iterators: Vec<I>) -> Self {
        let others = RunnersUp::with_capacity(iterators.len());
        Self {
            children: Children { comparator, iterators },
            direction: Direction::Forward,
            current: None,
            stays: false,
            others,
            anchor: Vec::new(),
        }
    }

    /// Stands nowhere, as when it was made, after each child was put `to_rest`.
    pub fn rest(&mut self, to_rest: impl FnMut(&mut I)) {
        self.children.iterators.iter_mut().for_each(to_rest);
        self.current = None;
        self.stays = false;
        self.others.clear();
        self.anchor.clear();
    }

    /// Moves every child with `seek`, then finds the one to start from.
    fn start(
        &mut self,
        direction: Direction,
        mut seek: impl FnMut(usize, &mut I) -> Result<()>,
    ) -> Result<()> {
        self.direction = direction;
        self.current = None;
        self.stays = false;
        self.others.clear();
        count(PerfMetric::SeekChildSeekCount, self.children.iterators.len() as u64);
        let mut timer = Timer::start(PerfMetric::SeekChildSeekTime);
        for index in 0..self.children.iterators.len() {
            let child = &mut self.children.iterators[index];
            if let Err(error) = seek(index, child) {
                self.others.clear();
                return Err(error);
            }
            if child.valid() {
                self.others.add(self.children.place(index, direction));
            }
        }
        timer.switch_to(match direction {
            Direction::Forward => PerfMetric::SeekMinHeapTime,
            Direction::Backward => PerfMetric::SeekMaxHeapTime,
        });
        let children = &self.children;
        let is_before = |a: &Place, b: &Place| children.is_before(direction, a, b);
        self.others.start(children.comparator.is_bytewise(), is_before);
        self.current = self.others.pop(is_before);
        Ok(())
    }

    /// Has all children take the steps that lead to a seek, each before the next, until none of them waits for
    /// anything. Inlined, so that each step is compiled by itself.
    #[inline(always)]
    fn approach_all(&mut self, target: &[u8], steps: [SeekStep; 4]) -> Result<()> {
        if !FastPath::SeeksTogether.is_on() {
            return Ok(());
        }
        let _timer = Timer::start(PerfMetric::SeekChildSeekTime);
        for step in steps {
            let mut waits = false;
            for child in &mut self.children.iterators {
                waits |= child.approach(target, step)?;
            }
            if !waits {
                break;
            }
        }
        Ok(())
    }

    /// The child that stands on the entry here.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn current_index(&self) -> usize {
        self.current().child
    }

    /// Seeks the children from `first` on to `target`, in the direction of the last move, as far as they
    /// have not come there: what they have until then is not to be seen.
    ///
    /// # Errors
    /// As a seek.
    pub fn pass_hidden(&mut self, first: usize, target: &[u8]) -> Result<()> {
        let (direction, comparator) = (self.direction, self.children.comparator.clone());
        self.start(direction, |index, child| {
            if index < first || !child.valid() {
                return Ok(());
            }
            let order = comparator.compare(child.key(), target);
            match direction {
                Direction::Forward if order.is_lt() => pass_hidden(child, target, direction),
                Direction::Backward if order.is_gt() => pass_hidden(child, target, direction),
                _ => Ok(()),
            }
        })
    }

    #[inline]
    fn current(&self) -> &Place {
        match &self.current {
            Some(place) => place,
            None => panic!("iterator is not valid"),
        }
    }

    /// Puts the current child, which has moved, back in its place.
    #[inline]
    fn settle(&mut self) {
        let Self { children, direction, current: Some(current), others, stays, .. } = self else {
            return;
        };
        *stays = false;
        let is_before = |a: &Place, b: &Place| children.is_before(*direction, a, b);
        if children.iterators[current.child].valid() {
            *current = children.place(current.child, *direction);
            if let Some(runner_up) = others.first()
                && is_before(runner_up, current)
            {
                *current = others.replace_first(*current, is_before);
            } else {
                *stays = true;
            }
        } else {
            self.current = others.pop(is_before);
        }
    }

    /// The current child, and the internal key that the next one of the others stands on, if there is one:
    /// in the direction of the scan the child is ahead up to there. None where it has just come ahead, which
    /// tells that others are near.
    #[inline]
    pub fn steady_child(&mut self) -> Option<(&mut I, Option<&[u8]>)> {
        let current = self.current.as_ref().filter(|_| self.stays)?.child;
        let iterators = &mut self.children.iterators;
        match self.others.first() {
            Some(other) => {
                let [child, other] = iterators.get_disjoint_mut([current, other.child]).ok()?;
                Some((child, Some(other.key())))
            }
            None => Some((&mut iterators[current], None)),
        }
    }

    /// The child that stands on the entry here, if there is one. Who moves it moves it back.
    #[inline]
    pub fn current_child(&mut self) -> Option<&mut I> {
        let current = self.current.as_ref()?.child;
        self.children.iterators.get_mut(current)
    }

    /// Takes in that the current child was moved, to an entry that is still ahead of the others.
    #[inline]
    pub fn note_current_moved(&mut self) {
        if let Some(current) = &mut self.current {
            *current = self.children.place(current.child, self.direction);
        }
    }

    /// Has the current child pass deletions, as far as no other child has an entry among them: all that
    /// it passes is then in a row here, too.
    fn pass_in_current(
        &mut self,
        limit: Option<&[u8]>,
        is_nearer: fn(Ordering) -> bool,
        pass: impl FnOnce(&mut I, Option<&[u8]>) -> Result<bool>,
    ) -> Result<bool> {
        let current = *self.current();
        let Children { comparator, iterators } = &mut self.children;
        let other = self.others.first().map(|other| iterators[other.child].key());
        let limit = match (limit, other) {
            (Some(limit), Some(other)) if is_nearer(comparator.compare(limit, other)) => {
                Some(limit)
            }
            (limit, None) => limit,
            (_, other) => other,
        };
        let mut anchor = std::mem::take(&mut self.anchor);
        anchor.clear();
        anchor.extend_from_slice(limit.unwrap_or_default());
        let limit = limit.is_some().then_some(anchor.as_slice());
        let passed = pass(&mut iterators[current.child], limit);
        self.anchor = anchor;
        match passed {
            Ok(true) => self.settle(),
            Ok(false) => {}
            Err(_) => self.fail(),
        }
        passed
    }

    #[cold]
    fn fail(&mut self) {
        self.current = None;
        self.others.clear();
    }

    /// Turns round at the current entry and steps to the next one in `direction`.
    #[cold]
    fn turn(&mut self, direction: Direction) -> Result<()> {
        let current = self.current().child;
        let mut anchor = std::mem::take(&mut self.anchor);
        anchor.clear();
        anchor.extend_from_slice(self.key());
        let result = self.start(direction, |index, child| match direction {
            _ if index == current => match direction {
                Direction::Forward => child.next(),
                Direction::Backward => child.prev(),
            },
            Direction::Forward => {
                child.seek(&anchor)?;
                while index < current && child.valid() && child.key() == anchor {
                    child.next()?;
                }
                Ok(())
            }
            Direction::Backward => {
                child.seek_for_prev(&anchor)?;
                while index > current && child.valid() && child.key() == anchor {
                    child.prev()?;
                }
                Ok(())
            }
        });
        self.anchor = anchor;
        result
    }
}

impl<I: InternalIterator> InternalIterator for MergingIterator<I> {
    #[inline]
    fn valid(&self) -> bool {
        self.current.is_some()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.start(Direction::Forward, |_, child| child.seek_to_first())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.start(Direction::Backward, |_, child| child.seek_to_last())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        if let Err(error) = self.approach_all(target, SeekStep::ALL) {
            self.fail();
            return Err(error);
        }
        self.start(Direction::Forward, |_, child| child.seek(target))
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        if let Err(error) = self.approach_all(target, SeekStep::ALL_BEFORE) {
            self.fail();
            return Err(error);
        }
        self.start(Direction::Backward, |_, child| child.seek_for_prev(target))
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        if self.direction == Direction::Backward {
            return self.turn(Direction::Forward);
        }
        let child = self.current().child;
        if let Err(error) = self.children.iterators[child].next() {
            self.fail();
            return Err(error);
        }
        self.settle();
        Ok(())
    }

    #[inline]
    fn prev(&mut self) -> Result<()> {
        if self.direction == Direction::Forward {
            return self.turn(Direction::Backward);
        }
        let child = self.current().child;
        if let Err(error) = self.children.iterators[child].prev() {
            self.fail();
            return Err(error);
        }
        self.settle();
        Ok(())
    }

    fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        if self.direction == Direction::Backward {
            return Ok(false);
        }
        self.pass_in_current(limit, Ordering::is_lt, I::pass_deletions)
    }

    fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        if self.direction == Direction::Forward {
            return Ok(false);
        }
        self.pass_in_current(limit, Ordering::is_gt, I::pass_deletions_back)
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.children.iterators[self.current().child].key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.children.iterators[self.current().child].value()
    }

    #[inline]
    fn starts_user_key(&self) -> bool {
        self.newer_version() == NewerVersion::None
    }

    #[inline]
    fn newer_version(&self) -> NewerVersion<'_> {
        let current = self.current();
        if self.direction == Direction::Forward {
            // The others are ahead and say nothing of what is behind.
            return NewerVersion::Unknown;
        }
        match self.others.first() {
            Some(other) if !self.children.differ(current, other) => {
                NewerVersion::Known(self.children.iterators[other.child].key())
            }
            _ => self.children.iterators[current.child].newer_version(),
        }
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.children.iterators[self.current().child].pinned_value()
    }
}

#[cfg(test)]
mod tests;
