//! Going backward: versions of a key come oldest first.

use super::{DbIter, Stands, before_versions, push_trailer, timed, too_many_skipped};
use base::NewerVersion::{self, Known, Unknown};
use base::dbformat::{ParsedInternalKey, ValueType};
use base::{InternalIterator, PinnableSlice, Result};
use iterator::Direction;
use perf_context::{PerfMetric, count};

/// What the visible versions of one key seen so far, oldest to newest, add up to.
#[derive(Default)]
struct Versions {
    /// The newest thing that is not a merge operand: a value, or nothing if a deletion or the
    /// beginning.
    base: Option<(ValueType, PinnableSlice)>,
    /// Operands newer than the base, oldest first.
    operands: Vec<PinnableSlice>,
    /// The newest of them is a deletion that counts ([`DbIter::is_to_convert`]).
    is_to_convert: bool,
}

impl DbIter {
    /// Moves the internal cursor to the last entry before every version of `upper`, a user key
    /// without timestamp.
    pub(super) fn seek_internal_before(&mut self, upper: &[u8]) -> Result<()> {
        let newest = [upper, &self.comparator.user_comparator().max_timestamp()].concat();
        let target = before_versions(&newest);
        timed(|| self.internal.seek_for_prev(target.as_bytes()))?;
        self.step_before_versions_of(upper)
    }

    /// Moves the internal cursor to the oldest version of `target`, a user key without timestamp,
    /// or to what is before it.
    pub(super) fn seek_internal_to_last_version(&mut self, target: &[u8]) -> Result<()> {
        self.target.clear();
        self.target.extend_from_slice(target);
        if self.comparator.timestamp_size() > 0 {
            self.target.extend_from_slice(&self.comparator.user_comparator().min_timestamp());
        }
        push_trailer(&mut self.target, 0, ValueType::Deletion);
        timed(|| self.internal.seek_for_prev(&self.target))
    }

    /// From forward to backward: the internal cursor goes before every version of the key shown.
    pub(super) fn turn_backward(&mut self) -> Result<()> {
        self.direction = Direction::Backward;
        self.stands = Stands::BeforeVersions;
        let plain = self.comparator.strip_timestamp(&self.key).to_vec();
        self.seek_internal_before(&plain)
    }

    /// From backward to forward: the internal cursor goes to a version of the key shown, which
    /// the caller skips.
    pub(super) fn turn_forward(&mut self) -> Result<()> {
        self.direction = Direction::Forward;
        self.stands = Stands::OnEntry;
        let target = before_versions(&self.key);
        self.internal.seek(target.as_bytes())
    }

    /// Steps back over versions of a user key without timestamp.
    fn step_before_versions_of(&mut self, plain_key: &[u8]) -> Result<()> {
        while self.internal.valid() {
            let parsed = ParsedInternalKey::parse(self.internal.key())?;
            let here = self.comparator.strip_timestamp(parsed.user_key);
            if self.compare_plain(here, plain_key).is_lt() {
                break;
            }
            self.internal.prev()?;
        }
        Ok(())
    }

    /// Moves the internal cursor back over keys that are not shown and over every version of the
    /// first that is. So many were passed on the way here.
    pub(super) fn find_prev_user_entry(&mut self, mut passed: u64) -> Result<()> {
        self.begin_move_back();
        self.stands = Stands::BeforeVersions;
        let found = self.find_prev_shown(&mut passed);
        if found.is_ok() {
            self.convert_backward();
        }
        self.stats.count_skipped(passed.saturating_sub(u64::from(self.valid)));
        found
    }

    /// As [`Self::find_prev_user_entry`]; counts the entries passed.
    fn find_prev_shown(&mut self, passed: &mut u64) -> Result<()> {
        self.valid = false;
        let mut is_in_hidden = false;
        while self.internal.valid() {
            if (is_in_hidden || self.stands_on_deletion()?) && self.pass_deletions_back()? {
                continue;
            }
            let parsed = ParsedInternalKey::parse(self.internal.key())?;
            let plain_key = self.comparator.strip_timestamp(parsed.user_key);
            if let Some(lower) = &self.lower_bound
                && self.compare_plain(plain_key, lower).is_lt()
            {
                return Ok(());
            }
            if self.prefix.is_some() && !self.is_in_prefix(plain_key) {
                return Ok(());
            }
            let value_type = parsed.value_type;
            let may_decide = self.is_visible(&parsed)
                && !value_type.is_point_deletion()
                && value_type != ValueType::Merge
                && *passed <= self.skippable_max;
            // Versions come oldest first.
            let newer = if may_decide { self.internal.newer_version() } else { Unknown };
            if let Known(newer) = newer
                && self.tombstones.is_empty()
                && self.replaces_older(newer)?
            {
                *passed += 1;
                count(PerfMetric::InternalKeySkippedCount, 1);
                self.internal.prev()?;
                continue;
            }
            let is_newest = newer == NewerVersion::None;
            self.key.clear();
            self.key.extend_from_slice(parsed.user_key);
            if is_newest && !self.is_range_deleted()? {
                return self.show_newest_version(value_type, passed);
            }
            let versions = self.collect_versions(passed)?;
            let is_to_convert = versions.is_to_convert;
            if self.decide(versions)? {
                self.valid = true;
                self.stats.count_shown(self.shown_bytes().unwrap_or(0));
                return Ok(());
            }
            if is_to_convert {
                self.count_deletion_back();
            }
            is_in_hidden = !self.tombstones.is_empty();
        }
        Ok(())
    }

    #[inline]
    fn stands_on_deletion(&self) -> Result<bool> {
        let here = ParsedInternalKey::parse(self.internal.key())?;
        Ok(here.value_type.is_point_deletion())
    }

    /// Whether the version at this internal key makes older ones of its key not matter.
    #[inline]
    fn replaces_older(&self, newer: &[u8]) -> Result<bool> {
        let newer = ParsedInternalKey::parse(newer)?;
        Ok(newer.value_type != ValueType::Merge
            && self.comparator.timestamp_size() == 0
            && self.is_visible(&newer))
    }

    /// Shows the entry here, which is its key's newest: the cursor stays on it.
    #[inline]
    fn show_newest_version(&mut self, value_type: ValueType, passed: &mut u64) -> Result<()> {
        *passed += 1;
        count(PerfMetric::InternalKeySkippedCount, 1);
        self.entry =
            self.resolver.show(&self.blob_options, &self.key, value_type, &self.internal)?;
        self.stands = Stands::OnEntry;
        self.is_oldest = false;
        self.valid = true;
        self.stats.count_shown(self.shown_bytes().unwrap_or(0));
        Ok(())
    }

    /// Walks back over every version of [`DbIter::key`], whose timestamp ends up as that of
    /// the newest visible version.
    fn collect_versions(&mut self, skipped: &mut u64) -> Result<Versions> {
        let mut versions = Versions::default();
        let mut steps = 0u64;
        while self.internal.valid() {
            let parsed = ParsedInternalKey::parse(self.internal.key())?;
            if self.comparator.compare_without_timestamp(parsed.user_key, &self.key).is_ne() {
                break;
            }
            if *skipped > self.skippable_max {
                return Err(too_many_skipped());
            }
            *skipped += 1;
            if !self.is_visible(&parsed) {
                count(PerfMetric::InternalRecentSkippedCount, 1);
                steps += 1;
                // Of one time, versions that follow are newer still; a later time may come with an
                // older sequence number.
                if steps > self.skips_max_now
                    && parsed.sequence > self.sequence
                    && self.timestamp.is_empty()
                {
                    let plain = self.comparator.strip_timestamp(&self.key).to_vec();
                    self.stats.count_reseek();
                    self.seek_internal_before(&plain)?;
                    break;
                }
                self.internal.prev()?;
                continue;
            }
            let value_type = parsed.value_type;
            if !self.timestamp.is_empty() {
                self.key.clear();
                self.key.extend_from_slice(parsed.user_key);
            }
            if value_type.is_point_deletion() || self.is_range_deleted()? {
                count(PerfMetric::InternalDeleteSkippedCount, 1);
                versions = Versions { is_to_convert: self.is_to_convert()?, ..Versions::default() };
            } else if value_type == ValueType::Merge {
                count(PerfMetric::InternalMergeCount, 1);
                versions.operands.push(self.internal.pinned_value());
            } else {
                versions.operands.clear();
                versions.base = Some((value_type, self.internal.pinned_value()));
            }
            count(PerfMetric::InternalKeySkippedCount, 1);
            self.internal.prev()?;
        }
        Ok(versions)
    }

    /// Turns versions into what is shown; false if the key is deleted.
    fn decide(&mut self, Versions { base, operands, .. }: Versions) -> Result<bool> {
        self.entry = if !operands.is_empty() {
            self.resolver.merge(&self.blob_options, &self.key, base, &operands)?
        } else if let Some((value_type, value)) = base {
            self.resolver.hold(&self.blob_options, &self.key, value_type, value)?
        } else {
            return Ok(false);
        };
        Ok(true)
    }
}
