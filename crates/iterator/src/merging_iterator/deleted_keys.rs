//! Passes keys in a row that point deletions hide, without a look at each entry from above.
//!
//! A table that is consumed from the front has, key by key, a deletion in one run and what it hides in an older
//! one. Of such a pair neither has to be put in the order of all runs: the deletion's run goes on to its next
//! key, the other one follows it.

use super::{Children, MergingIterator};
use crate::Direction;
use base::dbformat::{TRAILER_SIZE, extract_user_key};
use base::{InternalIterator, ParsedInternalKey, Result, SequenceNumber};

/// Deletions in a row that hide nothing in other runs, before who calls may try to pass them as a whole.
const LONELY_MAX: u32 = 8;
/// Deletions that are passed at a time, before who calls looks whether to go on.
const DELETIONS_MAX: u64 = 1 << 16;
/// Older versions of a key that are stepped over in one run.
const STEPS_MAX: u64 = 8;

/// What was passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassedKeys {
    /// Deletions, each the newest version of its key.
    pub deletions: u64,
    /// Older versions of their keys, as far as these were not sought past.
    pub hidden: u64,
}

impl<I: InternalIterator> MergingIterator<I> {
    /// Going forward, from a point deletion that is the newest version of its key as of `sequence`: passes its key,
    /// and those after it as long as the newest version of each is a deletion of the same child, as old as `sequence`
    /// and before the user key `bound`. Ends at an entry of a key that is not passed, at the latest after 65,536
    /// deletions, or where it began. For keys
    /// without timestamps. `user_key` becomes the last that was passed.
    ///
    /// # Errors
    /// As a step, or as a seek.
    pub fn pass_deleted_keys(
        &mut self,
        sequence: SequenceNumber,
        bound: Option<&[u8]>,
        user_key: &mut Vec<u8>,
    ) -> Result<PassedKeys> {
        let mut passed = PassedKeys::default();
        if self.direction == Direction::Backward {
            return Ok(passed);
        }
        let result = self.pass_pairs(sequence, bound, user_key, &mut passed);
        match result {
            Ok(()) => self.settle(),
            Err(_) => self.fail(),
        }
        result.map(|()| passed)
    }

    fn pass_pairs(
        &mut self,
        sequence: SequenceNumber,
        bound: Option<&[u8]>,
        user_key: &mut Vec<u8>,
        passed: &mut PassedKeys,
    ) -> Result<()> {
        let mut lonely = 0;
        while lonely < LONELY_MAX && passed.deletions < DELETIONS_MAX {
            let hidden_before = passed.hidden;
            if !self.pass_in_others(passed)? {
                return Ok(());
            }
            lonely = if passed.hidden > hidden_before { 0 } else { lonely + 1 };
            self.leave_key(user_key, passed)?;
            if !self.stands_on_deletion_ahead(sequence, bound) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Has the other children pass what they have of the key here, which is older. Whether they have done so:
    /// where there are many versions a seek would be better.
    #[inline]
    fn pass_in_others(&mut self, passed: &mut PassedKeys) -> Result<bool> {
        let Self { children, direction, current: Some(current), others, .. } = self else {
            return Ok(false);
        };
        let mut steps = 0;
        while let Some(other) = others.first()
            && !children.differ(current, other)
        {
            if steps == STEPS_MAX {
                return Ok(false);
            }
            let child = other.child;
            children.iterators[child].next()?;
            steps += 1;
            passed.hidden += 1;
            if children.iterators[child].valid() {
                let place = children.place(child, *direction);
                others.replace_first(place, |a, b| children.is_before(*direction, a, b));
            } else {
                others.pop(|a, b| children.is_before(*direction, a, b));
            }
        }
        Ok(true)
    }

    /// Has the current child go on to its next user key, from `user_key`.
    #[inline]
    fn leave_key(&mut self, user_key: &mut Vec<u8>, passed: &mut PassedKeys) -> Result<()> {
        let Self { children, current: Some(current), .. } = self else { return Ok(()) };
        let Children { comparator, iterators } = children;
        let iterator = &mut iterators[current.child];
        user_key.clear();
        user_key.extend_from_slice(extract_user_key(iterator.key()));
        passed.deletions += 1;
        iterator.next()?;
        let mut steps = 0;
        while iterator.valid()
            && comparator.is_equal_without_timestamp(extract_user_key(iterator.key()), user_key)
        {
            steps += 1;
            if steps == STEPS_MAX {
                // To the oldest version that there can be, which is passed then, too.
                let length = user_key.len();
                user_key.resize(length + TRAILER_SIZE, 0);
                let sought = iterator.seek(user_key);
                user_key.truncate(length);
                sought?;
            } else {
                passed.hidden += 1;
                iterator.next()?;
            }
        }
        Ok(())
    }

    /// Whether the current child, which has moved, stands on a deletion that comes next in the scan and is to be
    /// passed.
    #[inline]
    fn stands_on_deletion_ahead(&mut self, sequence: SequenceNumber, bound: Option<&[u8]>) -> bool {
        let Self { children, direction, current: Some(current), others, .. } = self else {
            return false;
        };
        let iterator = &children.iterators[current.child];
        if !iterator.valid() {
            return false;
        }
        let Ok(key) = ParsedInternalKey::parse(iterator.key()) else { return false };
        if key.sequence > sequence || !key.value_type.is_point_deletion() {
            return false;
        }
        if bound
            .is_some_and(|bound| children.comparator.compare_user_keys(key.user_key, bound).is_ge())
        {
            return false;
        }
        *current = children.place(current.child, *direction);
        others.first().is_none_or(|other| !children.is_before(*direction, other, current))
    }
}

#[cfg(test)]
mod tests;
