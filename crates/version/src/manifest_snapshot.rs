//! The edits that a new MANIFEST begins with: the state of the whole database.

use crate::blob_file_metadata::{BlobFileGarbage, BlobFileMetaData};
use crate::column_family_set::{ColumnFamilyEntry, ColumnFamilySet};
use crate::file_metadata::NewFile;
use crate::version_edit::VersionEdit;
use crate::wal_edit::WalAddition;
use base::Result;

/// Gives the edits of a snapshot to `add`, in the order in which RocksDB writes them: the
/// database's id, the tracked logs, and for each column family what it is and what it has. The next
/// file number is not among them; it is in the edit that comes after.
///
/// # Errors
/// Those of `add`.
pub(crate) fn write_snapshot(
    set: &ColumnFamilySet,
    with_db_id: bool,
    mut add: impl FnMut(&VersionEdit) -> Result<()>,
) -> Result<()> {
    if with_db_id && set.db_id.is_some() {
        add(&VersionEdit { db_id: set.db_id.clone(), ..VersionEdit::default() })?;
    }
    let wals = set.wals.wals().iter();
    let wal_additions: Vec<_> = wals
        .map(|(&number, &synced_size_bytes)| WalAddition { number, synced_size_bytes })
        .collect();
    if !wal_additions.is_empty() {
        add(&VersionEdit { wal_additions, ..VersionEdit::default() })?;
    }
    // So that a late record of a log that is gone does not bring it back. Releases before 9.0 do
    // not expect an edit without fields, so there is none where no log is gone.
    if set.min_log_number_to_keep > 0 {
        let wal_deletion = Some(set.min_log_number_to_keep);
        add(&VersionEdit { wal_deletion, ..VersionEdit::default() })?;
    }
    for family in set.families.values() {
        add(&identity_edit(family))?;
        add(&content_edit(set, family))?;
    }
    Ok(())
}

/// What the column family is. The default one is always there and is not added.
fn identity_edit(family: &ColumnFamilyEntry) -> VersionEdit {
    let state = &family.state;
    VersionEdit {
        column_family: state.id,
        column_family_add: (state.id != 0).then(|| state.name.clone()),
        comparator: state.comparator_name.clone(),
        persist_user_defined_timestamps: Some(state.persist_user_defined_timestamps),
        ..VersionEdit::default()
    }
}

/// What the column family has.
fn content_edit(set: &ColumnFamilySet, family: &ColumnFamilyEntry) -> VersionEdit {
    let state = &family.state;
    let version = &state.version;
    let timestamp_size = family.options.comparator.timestamp_size();
    let garbage = |blob: &BlobFileMetaData| BlobFileGarbage {
        number: blob.number(),
        garbage_blob_count: blob.garbage_blob_count,
        garbage_blob_bytes: blob.garbage_blob_bytes,
        unknown_fields: Vec::new(),
    };
    // Database-wide, but written where it is never lost: the default column family stays.
    let min_log_number_to_keep =
        Some(set.min_log_number_to_keep).filter(|number| state.id == 0 && *number != 0);
    VersionEdit {
        column_family: state.id,
        new_files: version
            .files()
            .map(|(level, file)| NewFile {
                level: level as u32,
                file: file.to_stored_form(timestamp_size),
            })
            .collect(),
        compact_cursors: version
            .compact_cursors()
            .iter()
            .map(|(level, key)| (*level, key.clone()))
            .collect(),
        blob_file_additions: version.blob_files().iter().map(|b| b.addition.clone()).collect(),
        blob_file_garbages: version
            .blob_files()
            .iter()
            .filter(|blob| blob.garbage_blob_count > 0)
            .map(|blob| garbage(blob))
            .collect(),
        log_number: Some(state.log_number),
        min_log_number_to_keep,
        full_history_ts_low: state.full_history_ts_low.clone(),
        last_sequence: Some(set.last_sequence),
        ..VersionEdit::default()
    }
}
