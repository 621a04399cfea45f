//! Which blocks a lookup of several keys reads from files, level by level.
//!
//! Blocks are read deep below the lookup, and seldom: so the thread notes them while a [`BatchReads`]
//! lives, and nothing is handed down to where it would be needed once in a while.

use super::table_stats::BlockKind;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

thread_local! {
    static NOTED: RefCell<Option<Vec<BlockRead>>> = const { RefCell::new(None) };
}

/// A block that was read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRead {
    pub(super) kind: BlockKind,
    pub(super) file_number: u64,
    /// None where it is not known.
    pub(super) level: Option<usize>,
}

/// What was read of a level; each file of level 0 is one by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelReads {
    /// Blocks of indexes and filters.
    pub meta_blocks: u64,
    /// Files that data blocks were read from.
    pub files: u64,
}

/// While it lives, blocks that this thread reads from tables are noted.
#[derive(Debug)]
pub struct BatchReads(());

impl BatchReads {
    /// Begins. Inside another one, what was noted there is lost.
    pub fn begin() -> Self {
        NOTED.set(Some(Vec::new()));
        Self(())
    }

    /// What was read of the levels that anything was read of, from above.
    pub fn by_level(&self) -> Vec<LevelReads> {
        NOTED.with_borrow(|noted| noted.as_deref().map(by_level).unwrap_or_default())
    }
}

impl Drop for BatchReads {
    fn drop(&mut self) {
        NOTED.set(None);
    }
}

/// A block was read.
pub(super) fn note(read: BlockRead) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(noted) = noted {
            noted.push(read);
        }
    });
}

fn by_level(reads: &[BlockRead]) -> Vec<LevelReads> {
    let mut levels: BTreeMap<_, (u64, BTreeSet<u64>)> = BTreeMap::new();
    for read in reads {
        // A larger number is newer, and looked at earlier: the order of nothing that is counted.
        let file_of_level0 = (read.level == Some(0)).then_some(read.file_number);
        let (meta_blocks, files) = levels.entry((read.level, file_of_level0)).or_default();
        match read.kind {
            BlockKind::Data => {
                files.insert(read.file_number);
            }
            BlockKind::Index | BlockKind::Filter => *meta_blocks += 1,
            BlockKind::CompressionDictionary => {}
        }
    }
    let reads = |(meta_blocks, files): (u64, BTreeSet<u64>)| LevelReads {
        meta_blocks,
        files: files.len() as u64,
    };
    levels.into_values().map(reads).collect()
}

#[cfg(test)]
mod tests;
