//! Tables that are open, by file number: those of all column families of a database, which number
//! their files together.

use crate::block_based::BlockBasedTable;
use base::Result;
use cache::Cache;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Keeps up to a number of tables open. A table in use stays open in any case, for as long as its
/// user holds it.
#[derive(Debug)]
pub struct TableCache {
    capacity: usize,
    /// Files that others keep open out of the same number.
    others: Arc<AtomicUsize>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    slots: HashMap<u64, Entry>,
    /// What files are called in the block cache, kept when tables are closed.
    cache_ids: HashMap<u64, u64>,
    /// Counts uses.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    slot: Arc<Mutex<Option<Arc<BlockBasedTable>>>>,
    last_use: u64,
}

impl TableCache {
    /// A cache of up to `capacity` tables, at least one.
    pub fn new(capacity: usize) -> Self {
        Self::beside(capacity, Arc::default())
    }

    /// A cache of up to `capacity` tables less the `others`, at least one.
    pub fn beside(capacity: usize, others: Arc<AtomicUsize>) -> Self {
        Self { capacity: capacity.max(1), others, state: Mutex::default() }
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
        while state.slots.len() >= self.capacity.saturating_sub(others).max(1) {
            // Opening a file takes far longer than this walk.
            let oldest = state.slots.iter().min_by_key(|(_, entry)| entry.last_use);
            if let Some(number) = oldest.map(|(&number, _)| number) {
                state.slots.remove(&number);
            }
        }
        let slot = Arc::default();
        let entry = Entry { slot: Arc::clone(&slot), last_use: state.clock };
        state.slots.insert(file_number, entry);
        slot
    }

    /// What a file is called in the block cache: the same every time it is opened through this
    /// cache.
    pub fn cache_id(&self, file_number: u64, cache: &dyn Cache) -> u64 {
        *self.state.lock().cache_ids.entry(file_number).or_insert_with(|| cache.new_id())
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
        self.capacity
    }
}

#[cfg(test)]
mod tests;
