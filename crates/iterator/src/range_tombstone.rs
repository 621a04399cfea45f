//! Range deletions as reads see them.
//!
//! A memtable's or a table's tombstones become a [`FragmentedRangeTombstoneList`] once; point reads
//! ask it for the newest tombstone over a key. A scan collects the lists of everything it reads
//! from in a [`RangeTombstoneAggregator`], which says of each record whether it is hidden.
//!
//! A tombstone hides records with a *smaller* sequence number. In a column family with timestamps
//! a read sees only tombstones with a timestamp at or before its own; which of its records a
//! visible tombstone hides is a matter of sequence numbers all the same.

mod aggregator;
mod fragmented;
mod truncated;

pub use aggregator::{RangeTombstoneAggregator, RangeTombstoneSink};
pub use fragmented::{CoveringTombstone, Fragment, FragmentedRangeTombstoneList};
