//! Databases that another process may be writing, opened to be watched.

use crate::any_database::{Database, Wanted};
use base::{Result, Status};
use db::{ColumnFamilyDescriptor, Db, OpenContext};
use env::FileSystem;
use metrics::PrimaryStatistics;
use options::DbOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tables that are kept open: watching reads few of them.
const OPEN_FILES_MAX: i32 = 64;

/// A directory for the LOG of a secondary. One that nobody named is removed at the end.
#[derive(Debug)]
pub(crate) struct SecondaryPath {
    path: PathBuf,
    is_own: bool,
}

impl SecondaryPath {
    /// The one that was named, else one among the temporary files.
    pub(crate) fn new(named: Option<PathBuf>) -> Self {
        let is_own = named.is_none();
        let own = || std::env::temp_dir().join(format!("touchstone-{}", std::process::id()));
        Self { path: named.unwrap_or_else(own), is_own }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SecondaryPath {
    fn drop(&mut self) {
        if self.is_own {
            // It need not have been made.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Says which of the things that may be missing is.
fn check_directory(db: &Path) -> Result<()> {
    let metadata = std::fs::metadata(db)
        .map_err(|error| Status::io_error(format!("--db={}: {error}", db.display())))?;
    if !metadata.is_dir() {
        return Err(Status::invalid_argument(format!("--db={}: not a directory", db.display())));
    }
    if !db.join(base::filename::CURRENT).exists() {
        return Err(Status::invalid_argument(format!(
            "--db={}: there is no database, or none yet: no file CURRENT",
            db.display()
        )));
    }
    Ok(())
}

/// Opens all column families as a secondary, with the options of the newest OPTIONS file.
///
/// # Errors
/// As [`Db::open_as_secondary`]; `InvalidArgument` if there is no database.
pub(crate) fn open_as_secondary(db: &Path, secondary_path: &Path) -> Result<Database> {
    open(db, |options, families, context| {
        Db::open_as_secondary(options, db, secondary_path, families, context)
    })
}

/// Opens all column families as they are now.
///
/// # Errors
/// As [`Db::open_for_read_only`]; `InvalidArgument` if there is no database.
pub(crate) fn open_for_read_only(db: &Path) -> Result<Database> {
    open(db, |options, families, context| Db::open_for_read_only(options, db, families, context))
}

/// What the process that writes `database` says of itself.
pub(crate) fn primary_statistics(database: &Database) -> PrimaryStatistics {
    PrimaryStatistics::new(&database.db, &database.log_directory)
}

fn open(
    db: &Path,
    open: impl FnOnce(&DbOptions, &[ColumnFamilyDescriptor], &OpenContext) -> Result<Db>,
) -> Result<Database> {
    check_directory(db)?;
    let fs: Arc<dyn FileSystem> = env::default_file_system();
    Database::open_by(&Wanted::all_families(db.to_owned()), &fs, |options, families| {
        let options = DbOptions {
            max_open_files: OPEN_FILES_MAX,
            // Prepared transactions are no error; what is committed shows.
            allow_2pc: true,
            // What is logged here is logged in the directory of the secondary.
            db_log_dir: String::new(),
            best_efforts_recovery: false,
            ..options.clone()
        };
        let context = OpenContext { file_system: fs.clone(), ..OpenContext::default() };
        open(&options, families, &context)
    })
}
