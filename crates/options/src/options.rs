//! All options of a database with one column family.

use crate::budget::{Budget, WorkloadProfile};
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use base::Result;

/// Options of a database and of a column family together (`rocksdb::Options`).
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Options of the database.
    pub db: DbOptions,
    /// Options of a column family.
    pub column_family: ColumnFamilyOptions,
}

impl Options {
    /// Options for a database that may take `memory_bytes` of memory and `threads` processors,
    /// under loads of the kind `profile`. [`Budget::choices`] tells what was chosen and why.
    ///
    /// ```
    /// use options::{Options, WorkloadProfile};
    /// let options = Options::for_budget(1 << 30, 4, WorkloadProfile::PointReads)?;
    /// assert!(options.db.db_write_buffer_size < 1 << 27);
    /// # Ok::<(), base::Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the memory is less than [`Budget::MEMORY_MIN_BYTES`], or there is no
    /// thread.
    pub fn for_budget(memory_bytes: u64, threads: u32, profile: WorkloadProfile) -> Result<Self> {
        Ok(Budget::new(memory_bytes, threads, profile)?.options())
    }
}
