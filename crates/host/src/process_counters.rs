//! What this process used: CPU, memory, context switches, faults.

use crate::resource_usage::resource_usage;
use serde::{Deserialize, Serialize};
use std::fs;

/// What a process used since it began, or, as a difference, between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessCounters {
    /// CPU time in its own code, of all threads.
    pub user_seconds: f64,
    /// CPU time in the kernel on its behalf.
    pub system_seconds: f64,
    /// Times a thread gave up the processor to wait.
    pub voluntary_context_switches: u64,
    /// Times a thread lost the processor to others.
    pub involuntary_context_switches: u64,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that had to read.
    pub major_faults: u64,
    /// Memory of the process that is in RAM, now; no difference is made of it. `None` where the
    /// kernel does not say.
    pub resident_bytes: Option<u64>,
    /// The most that was ever in RAM; no difference is made of it.
    pub resident_peak_bytes: Option<u64>,
}

impl ProcessCounters {
    /// What this process used so far.
    pub fn now() -> Self {
        let usage = resource_usage();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            user_seconds: usage.user.as_secs_f64(),
            system_seconds: usage.system.as_secs_f64(),
            voluntary_context_switches: usage.voluntary_context_switches,
            involuntary_context_switches: usage.involuntary_context_switches,
            minor_faults: usage.minor_faults,
            major_faults: usage.major_faults,
            resident_bytes: status_bytes(&status, "VmRSS"),
            resident_peak_bytes: status_bytes(&status, "VmHWM"),
        }
    }

    /// What was used from `before` until this. Memory is that of now.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            user_seconds: self.user_seconds - before.user_seconds,
            system_seconds: self.system_seconds - before.system_seconds,
            voluntary_context_switches: self.voluntary_context_switches
                - before.voluntary_context_switches,
            involuntary_context_switches: self.involuntary_context_switches
                - before.involuntary_context_switches,
            minor_faults: self.minor_faults - before.minor_faults,
            major_faults: self.major_faults - before.major_faults,
            ..*self
        }
    }
}

/// A size of `/proc/PID/status`, in bytes.
///
/// ```text
/// VmRSS:      1234 kB
/// ```
pub fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let lines = status.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.into_iter().find(|(found, _)| *found == name)?;
    let kilobytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests;
