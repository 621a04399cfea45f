//! What a memtable keeps of keys of which nothing shows ([`crate::hidden_range`]).

use super::{MemTable, WriterState};
use crate::hidden_range::{HiddenRange, HiddenRanges, HiddenSlot, RANGES_MAX};
use base::dbformat::{InternalKey, MAX_SEQUENCE_NUMBER};
use base::{InternalIterator, ParsedInternalKey};
use std::sync::Arc;

impl MemTable {
    /// Keeps what a scan has learned, in the place of what was known of these keys, unless that is more, or a record
    /// that shows came meanwhile. `known` is a range that held for the scan and that the new one extends at its end.
    pub fn remember_hidden(&self, range: HiddenRange, known: Option<&Arc<HiddenRange>>) {
        let range = Arc::new(range);
        let mut unseen_from = range.start.as_deref();
        let mut state = self.writer.lock();
        if self.is_immutable() {
            return;
        }
        if let Some(known) = known
            && state.watched.has(known)
            && known.start == range.start
            && known.end.is_some()
        {
            unseen_from = known.end.as_deref();
        }
        if !self.watch_hidden(&mut state, &range) {
            return;
        }
        let has_newer = self.largest_sequence() > Some(range.sequence);
        drop(state);
        let shows = has_newer && self.has_shown_since(&range, unseen_from);
        let mut state = self.writer.lock();
        if shows {
            state.watched.remove(&range);
        } else if state.watched.has(&range) {
            self.hidden.update(|shown| shown.insert(range, &self.comparator));
        }
    }

    /// Watches a range, and no more those that have keys in common with it or, where there are many, the shortest.
    /// Not if these are longer.
    fn watch_hidden(&self, state: &mut WriterState, range: &Arc<HiddenRange>) -> bool {
        let mut given_up = state.watched.overlapping(range, &self.comparator);
        let holds = |other: &HiddenRange| other.holds(range.sequence, range.super_version_number);
        if given_up.iter().any(|other| other.entries > range.entries && holds(other)) {
            return false;
        }
        if state.watched.len() - given_up.len() >= RANGES_MAX {
            let is_given_up =
                |other: &Arc<HiddenRange>| given_up.iter().any(|it| Arc::ptr_eq(it, other));
            let others = state.watched.iter().filter(|other| !is_given_up(other));
            let shortest = others.min_by_key(|other| other.entries).cloned();
            let Some(shortest) = shortest.filter(|it| it.entries <= range.entries) else {
                return false;
            };
            given_up.push(shortest);
        }
        for other in &given_up {
            other.set_broken();
            state.watched.remove(other);
        }
        self.hidden.update(|shown| given_up.iter().for_each(|other| shown.remove(other)));
        state.watched.insert(range.clone(), &self.comparator);
        true
    }

    /// A record of `user_key` that shows is in the memtable.
    #[inline(never)]
    pub(super) fn break_hidden(&self, state: &mut WriterState, user_key: &[u8]) {
        if let Some(watched) = state.watched.at(Some(user_key), &self.comparator).cloned() {
            watched.set_broken();
            state.watched.remove(&watched);
            self.hidden.update(|shown| shown.remove(&watched));
        }
    }

    /// Keeps what is known of the state numbered `from` for the state `to` as well, which shows the same.
    pub fn keep_hidden(&self, from: u64, to: u64) {
        let mut state = self.writer.lock();
        self.keep_all_hidden(&mut state, &self.hidden.all(), from, to);
    }

    /// Takes over what `full` knew in the state numbered `from`, for the state `to`, in which this memtable
    /// takes the writes in its place. To be called before there are any, and after the last into `full`.
    pub fn take_hidden(&self, full: &HiddenSlot, from: u64, to: u64) {
        let mut state = self.writer.lock();
        self.keep_all_hidden(&mut state, &full.all(), from, to);
    }

    fn keep_all_hidden(&self, state: &mut WriterState, known: &HiddenRanges, from: u64, to: u64) {
        if known.is_empty() {
            return;
        }
        let known = known.iter().filter(|it| it.super_version_number == from && !it.is_broken());
        let kept: HiddenRanges = known.map(|it| Arc::new(it.in_state(to))).collect();
        state.watched.iter().for_each(|given_up| given_up.set_broken());
        state.watched = kept.clone();
        self.hidden.update(|shown| *shown = kept);
    }

    /// Whether a record newer than the range came into it, from `start` on, that is no deletion.
    fn has_shown_since(&self, range: &HiddenRange, start: Option<&[u8]>) -> bool {
        let mut records = self.new_iterator();
        let moved = match start {
            Some(start) => {
                records.seek(InternalKey::for_seek(start, MAX_SEQUENCE_NUMBER).as_bytes())
            }
            None => records.seek_to_first(),
        };
        let mut result = moved;
        while result.is_ok() && records.valid() {
            let Ok(key) = ParsedInternalKey::parse(records.key()) else { return true };
            if !range.contains(key.user_key, &self.comparator) {
                return false;
            }
            if key.sequence > range.sequence && !key.value_type.is_point_deletion() {
                return true;
            }
            result = records.next();
        }
        result.is_err()
    }
}
