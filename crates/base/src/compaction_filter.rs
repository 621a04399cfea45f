//! How users have entries dropped or changed while tables are made of them.
//!
//! A filter sees the newest version of each key, and merge operands that no snapshot needs. What a
//! snapshot still shows is no protection: filters that want it to be
//! ([`CompactionFilter::ignore_snapshots`]) are refused, as RocksDB refuses them.

use crate::wide_columns::Column;
use std::fmt;
use std::sync::Arc;

mod remove_empty_value;

pub use remove_empty_value::RemoveEmptyValueCompactionFilter;

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

/// What becomes of an entry. RocksDB's `kChangeBlobIndex` and `kIOError` are not for programs: only its
/// old BlobDB, which is not part of this engine, could give them.
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

    /// Whether entries are filtered that a snapshot still shows. A job whose filter says no fails:
    /// that is how RocksDB answers since 6.0. Default: true.
    fn ignore_snapshots(&self) -> bool {
        true
    }
}

/// One filter for all compactions of a column family, which may run at the same time
/// (`compaction_filter`). It goes before [`CompactionFilterFactory`], and flushes do not ask it.
pub type SharedCompactionFilter = Arc<dyn CompactionFilter + Sync>;

impl<F: CompactionFilter + Sync + ?Sized> CompactionFilter for Arc<F> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn filter(&self, level: usize, user_key: &[u8], value: FilterValue<'_>) -> Decision {
        (**self).filter(level, user_key, value)
    }

    fn filter_blob_by_key(&self, level: usize, user_key: &[u8]) -> Option<Decision> {
        (**self).filter_blob_by_key(level, user_key)
    }

    fn ignore_snapshots(&self) -> bool {
        (**self).ignore_snapshots()
    }
}

/// Why tables are made. Numbers are those of `rocksdb::TableFileCreationReason`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TableFileCreationReason {
    /// By a flush.
    Flush = 0,
    /// By a compaction.
    Compaction = 1,
    /// By recovery from the log.
    Recovery = 2,
    /// By something else, such as a program that makes a file to be ingested.
    #[default]
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

    /// What OPTIONS files say of it beside its name. Default: nothing.
    fn properties(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Whether tables made for this reason are filtered. Default: those of compactions.
    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        reason == TableFileCreationReason::Compaction
    }

    /// A filter for one job, or for one of the parts that a job is divided into; none to filter
    /// nothing.
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>>;
}

/// The built-in filter of this name: `RemoveEmptyValueCompactionFilter`.
pub fn builtin(name: &str) -> Option<SharedCompactionFilter> {
    (name == RemoveEmptyValueCompactionFilter::NAME)
        .then(|| Arc::new(RemoveEmptyValueCompactionFilter) as SharedCompactionFilter)
}

#[cfg(test)]
mod tests;
