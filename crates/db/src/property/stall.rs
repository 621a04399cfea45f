//! `touchstone.stall`: what holds writes back now, and what did, by cause.

use crate::flow_control::stall_condition::{StallCause, StallCondition};
use crate::flow_control::stall_times::{FlushWaits, HeldWrites, StallTimes};
use crate::flow_control::write_controller::StallCounts;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StallReport {
    /// Of all column families together: what holds writes back.
    pub(crate) condition: StallCondition,
    /// Bytes a second at which delayed writes pass; 0 if none are delayed.
    pub(crate) rate: u64,
    /// The most that may be (`delayed_write_rate`).
    pub(crate) rate_max: u64,
    /// Of the column family that was asked.
    pub(crate) family_condition: StallCondition,
    /// How often the column family was found to delay or stop writes, as RocksDB counts it.
    pub(crate) family_counts: StallCounts,
    /// What writes to any column family waited for.
    pub(crate) times: StallTimes,
}

/// What happens to writes, and why, in a word each.
fn words(condition: StallCondition) -> (&'static str, &'static str) {
    match condition {
        StallCondition::Normal => ("normal", "none"),
        StallCondition::Delayed(cause) => ("delayed", cause.name()),
        StallCondition::Stopped(cause) => ("stopped", cause.name()),
    }
}

impl StallReport {
    /// A number for each cause and each name below it.
    fn of_causes(&self) -> impl Iterator<Item = (StallCause, u64, u64, HeldWrites, HeldWrites)> {
        let (times, counts) = (self.times, self.family_counts);
        StallCause::ALL.into_iter().map(move |cause| {
            let (delays, stops) = counts.of(cause);
            (cause, delays, stops, times.delayed(cause), times.stopped(cause))
        })
    }

    /// As a map.
    pub(crate) fn to_map(self) -> BTreeMap<String, String> {
        let mut map = BTreeMap::new();
        let mut add = |name: &str, value: String| map.insert(name.to_owned(), value);
        let seconds = |held: HeldWrites| format!("{:.6}", held.time.as_secs_f64());
        let (condition, cause) = words(self.condition);
        add("condition", condition.to_owned());
        add("cause", cause.to_owned());
        add("delayed-write-rate", self.rate.to_string());
        add("delayed-write-rate-max", self.rate_max.to_string());
        let (condition, cause) = words(self.family_condition);
        add("family-condition", condition.to_owned());
        add("family-cause", cause.to_owned());
        for (cause, delays, stops, delayed, stopped) in self.of_causes() {
            let name = cause.name();
            add(&format!("{name}-delays"), delays.to_string());
            add(&format!("{name}-stops"), stops.to_string());
            add(&format!("{name}-delayed-writes"), delayed.count.to_string());
            add(&format!("{name}-delayed-seconds"), seconds(delayed));
            add(&format!("{name}-stopped-writes"), stopped.count.to_string());
            add(&format!("{name}-stopped-seconds"), seconds(stopped));
        }
        let memory = self.times.memory;
        add("write-buffer-manager-limit-stopped-writes", memory.count.to_string());
        add("write-buffer-manager-limit-stopped-seconds", seconds(memory));
        add("low-priority-writes", self.times.low_pri.count.to_string());
        add("low-priority-seconds", seconds(self.times.low_pri));
        let FlushWaits { count, time, longest } = self.times.flush_waits;
        add("flushes", count.to_string());
        add("flush-wait-seconds", format!("{:.6}", time.as_secs_f64()));
        add("flush-wait-seconds-max", format!("{:.6}", longest.as_secs_f64()));
        add("total-seconds", format!("{:.6}", self.times.micros() as f64 / 1e6));
        map
    }

    /// As text.
    pub(crate) fn to_text(self) -> String {
        let (now, why) = words(self.condition);
        let (family, family_why) = words(self.family_condition);
        let mut text = format!(
            "writes: {now} (cause: {why}), {} bytes/s of at most {}\n\
             column family: {family} (cause: {family_why})\n\
             {:<26}{:>8}{:>8}{:>16}{:>16}{:>16}{:>16}\n",
            self.rate,
            self.rate_max,
            "cause",
            "delays",
            "stops",
            "writes delayed",
            "seconds",
            "writes stopped",
            "seconds"
        );
        for (cause, delays, stops, delayed, stopped) in self.of_causes() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:<26}{delays:>8}{stops:>8}{:>16}{:>16.3}{:>16}{:>16.3}",
                cause.name(),
                delayed.count,
                delayed.time.as_secs_f64(),
                stopped.count,
                stopped.time.as_secs_f64()
            );
        }
        let HeldWrites { count, time } = self.times.memory;
        let name = "write-buffer-manager-limit";
        let _ = writeln!(text, "{name:<74}{count:>16}{:>16.3}", time.as_secs_f64());
        let HeldWrites { count, time } = self.times.low_pri;
        let _ = writeln!(text, "{:<42}{count:>16}{:>16.3}", "low priority", time.as_secs_f64());
        let FlushWaits { count, time, longest } = self.times.flush_waits;
        let _ = writeln!(
            text,
            "flushes: {count}, waited {:.3} s for a thread, at most {:.6} s",
            time.as_secs_f64(),
            longest.as_secs_f64()
        );
        text
    }
}

#[cfg(test)]
mod tests;
