//! Goes over keys that are deleted in a row before a scan has to (`deletion_pass_trigger`).
//!
//! A table that is consumed from the front gathers deletions there, and what these hide lies in older runs: the
//! first scan from the front has to look at all of it, which takes a quarter of a microsecond a key. Later ones
//! know ([`memtable::HiddenRange`]). So a thread of no other work makes that first scan: whenever so many keys were
//! deleted, and after an open that finds files full of deletions. Where deletions are not in a row it sees that at
//! the next key.
//!
//! | | where a pass begins |
//! |---|---|
//! | first | where the last range before that is known begins, to go on at its end |
//! | then | at the first key |
//! | then | behind the last key that shows before one of those deleted, or the first of a file |
//!
//! until what was deleted is known to be hidden.

use crate::background::may_flush;
use crate::caught_panic::contain_panic;
use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::{DbState, FamilyState};
use crate::property::table_stats::TableStats;
use crate::read::db_iter::{DbIter, PassStart};
use crate::read::read_view::ReadView;
use crate::read::scan;
use base::status::Code;
use base::{InternalKeyComparator, Result};
use env::thread_pool::Priority;
use memtable::{HiddenRange, HiddenSlot};
use options::ColumnFamilyOptions;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use table::ReadOptions;
use version::Version;

/// Entries that one iterator goes over: the next one need not hold on to what is obsolete by then.
const ENTRIES_MAX: u64 = 1 << 16;
/// Entries that are gone over in search of where deletions in a row begin: who closes the database waits for it.
const ENTRIES_BACK_MAX: u64 = 1 << 17;
/// Keys that passes are due for.
const STARTS_MAX: usize = 32;

/// User keys of a column family that were deleted, with others in a row maybe.
#[derive(Clone, Debug, Default)]
pub(crate) struct DuePasses(VecDeque<Vec<u8>>);

impl DuePasses {
    /// One more. Where there are many it takes the place of the one added last: passes go over all that is in a row
    /// with a key, whenever that was deleted.
    pub(crate) fn add(&mut self, start: Vec<u8>) {
        if self.0.contains(&start) {
            return;
        }
        if self.0.len() == STARTS_MAX {
            self.0.pop_back();
        }
        self.0.push_back(start);
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        self.0.pop_front()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How many deletions ask for a pass; none if they never do. What scans pass by these options they may bring under
/// range tombstones, or not remember.
pub(crate) fn pass_trigger(
    options: &ColumnFamilyOptions,
    comparator: &InternalKeyComparator,
) -> Option<u64> {
    let is_remembered = comparator.timestamp_size() == 0;
    let is_converted = options.min_tombstones_for_range_conversion > 0;
    let trigger = u64::from(options.deletion_pass_trigger);
    (trigger > 0 && is_remembered && !is_converted).then_some(trigger)
}

/// The first user keys of files that have at least `trigger` deletions, and these are half of their entries: in
/// their order, and not of too many.
fn starts_of_files(
    version: &Version,
    tables: &TableStats,
    comparator: &InternalKeyComparator,
    trigger: u64,
) -> Vec<Vec<u8>> {
    let is_full_of_deletions = |number: u64| {
        tables.file(number).is_some_and(|stats| {
            let deletions = stats.deletions.saturating_sub(stats.range_deletions);
            deletions >= trigger && deletions >= stats.entries / 2
        })
    };
    let mut starts: Vec<Vec<u8>> = version
        .files()
        .filter(|(_, file)| is_full_of_deletions(file.number))
        .map(|(_, file)| file.smallest.user_key().to_vec())
        .collect();
    starts.sort_by(|a, b| comparator.compare_user_keys(a, b));
    starts.dedup();
    starts.truncate(STARTS_MAX);
    starts
}

impl FamilyState {
    /// Has passes made over what an open has found: deletions in files, and in the memtable from WALs.
    pub(crate) fn note_deletions_found(&mut self) {
        let options = self.data.options();
        let comparator = &self.data.comparator;
        let Some(trigger) = pass_trigger(&options, comparator) else { return };
        let version = self.data.super_version.load().version.clone();
        let of_files = starts_of_files(&version, &self.compaction.tables, comparator, trigger);
        let of_memtable = self.active.writer().take_first_deleted(trigger);
        of_files.into_iter().chain(of_memtable).for_each(|start| self.due_passes.add(start));
    }
}

impl DbImpl {
    /// Has passes made from these keys on, of column families by their ids.
    #[cold]
    pub(crate) fn request_deletion_passes(
        self: &Arc<Self>,
        writing: &Writing,
        deleted: &mut Vec<(u32, Vec<u8>)>,
    ) {
        let mut state = writing.state.lock();
        for (id, start) in deleted.drain(..) {
            if let Some(family) = state.family_mut(id) {
                family.due_passes.add(start);
            }
        }
        self.schedule_deletion_passes(writing, &mut state);
    }

    /// Schedules the passes that are due and may begin, unless a job for them is.
    pub(crate) fn schedule_deletion_passes(
        self: &Arc<Self>,
        writing: &Writing,
        state: &mut DbState,
    ) {
        // Where some writes are not committed, scans remember nothing.
        if state.scheduled.has_deletion_passes
            || !self.visibility.uncommitted.is_empty()
            || !may_flush(writing, state)
            || state.families.values().all(|family| family.due_passes.is_empty())
        {
            return;
        }
        let db = self.clone();
        let scheduled = writing.pool.schedule(Priority::Bottom, move || db.background_passes());
        state.scheduled.has_deletion_passes = scheduled.is_ok();
    }

    fn background_passes(&self) {
        let Ok(writing) = self.writing() else { return };
        while let Some((family, start)) = take_due_pass(writing) {
            let passes = Passes { db: self, writing, family: &family };
            let job = || "a pass over deletions".to_owned();
            if let Err(status) = contain_panic(job, || passes.pass(&start)) {
                writing.info_log.warn(format_args!(
                    "[{}] Keys deleted in a row were not passed in the background: {status}",
                    family.name
                ));
            }
        }
    }
}

/// The next pass, if it may begin. If not, the job is over.
fn take_due_pass(writing: &Writing) -> Option<(Arc<ColumnFamilyData>, Vec<u8>)> {
    let mut state = writing.state.lock();
    let may_begin = may_flush(writing, &state);
    let due = state.families.values_mut().filter(|_| may_begin).find_map(|family| {
        let start = family.due_passes.take()?;
        Some((family.data.clone(), start))
    });
    state.scheduled.has_deletion_passes = due.is_some();
    due
}

/// What passes over a column family need.
struct Passes<'p> {
    db: &'p DbImpl,
    writing: &'p Writing,
    family: &'p ColumnFamilyData,
}

impl Passes<'_> {
    /// Has `key`, which was deleted, passed with what is deleted in a row with it.
    fn pass(&self, key: &[u8]) -> Result<()> {
        if let Some(before) = self.known(|slot, comparator| slot.last_up_to(key, comparator)) {
            self.pass_from(before.start.as_deref().map_or(PassStart::First, PassStart::At))?;
        }
        if self.is_known(key) {
            return Ok(());
        }
        self.pass_from(PassStart::First)?;
        if self.is_known(key) {
            return Ok(());
        }
        match self.last_shown_before(key)? {
            Some(shown) => self.pass_from(PassStart::After(&shown)),
            None => self.pass_from(PassStart::At(key)),
        }
    }

    /// A range that is known of the newest state.
    fn known(
        &self,
        find: impl FnOnce(&HiddenSlot, &InternalKeyComparator) -> Option<Arc<HiddenRange>>,
    ) -> Option<Arc<HiddenRange>> {
        let super_version = self.family.super_version.load();
        let memtable = super_version.memtables.first()?;
        let range = find(memtable.hidden_slot(), &self.family.comparator)?;
        (range.super_version_number == super_version.number).then_some(range)
    }

    fn is_known(&self, key: &[u8]) -> bool {
        self.known(|slot, comparator| slot.at(Some(key), comparator)).is_some()
    }

    /// Entries that are known to be hidden where a pass begins.
    fn known_entries(&self, start: PassStart<'_>) -> u64 {
        let range = self.known(|slot, comparator| match start {
            PassStart::First => slot.at(None, comparator),
            PassStart::At(key) => slot.at(Some(key), comparator),
            PassStart::After(key) => slot.first_after(key, comparator),
        });
        range.map_or(0, |range| range.entries)
    }

    /// A scan of all keys as they are now, which leaves the block cache as it is.
    fn with_scan<T>(&self, skippable_max: u64, scan: impl FnOnce(&mut DbIter) -> T) -> T {
        let options = Arc::new(ReadOptions {
            fill_cache: false,
            total_order_seek: true,
            max_skippable_internal_keys: skippable_max,
            ..ReadOptions::default()
        });
        let super_version = self.family.super_version.load();
        let view = ReadView {
            super_version: &super_version,
            sequence: self.db.visibility.last_sequence(),
            uncommitted: &self.db.visibility.uncommitted,
        };
        scan(&mut scan::new_iterator(self.family, view, &options, None))
    }

    /// The last key before one that is deleted of which something shows, unless that is far away.
    fn last_shown_before(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.with_scan(ENTRIES_BACK_MAX, |scan| {
            scan.seek_for_prev(key);
            match scan.status() {
                Err(status) if status.code() != Code::Incomplete => Err(status),
                _ => Ok(scan.valid().then(|| scan.key().to_vec())),
            }
        })
    }

    /// Goes over all that is hidden from a key on, as long as that is remembered.
    fn pass_from(&self, start: PassStart<'_>) -> Result<()> {
        let mut entries_before = self.known_entries(start);
        while !self.writing.is_closing.load(Ordering::Acquire)
            && self.with_scan(0, |scan| scan.pass_hidden(start, ENTRIES_MAX))?
        {
            let entries = self.known_entries(start);
            // Somebody wrote there, longer ranges are known, or the memtable is another.
            if entries <= entries_before {
                break;
            }
            entries_before = entries;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
