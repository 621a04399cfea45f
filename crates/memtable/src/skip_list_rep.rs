//! Records in a skip list: the representation that serves reads and writes alike.

use crate::block_source::BlockSource;
use crate::memtable_rep::{MemTableEntry, MemTableRep, MemTableRepWriter};
use crate::rep_iterator::RepIterator;
use crate::skip_list::{SkipList, SkipListCursor, SkipListWriter};
use base::{InternalIterator, InternalKeyComparator};
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
        Self::with_blocks(comparator, BlockSource::default())
    }

    /// As [`Self::new`], of such blocks.
    pub(crate) fn with_blocks(
        comparator: InternalKeyComparator,
        source: BlockSource,
    ) -> (Arc<Self>, SkipListRepWriter) {
        let (list, writer) = SkipList::new(comparator, source);
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
        Box::new(RepIterator::new(SkipListCursor::new(self.list.clone())))
    }

    fn has_live_iterators(&self) -> bool {
        true
    }

    fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        self.list.approximate_num_entries(start, end)
    }

    fn split_keys(&self, count: usize) -> Vec<Vec<u8>> {
        self.list.split_keys(count)
    }

    fn allocated_bytes(&self) -> usize {
        self.list.allocated_bytes()
    }
}
