//! How users have entries dropped or changed while tables are made of them.
//!
//! A filter sees the newest version of each key, and merge operands that no snapshot needs. What a
//! snapshot still shows is no protection: RocksDB's `IgnoreSnapshots` is always true.

use crate::wide_columns::Column;
use std::fmt;

/// What a filter is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterValue<'a> {
    /// A plain value, read from its blob file if it was in one.
    Value(&'a [u8]),
    /// A merge operand.
    MergeOperand(&'a [u8]),
    /// The columns of an entity, ascending by name.
    Entity(&'a [Column<'a>]),
}

/// What becomes of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It stays.
    Keep,
    /// It becomes a deletion, so that older versions stay hidden. A merge operand is dropped.
    Remove,
    /// It becomes a single deletion: only for keys that are written once. A merge operand is
    /// dropped.
    Purge,
    /// It becomes this plain value, or this operand.
    ChangeValue(Vec<u8>),
    /// It becomes an entity of these columns, in any order. `Keep` for merge operands.
    ChangeEntity(Vec<(Vec<u8>, Vec<u8>)>),
    /// It is dropped with all entries up to before this user key, without leaving deletions: older
    /// versions in other files may show again. `Keep` if the key is not after the entry's.
    RemoveAndSkipUntil(Vec<u8>),
}

/// A user's rule for one job (`compaction_filter`).
pub trait CompactionFilter: fmt::Debug + Send {
    /// The name, for logs.
    fn name(&self) -> &str;

    /// Decides about an entry. `level` is the uppermost level of the compaction.
    fn filter(&self, level: usize, user_key: &[u8], value: FilterValue<'_>) -> Decision;

    /// Decides about a value in a blob file by its key alone; none if the value must be read for
    /// it.
    fn filter_blob_by_key(&self, _level: usize, _user_key: &[u8]) -> Option<Decision> {
        None
    }
}

/// Why tables are made. Numbers are those of `rocksdb::TableFileCreationReason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TableFileCreationReason {
    /// By a flush.
    Flush = 0,
    /// By a compaction.
    Compaction = 1,
    /// By recovery from the log.
    Recovery = 2,
    /// By something else.
    Misc = 3,
}

/// What a filter is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionFilterContext {
    /// All files of the column family are read.
    pub is_full_compaction: bool,
    /// A user asked for it.
    pub is_manual_compaction: bool,
    /// The uppermost level read; none for a flush.
    pub input_start_level: Option<usize>,
    /// The column family.
    pub column_family_id: u32,
    /// Why the tables are made.
    pub reason: TableFileCreationReason,
}

/// Makes a filter for each job (`compaction_filter_factory`).
pub trait CompactionFilterFactory: fmt::Debug + Send + Sync {
    /// The name by which OPTIONS files know it.
    fn name(&self) -> &str;

    /// Whether tables made for this reason are filtered. Default: those of compactions.
    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        reason == TableFileCreationReason::Compaction
    }

    /// A filter for one job, or for one of the parts that a job is divided into; none to filter
    /// nothing.
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>>;
}
