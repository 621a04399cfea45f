//! What has been written and is in no table yet.
//!
//! A [`MemTable`] holds the records of one column family in memory, in internal key order, and its
//! range tombstones apart from them. How the records are held is behind [`MemTableRep`]. A
//! memtable knows no log and no file: recovery fills it from the WAL, reads go through it.

#![forbid(unsafe_code)]

pub mod memtable;
pub mod memtable_rep;
pub mod vector_rep;

pub use memtable::{MemTable, MemTableIterator};
pub use memtable_rep::{MemTableEntry, MemTableRep, Position};
pub use vector_rep::VectorRep;
