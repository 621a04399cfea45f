//! Why memtables are flushed.

/// `rocksdb::FlushReason`, as far as flushes here have those reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FlushReason {
    /// A memtable is full.
    #[default]
    WriteBufferFull,
    /// A memtable has `memtable_max_range_deletions`.
    MemtableMaxRangeDeletions,
    /// All memtables together are too large (`db_write_buffer_size`).
    WriteBufferManager,
    /// All WALs together are too large (`max_total_wal_size`).
    WalFull,
    /// A user asked for it.
    ManualFlush,
    /// A manual compaction begins.
    ManualCompaction,
    /// The database closes, and has what no WAL has.
    Shutdown,
    /// Writes are to go on after an error.
    ErrorRecovery,
}

impl FlushReason {
    /// RocksDB's name, as in its event log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WriteBufferFull => "Write Buffer Full",
            Self::MemtableMaxRangeDeletions => "Memtable Max Range Deletions",
            Self::WriteBufferManager => "Write Buffer Manager",
            Self::WalFull => "WAL Full",
            Self::ManualFlush => "Manual Flush",
            Self::ManualCompaction => "Manual Compaction",
            Self::Shutdown => "Shut down",
            Self::ErrorRecovery => "Error Recovery",
        }
    }
}
