//! What a database is opened with.

use db::ColumnFamilyDescriptor;
use options::DbOptions;
use std::path::PathBuf;

/// What a database is opened with. The block cache and statistics are the provider's, as databases
/// share them.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The directory.
    pub path: PathBuf,
    /// Options of the database.
    pub options: DbOptions,
    /// The families, each with its options; the first is `default`.
    pub families: Vec<ColumnFamilyDescriptor>,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// To follow the process that writes there, and where a secondary has files of its own. Engines
    /// other than ours open no secondaries.
    pub secondary_path: Option<PathBuf>,
}
