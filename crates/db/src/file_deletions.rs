//! Files that are kept although nothing needs them: while deletions are disabled, for whoever copies the
//! directory, and those that jobs are writing.

use crate::db::Db;
use crate::db_impl::{DbImpl, Writing};
use base::Result;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Held for no other lock.
#[derive(Debug, Default)]
pub(crate) struct FileDeletions {
    /// How often they were disabled and not enabled.
    disabled: usize,
    /// WALs that would have been deleted meanwhile.
    wals: Vec<u64>,
    /// Jobs that run, by the number that the next file had when they began.
    jobs: BTreeMap<u64, usize>,
}

impl FileDeletions {
    pub(crate) fn is_disabled(&self) -> bool {
        self.disabled > 0
    }

    /// No file that a job writes has a smaller number; none if no job runs.
    pub(crate) fn smallest_output(&self) -> Option<u64> {
        self.jobs.keys().next().copied()
    }
}

/// Protects what a job writes, until dropped.
#[derive(Debug)]
pub(crate) struct ProtectedOutputs {
    deletions: Arc<Mutex<FileDeletions>>,
    number: u64,
}

impl Drop for ProtectedOutputs {
    fn drop(&mut self) {
        let jobs = &mut self.deletions.lock().jobs;
        if let Some(count) = jobs.get_mut(&self.number) {
            *count -= 1;
            if *count == 0 {
                jobs.remove(&self.number);
            }
        }
    }
}

impl Writing {
    /// To be called before a job takes the number of its first file.
    pub(crate) fn protect_outputs(&self) -> ProtectedOutputs {
        let deletions = self.file_deletions.clone();
        let number = self.file_numbers.peek();
        *deletions.lock().jobs.entry(number).or_default() += 1;
        ProtectedOutputs { deletions, number }
    }

    /// Keeps a WAL for later, if deletions are disabled.
    pub(crate) fn keeps_wal(&self, number: u64) -> bool {
        let mut deletions = self.file_deletions.lock();
        let is_kept = deletions.is_disabled();
        if is_kept {
            deletions.wals.push(number);
        }
        is_kept
    }
}

impl Db {
    /// Keeps files that nothing needs any more, for whoever copies the directory
    /// (`DisableFileDeletions`). To be undone as often. Deletions that are under way in other threads may
    /// still end.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub fn disable_file_deletions(&self) -> Result<()> {
        self.inner.writing()?.file_deletions.lock().disabled += 1;
        Ok(())
    }

    /// Undoes one [`Db::disable_file_deletions`] (`EnableFileDeletions`); with the last one, what was kept
    /// is deleted. Nothing if deletions are enabled.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub fn enable_file_deletions(&self) -> Result<()> {
        self.inner.enable_file_deletions()
    }
}

impl DbImpl {
    fn enable_file_deletions(&self) -> Result<()> {
        let writing = self.writing()?;
        let wals = {
            let mut deletions = writing.file_deletions.lock();
            deletions.disabled = deletions.disabled.saturating_sub(1);
            if deletions.is_disabled() {
                return Ok(());
            }
            std::mem::take(&mut deletions.wals)
        };
        wals.into_iter().for_each(|number| self.remove_wal(number));
        self.purge_wal_archive();
        self.delete_obsolete_files(writing.info_log.next_job_id());
        // Those that are left do no harm; the next open tries again.
        let _ = self.delete_old_options_files(&mut writing.options_file.lock());
        Ok(())
    }
}
