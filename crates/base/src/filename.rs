//! Names of the files in a database directory.
//!
//! | name | content |
//! |---|---|
//! | `NNNNNN.sst`, `NNNNNN.ldb` | table |
//! | `NNNNNN.log` | write-ahead log; also in `archive/` |
//! | `NNNNNN.blob` | blob file |
//! | `MANIFEST-NNNNNN` | version edits |
//! | `CURRENT` | name of the live MANIFEST |
//! | `IDENTITY` | id of the database |
//! | `LOCK` | advisory lock |
//! | `OPTIONS-NNNNNN` | options |
//! | `LOG`, `LOG.old.<micros>` | text for people |
//! | `NNNNNN.dbtmp`, `OPTIONS-NNNNNN.dbtmp` | on the way to a rename |
//! | `METADB-N` | side feature |
//!
//! Numbers come from one counter, print in decimal and have at least six digits.

use std::path::{Path, PathBuf};

/// The name of the file that names the live MANIFEST.
pub const CURRENT: &str = "CURRENT";
/// The name of the file with the database's id.
pub const IDENTITY: &str = "IDENTITY";
/// The name of the lock file.
pub const LOCK: &str = "LOCK";
/// The directory of write-ahead logs kept after they became obsolete.
pub const ARCHIVE: &str = "archive";

/// What a file in a database directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileType {
    /// Write-ahead log.
    Wal,
    /// The lock file.
    Lock,
    /// Table.
    Table,
    /// MANIFEST.
    Descriptor,
    /// CURRENT.
    Current,
    /// Temporary file.
    Temp,
    /// Text log.
    InfoLog,
    /// Side feature of RocksDB.
    MetaDatabase,
    /// IDENTITY.
    Identity,
    /// OPTIONS.
    Options,
    /// Blob file.
    Blob,
}

/// Takes a file name (without directory) apart: its number (0 where it has none) and its type.
/// None if it is no name of a database's file.
pub fn parse_file_name(name: &str) -> Option<(u64, FileType)> {
    match name {
        CURRENT => return Some((0, FileType::Current)),
        LOCK => return Some((0, FileType::Lock)),
        IDENTITY => return Some((0, FileType::Identity)),
        "LOG" | "LOG.old" => return Some((0, FileType::InfoLog)),
        _ => {}
    }
    if let Some(micros) = name.strip_prefix("LOG.old.") {
        return Some((number(micros)?, FileType::InfoLog));
    }
    if let Some(rest) = name.strip_prefix("MANIFEST-") {
        return Some((number(rest)?, FileType::Descriptor));
    }
    if let Some(rest) = name.strip_prefix("METADB-") {
        return Some((number(rest)?, FileType::MetaDatabase));
    }
    if let Some(rest) = name.strip_prefix("OPTIONS-") {
        return match rest.strip_suffix(".dbtmp") {
            Some(rest) => Some((number(rest)?, FileType::Temp)),
            None => Some((number(rest)?, FileType::Options)),
        };
    }
    let (stem, suffix) = name.split_once('.')?;
    let file_type = match suffix {
        "log" => FileType::Wal,
        "sst" | "ldb" => FileType::Table,
        "blob" => FileType::Blob,
        "dbtmp" => FileType::Temp,
        _ => return None,
    };
    Some((number(stem)?, file_type))
}

fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// `NNNNNN.sst` in `directory`.
pub fn table_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.sst"))
}

/// `NNNNNN.ldb` in `directory`: how LevelDB spells [`table_file_name`].
pub fn leveldb_table_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.ldb"))
}

/// `NNNNNN.log` in `directory`.
pub fn wal_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.log"))
}

/// `NNNNNN.blob` in `directory`.
pub fn blob_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.blob"))
}

/// `MANIFEST-NNNNNN` in `directory`.
pub fn descriptor_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("MANIFEST-{number:06}"))
}

/// `OPTIONS-NNNNNN` in `directory`.
pub fn options_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("OPTIONS-{number:06}"))
}

/// `NNNNNN.dbtmp` in `directory`.
pub fn temp_file_name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.dbtmp"))
}

#[cfg(test)]
mod tests;
