//! What all processors did together, from `/proc/stat`: who else was running?

use std::fs;

/// CPU time of the whole machine since it began, in seconds summed over processors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorCounters {
    /// Spent on processes and interrupts.
    pub busy_seconds: f64,
    /// Spent on nothing, or waiting for I/O with nothing else to do.
    pub idle_seconds: f64,
    /// Wanted, but given to another virtual machine.
    pub stolen_seconds: f64,
}

impl ProcessorCounters {
    /// What they did so far; `None` where the kernel does not say.
    pub fn now() -> Option<Self> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        parse(&text, rustix::param::clock_ticks_per_second())
    }

    /// What they did from `before` until this.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            busy_seconds: self.busy_seconds - before.busy_seconds,
            idle_seconds: self.idle_seconds - before.idle_seconds,
            stolen_seconds: self.stolen_seconds - before.stolen_seconds,
        }
    }
}

/// The first line of `/proc/stat`, in ticks:
///
/// ```text
/// cpu  user nice system idle iowait irq softirq steal guest guest_nice
/// ```
///
/// The guests' time is in `user` and `nice` already. Old kernels leave out the last columns.
pub fn parse(text: &str, ticks_per_second: u64) -> Option<ProcessorCounters> {
    let numbers = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = numbers.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [user, nice, system, idle, rest @ ..] = ticks.as_slice() else { return None };
    let at = |index: usize| rest.get(index).copied().unwrap_or(0);
    let seconds = |ticks: u64| ticks as f64 / ticks_per_second.max(1) as f64;
    let [iowait, irq, softirq, steal] = [at(0), at(1), at(2), at(3)];
    Some(ProcessorCounters {
        busy_seconds: seconds(user + nice + system + irq + softirq),
        idle_seconds: seconds(idle + iowait),
        stolen_seconds: seconds(steal),
    })
}

#[cfg(test)]
mod tests;
