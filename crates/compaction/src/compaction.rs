//! What a compaction does, as plain data: chosen by a picker, carried out by a job.

use crate::compaction_reason::CompactionReason;
use base::{InternalKey, InternalKeyComparator};
use compression::{CompressionOptions, CompressionType};
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::Arc;
use version::{CompactionStyle, FileMetaData, NewFile, Temperature, Version, VersionEdit};

/// Orders the boundaries of files: by user key without timestamp; of equal ones the exclusive end
/// of a range tombstone comes first. Files that meet in such an end do not share a user key.
pub fn compare_boundaries(
    comparator: &InternalKeyComparator,
    a: &InternalKey,
    b: &InternalKey,
) -> Ordering {
    comparator
        .compare_without_timestamp(a.user_key(), b.user_key())
        .then_with(|| b.is_range_tombstone_sentinel().cmp(&a.is_range_tombstone_sentinel()))
}

/// Neighbouring files of a level that share user keys at their boundaries, and so are always
/// compacted together. Range tombstones of a file reach as far as its unit does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtomicCompactionUnit {
    /// Smallest key of the unit's first file.
    pub smallest: InternalKey,
    /// Largest key of the unit's last file.
    pub largest: InternalKey,
}

/// The input files of one level.
#[derive(Clone, Debug, Default)]
pub struct CompactionInputFiles {
    /// The level.
    pub level: usize,
    /// L0 newest first, other levels by key. L0 files that are known not to overlap may be by key.
    pub files: Vec<Arc<FileMetaData>>,
}

impl CompactionInputFiles {
    /// The bytes of the files.
    pub fn size_bytes(&self) -> u64 {
        total_file_size(&self.files)
    }

    /// For each file the atomic unit it is in; none for L0, whose files end where they end.
    pub fn atomic_compaction_units(
        &self,
        comparator: &InternalKeyComparator,
    ) -> Vec<AtomicCompactionUnit> {
        if self.level == 0 {
            return Vec::new();
        }
        let mut units = Vec::with_capacity(self.files.len());
        let shares_key = |pair: &[Arc<FileMetaData>]| {
            compare_boundaries(comparator, &pair[0].largest, &pair[1].smallest).is_eq()
        };
        let mut start = 0;
        while let Some(first) = self.files.get(start) {
            let joined = self.files[start..].windows(2).take_while(|pair| shares_key(pair)).count();
            let unit = AtomicCompactionUnit {
                smallest: first.smallest.clone(),
                largest: self.files[start + joined].largest.clone(),
            };
            units.extend(std::iter::repeat_n(unit, joined + 1));
            start += joined + 1;
        }
        units
    }
}

/// The bytes of files.
pub fn total_file_size(files: &[Arc<FileMetaData>]) -> u64 {
    files.iter().fold(0, |sum, file| sum.saturating_add(file.file_size))
}

/// A compaction to be done: which files are merged, to where, and how outputs look.
#[derive(Clone, Debug)]
pub struct Compaction {
    /// The version that the files were chosen from.
    pub input_version: Arc<Version>,
    /// By level, upper levels first; never empty, and only the levels that have files.
    pub inputs: Vec<CompactionInputFiles>,
    /// `compaction_style`.
    pub compaction_style: CompactionStyle,
    /// The uppermost input level.
    pub start_level: usize,
    /// Where outputs go.
    pub output_level: usize,
    /// Why it runs.
    pub reason: CompactionReason,
    /// The start level's score when it was picked; -1 where no score decided.
    pub score: f64,
    /// Smallest user key of all inputs, with its timestamp.
    pub smallest_user_key: Vec<u8>,
    /// Largest user key of all inputs, with its timestamp.
    pub largest_user_key: Vec<u8>,
    /// Size that an output file should have, in bytes (`target_file_size_base` and its multiplier).
    pub target_output_file_size: u64,
    /// Size at which an output file must end, in bytes. Twice the target where grandparents may
    /// end it earlier.
    pub max_output_file_size: u64,
    /// Grandparent bytes that an output file may overlap (`max_compaction_bytes`).
    pub max_compaction_bytes: u64,
    /// Files of the first level below the output that has any in the range: outputs end so that a
    /// later compaction of one does not take too many of these.
    pub grandparents: Vec<Arc<FileMetaData>>,
    /// Outputs end before this key: the round-robin cursor of the output level.
    pub output_split_key: Option<InternalKey>,
    /// Index of the outputs' directory in `cf_paths`.
    pub output_path_id: u32,
    /// How blocks of outputs are compressed.
    pub output_compression: CompressionType,
    /// With these options.
    pub output_compression_options: CompressionOptions,
    /// Where outputs should be stored.
    pub output_temperature: Temperature,
    /// Most parts that it may be divided into; 1 if it must not be. See
    /// [`Compaction::should_form_subcompactions`].
    pub max_subcompactions: u32,
    /// Files need not be merged: they only change their level.
    pub is_trivial_move: bool,
    /// Files are deleted and nothing is written (FIFO).
    pub is_deletion_only: bool,
    /// Nothing below the output level overlaps: deletions may go, sequence numbers become 0.
    pub is_bottommost_level: bool,
    /// Every file of the version is an input.
    pub is_full_compaction: bool,
    /// Input files of L0 may overlap.
    pub l0_files_might_overlap: bool,
    /// Versions with a later timestamp are dropped; empty for none.
    pub trim_timestamp: Vec<u8>,
    /// Values in old blob files are written to new ones (`enable_blob_garbage_collection`, or what
    /// a manual compaction says).
    pub enable_blob_garbage_collection: bool,
    /// Part of the blob files, oldest first, that counts as old: 0 to 1.
    pub blob_garbage_collection_age_cutoff: f64,
    /// Where round-robin goes on at the start level once this is done: to be recorded in the edit.
    pub compact_cursor: Option<(u32, InternalKey)>,
    /// `kRoundRobin` compactions of a level are divided whatever `max_subcompactions` says.
    pub is_round_robin: bool,
}

impl Compaction {
    /// Every input file with its level.
    pub fn input_files(&self) -> impl Iterator<Item = (usize, &Arc<FileMetaData>)> {
        self.inputs.iter().flat_map(|input| input.files.iter().map(move |file| (input.level, file)))
    }

    /// Bytes of all inputs.
    pub fn total_input_size(&self) -> u64 {
        self.input_files().fold(0, |sum, (_, file)| sum.saturating_add(file.file_size))
    }

    /// `num_levels`.
    pub fn num_levels(&self) -> usize {
        self.input_version.num_levels()
    }

    /// Whether outputs go to the last of `num_levels`.
    pub fn is_last_level(&self) -> bool {
        self.output_level + 1 == self.num_levels()
    }

    /// Whether a user asked for it.
    pub fn is_manual(&self) -> bool {
        self.reason == CompactionReason::ManualCompaction
    }

    /// Whether no input is of the output level.
    pub fn is_output_level_empty(&self) -> bool {
        self.inputs.last().is_none_or(|input| input.level != self.output_level)
    }

    /// Records in `edit` that the inputs go, and where round-robin goes on.
    pub fn delete_inputs(&self, edit: &mut VersionEdit) {
        edit.deleted_files
            .extend(self.input_files().map(|(level, file)| (level as u32, file.number)));
        edit.compact_cursors.extend(self.compact_cursor.clone());
    }

    /// Records in `edit` that the inputs have moved to the output level, for a trivial move.
    pub fn move_inputs(&self, comparator: &InternalKeyComparator, edit: &mut VersionEdit) {
        for (level, file) in self.input_files().filter(|(level, _)| *level != self.output_level) {
            let mut file = FileMetaData::clone(file);
            if !file.user_defined_timestamps_persisted {
                file.strip_boundary_timestamps(comparator.timestamp_size());
            }
            edit.deleted_files.insert((level as u32, file.number));
            edit.new_files.push(NewFile { level: self.output_level as u32, file });
        }
        edit.compact_cursors.extend(self.compact_cursor.clone());
    }

    /// Whether it pays and is possible to divide it into ranges that run at the same time.
    pub fn should_form_subcompactions(&self) -> bool {
        match self.compaction_style {
            CompactionStyle::Level if self.is_round_robin => self.output_level > 0,
            _ if self.max_subcompactions <= 1 => false,
            CompactionStyle::Level => {
                (self.start_level == 0 || self.is_manual()) && self.output_level > 0
            }
            CompactionStyle::Universal => self.output_level > 0,
            CompactionStyle::Fifo | CompactionStyle::None => false,
        }
    }

    /// Ranges beyond `max_subcompactions` that it should be divided into, if there are threads to
    /// spare: in round-robin there is one for each file of the start level.
    pub fn surplus_subcompactions(&self) -> usize {
        let start_files = self.inputs.first().map_or(0, |input| input.files.len());
        match self.is_round_robin && self.should_form_subcompactions() {
            true => start_files.saturating_sub(self.max_subcompactions.max(1) as usize),
            false => 0,
        }
    }

    /// Bytes to preallocate for an output file.
    pub fn output_file_preallocation_size(&self) -> u64 {
        let mut size = self.total_input_size();
        if self.compaction_style == CompactionStyle::Level || self.output_level > 0 {
            size = size.min(self.max_output_file_size);
        }
        // A little more, so as not to end just above it; but never more than 1 GiB.
        size.saturating_add(size / 10).min(1 << 30)
    }

    /// Smallest epoch number of the inputs: that of outputs in L0.
    pub fn min_input_file_epoch_number(&self) -> u64 {
        self.input_files().map(|(_, file)| file.epoch_number).min().unwrap_or(0)
    }

    /// Oldest ancestor time of the inputs, in seconds since 1970; 0 if none is known.
    pub fn min_input_file_oldest_ancester_time(&self) -> u64 {
        let times = self.input_files().map(|(_, file)| file.oldest_ancester_time);
        times.filter(|time| *time != 0).min().unwrap_or(0)
    }

    /// Whether an input refers to a blob file.
    pub fn references_blob_files(&self) -> bool {
        self.input_files().any(|(_, file)| file.oldest_blob_file_number.is_some())
    }

    /// As in RocksDB's log: `3@0 + 2@3 files to L4`.
    pub fn input_level_summary(&self) -> String {
        let levels: Vec<_> = self
            .inputs
            .iter()
            .map(|input| format!("{}@{}", input.files.len(), input.level))
            .collect();
        format!("{} files to L{}", levels.join(" + "), self.output_level)
    }

    /// As in RocksDB's log: `Base level 0, inputs: [12(4096B) 9(1KB)], [7(64MB)]`.
    pub fn summary(&self) -> String {
        let mut text = format!("Base level {}, inputs: [", self.start_level);
        for (index, input) in self.inputs.iter().enumerate() {
            text.push_str(if index > 0 { "], [" } else { "" });
            for (position, file) in input.files.iter().enumerate() {
                let separator = if position > 0 { " " } else { "" };
                let size = human_bytes(file.file_size);
                write!(text, "{separator}{}({size})", file.number).expect("a string takes all");
            }
        }
        text.push(']');
        text
    }
}

/// Bytes as RocksDB's log prints them: a unit from ten of it on.
fn human_bytes(bytes: u64) -> String {
    let units = [(0, "B"), (10, "KB"), (20, "MB"), (30, "GB")];
    let fitting = units.iter().find(|(shift, _)| bytes >> shift < 10 << 10);
    let (shift, unit) = fitting.unwrap_or(&(40, "TB"));
    format!("{}{unit}", bytes >> shift)
}

#[cfg(test)]
mod tests;
