//! Records in a skip list: the representation that serves reads and writes alike.

use crate::memtable_rep::start_seek;
use crate::memtable_rep::{MemTableEntry, MemTableRep, MemTableRepWriter};
use crate::skip_list::{SkipList, SkipListCursor, SkipListWriter};
use base::{InternalIterator, InternalKeyComparator, PinnableSlice, Result};
use perf_context::{PerfMetric, count};
use std::sync::Arc;

/// A memtable that is sorted at all times. RocksDB knows it as `SkipListFactory`.
#[derive(Debug)]
pub struct SkipListRep {
    list: Arc<SkipList>,
}

/// Adds records to a [`SkipListRep`].
#[derive(Debug)]
pub struct SkipListRepWriter {
    writer: SkipListWriter,
}

impl SkipListRep {
    /// An empty container.
    pub fn new(comparator: InternalKeyComparator) -> (Arc<Self>, SkipListRepWriter) {
        let (list, writer) = SkipList::new(comparator);
        (Arc::new(Self { list }), SkipListRepWriter { writer })
    }
}

impl MemTableRepWriter for SkipListRepWriter {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        self.writer.insert(user_key, trailer, value);
    }

    fn insert_with_hint(&mut self, hint: u64, user_key: &[u8], trailer: u64, value: &[u8]) -> bool {
        self.writer.insert_with_hint(hint, user_key, trailer, value)
    }
}

impl MemTableRep for SkipListRep {
    fn visit(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool) {
        self.list.visit(target, visitor);
    }

    fn new_iterator(self: Arc<Self>) -> Box<dyn InternalIterator> {
        Box::new(SkipListIterator { cursor: SkipListCursor::new(self.list.clone()) })
    }

    fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        self.list.approximate_num_entries(start, end)
    }

    fn allocated_bytes(&self) -> usize {
        self.list.allocated_bytes()
    }
}

struct SkipListIterator {
    cursor: SkipListCursor,
}

impl InternalIterator for SkipListIterator {
    fn valid(&self) -> bool {
        self.cursor.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.cursor.seek_to_first();
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.cursor.seek_to_last();
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        let _timer = start_seek();
        self.cursor.seek(target);
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        let _timer = start_seek();
        self.cursor.seek_for_prev(target);
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        count(PerfMetric::NextOnMemtableCount, 1);
        self.cursor.next();
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        count(PerfMetric::PrevOnMemtableCount, 1);
        self.cursor.prev();
        Ok(())
    }

    fn key(&self) -> &[u8] {
        self.cursor.entry().key()
    }

    fn value(&self) -> &[u8] {
        self.cursor.entry().value()
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.cursor.entry().pinned_value()
    }
}
