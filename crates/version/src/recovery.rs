//! From `CURRENT` to the versions of all column families.

use crate::manifest::{ManifestReader, ManifestRecord, read_current};
use crate::version::Version;
use crate::version_builder::VersionOptions;
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::{ColumnFamilyReplay, DatabaseReplay, VersionEditHandler};
use base::{Result, SequenceNumber, Status};
use env::FileSystem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a MANIFEST says, replayed. Needs no comparator.
#[derive(Debug)]
pub struct ReplayedManifest {
    /// The MANIFEST.
    pub path: PathBuf,
    /// Bytes up to the end of the last edit that counts.
    pub valid_size_bytes: u64,
    /// A cut last record, or an incomplete atomic group, was ignored.
    pub tail_ignored: bool,
    /// Numbers of the database; those that every database has are set.
    pub database: DatabaseReplay,
    /// The column families by id.
    pub families: BTreeMap<u32, ColumnFamilyReplay>,
}

/// Replays a MANIFEST.
///
/// # Errors
/// `IoError`; `Corruption` that names the file and the offset.
pub fn replay_manifest(fs: &dyn FileSystem, manifest_path: &Path) -> Result<ReplayedManifest> {
    let mut reader = ManifestReader::open(fs, manifest_path)?;
    let mut handler = VersionEditHandler::new(manifest_path);
    let mut valid_size_bytes = 0;
    while let Some(record) = reader.read()? {
        handler.handle(record.offset, record.edit)?;
        if !handler.in_atomic_group() {
            valid_size_bytes = record.end_offset;
        }
    }
    let tail_ignored = reader.torn_tail().is_some() || handler.in_atomic_group();
    let (database, families) = handler.finish()?;
    Ok(ReplayedManifest {
        path: manifest_path.to_path_buf(),
        valid_size_bytes,
        tail_ignored,
        database,
        families,
    })
}

/// Names of the column families of a database, in the order of their ids.
///
/// # Errors
/// `IoError`; `Corruption` that names the file and the offset.
pub fn list_column_families(fs: &dyn FileSystem, db_path: &Path) -> Result<Vec<Vec<u8>>> {
    let (manifest_path, _) = read_current(fs, db_path)?;
    let mut reader = ManifestReader::open(fs, &manifest_path)?;
    let mut handler = VersionEditHandler::new(&manifest_path);
    while let Some(ManifestRecord { offset, edit, .. }) = reader.read()? {
        let changes_families = edit.column_family_add.is_some() || edit.column_family_drop;
        if changes_families || edit.remaining_entries.is_some() || handler.in_atomic_group() {
            // Files are left out: listing works even where they make no sense.
            let edit = VersionEdit {
                column_family: edit.column_family,
                column_family_add: edit.column_family_add,
                column_family_drop: edit.column_family_drop,
                remaining_entries: edit.remaining_entries,
                ..VersionEdit::default()
            };
            handler.handle(offset, edit)?;
        }
    }
    Ok(handler.families().values().map(|family| family.name.clone()).collect())
}

/// The state of a database that a MANIFEST records.
#[derive(Debug)]
pub struct RecoveredManifest {
    /// The MANIFEST that `CURRENT` names.
    pub manifest_path: PathBuf,
    /// Its number.
    pub manifest_number: u64,
    /// Bytes up to the end of the last edit that counts.
    pub manifest_valid_size_bytes: u64,
    /// The file number that RocksDB would use next: one more than the MANIFEST says.
    pub next_file_number: u64,
    /// Last sequence number used.
    pub last_sequence: SequenceNumber,
    /// LevelDB's second log.
    pub prev_log_number: u64,
    /// Logs with a smaller number are not needed.
    pub min_log_number_to_keep: u64,
    /// Largest id that a column family ever had.
    pub max_column_family: u32,
    /// Id of the database, if the MANIFEST has it.
    pub db_id: Option<Vec<u8>>,
    /// Logs that must exist, with the bytes known to be synced.
    pub tracked_wals: BTreeMap<u64, Option<u64>>,
    /// Logs with a smaller number are gone, and no late record brings them back.
    pub min_wal_number_to_keep: u64,
    /// The column families that were opened, by id.
    pub column_families: Vec<ColumnFamilyState>,
    /// Ids and names of those that were not.
    pub column_families_not_opened: Vec<(u32, Vec<u8>)>,
}

/// The state of a column family.
#[derive(Clone, Debug)]
pub struct ColumnFamilyState {
    /// Its id.
    pub id: u32,
    /// Its name; RocksDB allows any bytes.
    pub name: Vec<u8>,
    /// The name of its comparator, if the MANIFEST has it.
    pub comparator_name: Option<Vec<u8>>,
    /// Logs with a smaller number hold nothing for it.
    pub log_number: u64,
    /// Timestamps below this may have been collapsed.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Whether its tables so far keep user-defined timestamps.
    pub persist_user_defined_timestamps: bool,
    /// Its files.
    pub version: Arc<Version>,
}

impl RecoveredManifest {
    /// A file number larger than every one in use: of files, of logs, of the MANIFEST. Files found
    /// in the directories may be larger still.
    pub fn first_unused_file_number(&self) -> u64 {
        let families = self.column_families.iter();
        let in_use = families
            .map(|family| family.log_number.max(family.version.max_file_number()))
            .chain(self.tracked_wals.keys().copied())
            .chain([self.manifest_number, self.prev_log_number, self.min_log_number_to_keep])
            .max()
            .unwrap_or(0);
        self.next_file_number.max(in_use + 1)
    }
}

/// Reads the MANIFEST that `CURRENT` names. `open_family` says for each column family how to order
/// its keys, or none to leave it closed.
///
/// # Errors
/// `IoError`; `Corruption` that names the file and the offset; `InvalidArgument` if a comparator is
/// not the one that the column family was made with, or a file is on a level beyond `num_levels`.
pub fn recover(
    fs: &dyn FileSystem,
    db_path: &Path,
    open_family: impl FnMut(&ColumnFamilyReplay) -> Result<Option<VersionOptions>>,
) -> Result<RecoveredManifest> {
    let (manifest_path, manifest_number) = read_current(fs, db_path)?;
    let replayed = replay_manifest(fs, &manifest_path)?;
    open_families(replayed, manifest_number, open_family)
}

/// Makes versions of what was replayed.
pub(crate) fn open_families(
    replayed: ReplayedManifest,
    manifest_number: u64,
    mut open_family: impl FnMut(&ColumnFamilyReplay) -> Result<Option<VersionOptions>>,
) -> Result<RecoveredManifest> {
    let manifest_path = replayed.path;
    let mut column_families = Vec::new();
    let mut column_families_not_opened = Vec::new();
    for family in replayed.families.into_values() {
        match open_family(&family)? {
            Some(options) => column_families.push(open(family, &options, &manifest_path)?),
            None => column_families_not_opened.push((family.id, family.name)),
        }
    }
    let database = replayed.database;
    Ok(RecoveredManifest {
        manifest_path,
        manifest_number,
        manifest_valid_size_bytes: replayed.valid_size_bytes,
        next_file_number: database.next_file_number.unwrap_or(0) + 1,
        last_sequence: database.last_sequence.unwrap_or(0),
        prev_log_number: database.prev_log_number,
        min_log_number_to_keep: database.min_log_number_to_keep,
        max_column_family: database.max_column_family,
        db_id: database.db_id,
        tracked_wals: database.wals.wals().clone(),
        min_wal_number_to_keep: database.wals.min_wal_number_to_keep(),
        column_families,
        column_families_not_opened,
    })
}

fn open(
    family: ColumnFamilyReplay,
    options: &VersionOptions,
    manifest_path: &Path,
) -> Result<ColumnFamilyState> {
    let version = build_version(&family, options).map_err(|status| {
        let name = family.display_name();
        status.context(format_args!("{}: column family \"{name}\"", manifest_path.display()))
    })?;
    Ok(ColumnFamilyState {
        id: family.id,
        name: family.name,
        comparator_name: family.comparator_name,
        log_number: family.log_number,
        full_history_ts_low: family.full_history_ts_low,
        persist_user_defined_timestamps: family.persist_user_defined_timestamps,
        version: Arc::new(version),
    })
}

/// The version of a column family, its comparator checked.
///
/// # Errors
/// As [`recover`], without the name of the file.
pub fn build_version(family: &ColumnFamilyReplay, options: &VersionOptions) -> Result<Version> {
    let tables_lack_timestamps = check_comparator(family, options)?;
    family.builder.build(options, tables_lack_timestamps)
}

/// Whether the comparator of `options` may open the column family, and if so, whether it adds
/// timestamps to keys that have none so far. Timestamps may come and go only where tables do not
/// keep them.
fn check_comparator(family: &ColumnFamilyReplay, options: &VersionOptions) -> Result<bool> {
    const TIMESTAMP_SUFFIX: &[u8] = b".u64ts";
    let comparator = options.comparator.user_comparator();
    let new = comparator.name().as_bytes();
    let Some(old) = &family.comparator_name else {
        return Ok(false);
    };
    let refuse = |why: &str| Err(Status::invalid_argument(why));
    let (old_persist, new_persist) =
        (family.persist_user_defined_timestamps, options.persist_user_defined_timestamps);
    if new == old {
        if old_persist != new_persist && comparator.timestamp_size() > 0 {
            return refuse(
                "persist_user_defined_timestamps cannot change while keys have timestamps",
            );
        }
        Ok(false)
    } else if new.strip_suffix(TIMESTAMP_SUFFIX) == Some(old) {
        if new_persist {
            return refuse(
                "timestamps can be added only with persist_user_defined_timestamps=false",
            );
        }
        Ok(true)
    } else if old.strip_suffix(TIMESTAMP_SUFFIX) == Some(new) {
        if old_persist {
            return refuse("timestamps cannot be removed: tables keep them");
        }
        Ok(false)
    } else {
        refuse(&format!(
            "comparator {} does not match existing comparator {}",
            comparator.name(),
            String::from_utf8_lossy(old)
        ))
    }
}

#[cfg(test)]
mod tests;
