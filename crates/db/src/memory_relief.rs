//! A database as one of those that share a write-buffer manager: what it can free, and how its
//! writers wait.

use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::db_state::FamilyState;
use crate::flush_reason::FlushReason;
use crate::write::write_options::WriteOptions;
use crate::write::write_thread::write_stall;
use crate::write_buffer_manager::{MemoryHolder, WriteBufferManager};
use base::{Result, Status};
use env::thread_pool::Priority;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often a writer that waits looks whether somebody has to be asked to flush.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

impl MemoryHolder for DbImpl {
    fn active_bytes(&self) -> usize {
        let Ok(writing) = self.writing() else { return 0 };
        match self.may_flush(writing) {
            true => writing.memtable_memory.active_bytes(),
            false => 0,
        }
    }

    fn has_unflushed(&self) -> bool {
        let Ok(writing) = self.writing() else { return false };
        self.may_flush(writing)
            && writing.state.lock().families.values().any(FamilyState::is_in_memory)
    }

    fn relieve(self: Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        if writing.is_relieving.swap(true, Ordering::AcqRel) {
            return;
        }
        let db = self.clone();
        let scheduled = writing.pool.schedule(Priority::Bottom, move || {
            let job = || "a flush for the write-buffer manager".to_owned();
            // What fails stands as background error.
            let _ = db.catch_panic(job, || db.flush_oldest());
            if let Ok(writing) = db.writing() {
                writing.is_relieving.store(false, Ordering::Release);
            }
        });
        if scheduled.is_err() {
            writing.is_relieving.store(false, Ordering::Release);
        }
    }
}

impl DbImpl {
    fn may_flush(&self, writing: &Writing) -> bool {
        !writing.is_closing.load(Ordering::Acquire) && {
            let state = writing.state.lock();
            !state.is_closed && state.pauses == 0 && !state.errors.stops_background_work()
        }
    }

    /// Changes the memtable that takes writes for longest, and requests its flush.
    fn flush_oldest(self: &Arc<Self>) -> Result<()> {
        let writing = self.writing()?;
        let _lead = writing.write_thread.enter_exclusively();
        let mut stage = writing.stage.lock();
        self.flush_oldest_of(&mut stage)
    }

    fn flush_oldest_of(self: &Arc<Self>, stage: &mut WriteStage) -> Result<()> {
        let Some(oldest) = self.oldest_to_flush(stage)? else { return Ok(()) };
        let mut ids: Vec<u32> = match self.options().atomic_flush {
            true => stage.memtables.families().iter().map(|family| family.data.id).collect(),
            false => vec![oldest],
        };
        let stats = self.lagging_stats_family(stage, &ids, |_| true);
        ids.extend(stats);
        let forced = [oldest].into_iter().chain(stats);
        let forced: Vec<_> = forced.map(|id| (id, FlushReason::WriteBufferManager)).collect();
        self.switch_memtables(stage, &ids)?;
        self.request_flush(&ids, &forced);
        Ok(())
    }

    /// Whether this database is to flush for the write-buffer manager. Another one that holds more is
    /// asked instead.
    pub(crate) fn is_to_relieve(self: &Arc<Self>, manager: &WriteBufferManager) -> bool {
        let own: Arc<dyn MemoryHolder> = self.clone();
        manager.should_flush() && manager.relieve_the_largest(&own)
    }

    /// Waits, as the leader, while the memory of all memtables is at its limit. Not for what no flush
    /// can free.
    ///
    /// # Errors
    /// The error that stops writes; `Incomplete` if the options do not allow to wait.
    #[cold]
    pub(crate) fn wait_for_memory(
        self: &Arc<Self>,
        writing: &Writing,
        manager: &WriteBufferManager,
        options: &WriteOptions,
    ) -> Result<()> {
        if options.no_slowdown {
            return Err(write_stall());
        }
        let _stall = writing.write_thread.begin_stall();
        let own: Arc<dyn MemoryHolder> = self.clone();
        let since = Instant::now();
        while manager.should_stall() && manager.can_be_relieved() {
            {
                let state = writing.state.lock();
                if let Some(error) = state.errors.write_error() {
                    return Err(error.clone());
                }
            }
            if writing.is_closing.load(Ordering::Acquire) {
                return Err(Status::shutdown_in_progress("the database is closing"));
            }
            // What is half full elsewhere may have to go, too, if this takes long.
            if (manager.should_flush() || since.elapsed() > 10 * LOOK_INTERVAL)
                && manager.relieve_the_largest(&own)
            {
                self.flush_oldest_of(&mut writing.stage.lock())?;
            }
            manager.wait(LOOK_INTERVAL);
        }
        writing.state.lock().stall_times.add_memory(since.elapsed());
        Ok(())
    }
}
