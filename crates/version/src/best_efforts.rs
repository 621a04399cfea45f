//! Recovery from a directory where files are missing (`best_efforts_recovery`).
//!
//! The MANIFEST is replayed edit by edit, and each file is looked for when it is added. A column
//! family is *valid* while all files of its version are there, or while all that is missing are its
//! newest L0 files and what only they refer to: what is left is then what it was before those were
//! written. What was valid last is what is recovered. An atomic group holds its column families
//! together: none gets beyond the group unless all do.

mod missing_files;

use crate::blob_file_metadata::BlobFileAddition;
use crate::file_metadata::FileMetaData;
use crate::manifest::ManifestReader;
use crate::recovery::{RecoveredManifest, ReplayedManifest, open_families};
use crate::version_builder::{VersionBuilder, VersionOptions};
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::{ColumnFamilyReplay, VersionEditHandler};
use base::filename::{FileType, descriptor_file_name, parse_file_name};
use base::{Result, Status};
use env::FileSystem;
use missing_files::MissingFiles;
use std::collections::BTreeMap;
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

    /// Whether this blob file is there, whole.
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
            let valid = files.is_valid(&family.builder).then(|| files.left_out(&family.builder));
            files.check(&mut *self.checker, family, &edit)?;
            // Where nothing is missing the edit cannot end validity.
            before = valid
                .filter(|_| files.any_missing() && !in_group)
                .map(|left_out| left_out.take_from(&family.builder));
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
                Some(files) => files.left_out(&family.builder).take_from(&family.builder),
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
