//! Writes that are held back, and how much there is to do.

use super::Events;
use crate::db_state::DbState;
use crate::event_listener::{BackgroundJobPressure, WriteStallCondition, WriteStallInfo};
use crate::flow_control::stall_condition::StallState;
use base::ColumnFamilyName;
use options::ColumnFamilyOptions;

impl Events {
    /// A column family began or ceased to hold writes back. Said under the state's lock; `cause` is
    /// what the info log says of it.
    pub(crate) fn stall_conditions_changed(
        &self,
        cf_name: &ColumnFamilyName,
        previous: WriteStallCondition,
        current: WriteStallCondition,
        cause: &str,
    ) {
        if self.db.get().is_none() {
            // What an open finds on its way counts only when it is open.
            return;
        }
        let info = WriteStallInfo { cf_name: cf_name.clone(), current, previous };
        let cause = cause.to_owned();
        self.tell_later(move |events| {
            tracing::warn!(
                target: "touchstone::stall",
                cf = %info.cf_name,
                previous = info.previous.name(),
                current = info.current.name(),
                cause,
                "stall conditions changed"
            );
            events.call_each("on_stall_conditions_changed", |listener| {
                listener.on_stall_conditions_changed(&info);
            });
        });
    }

    /// A flush or a compaction in the background ended, and `pressure` is what it left.
    pub(crate) fn background_job_ended(&self, pressure: BackgroundJobPressure) {
        self.tell_with_db("on_background_job_pressure_changed", move |listener, db| {
            listener.on_background_job_pressure_changed(db, &pressure);
        });
    }
}

/// How much there is to do.
pub(crate) fn pressure(state: &DbState) -> BackgroundJobPressure {
    let scheduled = &state.scheduled;
    let families = state.families.values();
    let proximities =
        families.map(|family| stall_proximity_pct(&family.stall.state, &family.compaction.options));
    BackgroundJobPressure {
        compaction_scheduled: scheduled.compactions,
        compaction_running: scheduled.compactions_running,
        compaction_low_scheduled: scheduled.compactions,
        compaction_low_running: scheduled.compactions_running,
        compaction_bottom_scheduled: 0,
        compaction_bottom_running: 0,
        flush_scheduled: scheduled.flushes,
        flush_running: scheduled.flushes_running,
        write_stall_proximity_pct: proximities.max().unwrap_or(0),
        compaction_speedup_active: state.write_controller.needs_speedup_compaction(),
    }
}

/// How far a column family is on the way to what slows writes down, or where nothing does, to what
/// stops them: in percent.
fn stall_proximity_pct(state: &StallState, options: &ColumnFamilyOptions) -> u64 {
    let first_set = |soft: u64, hard: u64| if soft > 0 { soft } else { hard };
    let positive = |trigger: i32| u64::try_from(trigger).unwrap_or(0);
    let percent = |of: u64, limit: u64| match limit {
        0 => 0,
        limit => (100.0 * of as f64 / limit as f64) as u64,
    };
    let l0_runs = first_set(
        positive(options.level0_slowdown_writes_trigger),
        positive(options.level0_stop_writes_trigger),
    );
    let bytes = first_set(
        options.soft_pending_compaction_bytes_limit,
        options.hard_pending_compaction_bytes_limit,
    );
    percent(state.l0_runs as u64, l0_runs).max(percent(state.pending_compaction_bytes, bytes))
}

#[cfg(test)]
mod tests;
