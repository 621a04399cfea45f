//! Keeps the write controller up to date with the state of all column families.

use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use crate::flow_control::stall_condition::StallState;
use crate::flow_control::write_controller::WriteController;
use crate::sanitize::{delayed_write_rate, sanitize_column_family};

impl DbImpl {
    /// To be called whenever memtables or files have changed.
    pub(crate) fn update_stall_conditions(&self, writing: &Writing, state: &mut DbState) {
        let mut controller = WriteController::new(delayed_write_rate(&self.options));
        for family in state.families.values().filter(|family| !family.is_dropped) {
            let options = sanitize_column_family(&self.options, &family.data.options);
            let version = family.data.super_version.load().version.clone();
            let stall = StallState {
                immutable_memtables: family.immutables.len(),
                l0_runs: version.level_files(0).len(),
                pending_compaction_bytes: 0,
            };
            controller.add(&stall, &options);
        }
        state.write_controller = controller;
        writing.refresh_obstacle(state);
        writing.changed.notify_all();
    }
}
