//! Records in a B+tree: the representation that serves reads and writes alike where keys are ordered
//! as bytes.

use crate::b_plus_tree::{BPlusTree, BPlusTreeCursor, BPlusTreeWriter};
use crate::block_source::BlockSource;
use crate::memtable_rep::{MemTableEntry, MemTableRep, MemTableRepWriter};
use crate::rep_iterator::RepIterator;
use base::InternalIterator;
use std::sync::Arc;

/// A memtable that is sorted at all times, and searched by few looks at memory.
#[derive(Debug)]
pub struct BPlusTreeRep {
    tree: Arc<BPlusTree>,
}

/// Adds records to a [`BPlusTreeRep`].
#[derive(Debug)]
pub struct BPlusTreeRepWriter {
    writer: BPlusTreeWriter,
}

impl BPlusTreeRep {
    /// An empty container for keys that are ordered as bytes.
    pub fn new() -> (Arc<Self>, BPlusTreeRepWriter) {
        Self::with_blocks(BlockSource::default())
    }

    /// As [`Self::new`], of such blocks.
    pub(crate) fn with_blocks(source: BlockSource) -> (Arc<Self>, BPlusTreeRepWriter) {
        let (tree, writer) = BPlusTree::new(source);
        (Arc::new(Self { tree }), BPlusTreeRepWriter { writer })
    }
}

impl MemTableRepWriter for BPlusTreeRepWriter {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        self.writer.insert(user_key, trailer, value);
    }

    fn insert_with_hint(&mut self, hint: u64, user_key: &[u8], trailer: u64, value: &[u8]) -> bool {
        self.writer.insert_with_hint(hint, user_key, trailer, value)
    }

    fn expect(&mut self, user_keys: &[&[u8]]) {
        self.writer.expect(user_keys);
    }
}

impl MemTableRep for BPlusTreeRep {
    fn visit(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool) {
        self.tree.visit(target, visitor);
    }

    fn visit_key(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool) {
        self.tree.visit_key(target, visitor);
    }

    fn new_iterator(self: Arc<Self>) -> Box<dyn InternalIterator> {
        Box::new(RepIterator::new(BPlusTreeCursor::new(self.tree.clone())))
    }

    fn has_live_iterators(&self) -> bool {
        true
    }

    fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        self.tree.approximate_num_entries(start, end)
    }

    fn split_keys(&self, count: usize) -> Vec<Vec<u8>> {
        self.tree.split_keys(count)
    }

    fn allocated_bytes(&self) -> usize {
        self.tree.allocated_bytes()
    }
}
