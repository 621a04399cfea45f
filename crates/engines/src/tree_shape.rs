//! How much of a family is where.

/// How much of a family is in memory, and on each level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeShape {
    /// Bytes of the memtable that takes writes.
    pub memtable_bytes: u64,
    /// Entries of the memtable that takes writes.
    pub memtable_entries: u64,
    /// Memtables that are full and not flushed yet.
    pub immutable_memtables: u64,
    /// All levels, those without files too.
    pub levels: Vec<LevelShape>,
}

/// A level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelShape {
    /// Its number.
    pub level: usize,
    /// Tables in it.
    pub files: u64,
    /// Bytes of these.
    pub bytes: u64,
}
