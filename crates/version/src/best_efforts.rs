//! Recovery from a directory where files are missing (`best_efforts_recovery`).
//!
//! The MANIFEST is replayed edit by edit, and each file is looked for when it is added. A column
//! family is *valid* while all files of its version are there, or while all that is missing are its
//! newest L0 files and what only they refer to: what is left is then what it was before those were
//! written. What was valid last is what is recovered. An atomic group holds its column families
//! together: none gets beyond the group unless all do.

use crate::blob_file_metadata::BlobFileAddition;
use crate::consistency::Level0Order;
use crate::file_metadata::FileMetaData;
use crate::manifest::ManifestReader;
use crate::recovery::{RecoveredManifest, ReplayedManifest, open_families};
use crate::version_builder::{VersionBuilder, VersionOptions};
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::{ColumnFamilyReplay, VersionEditHandler};
use base::filename::{FileType, descriptor_file_name, parse_file_name};
use base::{Result, Status};
use env::FileSystem;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Says which of the files that a MANIFEST names are there. Whoever implements it knows the
/// directories of each column family, and may open the files.
pub trait FileChecker {
    /// Whether this table file is there and is the one that is meant.
    ///
    /// # Errors
    /// Whatever keeps it from being told. A file that is missing or damaged is no error.
    fn is_table_usable(
        &mut self,
        family: &ColumnFamilyReplay,
        level: u32,
        file: &FileMetaData,
    ) -> Result<bool>;

    /// Whether this blob file is there.
    ///
    /// # Errors
    /// As [`FileChecker::is_table_usable`].
    fn is_blob_file_usable(
        &mut self,
        family: &ColumnFamilyReplay,
        addition: &BlobFileAddition,
    ) -> Result<bool>;
}

/// What could be recovered.
#[derive(Debug)]
pub struct BestEffortsRecovery {
    /// The state, of the newest MANIFEST that can be read.
    pub manifest: RecoveredManifest,
    /// A file of the state at the end of the MANIFEST is missing, so that the one recovered may be
    /// an older one.
    pub files_missing: bool,
}

/// Recovers from the newest MANIFEST in `db_path` that allows it, whatever `CURRENT` says.
/// `open_family` is as for [`recover`](crate::recover).
///
/// # Errors
/// `Corruption` if there is no MANIFEST; else the error that the oldest one gives.
pub fn recover_best_efforts(
    fs: &dyn FileSystem,
    db_path: &Path,
    mut open_family: impl FnMut(&ColumnFamilyReplay) -> Result<Option<VersionOptions>>,
    checker: &mut dyn FileChecker,
) -> Result<BestEffortsRecovery> {
    let mut numbers: Vec<_> = fs
        .get_children(db_path)?
        .iter()
        .filter_map(|name| parse_file_name(name))
        .filter_map(|(number, kind)| (kind == FileType::Descriptor).then_some(number))
        .collect();
    numbers.sort_unstable();
    let what = format!("Cannot locate MANIFEST file in {}", db_path.display());
    let mut error = Status::corruption(what);
    for number in numbers.into_iter().rev() {
        let path = descriptor_file_name(db_path, number);
        let replayed = replay(fs, &path, checker);
        match replayed.and_then(|(replayed, files_missing)| {
            let manifest = open_families(replayed, number, &mut open_family)?;
            Ok(BestEffortsRecovery { manifest, files_missing })
        }) {
            Ok(recovered) => return Ok(recovered),
            Err(status) => error = status,
        }
    }
    Err(error)
}

/// Replays a MANIFEST and leaves each column family as it was valid last. Tells also whether any
/// file is missing at the end.
fn replay(
    fs: &dyn FileSystem,
    path: &Path,
    checker: &mut dyn FileChecker,
) -> Result<(ReplayedManifest, bool)> {
    let mut reader = ManifestReader::open(fs, path)?;
    let mut replay = PointInTime::new(path, checker);
    let mut valid_size_bytes = 0;
    while let Some(record) = reader.read()? {
        replay.handle(record.offset, record.edit)?;
        if !replay.handler.in_atomic_group() {
            valid_size_bytes = record.end_offset;
        }
    }
    let tail_ignored = reader.torn_tail().is_some() || replay.handler.in_atomic_group();
    replay.save_all_valid();
    let files_missing = replay.files.values().any(MissingFiles::any_missing);
    let PointInTime { handler, mut saved, .. } = replay;
    let (database, mut families) = handler.finish()?;
    for family in families.values_mut() {
        // One that was never valid is empty, as it was made.
        family.builder = saved.remove(&family.id).unwrap_or_default();
    }
    let path = path.to_path_buf();
    let replayed = ReplayedManifest { path, valid_size_bytes, tail_ignored, database, families };
    Ok((replayed, files_missing))
}

/// The files of a column family that were looked for and not found.
#[derive(Clone, Debug, Default)]
struct MissingFiles {
    missing_l0: BTreeSet<u64>,
    missing_deeper: BTreeSet<u64>,
    /// Of all blob files ever added.
    missing_blob_files: BTreeSet<u64>,
    /// An edit of an atomic group was applied: a state that lacks files is no longer valid.
    edited_in_group: bool,
}

impl MissingFiles {
    fn any_missing(&self) -> bool {
        !(self.missing_l0.is_empty()
            && self.missing_deeper.is_empty()
            && self.missing_blob_files.is_empty())
    }

    /// Takes note of what an edit deletes and adds.
    fn check(
        &mut self,
        checker: &mut dyn FileChecker,
        family: &ColumnFamilyReplay,
        edit: &VersionEdit,
    ) -> Result<()> {
        for addition in &edit.blob_file_additions {
            if !checker.is_blob_file_usable(family, addition)? {
                self.missing_blob_files.insert(addition.number);
            }
        }
        for (_, number) in &edit.deleted_files {
            self.missing_l0.remove(number);
            self.missing_deeper.remove(number);
        }
        for new in &edit.new_files {
            if !checker.is_table_usable(family, new.level, &new.file)? {
                let missing =
                    if new.level == 0 { &mut self.missing_l0 } else { &mut self.missing_deeper };
                missing.insert(new.file.number);
            }
        }
        self.edited_in_group |= edit.remaining_entries.is_some() && edit.changes_files();
        Ok(())
    }

    fn is_valid(&self, builder: &VersionBuilder) -> bool {
        if !self.any_missing() {
            return true;
        }
        let (oldest_blob_file, links) = links(builder);
        let blob_files: Vec<_> =
            self.missing_blob_files.range(oldest_blob_file..).copied().collect();
        if self.missing_l0.is_empty() && self.missing_deeper.is_empty() && blob_files.is_empty() {
            return true;
        }
        let only_missing_l0 = |number: &u64| {
            let linked = links.get(number).map_or(&[][..], Vec::as_slice);
            linked.is_empty()
                || (!self.missing_l0.is_empty()
                    && linked.iter().all(|table| self.missing_l0.contains(table)))
        };
        !self.edited_in_group
            && self.missing_deeper.is_empty()
            && self.newest_l0_are_missing(builder)
            && blob_files.iter().all(only_missing_l0)
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

    /// The valid state: without what is missing, and without blob files that only missing tables
    /// are linked to.
    fn valid_state(&self, builder: &VersionBuilder) -> VersionBuilder {
        let mut builder = builder.clone();
        if self.any_missing() {
            let (_, links) = links(&builder);
            let only_missing = links.into_iter().filter_map(|(blob, tables)| {
                tables.iter().all(|table| self.missing_l0.contains(table)).then_some(blob)
            });
            let blob_files = only_missing.chain(self.missing_blob_files.iter().copied()).collect();
            builder.forget(&self.missing_l0, &blob_files);
        }
        builder
    }
}

/// The oldest blob file that a table is linked to (beyond all others if there is none), and the
/// tables linked to each.
fn links(builder: &VersionBuilder) -> (u64, BTreeMap<u64, Vec<u64>>) {
    let known: BTreeSet<_> = builder.blob_file_numbers().collect();
    let mut links = BTreeMap::<u64, Vec<u64>>::new();
    for (_, file) in builder.files() {
        if let Some(number) = file.oldest_blob_file_number.filter(|number| known.contains(number)) {
            links.entry(number).or_default().push(file.number);
        }
    }
    (links.keys().next().copied().unwrap_or(u64::MAX), links)
}

/// A replay that remembers what was valid last.
struct PointInTime<'a> {
    handler: VersionEditHandler,
    checker: &'a mut dyn FileChecker,
    files: BTreeMap<u32, MissingFiles>,
    /// The last valid state of each column family that has one.
    saved: BTreeMap<u32, VersionBuilder>,
    /// Since the last atomic group: the column families there were, with their valid state after
    /// the group if there was one. Empty once all have one.
    group: BTreeMap<u32, Option<VersionBuilder>>,
}

impl<'a> PointInTime<'a> {
    fn new(path: &Path, checker: &'a mut dyn FileChecker) -> Self {
        Self {
            handler: VersionEditHandler::new(path),
            checker,
            files: BTreeMap::new(),
            saved: BTreeMap::new(),
            group: BTreeMap::new(),
        }
    }

    fn handle(&mut self, offset: u64, edit: VersionEdit) -> Result<()> {
        let in_group = edit.remaining_entries.is_some();
        let ready = self.handler.take_ready(offset, edit)?;
        if in_group && !ready.is_empty() {
            self.save_all_valid();
            self.group = self.handler.families().keys().map(|id| (*id, None)).collect();
        }
        for (offset, edit) in ready {
            self.apply(offset, edit, in_group)?;
        }
        Ok(())
    }

    fn apply(&mut self, offset: u64, edit: VersionEdit, in_group: bool) -> Result<()> {
        let id = edit.column_family;
        let dropped = edit.column_family_drop;
        let mut before = None;
        if let Some(family) = self.handler.families().get(&id)
            && edit.changes_files()
        {
            let files = self.files.entry(id).or_default();
            let valid = files.is_valid(&family.builder).then(|| files.clone());
            files.check(&mut *self.checker, family, &edit)?;
            // Where nothing is missing the edit cannot end validity.
            before = valid
                .filter(|_| files.any_missing() && !in_group)
                .map(|files| files.valid_state(&family.builder));
        }
        self.handler.apply(offset, edit)?;
        if dropped {
            self.forget_family(id);
        } else if let Some(before) = before
            && !self.is_valid(id)
        {
            self.save(id, before);
        }
        Ok(())
    }

    fn is_valid(&self, id: u32) -> bool {
        match (self.handler.families().get(&id), self.files.get(&id)) {
            (Some(family), Some(files)) => files.is_valid(&family.builder),
            (family, _) => family.is_some(),
        }
    }

    /// Saves the states that are valid now.
    fn save_all_valid(&mut self) {
        let ids: Vec<_> = self.handler.families().keys().copied().collect();
        for id in ids.into_iter().filter(|id| self.is_valid(*id)).collect::<Vec<_>>() {
            let Some(family) = self.handler.families().get(&id) else { continue };
            let state = match self.files.get(&id) {
                Some(files) => files.valid_state(&family.builder),
                None => family.builder.clone(),
            };
            self.save(id, state);
        }
    }

    fn save(&mut self, id: u32, state: VersionBuilder) {
        match self.group.get_mut(&id) {
            Some(after_group) => {
                *after_group = Some(state);
                self.end_group_if_complete();
            }
            None => {
                self.saved.insert(id, state);
            }
        }
    }

    /// Once all column families have got beyond the group, their states count.
    fn end_group_if_complete(&mut self) {
        if self.group.values().all(Option::is_some) {
            let states = std::mem::take(&mut self.group).into_iter();
            self.saved.extend(states.filter_map(|(id, state)| Some((id, state?))));
        }
    }

    fn forget_family(&mut self, id: u32) {
        self.files.remove(&id);
        self.saved.remove(&id);
        if self.group.remove(&id).is_some() {
            self.end_group_if_complete();
        }
    }
}

#[cfg(test)]
mod tests;
