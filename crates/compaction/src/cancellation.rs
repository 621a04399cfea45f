//! How a job is told to stop, or to let more urgent work go first.

use crate::giving_way::GivesWay;
use base::status::{Code, SubCode};
use base::{Result, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flags that a job looks at every few records.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    /// The database is closing.
    pub shutting_down: Arc<AtomicBool>,
    /// The column family is dropped.
    pub column_family_dropped: Arc<AtomicBool>,
    /// All compactions are aborted. Cleared when they are resumed, which may be before the job has looked.
    pub compactions_aborted: Arc<AtomicBool>,
    /// The user cancelled the manual compaction that this is; none for automatic ones.
    pub manual_compaction_canceled: Option<Arc<AtomicBool>>,
    /// What it does in between.
    pub gives_way: GivesWay,
}

impl Cancellation {
    /// Whether the job may go on. Goes aside first where more urgent work waits: no lock may be
    /// held.
    ///
    /// # Errors
    /// `ShutdownInProgress`, `ColumnFamilyDropped`, or `Incomplete` for a cancelled compaction.
    #[inline]
    pub fn check(&self) -> Result<()> {
        // Relaxed: the flags guard no data, and a record more or less does not matter.
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if is_set(&self.shutting_down)
            || is_set(&self.column_family_dropped)
            || is_set(&self.compactions_aborted)
            || self.manual_compaction_canceled.as_deref().is_some_and(is_set)
        {
            return Err(self.reason());
        }
        if self.gives_way.is_wanted() {
            self.gives_way.ask();
        }
        Ok(())
    }

    #[cold]
    fn reason(&self) -> Status {
        if self.shutting_down.load(Ordering::Relaxed) {
            Status::new(Code::ShutdownInProgress, "Database shutdown")
        } else if self.column_family_dropped.load(Ordering::Relaxed) {
            let text = "Column family dropped during compaction";
            Status::new(Code::ColumnFamilyDropped, text)
        } else if self
            .manual_compaction_canceled
            .as_ref()
            .is_some_and(|f| f.load(Ordering::Relaxed))
        {
            Status::incomplete("Manual compaction paused")
        } else {
            Status::incomplete("").with_subcode(SubCode::CompactionAborted)
        }
    }
}

#[cfg(test)]
mod tests;
