//! Iterators over internal keys, and what a read does with the records it meets.
//!
//! [`MergingIterator`] makes one sorted run of several; [`range_tombstone`] says which records a
//! range deletion hides; [`merge_helper`] turns merge operands into a value. Nothing here knows a
//! file, a table or the database.

#![forbid(unsafe_code)]

mod heap;
pub mod loser_tree;
pub mod merge_helper;
pub mod merging_iterator;
pub mod range_tombstone;
pub mod vec_iterator;

pub use loser_tree::LoserTree;
pub use merge_helper::{BaseValue, MergeContext, MergeResult, full_merge};
pub use merging_iterator::{MergingIterator, PassedKeys, merge, pass_hidden};
pub use range_tombstone::{
    FragmentedRangeTombstoneList, RangeTombstoneAggregator, RangeTombstoneSink,
};
pub use vec_iterator::VecIterator;

/// Which way a scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards greater keys.
    Forward,
    /// Towards smaller keys.
    Backward,
}
