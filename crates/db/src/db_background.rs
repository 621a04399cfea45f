//! The part of [`Db`] that asks for work in the background, and controls it.

use crate::background_control::WaitForCompactOptions;
use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use crate::manual_compaction::CompactRangeOptions;
use base::Result;
use compaction::CompactFilesOptions;
use env::ThreadStatus;

impl Db {
    /// Compacts the keys from `begin` to `end`, both inclusive; none for the first or last key. In
    /// a column family with timestamps the keys have none here. Memtables are flushed first.
    ///
    /// # Errors
    /// `Incomplete` if it is cancelled, or manual compactions are disabled; `InvalidArgument` for
    /// options that make no sense; what the compactions gave.
    pub fn compact_range(
        &self,
        options: &CompactRangeOptions,
        family: &ColumnFamilyHandle,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.inner.check_call(options)?;
        self.inner.compact_range(options, family, begin, end)
    }

    /// Compacts the tables of these numbers, and what must go along, to `output_level`.
    ///
    /// # Errors
    /// `InvalidArgument` without files, for a file that is not there or below `output_level`, and
    /// for a level that is not there; `Aborted` if something needed is being compacted; what the
    /// compaction gave.
    pub fn compact_files(
        &self,
        options: &CompactFilesOptions,
        family: &ColumnFamilyHandle,
        numbers: &[u64],
        output_level: usize,
    ) -> Result<()> {
        self.inner.check_call(options)?;
        self.inner.compact_files(options, family, numbers, output_level)
    }

    /// Waits until no flush and no compaction runs or is due.
    ///
    /// # Errors
    /// `Aborted` where work is paused and that is not to be waited for; `TimedOut`;
    /// `ShutdownInProgress`; the error that stops background work.
    pub fn wait_for_compact(&self, options: &WaitForCompactOptions) -> Result<()> {
        self.inner.check_call(options)?;
        self.inner.wait_for_compact(options)
    }

    /// Lets no flush and no compaction begin, and waits for those that run. To be undone as often.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub fn pause_background_work(&self) -> Result<()> {
        self.inner.pause_background_work()
    }

    /// Undoes one [`Db::pause_background_work`].
    ///
    /// # Errors
    /// `InvalidArgument` if there was none; `NotSupported` if the database is open for reading
    /// only.
    pub fn continue_background_work(&self) -> Result<()> {
        self.inner.continue_background_work()
    }

    /// Cancels manual compactions, waits for their end, and lets none begin. To be undone as often.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub fn disable_manual_compaction(&self) -> Result<()> {
        self.inner.disable_manual_compaction()
    }

    /// Undoes one [`Db::disable_manual_compaction`].
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub fn enable_manual_compaction(&self) -> Result<()> {
        self.inner.enable_manual_compaction()
    }

    /// Ends background work for good; writes fail from here on. With `wait` returns when it has
    /// ended. The database is still to be closed.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only; what flushing gave.
    pub fn cancel_all_background_work(&self, wait: bool) -> Result<()> {
        self.inner.cancel_all_background_work(wait)
    }

    /// What the threads of this process are doing for databases (`GetThreadList`): those of pools,
    /// and others while they do something that is tracked. Databases without
    /// `enable_thread_tracking` do not say what theirs do.
    pub fn thread_list() -> Vec<ThreadStatus> {
        env::thread_list()
    }

    /// Gets over an error that stopped writes, once its cause is gone; does nothing if there is
    /// none. Where a disk was full that happens by itself.
    ///
    /// # Errors
    /// The error if it is too bad: then the database must be opened again. `Busy` if it is being
    /// done; what the attempt gave.
    pub fn resume(&self) -> Result<()> {
        self.inner.resume()
    }
}
