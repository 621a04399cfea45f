//! Stands on a record of a tree.

use super::node::NodeAddress;
use super::{BPlusTree, Position};
use crate::memtable_rep::MemTableEntry;
use crate::rep_iterator::RepCursor;
use std::sync::Arc;

/// A place in a tree, which it holds.
#[derive(Debug)]
pub(crate) struct BPlusTreeCursor {
    tree: Arc<BPlusTree>,
    position: Option<Position>,
    /// The leaf to which the last seek forward has led: one that follows may go there without a way down.
    near: Option<NodeAddress>,
}

// SAFETY: leaves and the record belong to the tree, which the cursor holds, and are reached as the
// tree's are.
unsafe impl Send for BPlusTreeCursor {}

impl BPlusTreeCursor {
    /// A cursor that stands nowhere.
    pub(crate) fn new(tree: Arc<BPlusTree>) -> Self {
        Self { tree, position: None, near: None }
    }

    fn position(&self) -> Position {
        match self.position {
            Some(position) => position,
            None => panic!("iterator is not valid"),
        }
    }
}

impl RepCursor for BPlusTreeCursor {
    fn valid(&self) -> bool {
        self.position.is_some()
    }

    fn seek_to_first(&mut self) {
        self.position = self.tree.first();
    }

    fn seek_to_last(&mut self) {
        self.position = self.tree.last();
    }

    fn seek(&mut self, target: &[u8]) {
        self.position = self.tree.seek_from(&mut self.near, target);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.position = self.tree.seek_for_prev(target);
    }

    fn next(&mut self) {
        self.position = self.tree.after(self.position());
    }

    fn prev(&mut self) {
        self.position = self.tree.previous(self.position());
    }

    fn starts_user_key(&self) -> bool {
        self.tree.starts_user_key(self.position())
    }

    fn prefetch(&self) {
        if let Some(position) = self.position {
            self.tree.prefetch_records(position);
        }
    }

    #[inline]
    fn entry(&self) -> MemTableEntry<'_> {
        self.tree.entry(self.position().record)
    }
}
