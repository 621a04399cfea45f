//! How users have entries dropped or changed while tables are made of them.
//!
//! A filter sees the newest version of each key, and merge operands that no snapshot needs. What a
//! snapshot still shows is no protection: filters that want it to be
//! ([`CompactionFilter::ignore_snapshots`]) are refused, as RocksDB refuses them.

use crate::Result;
use crate::wide_columns::Column;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
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

/// The columns of an entity, ascending by name, whose values are read when they are asked for.
pub trait LazyColumns {
    /// How many there are.
    fn count(&self) -> usize;

    /// The name of the column at a place; none behind the last.
    fn name(&self, index: usize) -> Option<&[u8]>;

    /// Whether its value is in a blob file, so that asking for it may read from there.
    fn is_in_blob_file(&self, index: usize) -> bool;

    /// Its value, read at most once.
    ///
    /// # Errors
    /// `InvalidArgument` behind the last; of reading the blob file.
    fn value(&self, index: usize) -> Result<&[u8]>;
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

    /// Decides about an entity of which some values are in blob files. Those it asks for are read, the
    /// others not; none has all of them read and [`CompactionFilter::filter`] asked. Where a value
    /// cannot be read the compaction fails, whatever is decided. It is RocksDB's `FilterV4`.
    fn filter_entity_lazily(
        &self,
        _level: usize,
        _user_key: &[u8],
        _columns: &dyn LazyColumns,
    ) -> Option<Decision> {
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

    fn filter_entity_lazily(
        &self,
        level: usize,
        user_key: &[u8],
        columns: &dyn LazyColumns,
    ) -> Option<Decision> {
        (**self).filter_entity_lazily(level, user_key, columns)
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

/// What a table says of itself, by RocksDB's names of properties.
pub trait NamedTableProperties: fmt::Debug + Send + Sync {
    /// A number, such as `rocksdb.num.entries`; none if there is none of this name.
    fn number(&self, name: &str) -> Option<u64>;

    /// A text, such as `rocksdb.comparator`.
    fn text(&self, name: &str) -> Option<&str>;

    /// What a collector of the program left in it.
    fn user_collected(&self, name: &[u8]) -> Option<&[u8]>;
}

/// What a filter is made for (`rocksdb::CompactionFilter::Context`).
#[derive(Clone, Debug)]
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
    /// The tables that are read, by their paths, as they describe themselves. Empty for a flush, and
    /// where one of them cannot be read.
    pub input_table_properties: BTreeMap<PathBuf, Arc<dyn NamedTableProperties>>,
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
