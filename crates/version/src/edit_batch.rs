//! From the edits that a caller wants applied to the records that are written, and to what holds
//! once they are: everything is decided and checked before a byte reaches the MANIFEST.
//!
//! A MANIFEST that cannot be replayed loses the database, and some releases do worse: they open a
//! column family whose files are in no consistent order as empty and delete them. So an edit is
//! refused here unless the versions it leads to pass all checks of a reader.

use crate::column_family_set::{ColumnFamilyEntry, ColumnFamilySet};
use crate::file_metadata::{FileMetaData, UNKNOWN_EPOCH_NUMBER};
use crate::recovery::ColumnFamilyState;
use crate::version_builder::{VersionBuilder, VersionOptions};
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::check_kind;
use base::status::Code;
use base::{Result, SequenceNumber, Status};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// How a batch of edits is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApplyContext {
    /// After a crash all edits are there or none (an atomic group). Otherwise there may be the
    /// first few.
    pub atomic: bool,
    /// A sequence number that was used: the MANIFEST's last one becomes at least this. Those of
    /// the files added count by themselves.
    pub last_sequence: SequenceNumber,
}

/// A column family to be created.
#[derive(Clone, Copy, Debug)]
pub struct NewColumnFamily<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// What it brings to its versions.
    pub options: &'a VersionOptions,
}

/// Records to write, and the state that they lead to.
#[derive(Debug)]
pub(crate) struct PreparedEdits {
    /// As they go into the MANIFEST.
    pub(crate) records: Vec<VersionEdit>,
    /// The state once they are safe, with only those column families that are new or changed.
    pub(crate) next: ColumnFamilySet,
    /// The column family that is dropped.
    pub(crate) dropped: Option<u32>,
    /// The column families that the edits name, each once.
    pub(crate) touched: Vec<u32>,
}

impl PreparedEdits {
    /// Prepares edits of files, numbers and logs; `next_file_number` is one that is free. Edits of
    /// column families that were dropped meanwhile are left out.
    ///
    /// # Errors
    /// `ColumnFamilyDropped` if nothing is left; `InvalidArgument` or `Corruption` if an edit
    /// cannot be applied.
    pub(crate) fn of_edits(
        set: &ColumnFamilySet,
        next_file_number: u64,
        edits: Vec<(u32, VersionEdit)>,
        context: &ApplyContext,
    ) -> Result<Self> {
        let mut records = Vec::with_capacity(edits.len());
        for (id, mut edit) in edits {
            let Some(family) = set.families.get(&id) else {
                if id <= set.max_column_family {
                    continue;
                }
                return Err(invalid(id, "there is no such column family"));
            };
            edit.column_family = id;
            check_edit(family, next_file_number, &edit)?;
            records.push(stored_form(family, edit)?);
        }
        if records.is_empty() {
            return Err(Status::new(Code::ColumnFamilyDropped, ""));
        }
        let mut next = set.without_families();
        next.last_sequence = next.last_sequence.max(context.last_sequence);
        for edit in &mut records {
            fill_numbers(&mut next, next_file_number, edit);
        }
        if context.atomic && records.len() > 1 {
            for (remaining, edit) in records.iter_mut().rev().enumerate() {
                edit.remaining_entries = Some(remaining as u32);
            }
        }
        let mut prepared = Self { records, next, dropped: None, touched: Vec::new() };
        prepared.apply_to_database()?;
        prepared.apply_to_families(set)?;
        prepared.check_min_log_number(set)?;
        prepared.check_records()?;
        Ok(prepared)
    }

    /// Prepares new column families.
    ///
    /// # Errors
    /// `InvalidArgument` if a name is taken or there are no more ids.
    pub(crate) fn of_family_adds(
        set: &ColumnFamilySet,
        next_file_number: u64,
        families: &[NewColumnFamily<'_>],
        log_number: u64,
    ) -> Result<Self> {
        let next = set.without_families();
        let mut prepared = Self { records: Vec::new(), next, dropped: None, touched: Vec::new() };
        for family in families {
            if set.has_name(family.name) || prepared.next.has_name(family.name) {
                return Err(Status::invalid_argument("Column family already exists"));
            }
            prepared.add_family(next_file_number, family, log_number)?;
        }
        prepared.check_records()?;
        Ok(prepared)
    }

    fn add_family(
        &mut self,
        next_file_number: u64,
        family: &NewColumnFamily<'_>,
        log_number: u64,
    ) -> Result<()> {
        let NewColumnFamily { name, options } = *family;
        let id = self.next.max_column_family.checked_add(1).ok_or_else(|| {
            Status::invalid_argument("no more column families: the ids are used up")
        })?;
        let version = VersionBuilder::new().build(options, false)?;
        let state = ColumnFamilyState {
            id,
            name: name.to_vec(),
            comparator_name: None,
            log_number,
            full_history_ts_low: None,
            persist_user_defined_timestamps: options.persist_user_defined_timestamps,
            version: Arc::new(version),
        };
        let family = Arc::new(ColumnFamilyEntry::new(state, options.clone()));
        let record = VersionEdit {
            column_family: id,
            column_family_add: Some(name.to_vec()),
            comparator: family.state.comparator_name.clone(),
            persist_user_defined_timestamps: Some(options.persist_user_defined_timestamps),
            log_number: Some(log_number),
            next_file_number: Some(next_file_number),
            last_sequence: Some(self.next.last_sequence),
            ..VersionEdit::default()
        };
        self.next.max_column_family = id;
        self.next.insert(family);
        self.records.push(record);
        self.touched.push(id);
        Ok(())
    }

    /// Prepares the end of a column family.
    ///
    /// # Errors
    /// `InvalidArgument` if it is the default one or not there.
    pub(crate) fn of_family_drop(
        set: &ColumnFamilySet,
        next_file_number: u64,
        id: u32,
    ) -> Result<Self> {
        if id == 0 {
            return Err(Status::invalid_argument("Can't drop default column family"));
        }
        if !set.families.contains_key(&id) {
            return Err(Status::invalid_argument("Column family already dropped!\n"));
        }
        let record = VersionEdit {
            column_family: id,
            column_family_drop: true,
            // So that the id is never used again.
            max_column_family: Some(set.max_column_family),
            next_file_number: Some(next_file_number),
            last_sequence: Some(set.last_sequence),
            ..VersionEdit::default()
        };
        let next = set.without_families();
        Ok(Self { records: vec![record], next, dropped: Some(id), touched: Vec::new() })
    }

    /// Prepares an edit that says nothing new, for a MANIFEST that is written for its own sake.
    pub(crate) fn of_nothing(set: &ColumnFamilySet, next_file_number: u64) -> Self {
        let mut next = set.without_families();
        let mut record = VersionEdit::default();
        fill_numbers(&mut next, next_file_number, &mut record);
        Self { records: vec![record], next, dropped: None, touched: Vec::new() }
    }

    fn apply_to_database(&mut self) -> Result<()> {
        let next = &mut self.next;
        for edit in &self.records {
            for wal in &edit.wal_additions {
                next.wals.add(*wal)?;
            }
            if let Some(number) = edit.wal_deletion {
                next.wals.delete_before(number);
            }
            let min_log_number = edit.min_log_number_to_keep.unwrap_or(0);
            next.min_log_number_to_keep = next.min_log_number_to_keep.max(min_log_number);
            next.prev_log_number = edit.prev_log_number.unwrap_or(next.prev_log_number);
            if edit.db_id.is_some() {
                next.db_id.clone_from(&edit.db_id);
            }
        }
        Ok(())
    }

    fn apply_to_families(&mut self, set: &ColumnFamilySet) -> Result<()> {
        let mut builders = BTreeMap::new();
        let mut touched = HashSet::new();
        for edit in &self.records {
            let id = edit.column_family;
            let Some(family) = self.next.family_after(set, id) else { continue };
            if touched.insert(id) {
                self.touched.push(id);
            }
            let state = &mut family.state;
            state.log_number = state.log_number.max(edit.log_number.unwrap_or(0));
            if let Some(timestamp) = &edit.full_history_ts_low {
                let comparator = family.options.comparator.user_comparator();
                let is_later = |now: &Vec<u8>| comparator.compare_timestamp(timestamp, now).is_gt();
                // What is forgotten stays forgotten.
                if state.full_history_ts_low.as_ref().is_none_or(is_later) {
                    state.full_history_ts_low = Some(timestamp.clone());
                }
            }
            if edit.changes_files() {
                let builder = builders.entry(id).or_insert_with(|| {
                    VersionBuilder::from_version(&set.families[&id].state.version)
                });
                builder.apply(edit.clone()).map_err(|status| named(family, &status))?;
            }
        }
        for (id, builder) in builders {
            let Some(family) = self.next.family_after(set, id) else { continue };
            let version =
                builder.build(&family.options, false).map_err(|status| named(family, &status))?;
            family.state.version = Arc::new(version);
        }
        Ok(())
    }

    /// A log that a column family still needs must not be declared unneeded.
    fn check_min_log_number(&self, set: &ColumnFamilySet) -> Result<()> {
        let next = &self.next;
        if next.min_log_number_to_keep <= set.min_log_number_to_keep {
            return Ok(());
        }
        let needs = |family: &&Arc<ColumnFamilyEntry>| {
            family.state.log_number < next.min_log_number_to_keep
        };
        let after = |family| next.families.get(&family_id(family)).unwrap_or(family);
        match set.families.values().map(after).find(needs) {
            None => Ok(()),
            Some(family) => Err(invalid(
                family.state.id,
                &format!(
                    "logs from {} on may hold data of it, so logs before {} cannot be dropped",
                    family.state.log_number, next.min_log_number_to_keep
                ),
            )),
        }
    }

    /// Checks that a reader will find in the records what was meant.
    fn check_records(&self) -> Result<()> {
        for edit in &self.records {
            if VersionEdit::decode(&edit.encode())? != *edit {
                return Err(invalid(edit.column_family, "the edit cannot be written as it is"));
            }
        }
        Ok(())
    }
}

fn family_id(family: &Arc<ColumnFamilyEntry>) -> u32 {
    family.state.id
}

fn invalid(column_family: u32, what: &str) -> Status {
    Status::invalid_argument(format!("version edit of column family {column_family}: {what}"))
}

fn named(family: &ColumnFamilyEntry, status: &Status) -> Status {
    let name = String::from_utf8_lossy(&family.state.name);
    status.clone().context(format_args!("version edit of column family \"{name}\""))
}

/// What can be told from an edit alone.
fn check_edit(family: &ColumnFamilyEntry, next_file_number: u64, edit: &VersionEdit) -> Result<()> {
    let id = family.state.id;
    check_kind(edit)?;
    if edit.column_family_add.is_some() || edit.column_family_drop || edit.comparator.is_some() {
        return Err(invalid(id, "column families are created and dropped by other calls"));
    }
    if let Some(number) = edit.log_number
        && !(family.state.log_number..next_file_number).contains(&number)
    {
        return Err(invalid(
            id,
            &format!(
                "log number {number}, expected one from {} on and before {next_file_number}",
                family.state.log_number
            ),
        ));
    }
    let tables = edit.new_files.iter().map(|new| new.file.number);
    let blob_files = edit.blob_file_additions.iter().map(|addition| addition.number);
    for number in tables.chain(blob_files) {
        if number >= next_file_number {
            let what = format!("file number {number} was not given out yet");
            return Err(invalid(id, &what));
        }
    }
    edit.new_files.iter().try_for_each(|new| check_new_file(family, &new.file))
}

fn check_new_file(family: &ColumnFamilyEntry, file: &FileMetaData) -> Result<()> {
    let refuse =
        |what: &str| Err(invalid(family.state.id, &format!("table file {}: {what}", file.number)));
    if file.epoch_number == UNKNOWN_EPOCH_NUMBER {
        return refuse("no epoch number");
    }
    if file.smallest_seqno > file.largest_seqno {
        return refuse("its smallest sequence number is larger than its largest");
    }
    let comparator = &family.options.comparator;
    let boundaries = [&file.smallest, &file.largest];
    if !boundaries.iter().all(|key| comparator.is_long_enough(key.as_bytes())) {
        return refuse("a boundary is too short for a timestamp");
    }
    Ok(())
}

/// The edit as the MANIFEST holds it.
fn stored_form(family: &ColumnFamilyEntry, mut edit: VersionEdit) -> Result<VersionEdit> {
    let timestamp_size = family.options.comparator.timestamp_size();
    for new in &mut edit.new_files {
        new.file = new.file.to_stored_form(timestamp_size);
    }
    Ok(edit)
}

/// Sets what every edit says about the database.
fn fill_numbers(set: &mut ColumnFamilySet, next_file_number: u64, edit: &mut VersionEdit) {
    edit.prev_log_number = edit.prev_log_number.or(Some(set.prev_log_number));
    edit.next_file_number = Some(next_file_number);
    let files = edit.new_files.iter().map(|new| new.file.largest_seqno).max();
    set.last_sequence =
        set.last_sequence.max(edit.last_sequence.unwrap_or(0)).max(files.unwrap_or(0));
    edit.last_sequence = Some(set.last_sequence);
}
