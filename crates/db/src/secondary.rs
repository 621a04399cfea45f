//! A secondary: a database opened to read what another process, the primary, is writing.
//!
//! It takes no lock and writes nothing where the primary is; its own LOG goes elsewhere. When it is
//! told to catch up it reads what has been appended to the MANIFEST and to the WALs since, and shows
//! that to reads (`follow.rs`). What it must not miss: the primary says in the MANIFEST what a table
//! holds before it deletes the WAL that held it, and which tables replaced another before it deletes
//! that one. So what was read counts only if the MANIFEST has nothing new afterwards; otherwise more
//! is read.
//!
//! Reads go on meanwhile. Each sees the memtables, the files and the last sequence number that it
//! found when it began, as in any database: memtables only get entries with numbers above those that
//! reads may see, and files once opened stay readable when the primary has deleted them.

mod follow;
mod followed_family;
mod opening;
mod tables;
mod wal_tail;

use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::info_log::InfoLog;
use base::{Result, SequenceNumber, Status};
use follow::Followed;
pub(crate) use opening::open_as_secondary;
use parking_lot::Mutex;
use std::sync::atomic::AtomicU64;
use version::ManifestActivity;

/// What only a secondary has.
#[derive(Debug)]
pub(crate) struct Secondary {
    /// Held while it catches up.
    pub(crate) followed: Mutex<Followed>,
    /// WALs with a smaller number are not needed, by the MANIFEST.
    pub(crate) min_log_number_to_keep: AtomicU64,
    /// In the secondary's own directory.
    pub(crate) info_log: InfoLog,
}

/// How far a secondary has followed its primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecondaryProgress {
    /// Number of the MANIFEST.
    pub manifest_number: u64,
    /// Bytes of it that were read.
    pub manifest_bytes: u64,
    /// What it has told since this one was opened, but for edits at the beginning of a new MANIFEST.
    pub activity: ManifestActivity,
    /// Number of the newest WAL; 0 if there is none.
    pub wal_number: u64,
    /// Bytes of all WALs that were read since this one was opened, without what is cut at their ends.
    pub wal_bytes: u64,
    /// Write batches in them.
    pub wal_batches: u64,
    /// Number of the last write that reads see.
    pub last_sequence: SequenceNumber,
    /// How often it has caught up.
    pub catch_ups: u64,
}

impl Db {
    /// Brings a secondary up to what its primary has written by now, as far as that is in files: what
    /// the primary keeps in its own buffers (`manual_wal_flush`) or in no WAL at all
    /// (`disable_wal`) shows when it gets there. Iterators go on with what they saw.
    ///
    /// Column families that the primary has made since the open are not seen; those that it has
    /// dropped stay as they were. After an error reads see what they saw before, and the next call
    /// tries again.
    ///
    /// # Errors
    /// `NotSupported` if the database was not opened as a secondary; `Corruption` if the MANIFEST or
    /// a WAL is damaged, or another database is there now; `IoError` if a file cannot be read, or is
    /// missing although the MANIFEST has it.
    pub fn try_catch_up_with_primary(&self) -> Result<()> {
        let secondary = self.secondary()?;
        let result = secondary.followed.lock().catch_up(&self.inner, secondary);
        match &result {
            Ok(()) => secondary
                .info_log
                .info(format_args!("Last sequence is {}", self.inner.visibility.last_sequence())),
            Err(status) => secondary.info_log.warn(format_args!("Catching up failed: {status}")),
        }
        result
    }

    /// How far a secondary has followed its primary.
    ///
    /// # Errors
    /// `NotSupported` if the database was not opened as a secondary.
    pub fn secondary_progress(&self) -> Result<SecondaryProgress> {
        let last_sequence = self.inner.visibility.last_sequence();
        let progress = self.secondary()?.followed.lock().progress();
        Ok(SecondaryProgress { last_sequence, ..progress })
    }

    fn secondary(&self) -> Result<&Secondary> {
        self.inner
            .secondary
            .as_ref()
            .ok_or_else(|| Status::not_supported("Supported only by secondary instance"))
    }
}

impl DbImpl {
    /// A sequence number that reads are to be limited to. Nobody tells the primary of it, so that
    /// it does not keep what such a read would need.
    ///
    /// # Errors
    /// `NotSupported` in a secondary.
    #[inline]
    pub(crate) fn check_snapshot(&self) -> Result<()> {
        match self.secondary {
            Some(_) => Err(no_snapshots()),
            None => Ok(()),
        }
    }
}

#[cold]
fn no_snapshots() -> Status {
    Status::not_supported("snapshot not supported in secondary mode")
}
