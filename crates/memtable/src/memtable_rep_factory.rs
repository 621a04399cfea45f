//! What makes the containers of memtables (`memtable_factory`), built in or a program's own.

use crate::b_plus_tree_rep::BPlusTreeRep;
use crate::block_source::BlockSource;
use crate::memtable_memory::MemTableMemory;
use crate::memtable_rep::{MemTableRep, MemTableRepWriter};
use crate::skip_list_rep::SkipListRep;
use crate::vector_rep::VectorRep;
use base::{InternalKeyComparator, SliceTransform};
use std::fmt;
use std::sync::Arc;

/// What a container is made for.
#[derive(Clone, Debug)]
pub struct MemTableRepContext {
    /// The order of internal keys.
    pub comparator: InternalKeyComparator,
    /// `prefix_extractor` of the column family.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The column family.
    pub column_family_id: u32,
    /// Where memory is counted together with that of other memtables, and what they left is kept.
    pub memory: Option<Arc<MemTableMemory>>,
    /// `memtable_huge_page_size`: bytes of a page of the container's memory, where it is large and the system
    /// has such pages free; 0 for ordinary ones.
    pub huge_page_size: usize,
}

impl MemTableRepContext {
    fn blocks(&self) -> BlockSource {
        BlockSource::new(self.memory.clone(), self.huge_page_size)
    }
}

/// How a memtable counts what its records take, which decides when it is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemTableAccounting {
    /// As RocksDB's skip list would take memory.
    SkipList,
    /// As RocksDB's vector would.
    Vector,
    /// The most that the container has said ([`MemTableRep::allocated_bytes`]), and at least the records' own bytes.
    #[default]
    AsHeld,
}

/// The two sides of a container: the one that is read, and the one that is written.
pub type MemTableRepSides = (Arc<dyn MemTableRep>, Box<dyn MemTableRepWriter>);

/// Makes the container of each new memtable (`rocksdb::MemTableRepFactory`).
pub trait MemTableRepFactory: fmt::Debug + Send + Sync {
    /// The name by which OPTIONS files know it.
    fn name(&self) -> &str;

    /// What OPTIONS files say of it beside its name. Default: nothing.
    fn properties(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// An empty container.
    fn create(&self, context: &MemTableRepContext) -> MemTableRepSides;

    /// Whether `allow_concurrent_memtable_write` may be set, as RocksDB asks. Here one writes at a
    /// time whatever it says. Default: false.
    fn is_insert_concurrently_supported(&self) -> bool {
        false
    }

    /// How memory is counted. Default: as the container says.
    fn accounting(&self) -> MemTableAccounting {
        MemTableAccounting::AsHeld
    }
}

/// Makes containers that are sorted at all times: the default, for reads and writes alike. They go
/// by the name that RocksDB's default has, and hold to the same. Where keys are ordered as bytes they
/// are B+trees, else skip lists.
#[derive(Clone, Copy, Debug, Default)]
pub struct SkipListFactory {
    /// Whether they are skip lists in any case. OPTIONS files and option strings say so by naming
    /// RocksDB's parameter of them, with its default: `{id=SkipListFactory;lookahead=0}`.
    pub is_always_list: bool,
}

impl SkipListFactory {
    /// RocksDB's name of it.
    pub const NAME: &str = "SkipListFactory";
}

impl MemTableRepFactory for SkipListFactory {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn properties(&self) -> Vec<(&'static str, String)> {
        match self.is_always_list {
            true => vec![("lookahead", "0".to_owned())],
            false => Vec::new(),
        }
    }

    fn create(&self, context: &MemTableRepContext) -> MemTableRepSides {
        if context.comparator.is_bytewise() && !self.is_always_list {
            let (rep, writer) = BPlusTreeRep::with_blocks(context.blocks());
            return (rep, Box::new(writer));
        }
        let (rep, writer) = SkipListRep::with_blocks(context.comparator.clone(), context.blocks());
        (rep, Box::new(writer))
    }

    fn is_insert_concurrently_supported(&self) -> bool {
        true
    }

    fn accounting(&self) -> MemTableAccounting {
        MemTableAccounting::SkipList
    }
}

/// Makes vectors that are sorted when they are read: the cheapest to fill.
#[derive(Clone, Copy, Debug, Default)]
pub struct VectorRepFactory {
    /// Records to take memory for at once.
    pub count: usize,
}

impl VectorRepFactory {
    /// RocksDB's name of it.
    pub const NAME: &str = "VectorRepFactory";
}

impl MemTableRepFactory for VectorRepFactory {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn properties(&self) -> Vec<(&'static str, String)> {
        match self.count {
            0 => Vec::new(),
            count => vec![("count", count.to_string())],
        }
    }

    fn create(&self, context: &MemTableRepContext) -> MemTableRepSides {
        let (comparator, blocks) = (context.comparator.clone(), context.blocks());
        let (rep, writer) = VectorRep::with_blocks(comparator, self.count, blocks);
        (rep, Box::new(writer))
    }

    fn accounting(&self) -> MemTableAccounting {
        MemTableAccounting::Vector
    }
}

/// The built-in factory of this name, with the properties that OPTIONS files give it:
/// `SkipListFactory` (`skip_list`), which is always a skip list with `lookahead` (0), and `VectorRepFactory` (`vector`, `vector:N`) with `count`. A
/// search of a skip list that begins where the last one ended (`lookahead`) is not among them.
pub fn builtin(name: &str, properties: &[(&str, &str)]) -> Option<Arc<dyn MemTableRepFactory>> {
    let (name, argument) = name.split_once(':').unwrap_or((name, "0"));
    match (name, properties) {
        (SkipListFactory::NAME | "skip_list", [] | [("lookahead", "0")]) if argument == "0" => {
            let is_always_list = !properties.is_empty();
            Some(Arc::new(SkipListFactory { is_always_list }))
        }
        (VectorRepFactory::NAME | "vector", [] | [("count", _)]) => {
            let count = properties.first().map_or(argument, |(_, count)| count);
            Some(Arc::new(VectorRepFactory { count: count.parse().ok()? }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
