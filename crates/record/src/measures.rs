//! What is measured beside speed: shape, devices, stalls, work of reads.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Shapes of the tree around a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shapes {
    /// When it began; `None` for engines without levels.
    pub before: Option<Shape>,
    /// When it had ended.
    pub after: Option<Shape>,
}

/// The shape of every column family, by name.
pub type Shape = BTreeMap<String, FamilyShape>;

/// How much of a column family is where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FamilyShape {
    /// Bytes of the memtable that takes writes.
    pub memtable_bytes: u64,
    /// Entries of the memtable that takes writes.
    pub memtable_entries: u64,
    /// Memtables that are full and not flushed yet.
    pub immutable_memtables: u64,
    /// All levels, those without files too.
    pub levels: Vec<LevelShape>,
}

/// How much is on a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelShape {
    /// Its number.
    pub level: usize,
    /// Tables in it.
    pub files: u64,
    /// Bytes of these.
    pub bytes: u64,
}

/// What a device did during a run, by the kernel's counters. Others may have used it as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// As the kernel names it.
    pub name: String,
    /// Reads that completed.
    pub reads: u64,
    /// Bytes of them.
    pub read_bytes: u64,
    /// Mean bytes of one; `None` if there was none.
    pub mean_read_bytes: Option<f64>,
    /// Writes that completed.
    pub writes: u64,
    /// Bytes of them.
    pub write_bytes: u64,
    /// Mean bytes of one; `None` if there was none.
    pub mean_write_bytes: Option<f64>,
}

/// How often writes were held up for one cause, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stall {
    /// How often.
    pub count: Option<u64>,
    /// For how long; `None` where the engine does not time this cause.
    pub seconds: Option<f64>,
}

/// What an average query had to do. A query is a lookup of one key, or a seek with what follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadAmplification {
    /// Sorted runs searched, memtables among them.
    pub runs_per_query: f64,
    /// Filters of tables that were asked.
    pub filters_checked_per_query: f64,
    /// Filters that kept a table from being searched.
    pub filters_useful_per_query: f64,
    /// Comparisons of keys; `None` where the engine does not count them.
    pub keys_compared_per_query: Option<f64>,
    /// Blocks touched, in the cache or on a device.
    pub blocks_per_query: f64,
}
