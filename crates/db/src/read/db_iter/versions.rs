//! With `iter_start_ts`: every version in a range of time is an entry of its own.
//!
//! Deletions are entries too, with an empty value. Keys are internal keys, so that versions can be
//! told apart: user key, timestamp, and eight bytes of sequence number and type. The internal cursor
//! stands on the entry shown in both directions.

use super::{DbIter, Entry, Stands};
use base::dbformat::{ParsedInternalKey, ValueType, hex};
use base::{InternalIterator, PinnableSlice, Result, Status};
use iterator::Direction;

impl DbIter {
    /// Moves on to the next version.
    #[cold]
    pub(super) fn next_version(&mut self) -> Result<()> {
        self.direction = Direction::Forward;
        self.internal.next()?;
        self.find_version()
    }

    /// Moves back to the version before.
    #[cold]
    pub(super) fn prev_version(&mut self) -> Result<()> {
        self.direction = Direction::Backward;
        self.internal.prev()?;
        self.find_version()
    }

    /// Moves the internal cursor to the first version that is shown, from where it stands, in the
    /// direction of the scan.
    #[cold]
    pub(super) fn find_version(&mut self) -> Result<()> {
        debug_assert!(self.stands == Stands::OnVersion, "versions are not entries");
        self.valid = false;
        let mut skipped = 0u64;
        while self.internal.valid() {
            let parsed = ParsedInternalKey::parse(self.internal.key())?;
            let plain_key = self.comparator.strip_timestamp(parsed.user_key);
            if self.is_out_of_bounds(plain_key) {
                return Ok(());
            }
            if skipped > self.skippable_max {
                return Err(too_many_skipped());
            }
            if self.is_visible(&parsed)
                && self.is_new_enough(parsed.user_key)
                && !self.is_range_deleted()?
            {
                return self.show_version();
            }
            skipped += 1;
            match self.direction {
                Direction::Forward => self.internal.next()?,
                Direction::Backward => self.internal.prev()?,
            }
        }
        Ok(())
    }

    fn show_version(&mut self) -> Result<()> {
        let parsed = ParsedInternalKey::parse(self.internal.key())?;
        let value_type = parsed.value_type;
        self.entry = if value_type.is_point_deletion() {
            Entry::Held(PinnableSlice::default())
        } else if value_type == ValueType::Merge {
            return Err(Status::not_supported(format!(
                "key {} has a merge operand: ReadOptions::iter_start_ts shows versions as they \
                 are stored, and operands have no value by themselves",
                hex(parsed.user_key)
            )));
        } else {
            let value = self.internal.pinned_value();
            self.resolver.hold(&self.blob_options, parsed.user_key, value_type, value)?
        };
        self.key.clear();
        self.key.extend_from_slice(self.internal.key());
        self.valid = true;
        self.stats.count_shown(self.shown_bytes().unwrap_or(0));
        Ok(())
    }

    /// Whether a user key without timestamp is where no entry is shown, and none after it in the
    /// direction of the scan.
    fn is_out_of_bounds(&self, plain_key: &[u8]) -> bool {
        let is_past_bound = match self.direction {
            Direction::Forward => self
                .upper_bound
                .as_ref()
                .is_some_and(|upper| self.compare_plain(plain_key, upper).is_ge()),
            Direction::Backward => self
                .lower_bound
                .as_ref()
                .is_some_and(|lower| self.compare_plain(plain_key, lower).is_lt()),
        };
        is_past_bound || !self.is_in_prefix(plain_key)
    }

    fn is_new_enough(&self, user_key: &[u8]) -> bool {
        let time = &user_key[self.comparator.strip_timestamp(user_key).len()..];
        self.start_timestamp.as_ref().is_none_or(|start| {
            self.comparator.user_comparator().compare_timestamp(time, start).is_ge()
        })
    }
}

/// The scan went over more hidden entries than `max_skippable_internal_keys` allows.
#[cold]
pub(super) fn too_many_skipped() -> Status {
    Status::incomplete("Too many internal keys skipped.")
}
