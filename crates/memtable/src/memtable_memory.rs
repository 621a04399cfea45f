//! The memory of all memtables that count together (`db_write_buffer_size`), as RocksDB's would take
//! it. Kept where it changes, block by block, so that asking costs two loads.

use crate::block_pool::BlockPool;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Hears of the memory of memtables as it changes, in any thread: a few times for each memtable.
pub trait MemTableMemoryObserver: fmt::Debug + Send + Sync {
    /// A memtable that takes writes has so many bytes more.
    fn grew(&self, bytes: usize);

    /// A memtable of so many bytes takes no more writes.
    fn retired(&self, bytes: usize);

    /// So many bytes of memtables that take no more writes are free.
    fn freed(&self, bytes: usize);
}

/// Bytes of memtables.
#[derive(Debug, Default)]
pub struct MemTableMemory {
    active: AtomicUsize,
    total: AtomicUsize,
    observer: Option<Arc<dyn MemTableMemoryObserver>>,
    blocks: BlockPool,
}

impl MemTableMemory {
    /// None yet, and somebody hears of what there will be.
    pub fn observed_by(observer: Arc<dyn MemTableMemoryObserver>) -> Self {
        Self { observer: Some(observer), ..Self::default() }
    }

    /// A memtable that takes writes has so many bytes more.
    pub fn grow(&self, bytes: usize) {
        self.active.fetch_add(bytes, Ordering::Relaxed);
        self.total.fetch_add(bytes, Ordering::Relaxed);
        if let Some(observer) = &self.observer {
            observer.grew(bytes);
        }
    }

    /// A memtable of so many bytes takes no more writes.
    pub fn retire(&self, bytes: usize) {
        self.active.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(observer) = &self.observer {
            observer.retired(bytes);
        }
    }

    /// So many bytes of memtables that take no more writes are free.
    pub fn free(&self, bytes: usize) {
        self.total.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(observer) = &self.observer {
            observer.freed(bytes);
        }
    }

    /// Bytes of memtables that take writes.
    pub fn active_bytes(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Bytes of all memtables that are not freed yet.
    pub fn total_bytes(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    /// Keeps the memory of memtables that are freed from now on for those that follow, at most as much as
    /// one of them takes. Not counted above, and never more with it than there was. To be called as
    /// memtables are changed, and [`Self::trim_kept`] now and then afterwards. Where somebody hears of what
    /// is freed nothing is kept: others may have it.
    pub fn keep_freed(&self) {
        if self.observer.is_none() {
            self.blocks.open();
        }
    }

    /// Gives back to the system what is kept and was not needed since the last call. Returns whether
    /// nothing will be kept until [`Self::keep_freed`] is called.
    pub fn trim_kept(&self) -> bool {
        self.blocks.trim()
    }

    /// There will be no more memtables: what outlives the database is a read's.
    pub fn release_kept(&self) {
        self.blocks.close();
    }

    /// Bytes that are kept for memtables to come.
    pub fn kept_bytes(&self) -> usize {
        self.blocks.bytes()
    }

    /// Bytes of huge pages that were asked for (`memtable_huge_page_size`) and not to be had since the last call,
    /// unless the last size that was told is the same.
    pub fn take_refusal_of_huge_pages(&self) -> Option<usize> {
        self.blocks.take_refusal()
    }

    pub(crate) fn blocks(&self) -> &BlockPool {
        &self.blocks
    }

    /// Whether a memtable is to be flushed for a limit to all of them, by RocksDB's rule: seven
    /// eighths of it are in memtables that take writes, or it is reached and at least half of it is.
    pub fn should_flush(&self, limit_bytes: usize) -> bool {
        let active = self.active_bytes();
        active > limit_bytes / 8 * 7
            || (self.total_bytes() >= limit_bytes && active >= limit_bytes / 2)
    }
}

/// What one memtable has counted. Given back when dropped.
#[derive(Debug)]
pub(crate) struct CountedMemory {
    memory: Arc<MemTableMemory>,
    bytes: usize,
    is_active: bool,
}

impl CountedMemory {
    pub(crate) fn new(memory: Arc<MemTableMemory>) -> Self {
        Self { memory, bytes: 0, is_active: true }
    }

    /// The memtable has so many bytes now, and never fewer than before.
    #[inline]
    pub(crate) fn grow_to(&mut self, bytes: usize) {
        if bytes != self.bytes {
            let more = bytes - self.bytes;
            self.memory.grow(more);
            self.bytes = bytes;
        }
    }

    /// The memtable takes no more writes.
    pub(crate) fn retire(&mut self) {
        if std::mem::replace(&mut self.is_active, false) {
            self.memory.retire(self.bytes);
        }
    }
}

impl Drop for CountedMemory {
    fn drop(&mut self) {
        self.retire();
        self.memory.free(self.bytes);
    }
}
