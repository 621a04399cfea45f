//! The MANIFEST's account of WALs (`track_and_verify_wals_in_manifest`): one that is finished and
//! synced is entered with its size, so that an open can tell when it is missing or cut off, and
//! struck off before its file goes.

use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::error_handler::BackgroundErrorReason;
use base::Result;
use version::{ApplyContext, VersionEdit};

impl DbImpl {
    /// Enters the finished WALs that were synced since the last call.
    ///
    /// # Errors
    /// What writing the MANIFEST gave; it stands as background error too.
    pub(crate) fn track_synced_wals(
        &self,
        writing: &Writing,
        stage: &mut WriteStage,
    ) -> Result<()> {
        let wal_additions = stage.wal.take_synced();
        if wal_additions.is_empty() || !self.options.track_and_verify_wals_in_manifest {
            return Ok(());
        }
        self.log_wal_edit(writing, VersionEdit { wal_additions, ..VersionEdit::default() })
    }

    /// Strikes off the WALs before `number`, if the MANIFEST has any of them.
    ///
    /// # Errors
    /// As [`DbImpl::track_synced_wals`].
    pub(crate) fn untrack_wals_before(&self, writing: &Writing, number: u64) -> Result<()> {
        if writing.versions.lock().wals().wals().range(..number).next().is_none() {
            return Ok(());
        }
        self.log_wal_edit(
            writing,
            VersionEdit { wal_deletion: Some(number), ..VersionEdit::default() },
        )
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
