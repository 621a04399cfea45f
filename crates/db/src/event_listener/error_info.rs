//! Errors of background work, and getting over them.

use base::Status;

/// What failed (`rocksdb::BackgroundErrorReason`). Numbers are RocksDB's but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BackgroundErrorReason {
    /// A flush.
    Flush = 0,
    /// A compaction.
    Compaction = 1,
    /// An append to the WAL, or its sync.
    WriteCallback = 2,
    /// An insertion into a memtable. Here that fails with the write alone.
    MemTable = 3,
    /// A change of the MANIFEST.
    ManifestWrite = 4,
    /// The flush of what no WAL has.
    FlushNoWal = 5,
    /// The change of the MANIFEST by the flush of what no WAL has.
    ManifestWriteNoWal = 6,
    /// Tables that are opened in the background after an open. Here an open does not wait for later.
    AsyncFileOpen = 7,
    /// A panic of a job or a write. RocksDB has none.
    Panic = 255,
}

impl BackgroundErrorReason {
    /// A flush.
    pub(crate) fn flush(has_no_wal: bool) -> Self {
        if has_no_wal { Self::FlushNoWal } else { Self::Flush }
    }

    /// The change of the MANIFEST by a flush.
    pub(crate) fn manifest_write(has_no_wal: bool) -> Self {
        if has_no_wal { Self::ManifestWriteNoWal } else { Self::ManifestWrite }
    }
}

/// How an attempt to get over an error ended (`rocksdb::BackgroundErrorRecoveryInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundErrorRecoveryInfo {
    /// The error that there was.
    pub old_bg_error: Status,
    /// The error that stands now; none if the database is sound again.
    pub new_bg_error: Option<Status>,
}
