//! A skip list of two levels, linked and searched by the steps of that of memtables, with the same pointers.

use crate::published_ptr::PublishedPtr;
use loom::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

const HEIGHT_MAX: usize = 2;
const NODES: usize = 5;

/// Filled in before it is linked. Nothing but links orders what it holds.
#[derive(Default)]
struct Node {
    key: AtomicU32,
    links: [PublishedPtr<Node>; HEIGHT_MAX],
}

pub(crate) struct List {
    /// The head, and what was made so far.
    nodes: Box<[Node; NODES]>,
    node_count: AtomicUsize,
    height: AtomicUsize,
}

fn address(node: &Node) -> *mut Node {
    std::ptr::from_ref(node).cast_mut()
}

impl List {
    /// A list of keys, of which the first and every second one behind it are on both levels.
    pub(crate) fn new(keys: &[u32]) -> Self {
        let list = Self {
            nodes: Box::default(),
            node_count: AtomicUsize::new(1),
            height: AtomicUsize::new(1),
        };
        for (index, key) in keys.iter().enumerate() {
            list.insert(*key, if index.is_multiple_of(2) { HEIGHT_MAX } else { 1 });
        }
        list
    }

    fn head(&self) -> &Node {
        &self.nodes[0]
    }

    fn next(&self, node: &Node, level: usize) -> Option<&Node> {
        let next = node.links[level].load();
        self.nodes.iter().find(|node| std::ptr::eq(*node, next))
    }

    fn key(node: &Node) -> u32 {
        node.key.load(Ordering::Relaxed)
    }

    /// The neighbours on a level, from `before` on, of which the second one is the first that is not before
    /// `key`.
    fn splice<'a>(
        &'a self,
        key: u32,
        level: usize,
        mut before: &'a Node,
    ) -> (&'a Node, Option<&'a Node>) {
        loop {
            match self.next(before, level) {
                Some(next) if Self::key(next) < key => before = next,
                // Looked at again it might be another one.
                after => return (before, after),
            }
        }
    }

    /// Links a new node on the lowest level first, and tells of a level that is new last.
    pub(crate) fn insert(&self, key: u32, height: usize) {
        let count = self.node_count.load(Ordering::Relaxed);
        self.node_count.store(count + 1, Ordering::Relaxed);
        let node = &self.nodes[count];
        node.key.store(key, Ordering::Relaxed);
        for level in 0..height {
            let (before, _) = self.splice(key, level, self.head());
            node.links[level].prepare(before.links[level].peek());
            before.links[level].publish(address(node));
        }
        if height > self.height.load(Ordering::Relaxed) {
            self.height.store(height, Ordering::Relaxed);
        }
    }

    /// The first key that is not before `key`.
    pub(crate) fn find(&self, key: u32) -> Option<u32> {
        let mut splice = (self.head(), None);
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            splice = self.splice(key, level, splice.0);
        }
        splice.1.map(Self::key)
    }

    /// All keys.
    pub(crate) fn scan(&self) -> Vec<u32> {
        let nodes = std::iter::successors(Some(self.head()), |node| self.next(node, 0));
        nodes.skip(1).map(Self::key).collect()
    }
}
