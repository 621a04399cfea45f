//! Applies version edits to the files of a column family and makes versions of the result.
//!
//! Applying needs no comparator: until a version is built files are known by number only.

use crate::blob_file_metadata::{BlobFileAddition, BlobFileGarbage, BlobFileMetaData};
use crate::consistency::{
    Level0Order, check_blob_file, check_boundary_lengths, check_level, compare_by_smallest_key,
};
use crate::epoch_numbers::first_epoch_number;
use crate::file_metadata::{FileMetaData, NewFile};
use crate::version::Version;
use crate::version_edit::VersionEdit;
use base::{InternalKey, InternalKeyComparator, Result, Status};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// More levels than this are damage rather than a wish.
pub const NUM_LEVELS_MAX: usize = 1 << 16;

/// What a column family brings to its versions.
#[derive(Clone, Debug)]
pub struct VersionOptions {
    /// The order of its keys.
    pub comparator: InternalKeyComparator,
    /// Levels (`num_levels`); RocksDB's default is 7.
    pub num_levels: usize,
    /// Refuse versions whose files overlap where they must not (`force_consistency_checks`);
    /// RocksDB's default is true. Without it such a version may give wrong answers.
    pub force_consistency_checks: bool,
    /// Whether tables are to keep the timestamps of keys (`persist_user_defined_timestamps`);
    /// RocksDB's default is true.
    pub persist_user_defined_timestamps: bool,
    /// Epoch number 1 is kept for files ingested behind all others (`allow_ingest_behind`,
    /// `cf_allow_ingest_behind`); RocksDB's default is false.
    pub allow_ingest_behind: bool,
}

impl VersionOptions {
    /// RocksDB's defaults.
    pub fn new(comparator: InternalKeyComparator) -> Self {
        Self {
            comparator,
            num_levels: 7,
            force_consistency_checks: true,
            persist_user_defined_timestamps: true,
            allow_ingest_behind: false,
        }
    }
}

/// A table file and where it is.
#[derive(Clone, Debug)]
struct PlacedFile {
    level: u32,
    file: Arc<FileMetaData>,
    /// The boundaries are still as in the MANIFEST, which may leave out timestamps.
    as_stored: bool,
}

#[derive(Clone, Debug)]
struct BlobFileState {
    addition: BlobFileAddition,
    garbage_blob_count: u64,
    garbage_blob_bytes: u64,
}

/// The files of a column family while edits are applied.
#[derive(Clone, Debug, Default)]
pub struct VersionBuilder {
    files: HashMap<u64, PlacedFile>,
    /// Levels of a version that no edit has touched, in order and checked: a flush should not cost
    /// time for each file of the tree.
    settled: BTreeMap<usize, Arc<Vec<Arc<FileMetaData>>>>,
    /// That of the version; 0 without one.
    next_epoch_number: u64,
    blob_files: BTreeMap<u64, BlobFileState>,
    compact_cursors: BTreeMap<u32, InternalKey>,
}

impl VersionBuilder {
    /// Starts without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts from the files of a version.
    pub fn from_version(version: &Version) -> Self {
        let blob = |file: &Arc<BlobFileMetaData>| {
            let state = BlobFileState {
                addition: file.addition.clone(),
                garbage_blob_count: file.garbage_blob_count,
                garbage_blob_bytes: file.garbage_blob_bytes,
            };
            (file.number(), state)
        };
        Self {
            files: HashMap::new(),
            settled: version.levels.iter().cloned().enumerate().collect(),
            next_epoch_number: version.next_epoch_number,
            blob_files: version.blob_files().iter().map(blob).collect(),
            compact_cursors: version.compact_cursors().clone(),
        }
    }

    /// Table files, in no order, with their levels and their boundaries as in the MANIFEST.
    pub fn files(&self) -> impl Iterator<Item = (u32, &FileMetaData)> {
        let touched = self.files.values().map(|placed| (placed.level, &*placed.file));
        let settled = self
            .settled
            .iter()
            .flat_map(|(level, files)| files.iter().map(move |file| (*level as u32, &**file)));
        touched.chain(settled)
    }

    /// Blob files by number.
    pub(crate) fn blob_file_numbers(&self) -> impl Iterator<Item = u64> {
        self.blob_files.keys().copied()
    }

    /// Whether all blobs of a file are garbage, as far as edits have said.
    pub(crate) fn is_blob_file_garbage(&self, number: u64) -> bool {
        let is_garbage =
            |state: &BlobFileState| state.garbage_blob_count >= state.addition.total_blob_count;
        self.blob_files.get(&number).is_some_and(is_garbage)
    }

    /// Forgets files, as if they had never been added.
    pub(crate) fn forget(&mut self, tables: &BTreeSet<u64>, blob_files: &BTreeSet<u64>) {
        self.unsettle_all();
        self.files.retain(|number, _| !tables.contains(number));
        self.blob_files.retain(|number, _| !blob_files.contains(number));
    }

    /// Largest number of a table or blob file; 0 without files.
    pub fn max_file_number(&self) -> u64 {
        let tables = self.files().map(|(_, file)| file.number);
        tables.chain(self.blob_file_numbers()).max().unwrap_or(0)
    }

    /// Applies the changes of files in `edit`. Deletions come before additions, so that a file may
    /// move from one level to another. After an error the state is of no use.
    ///
    /// # Errors
    /// `Corruption` if a file is deleted where it is not, added a second time, or unknown.
    pub fn apply(&mut self, edit: VersionEdit) -> Result<()> {
        for addition in edit.blob_file_additions {
            self.add_blob_file(addition)?;
        }
        for garbage in &edit.blob_file_garbages {
            self.add_garbage(garbage)?;
        }
        for (level, _) in &edit.deleted_files {
            self.unsettle(*level as usize);
        }
        for new in &edit.new_files {
            self.unsettle(new.level as usize);
        }
        for &(level, number) in &edit.deleted_files {
            self.delete_file(level, number)?;
        }
        self.check_not_settled(&edit.new_files)?;
        for file in edit.new_files {
            self.add_file(file)?;
        }
        self.compact_cursors.extend(edit.compact_cursors);
        Ok(())
    }

    fn add_blob_file(&mut self, addition: BlobFileAddition) -> Result<()> {
        let number = addition.number;
        let state = BlobFileState { addition, garbage_blob_count: 0, garbage_blob_bytes: 0 };
        match self.blob_files.insert(number, state) {
            None => Ok(()),
            Some(_) => Err(Status::corruption(format!("adds blob file {number} a second time"))),
        }
    }

    fn add_garbage(&mut self, garbage: &BlobFileGarbage) -> Result<()> {
        let number = garbage.number;
        let Some(state) = self.blob_files.get_mut(&number) else {
            return Err(Status::corruption(format!(
                "adds garbage to blob file {number}, which is not there"
            )));
        };
        let count = state.garbage_blob_count.saturating_add(garbage.garbage_blob_count);
        let bytes = state.garbage_blob_bytes.saturating_add(garbage.garbage_blob_bytes);
        let addition = &state.addition;
        if count > addition.total_blob_count || bytes > addition.total_blob_bytes {
            return Err(Status::corruption(format!(
                "blob file {number}: garbage of {count} blobs and {bytes} bytes, but it has {} \
                 blobs and {} bytes",
                addition.total_blob_count, addition.total_blob_bytes
            )));
        }
        state.garbage_blob_count = count;
        state.garbage_blob_bytes = bytes;
        Ok(())
    }

    fn delete_file(&mut self, level: u32, number: u64) -> Result<()> {
        match self.files.get(&number) {
            Some(placed) if placed.level == level => {
                self.files.remove(&number);
                Ok(())
            }
            Some(placed) => Err(Status::corruption(format!(
                "deletes table file {number} from level {level}, but it is on level {}",
                placed.level
            ))),
            None => Err(match self.settled_level_of(number) {
                Some(other) => Status::corruption(format!(
                    "deletes table file {number} from level {level}, but it is on level {other}"
                )),
                None => Status::corruption(format!(
                    "deletes table file {number} from level {level}, but it is not there"
                )),
            }),
        }
    }

    /// Takes a level apart, so that its files can be changed.
    fn unsettle(&mut self, level: usize) {
        for file in self.settled.remove(&level).iter().flat_map(|files| files.iter()) {
            let placed =
                PlacedFile { level: level as u32, file: Arc::clone(file), as_stored: false };
            self.files.insert(file.number, placed);
        }
    }

    fn unsettle_all(&mut self) {
        while let Some((&level, _)) = self.settled.first_key_value() {
            self.unsettle(level);
        }
    }

    fn settled_level_of(&self, number: u64) -> Option<usize> {
        let has = |files: &[Arc<FileMetaData>]| files.iter().any(|file| file.number == number);
        self.settled.iter().find_map(|(level, files)| has(files).then_some(*level))
    }

    /// Checks that none of the files is on a level that is not touched.
    fn check_not_settled(&self, new_files: &[NewFile]) -> Result<()> {
        if new_files.is_empty() {
            return Ok(());
        }
        let numbers: BTreeMap<_, _> =
            new_files.iter().map(|new| (new.file.number, new.level)).collect();
        for (old_level, files) in &self.settled {
            for file in files.iter() {
                if let Some(level) = numbers.get(&file.number) {
                    return Err(added_twice(file.number, *level, *old_level as u32));
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, NewFile { level, file }: NewFile) -> Result<()> {
        let number = file.number;
        let placed = PlacedFile { level, file: Arc::new(file), as_stored: true };
        match self.files.insert(number, placed) {
            None => Ok(()),
            Some(old) => Err(added_twice(number, level, old.level)),
        }
    }

    /// The version that the edits lead to. `tables_lack_timestamps` says that all tables were
    /// written before the column family had user-defined timestamps.
    ///
    /// # Errors
    /// `InvalidArgument` if a file is on a level that the column family has not, or there are more
    /// than [`NUM_LEVELS_MAX`] levels; `Corruption` if the files cannot be read in a consistent
    /// order.
    pub fn build(&self, options: &VersionOptions, tables_lack_timestamps: bool) -> Result<Version> {
        // Those of settled levels are known.
        let order = Level0Order::of(self.files.values().map(|placed| &*placed.file));
        let levels_lost = self.settled.range(options.num_levels..).any(|(_, f)| !f.is_empty());
        if levels_lost || (order == Level0Order::Sequence && !self.settled.is_empty()) {
            let mut all = self.clone();
            all.unsettle_all();
            return all.build(options, tables_lack_timestamps);
        }
        let mut levels = self.sorted_levels(options, order, tables_lack_timestamps)?;
        let blob_files = self.live_blob_files(&levels);
        if options.force_consistency_checks {
            for (level, files) in levels.iter().enumerate() {
                check_level(&options.comparator, level, order, files)?;
            }
            for file in &blob_files {
                check_blob_file(file)?;
            }
        }
        if order == Level0Order::Sequence {
            infer_epoch_numbers(&mut levels, first_epoch_number(options.allow_ingest_behind));
        }
        let epoch_max = levels.iter().flatten().map(|file| file.epoch_number).max().unwrap_or(0);
        let level = |(level, files)| match self.settled.get(&level) {
            Some(settled) => Arc::clone(settled),
            None => Arc::new(files),
        };
        Ok(Version {
            levels: levels.into_iter().enumerate().map(level).collect(),
            blob_files,
            compact_cursors: self
                .compact_cursors
                .iter()
                .filter(|(level, _)| (**level as usize) < options.num_levels)
                .map(|(level, key)| (*level, key.clone()))
                .collect(),
            next_epoch_number: epoch_max.saturating_add(1).max(self.next_epoch_number),
        })
    }

    fn sorted_levels(
        &self,
        options: &VersionOptions,
        order: Level0Order,
        tables_lack_timestamps: bool,
    ) -> Result<Vec<Vec<Arc<FileMetaData>>>> {
        let comparator = &options.comparator;
        if options.num_levels > NUM_LEVELS_MAX {
            return Err(Status::invalid_argument(format!(
                "num_levels is {}, expected at most {NUM_LEVELS_MAX}",
                options.num_levels
            )));
        }
        let mut levels = vec![Vec::new(); options.num_levels];
        // By number first, which is cheap: most files of a level then come in the order of their keys,
        // and comparing keys of thousands of files in any order costs a cache miss each time.
        let mut all: Vec<(u64, &PlacedFile)> =
            self.files.iter().map(|(number, placed)| (*number, placed)).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        for (_, placed) in all {
            let level = placed.level as usize;
            let Some(files) = levels.get_mut(level) else {
                return Err(Status::invalid_argument(format!(
                    "db has more levels than options.num_levels: table file {} is on level \
                     {level}, num_levels is {}",
                    placed.file.number, options.num_levels
                )));
            };
            let file = with_timestamps(placed, comparator.timestamp_size(), tables_lack_timestamps);
            check_boundary_lengths(comparator, level, &file)?;
            files.push(file);
        }
        for (level, files) in levels.iter_mut().enumerate() {
            if level == 0 {
                files.sort_unstable_by(|a, b| order.compare(a, b));
            } else {
                files.sort_by(|a, b| compare_by_smallest_key(comparator, a, b));
            }
        }
        Ok(levels)
    }

    /// Leaves out blob files that nothing refers to: those before the first that a table is linked
    /// to, and those that are all garbage.
    fn live_blob_files(&self, levels: &[Vec<Arc<FileMetaData>>]) -> Vec<Arc<BlobFileMetaData>> {
        if self.blob_files.is_empty() {
            return Vec::new();
        }
        let mut linked_ssts = BTreeMap::<u64, BTreeSet<u64>>::new();
        let settled = self.settled.values().flat_map(|files| files.iter());
        for file in levels.iter().flatten().chain(settled) {
            if let Some(number) = file.oldest_blob_file_number
                && self.blob_files.contains_key(&number)
            {
                linked_ssts.entry(number).or_default().insert(file.number);
            }
        }
        let Some(&oldest) = linked_ssts.keys().next() else {
            return Vec::new();
        };
        let live = self.blob_files.range(oldest..).map(|(number, state)| BlobFileMetaData {
            addition: state.addition.clone(),
            garbage_blob_count: state.garbage_blob_count,
            garbage_blob_bytes: state.garbage_blob_bytes,
            linked_ssts: linked_ssts.remove(number).unwrap_or_default(),
        });
        live.filter(|file| {
            !file.linked_ssts.is_empty() || file.garbage_blob_count < file.addition.total_blob_count
        })
        .map(Arc::new)
        .collect()
    }
}

#[cold]
fn added_twice(number: u64, level: u32, old_level: u32) -> Status {
    Status::corruption(format!(
        "adds table file {number} to level {level}, but it is already on level {old_level}"
    ))
}

/// The file with the boundaries that its comparator expects.
fn with_timestamps(
    placed: &PlacedFile,
    timestamp_size: usize,
    tables_lack_timestamps: bool,
) -> Arc<FileMetaData> {
    let mut file = Arc::clone(&placed.file);
    let lacks = tables_lack_timestamps || !file.user_defined_timestamps_persisted;
    if placed.as_stored && timestamp_size > 0 && lacks {
        let file = Arc::make_mut(&mut file);
        file.user_defined_timestamps_persisted = false;
        file.pad_boundary_timestamps(timestamp_size);
    }
    file
}

/// Gives epoch numbers to files that have none, as 7.10 and later do: one to each level from the
/// last up, then one to each L0 file from the oldest on.
fn infer_epoch_numbers(levels: &mut [Vec<Arc<FileMetaData>>], first: u64) {
    let mut epoch_number = first - 1;
    for (level, files) in levels.iter_mut().enumerate().rev() {
        epoch_number += u64::from(level > 0 && !files.is_empty());
        for file in files.iter_mut().rev() {
            epoch_number += u64::from(level == 0);
            Arc::make_mut(file).epoch_number = epoch_number;
        }
    }
}
