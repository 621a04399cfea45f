//! One limit for the memory of memtables, for as many databases as share it.
//!
//! Each database counts its memtables, and what it counts comes here, too. A writer that finds too
//! much has the database that holds most flush its oldest memtable, be it another one. Where writers
//! are to wait, they wait until enough is free.

use cache::{Cache, CacheReservation};
use memtable::{MemTableMemory, MemTableMemoryObserver};
use parking_lot::{Condvar, Mutex};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use table::{CacheEntryRole, RoleCharge};

/// A database, as the manager knows it.
pub(crate) trait MemoryHolder: fmt::Debug + Send + Sync {
    /// Bytes of memtables that take writes and that it can flush.
    fn active_bytes(&self) -> usize;

    /// Whether it has anything that is in no table yet and that it can flush.
    fn has_unflushed(&self) -> bool;

    /// Flushes its oldest memtable soon, in a thread of its own.
    fn relieve(self: Arc<Self>);
}

/// Limits the memory of memtables (`rocksdb::WriteBufferManager`). To be put into the
/// [`OpenContext`](crate::OpenContext) of each database that shares it; `db_write_buffer_size` has no
/// effect there.
#[derive(Debug)]
pub struct WriteBufferManager {
    /// 0 for no limit.
    buffer_size: AtomicUsize,
    allow_stall: AtomicBool,
    memory: MemTableMemory,
    reservation: Option<Mutex<CacheReservation>>,
    holders: Mutex<Vec<Weak<dyn MemoryHolder>>>,
    /// Writers that wait.
    waiting: Mutex<usize>,
    freed: Condvar,
}

impl WriteBufferManager {
    /// With a limit in bytes, 0 for none, that nobody waits for.
    pub fn new(buffer_size: usize) -> Self {
        Self {
            buffer_size: AtomicUsize::new(buffer_size),
            allow_stall: AtomicBool::new(false),
            memory: MemTableMemory::default(),
            reservation: None,
            holders: Mutex::default(),
            waiting: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// The memory is charged to `cache`, in units of 256 KiB, so that both together have one limit.
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<dyn Cache>) -> Self {
        let reservation =
            CacheReservation::new(cache, RoleCharge(CacheEntryRole::WriteBuffer).into());
        self.reservation = Some(Mutex::new(reservation));
        self
    }

    /// Whether writers of all databases wait while the limit is reached. Those that must not wait
    /// (`no_slowdown`) fail.
    #[must_use]
    pub fn with_allow_stall(self, allow_stall: bool) -> Self {
        self.set_allow_stall(allow_stall);
        self
    }

    /// The limit in bytes; 0 for none.
    pub fn buffer_size(&self) -> usize {
        self.buffer_size.load(Ordering::Relaxed)
    }

    /// Changes the limit, at once.
    pub fn set_buffer_size(&self, bytes: usize) {
        self.buffer_size.store(bytes, Ordering::Relaxed);
        self.end_stall_if_free();
    }

    /// Changes whether writers wait, at once.
    pub fn set_allow_stall(&self, allow_stall: bool) {
        self.allow_stall.store(allow_stall, Ordering::Relaxed);
        self.end_stall_if_free();
    }

    /// Whether there is a limit.
    pub fn enabled(&self) -> bool {
        self.buffer_size() > 0
    }

    /// Bytes of all memtables that are not freed yet: a read that goes on holds what it began with.
    pub fn memory_usage(&self) -> usize {
        self.memory.total_bytes()
    }

    /// Bytes of memtables that take writes.
    pub fn mutable_memtable_memory_usage(&self) -> usize {
        self.memory.active_bytes()
    }

    /// Whether the memory is charged to a cache.
    pub fn cost_to_cache(&self) -> bool {
        self.reservation.is_some()
    }

    /// Bytes charged to the cache.
    pub fn dummy_entries_in_cache_usage(&self) -> usize {
        self.reservation.as_ref().map_or(0, |reservation| reservation.lock().reserved_bytes())
    }

    /// Whether a memtable is to be flushed: seven eighths of the limit are in memtables that take
    /// writes, or it is reached and at least half of it is.
    pub fn should_flush(&self) -> bool {
        self.enabled() && self.memory.should_flush(self.buffer_size())
    }

    /// Whether writers are to wait.
    pub fn should_stall(&self) -> bool {
        self.allow_stall.load(Ordering::Relaxed)
            && self.enabled()
            && self.memory_usage() >= self.buffer_size()
    }

    /// Whether a writer waits.
    pub fn is_stall_active(&self) -> bool {
        *self.waiting.lock() > 0
    }

    /// One more database.
    pub(crate) fn register(&self, holder: Weak<dyn MemoryHolder>) {
        let mut holders = self.holders.lock();
        holders.retain(|holder| holder.strong_count() > 0);
        holders.push(holder);
    }

    fn holders(&self) -> Vec<Arc<dyn MemoryHolder>> {
        self.holders.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Has another database than `own` flush if it holds most. Whether `own` is to flush.
    pub(crate) fn relieve_the_largest(&self, own: &Arc<dyn MemoryHolder>) -> bool {
        let largest = self.holders().into_iter().max_by_key(|holder| holder.active_bytes());
        match largest {
            Some(holder) if !Arc::ptr_eq(&holder, own) && holder.active_bytes() > 0 => {
                holder.relieve();
                false
            }
            _ => true,
        }
    }

    /// Has the database that holds most flush if that is more than `bytes`, which are those of one that
    /// is being opened. Whether the latter is to flush.
    pub(crate) fn relieve_more_than(&self, bytes: usize) -> bool {
        let sized = self.holders().into_iter().map(|holder| (holder.active_bytes(), holder));
        match sized.max_by_key(|(size, _)| *size) {
            Some((size, holder)) if size > bytes => {
                holder.relieve();
                false
            }
            // It may have begun to flush since somebody looked.
            _ => self.should_flush(),
        }
    }

    /// Whether a flush, of whichever database, can free anything.
    pub(crate) fn can_be_relieved(&self) -> bool {
        self.holders().iter().any(|holder| holder.has_unflushed())
    }

    /// Waits until writers may go on, or for `patience`.
    pub(crate) fn wait(&self, patience: Duration) {
        let mut waiting = self.waiting.lock();
        *waiting += 1;
        if self.should_stall() {
            self.freed.wait_for(&mut waiting, patience);
        }
        *waiting -= 1;
    }

    fn end_stall_if_free(&self) {
        if !self.should_stall() {
            // Under the lock, so that nobody is about to wait.
            let _waiting = self.waiting.lock();
            self.freed.notify_all();
        }
    }

    fn follow(&self) {
        if let Some(reservation) = &self.reservation {
            // A strict limit of the cache is none of memtables.
            let _ = reservation.lock().follow(self.memory_usage());
        }
    }
}

impl MemTableMemoryObserver for WriteBufferManager {
    fn grew(&self, bytes: usize) {
        self.memory.grow(bytes);
        self.follow();
    }

    fn retired(&self, bytes: usize) {
        self.memory.retire(bytes);
    }

    fn freed(&self, bytes: usize) {
        self.memory.free(bytes);
        self.follow();
        self.end_stall_if_free();
    }
}
