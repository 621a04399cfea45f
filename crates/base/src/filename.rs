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

/// Where the info log of the database at `db_path` is: `LOG` in it, or in `log_directory`
/// (`db_log_dir`) a name made of the database's absolute path, since many may log there.
pub fn info_log_file_name(db_path: &Path, log_directory: Option<&Path>) -> PathBuf {
    log_directory.unwrap_or(db_path).join(info_log_prefix(db_path, log_directory))
}

/// What the info log becomes when a new one begins at `micros` since 1970.
pub fn old_info_log_file_name(
    db_path: &Path,
    log_directory: Option<&Path>,
    micros: u64,
) -> PathBuf {
    let name = format!("{}.old.{micros}", info_log_prefix(db_path, log_directory));
    log_directory.unwrap_or(db_path).join(name)
}

/// Whether `name` is that of an old info log of the database, and from when.
pub fn parse_old_info_log_file_name(
    name: &str,
    db_path: &Path,
    log_directory: Option<&Path>,
) -> Option<u64> {
    let rest = name.strip_prefix(&info_log_prefix(db_path, log_directory))?;
    number(rest.strip_prefix(".old.")?)
}

/// The name of the info log. In a log directory: the path with `_` for every character that is not
/// of `[0-9A-Za-z._-]`, except for one at its start, and `_LOG`.
fn info_log_prefix(db_path: &Path, log_directory: Option<&Path>) -> String {
    /// RocksDB cuts the path there.
    const PATH_LENGTH_MAX: usize = 255;
    if log_directory.is_none() {
        return "LOG".to_string();
    }
    let mut path = db_path.as_os_str().as_encoded_bytes().to_vec();
    path.dedup_by(|next, previous| *next == b'/' && *previous == b'/');
    let mut name = String::new();
    for (index, &byte) in path.iter().enumerate() {
        let kept = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        if kept {
            name.push(char::from(byte));
        } else if index > 0 {
            name.push('_');
        }
    }
    name.truncate(PATH_LENGTH_MAX);
    name + "_LOG"
}

#[cfg(test)]
mod tests;
