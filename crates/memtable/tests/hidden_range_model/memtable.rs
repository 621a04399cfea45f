//! A memtable of one writer, by the steps of the real one as far as hidden ranges go.

use crate::hidden_range::slot::{HiddenRange, HiddenSlot};
use crate::sync_primitives::Ordering;
use base::InternalKeyComparator;
use loom::sync::Mutex;
use loom::sync::atomic::AtomicU64;
use std::sync::Arc;

/// The column family is in one state all the time.
const STATE: u64 = 1;

#[derive(Default)]
struct WriterState {
    /// Keys and sequence numbers of values.
    records: Vec<(&'static str, u64)>,
    watched: Option<Arc<HiddenRange>>,
}

pub(crate) struct MemTable {
    comparator: InternalKeyComparator,
    writer: Mutex<WriterState>,
    slot: HiddenSlot,
    last_sequence: AtomicU64,
}

impl MemTable {
    pub(crate) fn new() -> Self {
        Self {
            comparator: InternalKeyComparator::bytewise(),
            writer: Mutex::default(),
            slot: HiddenSlot::default(),
            last_sequence: AtomicU64::new(0),
        }
    }

    /// Puts a value and lets readers know.
    pub(crate) fn put(&self, key: &'static str) {
        let mut state = self.writer.lock().unwrap();
        let sequence = self.last_sequence.load(Ordering::Relaxed) + 1;
        state.records.push((key, sequence));
        if let Some(watched) = &state.watched
            && watched.contains(key.as_bytes(), &self.comparator)
        {
            watched.set_broken();
            self.slot.update(|shown| shown.remove(watched));
            state.watched = None;
        }
        drop(state);
        self.last_sequence.store(sequence, Ordering::Release);
    }

    /// Whether a value within the range is newer than `after`, and as old as `sequence`. The lock stands for
    /// what readers of the container see of it.
    fn shows(&self, range: &HiddenRange, after: u64, sequence: u64) -> bool {
        self.writer.lock().unwrap().records.iter().any(|(key, of)| {
            range.contains(key.as_bytes(), &self.comparator) && *of > after && *of <= sequence
        })
    }

    /// Scans all keys, and remembers that nothing of them shows if that is so.
    pub(crate) fn scan(&self) {
        let sequence = self.last_sequence.load(Ordering::Acquire);
        let range = Arc::new(HiddenRange::new((None, None), sequence, STATE, 1));
        if self.shows(&range, 0, sequence) {
            return;
        }
        let mut state = self.writer.lock().unwrap();
        if let Some(watched) = state.watched.replace(range.clone()) {
            watched.set_broken();
            self.slot.update(|shown| shown.remove(&watched));
        }
        drop(state);
        if self.shows(&range, sequence, u64::MAX) {
            return;
        }
        let state = self.writer.lock().unwrap();
        if state.watched.as_ref().is_some_and(|watched| Arc::ptr_eq(watched, &range)) {
            self.slot.update(|shown| shown.insert(range, &self.comparator));
        }
    }

    /// Whether a range is passed by, and whether a reader misses a value of it for that.
    pub(crate) fn read(&self) -> (bool, bool) {
        self.read_by(&mut None)
    }

    /// As [`Self::read`], of one who holds on to the range that he gets, and asks for another where that holds no
    /// more.
    pub(crate) fn read_by(&self, kept: &mut Option<Arc<HiddenRange>>) -> (bool, bool) {
        let sequence = self.last_sequence.load(Ordering::Acquire);
        if kept.as_ref().is_none_or(|range| !range.holds(sequence, STATE)) {
            *kept = self.slot.at(None, &self.comparator);
        }
        match kept {
            Some(range) if range.holds(sequence, STATE) => (true, self.shows(range, 0, sequence)),
            _ => (false, false),
        }
    }
}
