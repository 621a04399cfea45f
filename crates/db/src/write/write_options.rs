//! How one write is done.

/// Options of a write (`rocksdb::WriteOptions`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Return only when the write is safe from a power loss (`sync`). Default: false, then it is
    /// safe from the death of the process.
    pub sync: bool,
    /// Do not write to the WAL (`disableWAL`): what was not flushed is lost when the process ends.
    /// Default: false.
    pub disable_wal: bool,
    /// Fail with `Incomplete` instead of waiting where writes are delayed or stopped
    /// (`no_slowdown`). Default: false.
    pub no_slowdown: bool,
    /// Wait for other writes first where compactions lag behind (`low_pri`). Default: false.
    pub low_pri: bool,
    /// Leave out entries of column families that do not exist instead of failing
    /// (`ignore_missing_column_families`). Default: false.
    pub ignore_missing_column_families: bool,
    /// Remember where the last entry of the batch went, for ascending keys
    /// (`memtable_insert_hint_per_batch`). Memtables always do, so that it changes nothing.
    pub memtable_insert_hint_per_batch: bool,
}
