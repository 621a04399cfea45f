//! The files of a column family that are missing, and whether it is valid without them.
//!
//! A table says which is the oldest blob file it refers to, and nothing of newer ones; there are
//! such where blob files are smaller than what a job writes, and where garbage is collected. So a
//! blob file that is missing *may be needed* by every table that is there unless something tells
//! that it is not:
//!
//! - The oldest that the table refers to is a newer one.
//! - The table was in the MANIFEST before the blob file: both are added by the edit of the job that
//!   writes them.
//! - All of the blob file is garbage, and for no table it is the oldest.
//! - It is the oldest only of L0 files that are missing. What they refer to was written for them:
//!   a flush or a compaction into L0 makes one table, and when that is compacted it is gone.
//!
//! RocksDB 11.8 takes a blob file that is the oldest of no table for one that nothing needs, and may
//! recover a version whose values cannot be read. Until 7.8 it took every one for needed that is not
//! older than all that tables are linked to, also those that have become garbage.

use super::FileChecker;
use crate::consistency::Level0Order;
use crate::version_builder::VersionBuilder;
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::ColumnFamilyReplay;
use base::Result;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a column family that were looked for and not found.
#[derive(Debug, Default)]
pub(super) struct MissingFiles {
    missing_l0: BTreeSet<u64>,
    missing_deeper: BTreeSet<u64>,
    /// Of all blob files ever added, with the edit that did.
    missing_blob_files: BTreeMap<u64, EditOrdinal>,
    /// The edit that brought each table there is; a table that is moved stays what it is.
    tables: BTreeMap<u64, EditOrdinal>,
    edits: EditOrdinal,
    /// An edit of an atomic group was applied: a state that lacks files is no longer valid.
    edited_in_group: bool,
}

/// Counts the edits of a column family.
type EditOrdinal = u64;

/// What a valid state does not have of what the MANIFEST says.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    tables: BTreeSet<u64>,
    blob_files: BTreeSet<u64>,
}

impl LeftOut {
    /// The state without it.
    pub(super) fn take_from(&self, builder: &VersionBuilder) -> VersionBuilder {
        let mut builder = builder.clone();
        if !(self.tables.is_empty() && self.blob_files.is_empty()) {
            builder.forget(&self.tables, &self.blob_files);
        }
        builder
    }
}

/// The tables of which each blob file is the oldest that they refer to.
type Links = BTreeMap<u64, Vec<u64>>;

fn links(builder: &VersionBuilder) -> Links {
    let known: BTreeSet<_> = builder.blob_file_numbers().collect();
    let mut links = Links::new();
    for (_, file) in builder.files() {
        if let Some(number) = file.oldest_blob_file_number.filter(|number| known.contains(number)) {
            links.entry(number).or_default().push(file.number);
        }
    }
    links
}

impl MissingFiles {
    pub(super) fn any_missing(&self) -> bool {
        !(self.missing_l0.is_empty()
            && self.missing_deeper.is_empty()
            && self.missing_blob_files.is_empty())
    }

    /// Takes note of what an edit deletes and adds.
    pub(super) fn check(
        &mut self,
        checker: &mut dyn FileChecker,
        family: &ColumnFamilyReplay,
        edit: &VersionEdit,
    ) -> Result<()> {
        self.edits += 1;
        for addition in &edit.blob_file_additions {
            if !checker.is_blob_file_usable(family, addition)? {
                self.missing_blob_files.insert(addition.number, self.edits);
            }
        }
        let mut deleted = BTreeMap::new();
        for (_, number) in &edit.deleted_files {
            self.missing_l0.remove(number);
            self.missing_deeper.remove(number);
            deleted.extend(self.tables.remove(number).map(|added| (*number, added)));
        }
        for new in &edit.new_files {
            let number = new.file.number;
            let added = deleted.get(&number).copied().unwrap_or(self.edits);
            self.tables.insert(number, added);
            if !checker.is_table_usable(family, new.level, &new.file)? {
                let missing =
                    if new.level == 0 { &mut self.missing_l0 } else { &mut self.missing_deeper };
                missing.insert(number);
            }
        }
        self.edited_in_group |= edit.remaining_entries.is_some() && edit.changes_files();
        Ok(())
    }

    pub(super) fn is_valid(&self, builder: &VersionBuilder) -> bool {
        if !self.any_missing() {
            return true;
        }
        let tables_are_valid = match self.missing_l0.is_empty() && self.missing_deeper.is_empty() {
            true => true,
            false => {
                !self.edited_in_group
                    && self.missing_deeper.is_empty()
                    && self.newest_l0_are_missing(builder)
            }
        };
        tables_are_valid && {
            let links = links(builder);
            let mut blob_files = self.missing_blob_files.iter();
            !blob_files.any(|(number, added)| self.may_be_needed(builder, &links, *number, *added))
        }
    }

    /// Whether a table that is there may refer to this blob file, which is missing.
    fn may_be_needed(
        &self,
        builder: &VersionBuilder,
        links: &Links,
        number: u64,
        added: EditOrdinal,
    ) -> bool {
        let is_ruled_out = match links.get(&number) {
            Some(linked) => self.are_missing_l0(linked),
            None => builder.is_blob_file_garbage(number),
        };
        let may_refer = |table: &u64| {
            let is_there = !self.missing_l0.contains(table) && !self.missing_deeper.contains(table);
            is_there && self.tables.get(table).is_none_or(|table_added| *table_added >= added)
        };
        !is_ruled_out && links.range(..=number).flat_map(|(_, tables)| tables).any(may_refer)
    }

    fn are_missing_l0(&self, tables: &[u64]) -> bool {
        tables.iter().all(|table| self.missing_l0.contains(table))
    }

    /// Whether no L0 file that is missing is older than one that is there.
    fn newest_l0_are_missing(&self, builder: &VersionBuilder) -> bool {
        let order = Level0Order::of(builder.files().map(|(_, file)| file));
        let mut level0: Vec<_> =
            builder.files().filter_map(|(level, file)| (level == 0).then_some(file)).collect();
        level0.sort_unstable_by(|a, b| order.compare(a, b));
        let newest = level0.iter().take(self.missing_l0.len());
        newest.filter(|file| self.missing_l0.contains(&file.number)).count()
            == self.missing_l0.len()
    }

    /// What the valid state has not: what is missing, and blob files that only missing tables are
    /// linked to.
    pub(super) fn left_out(&self, builder: &VersionBuilder) -> LeftOut {
        if !self.any_missing() {
            return LeftOut::default();
        }
        let of_missing = links(builder)
            .into_iter()
            .filter_map(|(blob_file, tables)| self.are_missing_l0(&tables).then_some(blob_file));
        let blob_files = of_missing.chain(self.missing_blob_files.keys().copied()).collect();
        LeftOut { tables: self.missing_l0.clone(), blob_files }
    }
}
