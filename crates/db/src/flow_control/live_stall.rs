//! Keeps the write controller up to date with the state of column families.

use crate::db_impl::Writing;
use crate::db_state::{DbState, FamilyState};
use crate::flow_control::stall_condition::StallState;
use crate::flow_control::stall_text::stall_text;
use crate::flow_control::write_controller::{FamilyStall, WriteController};

/// What of a column family's version decides about stalls.
fn version_part(family: &FamilyState, oldest_snapshot: u64) -> StallState {
    let version = family.data.super_version.load().version.clone();
    let input = family.compaction.picker_input(&family.data, &version, oldest_snapshot);
    let (l0_runs, pending_compaction_bytes) = family.compaction.pressure(&input);
    let last =
        (0..version.num_levels()).rev().find(|level| !version.level_files(*level).is_empty());
    StallState {
        immutable_memtables: family.immutables.len(),
        l0_runs,
        pending_compaction_bytes,
        bottommost_bytes: last.map_or(0, |level| version.level_size_bytes(level)),
    }
}

impl DbState {
    /// Forgets all conditions, those of an open under way.
    pub(crate) fn reset_stalls(&mut self, rate_max: u64) {
        self.write_controller = WriteController::new(rate_max);
        self.families.values_mut().for_each(|family| family.stall = FamilyStall::default());
    }

    /// To be called when a column family has another version.
    pub(crate) fn update_stall_of_version(&mut self, writing: &Writing, id: u32) {
        let oldest_snapshot = self.oldest_snapshot;
        let Some(family) = self.families.get(&id) else { return };
        let stall = version_part(family, oldest_snapshot);
        self.set_stall(writing, id, stall);
    }

    /// To be called when a column family has other memtables, and the same version.
    pub(crate) fn update_stall_of_memtables(&mut self, writing: &Writing, id: u32) {
        let Some(family) = self.families.get(&id) else { return };
        let immutable_memtables = family.immutables.len();
        let stall = StallState { immutable_memtables, ..family.stall.state };
        self.set_stall(writing, id, stall);
    }

    fn set_stall(&mut self, writing: &Writing, id: u32, stall: StallState) {
        let Some(family) = self.families.get_mut(&id) else { return };
        let options = &family.compaction.options;
        let has_l0_compaction = family.compaction.in_progress.has_level0();
        let before = family.stall.condition();
        self.write_controller.update(&mut family.stall, stall, options, has_l0_compaction);
        let now = family.stall.condition();
        let rate = self.write_controller.actual_delayed_write_rate();
        let text = stall_text(&stall, options, rate);
        let name = &family.data.name;
        if let Some((level, text)) = &text {
            writing.info_log.say_later(*level, format_args!("[{name}] {text}"));
        }
        if before != now {
            let cause = text.as_ref().map_or("", |(_, text)| text);
            writing.events.stall_conditions_changed(name, before, now, cause);
        }
        writing.refresh_obstacle(self);
        writing.changed.notify_all();
    }

    /// Takes a dropped column family out of the state; jobs that work on it find out. To be dropped
    /// without the state's lock.
    pub(crate) fn remove_family(&mut self, writing: &Writing, id: u32) -> Option<FamilyState> {
        let removed = self.families.remove(&id);
        if let Some(family) = &removed {
            self.write_controller.remove(&family.stall);
            family.compaction.dropped.store(true, std::sync::atomic::Ordering::Release);
        }
        writing.refresh_obstacle(self);
        writing.changed.notify_all();
        removed
    }
}
