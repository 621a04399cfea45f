//! Replays version edits into the state of a database.
//!
//! Needs no comparator and touches no file, so that it can serve opening, listing, dumping and,
//! with versions built between edits, recovering to an earlier point.

use crate::manifest::at_offset;
use crate::version_builder::VersionBuilder;
use crate::version_edit::VersionEdit;
use crate::wal_edit::WalSet;
use base::{Result, SequenceNumber, Status};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The name of the column family that always exists, with id 0.
pub const DEFAULT_COLUMN_FAMILY_NAME: &str = "default";

/// A column family as the edits so far left it.
#[derive(Clone, Debug)]
pub struct ColumnFamilyReplay {
    /// Its id.
    pub id: u32,
    /// Its name; RocksDB allows any bytes.
    pub name: Vec<u8>,
    /// The name of its comparator; an old or hand-made MANIFEST may not have it.
    pub comparator_name: Option<Vec<u8>>,
    /// Logs with a smaller number hold nothing for it.
    pub log_number: u64,
    /// Timestamps below this may have been collapsed.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Whether its tables keep user-defined timestamps.
    pub persist_user_defined_timestamps: bool,
    /// Its files.
    pub builder: VersionBuilder,
}

impl ColumnFamilyReplay {
    fn new(id: u32, name: Vec<u8>) -> Self {
        Self {
            id,
            name,
            comparator_name: None,
            log_number: 0,
            full_history_ts_low: None,
            persist_user_defined_timestamps: true,
            builder: VersionBuilder::new(),
        }
    }

    /// For messages: the name, with `?` characters where it is not UTF-8.
    pub fn display_name(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }
}

/// What the edits say about the database as a whole. Nothing is there until an edit sets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseReplay {
    /// First free file number, as last written.
    pub next_file_number: Option<u64>,
    /// Last sequence number used; the largest written.
    pub last_sequence: Option<SequenceNumber>,
    /// LevelDB's second log.
    pub prev_log_number: u64,
    /// The log number of some column family was set.
    pub has_log_number: bool,
    /// Logs with a smaller number are not needed; the largest written.
    pub min_log_number_to_keep: u64,
    /// Largest id that a column family ever had.
    pub max_column_family: u32,
    /// Id of the database.
    pub db_id: Option<Vec<u8>>,
    /// Logs kept account of.
    pub wals: WalSet,
    /// Bytes of the MANIFEST's opening snapshot.
    pub last_compacted_manifest_file_size: Option<u64>,
}

/// Replays the edits of one MANIFEST.
#[derive(Debug)]
pub struct VersionEditHandler {
    manifest_path: PathBuf,
    database: DatabaseReplay,
    families: BTreeMap<u32, ColumnFamilyReplay>,
    /// Their ids by name.
    ids: HashMap<Vec<u8>, u32>,
    /// The edits of an atomic group that is not complete, with their offsets.
    group: Vec<(u64, VersionEdit)>,
}

impl VersionEditHandler {
    /// Starts with the default column family and nothing else. The path is for messages.
    pub fn new(manifest_path: &Path) -> Self {
        let default = ColumnFamilyReplay::new(0, DEFAULT_COLUMN_FAMILY_NAME.into());
        Self {
            manifest_path: manifest_path.to_path_buf(),
            database: DatabaseReplay::default(),
            ids: HashMap::from([(default.name.clone(), 0)]),
            families: BTreeMap::from([(0, default)]),
            group: Vec::new(),
        }
    }

    /// What the edits so far say about the database.
    pub fn database(&self) -> &DatabaseReplay {
        &self.database
    }

    /// The column families that exist now, by id.
    pub fn families(&self) -> &BTreeMap<u32, ColumnFamilyReplay> {
        &self.families
    }

    /// Whether an atomic group has begun and is not complete. At the end of the file such a group
    /// is ignored as a whole.
    pub fn in_atomic_group(&self) -> bool {
        !self.group.is_empty()
    }

    /// Takes the edit at `offset` of the MANIFEST. The edits of an atomic group take effect with
    /// the last of them.
    ///
    /// # Errors
    /// `Corruption` that names the MANIFEST and the offset.
    pub fn handle(&mut self, offset: u64, edit: VersionEdit) -> Result<()> {
        for (offset, edit) in self.take_ready(offset, edit)? {
            self.apply(offset, edit)?;
        }
        Ok(())
    }

    /// The edits that can be applied now that there is this one: itself, or with the last one of an
    /// atomic group all of the group, or none.
    ///
    /// # Errors
    /// `Corruption` that names the MANIFEST and the offset.
    pub(crate) fn take_ready(
        &mut self,
        offset: u64,
        edit: VersionEdit,
    ) -> Result<Vec<(u64, VersionEdit)>> {
        let Some(remaining) = edit.remaining_entries else {
            return match self.group.last() {
                None => Ok(vec![(offset, edit)]),
                Some((_, last)) => {
                    let remaining = last.remaining_entries.unwrap_or(0);
                    self.fail(
                        offset,
                        format!("atomic group interrupted, {remaining} edits missing"),
                    )
                }
            };
        };
        if let Some((_, last)) = self.group.last()
            && last.remaining_entries != remaining.checked_add(1)
        {
            let found = last.remaining_entries.unwrap_or(0);
            let what = format!("atomic group counts {remaining} edits to follow after {found}");
            return self.fail(offset, what);
        }
        self.group.push((offset, edit));
        Ok(if remaining == 0 { std::mem::take(&mut self.group) } else { Vec::new() })
    }

    fn fail<T>(&self, offset: u64, what: String) -> Result<T> {
        Err(Status::corruption_at(&self.manifest_path, offset, what))
    }

    /// Applies one edit that is ready.
    ///
    /// # Errors
    /// `Corruption` that names the MANIFEST and the offset.
    pub(crate) fn apply(&mut self, offset: u64, edit: VersionEdit) -> Result<()> {
        self.apply_edit(edit).map_err(|status| at_offset(status, &self.manifest_path, offset))
    }

    fn apply_edit(&mut self, edit: VersionEdit) -> Result<()> {
        check_kind(&edit)?;
        self.apply_to_database(&edit)?;
        if let Some(name) = &edit.column_family_add {
            self.add_family(edit.column_family, name)?;
        } else if edit.column_family_drop {
            return self.drop_family(edit.column_family);
        } else if edit.changes_wals() {
            return Ok(());
        }
        let id = edit.column_family;
        let Some(family) = self.families.get_mut(&id) else {
            return Err(Status::corruption(format!("edit of unknown column family {id}")));
        };
        // Log numbers only grow; RocksDB ignores one that does not.
        if let Some(number) = edit.log_number.filter(|number| *number >= family.log_number) {
            family.log_number = number;
            self.database.has_log_number = true;
        }
        if let Some(name) = &edit.comparator {
            set_comparator(family, name, edit.persist_user_defined_timestamps.unwrap_or(true))?;
        }
        if let Some(timestamp) = &edit.full_history_ts_low {
            family.full_history_ts_low = Some(timestamp.clone());
        }
        family.builder.apply(edit)
    }

    fn apply_to_database(&mut self, edit: &VersionEdit) -> Result<()> {
        let database = &mut self.database;
        for wal in &edit.wal_additions {
            database.wals.add(*wal)?;
        }
        if let Some(number) = edit.wal_deletion {
            database.wals.delete_before(number);
        }
        database.next_file_number = edit.next_file_number.or(database.next_file_number);
        database.last_sequence = database.last_sequence.max(edit.last_sequence);
        database.prev_log_number = edit.prev_log_number.unwrap_or(database.prev_log_number);
        database.min_log_number_to_keep =
            database.min_log_number_to_keep.max(edit.min_log_number_to_keep.unwrap_or(0));
        database.max_column_family =
            database.max_column_family.max(edit.max_column_family.unwrap_or(0));
        if let Some(id) = &edit.db_id {
            database.db_id = Some(id.clone());
        }
        database.last_compacted_manifest_file_size =
            edit.last_compacted_manifest_file_size.or(database.last_compacted_manifest_file_size);
        Ok(())
    }

    fn add_family(&mut self, id: u32, name: &[u8]) -> Result<()> {
        let same_id = self.families.get(&id);
        let same_name = || self.families.get(self.ids.get(name)?);
        if let Some(old) = same_id.or_else(same_name) {
            return Err(Status::corruption(format!(
                "adds column family {id} \"{}\", but {} \"{}\" exists",
                String::from_utf8_lossy(name),
                old.id,
                old.display_name()
            )));
        }
        self.families.insert(id, ColumnFamilyReplay::new(id, name.to_vec()));
        self.ids.insert(name.to_vec(), id);
        self.database.max_column_family = self.database.max_column_family.max(id);
        Ok(())
    }

    fn drop_family(&mut self, id: u32) -> Result<()> {
        if id == 0 {
            return Err(Status::corruption("drops the default column family"));
        }
        match self.families.remove(&id) {
            Some(family) => {
                self.ids.remove(&family.name);
                Ok(())
            }
            None => Err(Status::corruption(format!("drops unknown column family {id}"))),
        }
    }

    /// Checks that the numbers are known that every database has.
    ///
    /// # Errors
    /// `Corruption` if one of them was never set.
    pub(crate) fn check_complete(&self) -> Result<()> {
        let database = &self.database;
        let missing: Vec<_> = [
            ("log_file_number", database.has_log_number),
            ("next_file_number", database.next_file_number.is_some()),
            ("last_sequence", database.last_sequence.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, known)| (!known).then_some(name))
        .collect();
        if !missing.is_empty() {
            return Err(Status::corruption(format!(
                "{}: no {} entry in MANIFEST",
                self.manifest_path.display(),
                missing.join(", ")
            )));
        }
        Ok(())
    }

    /// Ends the replay. An incomplete atomic group is left out.
    ///
    /// # Errors
    /// `Corruption` if a number that every database has was never set.
    pub fn finish(self) -> Result<(DatabaseReplay, BTreeMap<u32, ColumnFamilyReplay>)> {
        self.check_complete()?;
        Ok((self.database, self.families))
    }
}

/// RocksDB ignores the files of an edit that adds or drops a column family or is about logs. None
/// of its releases writes such an edit; files must not get lost silently.
pub(crate) fn check_kind(edit: &VersionEdit) -> Result<()> {
    let kinds = [edit.column_family_add.is_some(), edit.column_family_drop, edit.changes_wals()];
    let count = kinds.into_iter().filter(|kind| *kind).count();
    if count > 1 || (count == 1 && edit.changes_files()) {
        return Err(Status::corruption(
            "edit mixes changes of files, of the set of column families and of logs",
        ));
    }
    Ok(())
}

fn set_comparator(family: &mut ColumnFamilyReplay, name: &[u8], persist: bool) -> Result<()> {
    if let Some(old) = family.comparator_name.as_deref().filter(|old| *old != name) {
        return Err(Status::corruption(format!(
            "changes the comparator of column family \"{}\" from \"{}\" to \"{}\"",
            family.display_name(),
            old.escape_ascii(),
            name.escape_ascii()
        )));
    }
    family.comparator_name = Some(name.to_vec());
    family.persist_user_defined_timestamps = persist;
    Ok(())
}
