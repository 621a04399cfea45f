//! What a thread is doing, to who counts what it reads and writes (`Env::IOActivity`).

use crate::HistogramType;
use std::cell::Cell;
use std::marker::PhantomData;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Something that nobody tells apart.
    #[default]
    Unknown,
    /// Writing a memtable to a table.
    Flush,
    /// Merging tables, for this reason.
    Compaction(CompactionCause),
    /// Opening a database.
    DbOpen,
    /// Looking up a key.
    Get,
    /// Looking up several keys.
    MultiGet,
    /// Moving an iterator.
    DbIterator,
    /// Verifying the checksums of blocks.
    VerifyDbChecksum,
    /// Verifying the checksums of whole files.
    VerifyFileChecksums,
}

/// Why a compaction runs, as far as it is counted by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompactionCause {
    /// For the shape of the tree, or on request.
    #[default]
    Other,
    /// Files were marked.
    Marked,
    /// Files reached `periodic_compaction_seconds`.
    Periodic,
    /// Files reached their `ttl`.
    Ttl,
}

thread_local! {
    static CURRENT: Cell<Activity> = const { Cell::new(Activity::Unknown) };
}

/// While it lives, the thread does what it was made for.
#[derive(Debug)]
pub struct ActivityGuard {
    before: Activity,
    /// It must be dropped in its thread.
    not_send: PhantomData<*const ()>,
}

impl Activity {
    /// What this thread does now.
    #[inline]
    pub fn current() -> Self {
        CURRENT.get()
    }

    /// Says what this thread does until the guard is dropped.
    #[inline]
    pub fn begin(self) -> ActivityGuard {
        ActivityGuard { before: CURRENT.replace(self), not_send: PhantomData }
    }

    /// As [`Self::begin`], unless it is known already what the thread does.
    #[inline]
    pub fn begin_if_unknown(self) -> Option<ActivityGuard> {
        (Self::current() == Self::Unknown).then(|| self.begin())
    }

    /// Whether a user waits for its reads.
    pub fn is_user_read(self) -> bool {
        !matches!(self, Self::Unknown | Self::Flush | Self::Compaction(_) | Self::DbOpen)
    }

    /// Whether it reads to compact.
    #[inline]
    pub fn is_compaction(self) -> bool {
        matches!(self, Self::Compaction(_))
    }

    /// Times of reads from tables and blob files.
    pub fn read_histogram(self) -> Option<HistogramType> {
        match self {
            Self::Unknown => None,
            Self::Flush => Some(HistogramType::FileReadFlushMicros),
            Self::Compaction(_) => Some(HistogramType::FileReadCompactionMicros),
            Self::DbOpen => Some(HistogramType::FileReadDbOpenMicros),
            Self::Get => Some(HistogramType::FileReadGetMicros),
            Self::MultiGet => Some(HistogramType::FileReadMultigetMicros),
            Self::DbIterator => Some(HistogramType::FileReadDbIteratorMicros),
            Self::VerifyDbChecksum => Some(HistogramType::FileReadVerifyDbChecksumMicros),
            Self::VerifyFileChecksums => Some(HistogramType::FileReadVerifyFileChecksumsMicros),
        }
    }

    /// Times of writes to tables and blob files.
    pub fn write_histogram(self) -> Option<HistogramType> {
        match self {
            Self::Flush => Some(HistogramType::FileWriteFlushMicros),
            Self::Compaction(_) => Some(HistogramType::FileWriteCompactionMicros),
            Self::DbOpen => Some(HistogramType::FileWriteDbOpenMicros),
            _ => None,
        }
    }
}

impl Drop for ActivityGuard {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests;
