//! Why a compaction runs.

/// `rocksdb::CompactionReason`; numbers and names are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompactionReason {
    /// Not said.
    #[default]
    Unknown = 0,
    /// Leveled: L0 has more files, or more bytes, than it should.
    LevelL0FilesNum = 1,
    /// Leveled: a level is above its target.
    LevelMaxLevelSize = 2,
    /// Universal: too much space for the data there is.
    UniversalSizeAmplification = 3,
    /// Universal: sorted runs of similar size.
    UniversalSizeRatio = 4,
    /// Universal: too many sorted runs.
    UniversalSortedRunNum = 5,
    /// FIFO: more bytes than `max_table_files_size`.
    FifoMaxSize = 6,
    /// FIFO: many small files are merged.
    FifoReduceNumFiles = 7,
    /// FIFO: files older than `ttl`.
    FifoTtl = 8,
    /// `CompactRange` or `CompactFiles`.
    ManualCompaction = 9,
    /// A table properties collector or `SuggestCompactRange` asked for it.
    FilesMarkedForCompaction = 10,
    /// Leveled: old versions that no snapshot needs any more, in files with nothing below them.
    BottommostFiles = 11,
    /// Leveled: data older than `ttl`.
    Ttl = 12,
    /// A flush, which statistics count as a compaction into L0.
    Flush = 13,
    /// Ingestion of external files, as far as other compactions are concerned.
    ExternalSstIngestion = 14,
    /// Files older than `periodic_compaction_seconds`.
    PeriodicCompaction = 15,
    /// FIFO: to another temperature.
    ChangeTemperature = 16,
    /// To get rid of the oldest blob files.
    ForcedBlobGc = 17,
    /// Leveled with `kRoundRobin`: data older than `ttl`.
    RoundRobinTtl = 18,
    /// A level's files get another level (`change_level`).
    RefitLevel = 19,
    /// Files that are read often.
    ReadTriggered = 20,
}

impl CompactionReason {
    /// RocksDB's name, as in its event log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown",
            Self::LevelL0FilesNum => "LevelL0FilesNum",
            Self::LevelMaxLevelSize => "LevelMaxLevelSize",
            Self::UniversalSizeAmplification => "UniversalSizeAmplification",
            Self::UniversalSizeRatio => "UniversalSizeRatio",
            Self::UniversalSortedRunNum => "UniversalSortedRunNum",
            Self::FifoMaxSize => "FIFOMaxSize",
            Self::FifoReduceNumFiles => "FIFOReduceNumFiles",
            Self::FifoTtl => "FIFOTtl",
            Self::ManualCompaction => "ManualCompaction",
            Self::FilesMarkedForCompaction => "FilesMarkedForCompaction",
            Self::BottommostFiles => "BottommostFiles",
            Self::Ttl => "Ttl",
            Self::Flush => "Flush",
            Self::ExternalSstIngestion => "ExternalSstIngestion",
            Self::PeriodicCompaction => "PeriodicCompaction",
            Self::ChangeTemperature => "ChangeTemperature",
            Self::ForcedBlobGc => "ForcedBlobGC",
            Self::RoundRobinTtl => "RoundRobinTtl",
            Self::RefitLevel => "RefitLevel",
            Self::ReadTriggered => "ReadTriggered",
        }
    }
}
