//! Syncing WALs while others write: what has to be synced is taken out of the stage under its lock,
//! synced without the lock, and given back.
//!
//! One thread at a time does so (`Writing::wal_sync`). Whoever wants a write to be safe from a power
//! loss waits for it, since all WALs before must be synced too; other writes do not.

use crate::write::wal_stage::{OpenWal, WalStage};
use base::Result;
use base::filename::wal_file_name;
use env::FileSystem;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use version::WalAddition;

/// What is to be synced.
#[derive(Debug)]
pub(crate) struct WalSync {
    file_system: Arc<dyn FileSystem>,
    directory: PathBuf,
    use_fsync: bool,
    /// Finished WALs, from old to new.
    finished: VecDeque<OpenWal>,
    /// The WAL that is written to, up to a size.
    current: Option<(u64, u64)>,
    outcome: WalSyncOutcome,
}

/// What became of it.
#[derive(Debug, Default)]
pub(super) struct WalSyncOutcome {
    /// Finished WALs that are still to be synced, from old to new.
    pub(super) unsynced: VecDeque<OpenWal>,
    /// Those that are safe now, and closed.
    pub(super) synced: Vec<WalAddition>,
    /// A WAL that others may have written on to, and the bytes of it that are safe.
    pub(super) synced_in_part: Option<(u64, u64)>,
    pub(super) is_directory_dirty: bool,
}

impl WalSync {
    pub(super) fn new(
        stage: &WalStage,
        finished: VecDeque<OpenWal>,
        is_directory_dirty: bool,
    ) -> Self {
        Self {
            file_system: stage.file_system.clone(),
            directory: stage.options.directory.clone(),
            use_fsync: stage.options.use_fsync,
            finished,
            current: None,
            outcome: WalSyncOutcome { is_directory_dirty, ..WalSyncOutcome::default() },
        }
    }

    /// Also the first `bytes` of a WAL that is being written to.
    pub(super) fn also(&mut self, number: u64, bytes: u64) {
        self.current = Some((number, bytes));
    }

    /// Whether everything is synced.
    pub(crate) fn is_empty(&self) -> bool {
        self.finished.is_empty() && self.current.is_none() && !self.outcome.is_directory_dirty
    }

    /// Syncs. No lock of the write path needs to be held.
    ///
    /// # Errors
    /// `IoError`; what comes after it is not synced.
    pub(crate) fn run(&mut self) -> Result<()> {
        while let Some(wal) = self.finished.front_mut() {
            match self.use_fsync {
                true => wal.writer.file_mut().fsync()?,
                false => wal.writer.file_mut().sync()?,
            }
            let size = wal.writer.size_bytes();
            if size > 0 {
                let synced_size_bytes = Some(size);
                self.outcome.synced.push(WalAddition { number: wal.number, synced_size_bytes });
            }
            if let Some(wal) = self.finished.pop_front() {
                wal.writer.close()?;
            }
        }
        if let Some((number, _)) = self.current {
            // Its writer is in use, so that the file is synced by its name.
            self.file_system.sync_file(&wal_file_name(&self.directory, number))?;
            self.outcome.synced_in_part = self.current.take();
        }
        if self.outcome.is_directory_dirty {
            self.file_system.new_directory(&self.directory)?.fsync()?;
            self.outcome.is_directory_dirty = false;
        }
        Ok(())
    }

    pub(super) fn into_outcome(self) -> WalSyncOutcome {
        WalSyncOutcome { unsynced: self.finished, ..self.outcome }
    }
}
