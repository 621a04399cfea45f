//! Making WALs safe from a power loss, and the MANIFEST's account of them
//! (`track_and_verify_wals_in_manifest`): one that is finished and synced is entered with its size,
//! so that an open can tell when it is missing or cut off, and struck off before its file goes.
//!
//! `Writing::wal_sync` is held from the sync to the entry, and from the striking off to the release:
//! a WAL that was let go must not be entered afterwards.

use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::event_listener::BackgroundErrorReason;
use crate::events::Hold;
use base::Result;
use parking_lot::MutexGuard;
use version::{ApplyContext, VersionEdit};

/// Which WALs are to be synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalsToSync {
    /// Those that take no writes any more.
    Finished,
    /// All, for the one who leads: nobody writes to the current one meanwhile.
    AllAsLeader,
    /// All, while others may write.
    All,
}

impl DbImpl {
    /// Makes WALs safe from a power loss. Writes that need not be go on meanwhile: the stage is not
    /// held, but for the current WAL of the one who leads.
    ///
    /// # Errors
    /// What syncing or writing the MANIFEST gave; it stands as background error too.
    pub(crate) fn sync_wals(&self, writing: &Writing, wals: WalsToSync) -> Result<()> {
        let _hold = Hold::begin();
        let _one_at_a_time = writing.wal_sync.lock();
        let mut stage = writing.stage.lock();
        if wals == WalsToSync::All {
            self.check_wals_known(writing)?;
        }
        sync_wal_files(&mut stage, wals).inspect_err(|status| {
            self.set_background_error(BackgroundErrorReason::WriteCallback, status);
        })?;
        let wal_additions = stage.wal.take_synced();
        drop(stage);
        if wal_additions.is_empty() || !self.options().track_and_verify_wals_in_manifest {
            return Ok(());
        }
        self.log_wal_edit(writing, VersionEdit { wal_additions, ..VersionEdit::default() })
    }

    /// Forgets the WALs before `number`, which hold nothing any more, and strikes them off where the
    /// MANIFEST has any of them. Returns those whose files are to go.
    ///
    /// # Errors
    /// What writing the MANIFEST gave; it stands as background error too.
    pub(crate) fn take_obsolete_wals(&self, writing: &Writing, number: u64) -> Result<Vec<u64>> {
        let _hold = Hold::begin();
        let _one_at_a_time = writing.wal_sync.lock();
        // Before a WAL goes, or is written over, the MANIFEST must not expect it any more.
        let is_tracked = writing.versions.lock().wals().wals().range(..number).next().is_some();
        if is_tracked {
            let edit = VersionEdit { wal_deletion: Some(number), ..VersionEdit::default() };
            self.log_wal_edit(writing, edit)?;
        }
        Ok(writing.stage.lock().wal.release(number))
    }

    /// Strikes off all WALs if they are not tracked any more: what becomes of them is not entered
    /// from now on. An open of RocksDB for reading, which cannot strike them off, dies where the
    /// MANIFEST has some and the OPTIONS file says that they are not tracked.
    ///
    /// # Errors
    /// As [`DbImpl::take_obsolete_wals`].
    pub(crate) fn untrack_wals_if_disabled(&self, writing: &Writing) -> Result<()> {
        let last = writing.versions.lock().wals().wals().keys().next_back().copied();
        match last {
            Some(last) if !self.options().track_and_verify_wals_in_manifest => {
                let wal_deletion = Some(last + 1);
                self.log_wal_edit(writing, VersionEdit { wal_deletion, ..VersionEdit::default() })
            }
            _ => Ok(()),
        }
    }

    fn log_wal_edit(&self, writing: &Writing, edit: VersionEdit) -> Result<()> {
        let context =
            ApplyContext { atomic: false, last_sequence: self.visibility.last_sequence() };
        let logged = writing.versions.lock().log_and_apply(vec![(0, edit)], &context);
        logged.map(drop).inspect_err(|status| {
            self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
        })
    }
}

fn sync_wal_files(stage: &mut MutexGuard<'_, WriteStage>, wals: WalsToSync) -> Result<()> {
    let mut sync = match wals {
        WalsToSync::All => stage.wal.begin_sync_of_all()?,
        WalsToSync::Finished | WalsToSync::AllAsLeader => stage.wal.begin_sync(),
    };
    if !sync.is_empty() {
        let result = MutexGuard::unlocked(stage, || sync.run());
        stage.wal.end_sync(sync);
        result?;
    }
    if wals == WalsToSync::AllAsLeader { stage.wal.sync_current() } else { Ok(()) }
}
