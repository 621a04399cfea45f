//! How close the database is to holding writes back.

use base::ColumnFamilyName;

/// What happens to writes (`rocksdb::WriteStallCondition`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WriteStallCondition {
    /// They are slowed down.
    Delayed = 0,
    /// They wait.
    Stopped = 1,
    /// They go on.
    #[default]
    Normal = 2,
}

impl WriteStallCondition {
    /// RocksDB's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delayed => "delayed",
            Self::Stopped => "stopped",
            Self::Normal => "normal",
        }
    }
}

/// A column family whose state came to hold writes back, or ceased to
/// (`rocksdb::WriteStallInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteStallInfo {
    /// The column family.
    pub cf_name: ColumnFamilyName,
    /// What happens to writes now (`condition.cur`).
    pub current: WriteStallCondition,
    /// What happened to them before (`condition.prev`).
    pub previous: WriteStallCondition,
}

/// How much there is to do in the background (`rocksdb::BackgroundJobPressure`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackgroundJobPressure {
    /// Compactions that wait for a thread or run, of both kinds below.
    pub compaction_scheduled: usize,
    /// Those of them that run, and manual ones.
    pub compaction_running: usize,
    /// Those in the pool of low priority.
    pub compaction_low_scheduled: usize,
    /// Those of them that run.
    pub compaction_low_running: usize,
    /// Those in the pool of bottom priority: here none is.
    pub compaction_bottom_scheduled: usize,
    /// Those of them that run.
    pub compaction_bottom_running: usize,
    /// Flushes that wait for a thread or run.
    pub flush_scheduled: usize,
    /// Those of them that run.
    pub flush_running: usize,
    /// How close writes are to a stall, in percent of what slows them down; more than 100 where they
    /// are beyond. That of the column family that is worst.
    pub write_stall_proximity_pct: u64,
    /// Compactions may use more threads because they lag.
    pub compaction_speedup_active: bool,
}
