//! An engine that is there to open databases with.

use crate::engine::Engine;
use crate::opening::Opening;
use base::Result;
use std::path::{Path, PathBuf};

/// An engine that is there to open databases with, and what those of a run share.
pub trait Provider: Send + Sync {
    /// Its databases.
    type Engine: Engine;

    /// What it is.
    fn identity(&self) -> Identity;

    /// Opens a database.
    ///
    /// # Errors
    /// `IoError` also if another process has the directory open; `NotSupported` for options that
    /// the engine lacks; what opening gave.
    fn open(&self, opening: &Opening) -> Result<Self::Engine>;

    /// Deletes the files of the database at `path`, and its WALs in `wal_dir`; nothing if there is
    /// none. Files that are none of a database's stay.
    ///
    /// # Errors
    /// `IoError` if a file cannot be deleted or another process has the database open.
    fn destroy(&self, path: &Path, wal_dir: Option<&Path>) -> Result<()>;

    /// All that the databases counted, as RocksDB prints it; none if nothing is counted.
    fn statistics_text(&self) -> Option<String> {
        None
    }

    /// A ticker by RocksDB's name; none if nothing is counted, or not that.
    fn ticker(&self, _name: &str) -> Option<u64> {
        None
    }

    /// Makes all tickers and histograms zero.
    ///
    /// # Errors
    /// `NotSupported`.
    fn reset_statistics(&self) -> Result<()> {
        Ok(())
    }
}

/// What ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// For instance `touchstone` or `rocksdb`.
    pub name: String,
    /// Its release.
    pub version: String,
    /// How it is driven.
    pub kind: Kind,
    /// The file it was loaded from, if any.
    pub library: Option<PathBuf>,
    /// Whether it was built with assertions, which make it slower.
    pub assertions: bool,
}

/// How an engine is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Compiled into this program, as what it measures by default.
    Native,
    /// A library of RocksDB, through its C functions.
    CApi,
    /// Nothing is driven: only the harness runs.
    Null,
    /// Another store, compiled into this program.
    Crate,
}

impl Kind {
    /// As it stands in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::CApi => "c_api",
            Self::Null => "null",
            Self::Crate => "crate",
        }
    }

    /// Whether a step that the engine cannot do is skipped. Ours has to do all of them.
    pub fn may_skip(self) -> bool {
        self != Self::Native
    }
}
