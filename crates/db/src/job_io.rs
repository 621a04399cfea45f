//! How long flushes and compactions are busy with files (`report_bg_io_stats`): what their threads
//! time of their own reads and writes, from one moment to another.

use perf_context::{
    IoMetric, IoStatsContext, PerfLevel, io_stats_context, perf_level, set_perf_level,
};
use std::ops::AddAssign;

/// Nanoseconds, summed over the threads of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobIo {
    /// Appending.
    pub(crate) write_nanos: u64,
    /// Having the disk begin to write.
    pub(crate) range_sync_nanos: u64,
    /// Waiting until all is safe.
    pub(crate) fsync_nanos: u64,
    /// Reserving room.
    pub(crate) prepare_write_nanos: u64,
    /// Of the processor, writing.
    pub(crate) cpu_write_nanos: u64,
    /// Of the processor, reading.
    pub(crate) cpu_read_nanos: u64,
}

impl AddAssign for JobIo {
    fn add_assign(&mut self, other: Self) {
        self.write_nanos += other.write_nanos;
        self.range_sync_nanos += other.range_sync_nanos;
        self.fsync_nanos += other.fsync_nanos;
        self.prepare_write_nanos += other.prepare_write_nanos;
        self.cpu_write_nanos += other.cpu_write_nanos;
        self.cpu_read_nanos += other.cpu_read_nanos;
    }
}

impl JobIo {
    /// What this thread did since `before`.
    pub(crate) fn since(before: &IoStatsContext) -> Self {
        let now = io_stats_context();
        let of = |metric| now.get(metric).wrapping_sub(before.get(metric));
        Self {
            write_nanos: of(IoMetric::WriteNanos),
            range_sync_nanos: of(IoMetric::RangeSyncNanos),
            fsync_nanos: of(IoMetric::FsyncNanos),
            prepare_write_nanos: of(IoMetric::PrepareWriteNanos),
            cpu_write_nanos: of(IoMetric::CpuWriteNanos),
            cpu_read_nanos: of(IoMetric::CpuReadNanos),
        }
    }
}

/// This thread times its reads and writes, until dropped.
#[derive(Debug)]
pub(crate) struct TimedIo {
    level: PerfLevel,
    before: IoStatsContext,
}

impl TimedIo {
    /// Begins if `is_wanted`.
    pub(crate) fn begin_if(is_wanted: bool) -> Option<Self> {
        is_wanted.then(|| {
            let level = perf_level();
            set_perf_level(level.max(PerfLevel::EnableTimeAndCpuTimeExceptForMutex));
            Self { level, before: io_stats_context() }
        })
    }

    /// What this thread did so far.
    pub(crate) fn so_far(&self) -> JobIo {
        JobIo::since(&self.before)
    }
}

impl Drop for TimedIo {
    fn drop(&mut self) {
        set_perf_level(self.level);
    }
}
