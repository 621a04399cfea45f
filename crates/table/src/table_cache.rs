//! Tables that are open, by file number: those of all column families of a database, which number
//! their files together.

use crate::block_based::BlockBasedTable;
use base::Result;
use cache::Cache;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Keeps up to a number of tables open. A table in use stays open in any case, for as long as its
/// user holds it.
#[derive(Debug)]
pub struct TableCache {
    /// Read and changed without order: roughly is enough.
    capacity: AtomicUsize,
    /// Files that others keep open out of the same number.
    others: Arc<AtomicUsize>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    slots: HashMap<u64, Entry>,
    /// What files are called in which block cache, kept when tables are closed. A reference to the
    /// cache keeps another from being taken for it.
    cache_ids: HashMap<u64, (Weak<dyn Cache>, u64)>,
    /// Counts uses.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    slot: Arc<Mutex<Option<Arc<BlockBasedTable>>>>,
    last_use: u64,
}

/// A table that was taken out of the cache. To be dropped where a file may be closed.
#[must_use = "it is to be dropped where a file may be closed"]
#[derive(Debug)]
pub struct ClosingTable(#[expect(dead_code, reason = "held until dropped")] Entry);

impl State {
    /// Takes out the tables used longest ago, until there are no more than `max`.
    fn close_oldest(&mut self, max: usize) -> Vec<Entry> {
        let excess = self.slots.len().saturating_sub(max);
        if excess == 0 {
            return Vec::new();
        }
        // Opening a file takes far longer than this walk.
        let mut by_age: Vec<(u64, u64)> =
            self.slots.iter().map(|(number, entry)| (entry.last_use, *number)).collect();
        by_age.select_nth_unstable(excess - 1);
        by_age.truncate(excess);
        by_age.iter().filter_map(|(_, number)| self.slots.remove(number)).collect()
    }
}

impl TableCache {
    /// A cache of up to `capacity` tables, at least one.
    pub fn new(capacity: usize) -> Self {
        Self::beside(capacity, Arc::default())
    }

    /// A cache of up to `capacity` tables less the `others`, at least one.
    pub fn beside(capacity: usize, others: Arc<AtomicUsize>) -> Self {
        Self { capacity: AtomicUsize::new(capacity.max(1)), others, state: Mutex::default() }
    }

    /// The table of a file, by `open` if it is not open. Of several threads that want it at once
    /// one opens it and the others wait.
    ///
    /// # Errors
    /// What `open` gives; the next call tries again.
    pub fn get_or_open(
        &self,
        file_number: u64,
        open: impl FnOnce() -> Result<Arc<BlockBasedTable>>,
    ) -> Result<Arc<BlockBasedTable>> {
        let slot = self.slot(file_number);
        let mut table = slot.lock();
        if let Some(table) = &*table {
            return Ok(Arc::clone(table));
        }
        Ok(Arc::clone(table.insert(open()?)))
    }

    /// The table of a file, if it is open. Does not count as a use.
    pub fn get(&self, file_number: u64) -> Option<Arc<BlockBasedTable>> {
        let slot = Arc::clone(&self.state.lock().slots.get(&file_number)?.slot);
        // Whoever holds the slot is opening the table.
        let table = slot.try_lock()?;
        table.clone()
    }

    /// The slot of a file, made if need be, in which case the tables used longest ago are closed
    /// while there are too many.
    fn slot(&self, file_number: u64) -> Arc<Mutex<Option<Arc<BlockBasedTable>>>> {
        let mut state = self.state.lock();
        let state = &mut *state;
        state.clock += 1;
        if let Some(entry) = state.slots.get_mut(&file_number) {
            entry.last_use = state.clock;
            return Arc::clone(&entry.slot);
        }
        // Relaxed: roughly is enough.
        let others = self.others.load(Ordering::Relaxed);
        let room = self.capacity().saturating_sub(others).max(1) - 1;
        state.close_oldest(room);
        let slot = Arc::default();
        let entry = Entry { slot: Arc::clone(&slot), last_use: state.clock };
        state.slots.insert(file_number, entry);
        slot
    }

    /// What a file is called in a block cache: the same every time it is opened with that.
    pub fn cache_id(&self, file_number: u64, cache: &Arc<dyn Cache>) -> u64 {
        let mut state = self.state.lock();
        match state.cache_ids.get(&file_number) {
            Some((known, id)) if std::ptr::addr_eq(known.as_ptr(), Arc::as_ptr(cache)) => *id,
            _ => {
                let id = cache.new_id();
                state.cache_ids.insert(file_number, (Arc::downgrade(cache), id));
                id
            }
        }
    }

    /// Takes out the table of a file, which will be opened again when it is next read. It is closed
    /// when what this returns is dropped.
    pub fn take(&self, file_number: u64) -> Option<ClosingTable> {
        self.state.lock().slots.remove(&file_number).map(ClosingTable)
    }

    /// Closes the table of a file that is not needed any more.
    pub fn evict(&self, file_number: u64) {
        let mut state = self.state.lock();
        state.cache_ids.remove(&file_number);
        let entry = state.slots.remove(&file_number);
        drop(state);
        drop(entry);
    }

    /// Number of tables kept.
    pub fn len(&self) -> usize {
        self.state.lock().slots.len()
    }

    /// Whether no table is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many tables are kept at most.
    pub fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Keeps up to `capacity` tables (at least one) from now on. Those that are too many are closed.
    pub fn set_capacity(&self, capacity: usize) {
        let capacity = capacity.max(1);
        self.capacity.store(capacity, Ordering::Relaxed);
        let room = capacity.saturating_sub(self.others.load(Ordering::Relaxed)).max(1);
        let closed = self.state.lock().close_oldest(room);
        drop(closed);
    }
}

#[cfg(test)]
mod tests;
