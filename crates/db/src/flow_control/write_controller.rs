//! What the stall conditions of all column families come to.

use crate::flow_control::stall_condition::{StallCondition, StallState};
use options::ColumnFamilyOptions;

/// Writes are never slowed down below this by repeated delays, in bytes a second.
const RATE_MIN: u64 = 16 << 10;
/// What a delay near a stop leaves of the rate.
const NEAR_STOP_RATIO: f64 = 0.6;
/// How the rate recovers with each column family that is well.
const RECOVERY_RATIO: f64 = 1.4;

/// Counts column families that stop or delay writes, and holds the rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteController {
    stopped: usize,
    delayed: usize,
    rate: u64,
    rate_max: u64,
}

impl WriteController {
    /// Without stalls. `rate_max` is `delayed_write_rate`, in bytes a second.
    pub(crate) fn new(rate_max: u64) -> Self {
        let rate_max = rate_max.max(1);
        Self { stopped: 0, delayed: 0, rate: rate_max, rate_max }
    }

    /// Takes in a column family that was just opened.
    pub(crate) fn add(&mut self, state: &StallState, options: &ColumnFamilyOptions) {
        match state.condition(options) {
            StallCondition::Stopped(_) => self.stopped += 1,
            StallCondition::Delayed(_) => {
                if options.disable_auto_compactions {
                    self.rate = self.rate_max;
                } else if self.delayed > 0
                    && self.rate_max > RATE_MIN
                    && (self.is_stopped() || state.is_near_stop(options))
                {
                    self.set_rate(((self.rate as f64 * NEAR_STOP_RATIO) as u64).max(RATE_MIN));
                }
                self.delayed += 1;
            }
            StallCondition::Normal if self.delayed > 0 => {
                self.set_rate((self.rate as f64 * RECOVERY_RATIO) as u64);
            }
            StallCondition::Normal => {}
        }
    }

    fn set_rate(&mut self, rate: u64) {
        self.rate = rate.clamp(1, self.rate_max);
    }

    /// Whether writes wait.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped > 0
    }

    /// Bytes a second to which writes are slowed down; 0 if they are not.
    pub(crate) fn actual_delayed_write_rate(&self) -> u64 {
        if self.delayed > 0 { self.rate } else { 0 }
    }
}

#[cfg(test)]
mod tests;
