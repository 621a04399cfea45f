//! `getrusage`: what a process used, its ended threads included.
//!
//! `/proc` counts context switches thread by thread and forgets threads that end, so that only this
//! call has those of a whole benchmark.

use std::time::Duration;

/// What a process used since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceUsage {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
    pub(crate) voluntary_context_switches: u64,
    pub(crate) involuntary_context_switches: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
}

/// What this process used so far.
#[allow(unsafe_code, reason = "no safe interface to this system call among our libraries")]
pub(crate) fn resource_usage() -> ResourceUsage {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to memory of this type, which the call fills. All of its fields are
    // integers, so that zeros are valid values should the call fail (it cannot, with these
    // arguments).
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let count = |value: libc::c_long| u64::try_from(value).unwrap_or(0);
    let duration = |time: libc::timeval| {
        let micros = u64::try_from(time.tv_usec).unwrap_or(0);
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0)) + Duration::from_micros(micros)
    };
    ResourceUsage {
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        voluntary_context_switches: count(usage.ru_nvcsw),
        involuntary_context_switches: count(usage.ru_nivcsw),
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
    }
}
