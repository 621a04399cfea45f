//! What the stall conditions of all column families come to.

use crate::event_listener::WriteStallCondition;
use crate::flow_control::stall_condition::{StallCause, StallCondition, StallState};
use options::ColumnFamilyOptions;

/// Writes are never slowed down below this by repeated delays, in bytes a second.
const RATE_MIN: u64 = 16 << 10;
/// What a delay near a stop leaves of the rate.
const NEAR_STOP_RATIO: f64 = 0.6;
/// What a delay leaves while compactions fall further behind.
const SLOW_DOWN_RATIO: f64 = 0.8;
/// How the rate grows while they catch up.
const SPEED_UP_RATIO: f64 = 1.25;
/// How the rate recovers with each column family that is well.
const RECOVERY_RATIO: f64 = 1.4;

/// What a column family makes of the writes of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Effect {
    #[default]
    None,
    /// Compactions should hurry, writes go on.
    Pressure,
    Delay(StallCause),
    Stop(StallCause),
}

/// What was last known of a column family.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FamilyStall {
    pub(crate) state: StallState,
    pub(crate) counts: StallCounts,
    effect: Effect,
}

impl FamilyStall {
    /// What the column family does to writes.
    pub(crate) fn condition(&self) -> WriteStallCondition {
        match self.effect {
            Effect::None | Effect::Pressure => WriteStallCondition::Normal,
            Effect::Delay(_) => WriteStallCondition::Delayed,
            Effect::Stop(_) => WriteStallCondition::Stopped,
        }
    }
}

/// How often each condition was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StallCounts {
    pub(crate) l0_delays: u64,
    pub(crate) l0_delays_with_compaction: u64,
    pub(crate) l0_stops: u64,
    pub(crate) l0_stops_with_compaction: u64,
    pub(crate) pending_compaction_bytes_delays: u64,
    pub(crate) pending_compaction_bytes_stops: u64,
    pub(crate) memtable_delays: u64,
    pub(crate) memtable_stops: u64,
}

impl StallCounts {
    /// Delays and stops for a cause.
    pub(crate) fn of(&self, cause: StallCause) -> (u64, u64) {
        match cause {
            StallCause::Memtables => (self.memtable_delays, self.memtable_stops),
            StallCause::L0Files => (self.l0_delays, self.l0_stops),
            StallCause::PendingCompactionBytes => {
                (self.pending_compaction_bytes_delays, self.pending_compaction_bytes_stops)
            }
        }
    }

    /// Counts a condition; `has_l0_compaction` if one of L0 runs meanwhile.
    pub(crate) fn count(&mut self, condition: StallCondition, has_l0_compaction: bool) {
        let with_compaction = u64::from(has_l0_compaction);
        match condition {
            StallCondition::Normal => {}
            StallCondition::Delayed(StallCause::Memtables) => self.memtable_delays += 1,
            StallCondition::Delayed(StallCause::L0Files) => {
                self.l0_delays += 1;
                self.l0_delays_with_compaction += with_compaction;
            }
            StallCondition::Delayed(StallCause::PendingCompactionBytes) => {
                self.pending_compaction_bytes_delays += 1;
            }
            StallCondition::Stopped(StallCause::Memtables) => self.memtable_stops += 1,
            StallCondition::Stopped(StallCause::L0Files) => {
                self.l0_stops += 1;
                self.l0_stops_with_compaction += with_compaction;
            }
            StallCondition::Stopped(StallCause::PendingCompactionBytes) => {
                self.pending_compaction_bytes_stops += 1;
            }
        }
    }
}

/// Counts column families that stop or delay writes, and holds the rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteController {
    /// By cause.
    stopped: [usize; StallCause::ALL.len()],
    /// By cause.
    delayed: [usize; StallCause::ALL.len()],
    pressing: usize,
    rate: u64,
    rate_max: u64,
}

impl WriteController {
    /// Without stalls. `rate_max` is `delayed_write_rate`, in bytes a second.
    pub(crate) fn new(rate_max: u64) -> Self {
        let rate_max = rate_max.max(1);
        let none = [0; StallCause::ALL.len()];
        Self { stopped: none, delayed: none, pressing: 0, rate: rate_max, rate_max }
    }

    /// Goes by another `delayed_write_rate`, in bytes a second; what delays left of the old one is
    /// forgotten.
    pub(crate) fn set_rate_max(&mut self, rate_max: u64) {
        self.rate_max = rate_max.max(1);
        self.rate = self.rate_max;
    }

    /// Takes in a column family that was just opened.
    pub(crate) fn add(&mut self, state: &StallState, options: &ColumnFamilyOptions) {
        self.update(&mut FamilyStall::default(), *state, options, false);
    }

    /// Takes in how a column family is now. Its own delay so far counts when the rate is set.
    pub(crate) fn update(
        &mut self,
        family: &mut FamilyStall,
        state: StallState,
        options: &ColumnFamilyOptions,
        has_l0_compaction: bool,
    ) {
        let before = std::mem::replace(&mut family.state, state);
        let condition = state.condition(options);
        family.counts.count(condition, has_l0_compaction);
        let was_delayed = self.is_delayed();
        let effect = match condition {
            StallCondition::Stopped(cause) => Effect::Stop(cause),
            StallCondition::Delayed(cause) => {
                let is_pressed = self.is_stopped() || state.is_near_stop(options);
                self.adapt_rate(before, state, options, is_pressed);
                Effect::Delay(cause)
            }
            StallCondition::Normal => {
                if was_delayed {
                    self.set_rate((self.rate as f64 * RECOVERY_RATIO) as u64);
                }
                if state.needs_speedup(options) { Effect::Pressure } else { Effect::None }
            }
        };
        let old = std::mem::replace(&mut family.effect, effect);
        if let Some(count) = self.count_of(old) {
            *count -= 1;
        }
        if let Some(count) = self.count_of(effect) {
            *count += 1;
        }
    }

    /// Forgets a column family that is dropped.
    pub(crate) fn remove(&mut self, family: &FamilyStall) {
        if let Some(count) = self.count_of(family.effect) {
            *count -= 1;
        }
    }

    fn count_of(&mut self, effect: Effect) -> Option<&mut usize> {
        match effect {
            Effect::None => None,
            Effect::Pressure => Some(&mut self.pressing),
            Effect::Delay(cause) => Some(&mut self.delayed[cause as usize]),
            Effect::Stop(cause) => Some(&mut self.stopped[cause as usize]),
        }
    }

    fn adapt_rate(
        &mut self,
        before: StallState,
        now: StallState,
        options: &ColumnFamilyOptions,
        is_pressed: bool,
    ) {
        if options.disable_auto_compactions {
            self.rate = self.rate_max;
            return;
        }
        // A rate below the minimum was asked for, and is left alone.
        if !self.is_delayed() || self.rate_max <= RATE_MIN {
            return;
        }
        let (before, now) = (before.pending_compaction_bytes, now.pending_compaction_bytes);
        let ratio = if is_pressed {
            NEAR_STOP_RATIO
        } else if before > 0 && before <= now {
            SLOW_DOWN_RATIO
        } else if before > now {
            SPEED_UP_RATIO
        } else {
            return;
        };
        self.set_rate(((self.rate as f64 * ratio) as u64).max(RATE_MIN));
    }

    fn set_rate(&mut self, rate: u64) {
        self.rate = rate.clamp(1, self.rate_max);
    }

    /// Whether writes wait.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.iter().any(|&families| families > 0)
    }

    /// The most bytes a second that delayed writes may pass at.
    pub(crate) fn rate_max(&self) -> u64 {
        self.rate_max
    }

    fn is_delayed(&self) -> bool {
        self.delayed.iter().any(|&families| families > 0)
    }

    /// What holds writes back, and why: the first cause of several.
    pub(crate) fn condition(&self) -> StallCondition {
        let first = |families: &[usize]| {
            StallCause::ALL.into_iter().find(|cause| families[*cause as usize] > 0)
        };
        match (first(&self.stopped), first(&self.delayed)) {
            (Some(cause), _) => StallCondition::Stopped(cause),
            (None, Some(cause)) => StallCondition::Delayed(cause),
            (None, None) => StallCondition::Normal,
        }
    }

    /// Bytes a second to which writes are slowed down; 0 if they are not.
    pub(crate) fn actual_delayed_write_rate(&self) -> u64 {
        if self.is_delayed() { self.rate } else { 0 }
    }

    /// Whether compactions lag: then as many run at once as may, and writes with `low_pri` are
    /// slowed down.
    pub(crate) fn needs_speedup_compaction(&self) -> bool {
        self.is_stopped() || self.is_delayed() || self.pressing > 0
    }

    /// Bytes a second to which writes with `low_pri` are slowed down while compactions lag.
    pub(crate) fn low_pri_rate(&self) -> u64 {
        const LOW_PRI_RATE_MIN: u64 = 1 << 20;
        if self.is_delayed() { (self.rate / 4).max(1) } else { LOW_PRI_RATE_MIN }
    }
}

#[cfg(test)]
mod tests;
