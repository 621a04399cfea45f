//! Why memtables are flushed.

/// `rocksdb::FlushReason`, with its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FlushReason {
    /// Something else.
    Others = 0x00,
    /// Files are to be listed for a copy.
    GetLiveFiles = 0x01,
    /// The database closes, and has what no WAL has.
    Shutdown = 0x02,
    /// A file that is to be ingested overlaps what is in memory.
    ExternalFileIngestion = 0x03,
    /// A manual compaction begins.
    ManualCompaction = 0x04,
    /// All memtables together are too large (`db_write_buffer_size`).
    WriteBufferManager = 0x05,
    /// A memtable is full.
    #[default]
    WriteBufferFull = 0x06,
    /// A test.
    Test = 0x07,
    /// Files are to be deleted by range.
    DeleteFiles = 0x08,
    /// A compaction needs it.
    AutoCompaction = 0x09,
    /// A user asked for it.
    ManualFlush = 0x0a,
    /// Writes are to go on after an error.
    ErrorRecovery = 0x0b,
    /// The same once more.
    ErrorRecoveryRetryFlush = 0x0c,
    /// All WALs together are too large (`max_total_wal_size`).
    WalFull = 0x0d,
    /// What came while an error was recovered from.
    CatchUpAfterErrorRecovery = 0x0e,
    /// A memtable has too many range deletions (`memtable_max_range_deletions`).
    MemtableMaxRangeDeletions = 0x0f,
}

impl FlushReason {
    /// RocksDB's name, as in its event log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Others => "Other Reasons",
            Self::GetLiveFiles => "Get Live Files",
            Self::Shutdown => "Shut down",
            Self::ExternalFileIngestion => "External File Ingestion",
            Self::ManualCompaction => "Manual Compaction",
            Self::WriteBufferManager => "Write Buffer Manager",
            Self::WriteBufferFull => "Write Buffer Full",
            Self::Test => "Test",
            Self::DeleteFiles => "Delete Files",
            Self::AutoCompaction => "Auto Compaction",
            Self::ManualFlush => "Manual Flush",
            Self::ErrorRecovery => "Error Recovery",
            Self::ErrorRecoveryRetryFlush => "Error Recovery Retry Flush",
            Self::WalFull => "WAL Full",
            Self::CatchUpAfterErrorRecovery => "Catch Up After Error Recovery",
            Self::MemtableMaxRangeDeletions => "Memtable Max Range Deletions",
        }
    }
}
