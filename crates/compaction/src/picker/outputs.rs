//! How the outputs of a compaction look, and whether there need be any: from the files picked to a
//! whole [`Compaction`].

use super::PickerInput;
use super::options::{CompactionPri, PickerOptions};
use crate::compaction::{Compaction, CompactionInputFiles};
use crate::compaction_reason::CompactionReason;
use base::InternalKey;
use base::sst_partitioner::SstPartitionerContext;
use compression::{CompressionOptions, CompressionType};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use version::{CompactionStyle, FileMetaData, Temperature};

/// What a picker decided; the rest follows.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Only levels with files, upper ones first; not empty.
    pub(crate) inputs: Vec<CompactionInputFiles>,
    pub(crate) output_level: usize,
    pub(crate) reason: CompactionReason,
    pub(crate) score: f64,
    pub(crate) grandparents: Vec<Arc<FileMetaData>>,
    /// Counted from here, `compression_per_level` applies.
    pub(crate) base_level: usize,
    pub(crate) is_compressed: bool,
    pub(crate) output_path_id: u32,
    pub(crate) max_compaction_bytes: u64,
    pub(crate) l0_files_might_overlap: bool,
    pub(crate) may_move: bool,
}

impl PickerInput<'_> {
    /// The whole compaction that follows from `draft`.
    ///
    /// # Panics
    /// If it has no inputs.
    pub(crate) fn compaction(&self, draft: Draft) -> Compaction {
        let options = self.options;
        let range = self.key_range(&draft.inputs).expect("a compaction has inputs");
        let input_files: usize = draft.inputs.iter().map(|input| input.files.len()).sum();
        let is_trivial_move = draft.may_move
            && self.is_trivial_move(&draft)
            && !self.would_be_divided(&draft, &range, input_files);
        let is_bottommost_level = self.is_bottommost(&draft, &range.smallest, &range.largest);
        let target_output_file_size =
            target_file_size(options, draft.output_level, draft.base_level);
        // Grandparents may end files early, so that they get no larger than this on average.
        let factor = if is_bottommost_level || draft.grandparents.is_empty() { 1 } else { 2 };
        let is_round_robin = options.style() == CompactionStyle::Level
            && options.compaction_pri == CompactionPri::RoundRobin;
        let start_level = draft.inputs[0].level;
        Compaction {
            input_version: Arc::clone(self.version),
            compaction_style: options.style(),
            start_level,
            output_level: draft.output_level,
            reason: draft.reason,
            score: draft.score,
            target_output_file_size,
            max_output_file_size: target_output_file_size.saturating_mul(factor),
            max_compaction_bytes: draft.max_compaction_bytes,
            output_split_key: self.output_split_key(is_round_robin, draft.output_level, &range),
            smallest_user_key: range.smallest.user_key().to_vec(),
            largest_user_key: range.largest.user_key().to_vec(),
            output_path_id: draft.output_path_id,
            output_compression: self.compression_of(&draft, draft.output_level),
            output_compression_options: self.compression_options_of(&draft),
            output_temperature: self.temperature_of(draft.output_level),
            max_subcompactions: options.max_subcompactions.max(1),
            is_trivial_move,
            is_deletion_only: false,
            is_bottommost_level,
            is_full_compaction: input_files == self.version.files().count(),
            l0_files_might_overlap: draft.l0_files_might_overlap,
            trim_timestamp: Vec::new(),
            enable_blob_garbage_collection: options.enable_blob_garbage_collection,
            blob_garbage_collection_age_cutoff: options.blob_garbage_collection_age_cutoff,
            compact_cursor: self.next_cursor(is_round_robin, &draft),
            is_round_robin,
            grandparents: draft.grandparents,
            inputs: draft.inputs,
        }
    }

    fn is_bottommost(&self, draft: &Draft, smallest: &InternalKey, largest: &InternalKey) -> bool {
        let oldest = draft.inputs[0].files.last();
        let oldest_position = self
            .version
            .level_files(0)
            .iter()
            .position(|file| Some(file.number) == oldest.map(|oldest| oldest.number))
            .unwrap_or(0);
        let range = (smallest.user_key(), largest.user_key());
        !self.range_might_exist_below(range, draft.output_level, oldest_position)
    }

    /// Whether the files can go to the output level as they are. Not where that would make a later
    /// compaction of one too large, or where they are to be compressed otherwise or to go to
    /// another directory.
    fn is_trivial_move(&self, draft: &Draft) -> bool {
        let [start] = draft.inputs.as_slice() else {
            return false;
        };
        let is_merge_needed =
            start.level == 0 && draft.l0_files_might_overlap && !self.is_level0_non_overlapping();
        let is_filtered = draft.reason == CompactionReason::ManualCompaction
            && self.options.has_compaction_filter;
        start.level != draft.output_level
            && !is_merge_needed
            && !is_filtered
            && start.files[0].path_id == draft.output_path_id
            && self.compression_of(draft, start.level)
                == self.compression_of(draft, draft.output_level)
            && !self.has_costly_grandparents(
                &start.files,
                draft.output_level,
                draft.max_compaction_bytes,
            )
    }

    /// Whether the user's partitioner would divide one of the files to be moved. RocksDB does not
    /// ask it about moves to the last level. One that panics would: the job asks again, and its error is
    /// heard.
    fn would_be_divided(
        &self,
        draft: &Draft,
        range: &super::overlap::KeyRange,
        input_files: usize,
    ) -> bool {
        let Some(factory) = &self.options.sst_partitioner_factory else { return false };
        let context = SstPartitionerContext {
            is_full_compaction: input_files == self.version.files().count(),
            is_manual_compaction: draft.reason == CompactionReason::ManualCompaction,
            output_level: draft.output_level,
            smallest_user_key: range.smallest.user_key(),
            largest_user_key: range.largest.user_key(),
        };
        let divides_any = || {
            let Some(mut partitioner) = factory.create(&context) else { return false };
            draft.inputs.iter().flat_map(|input| &input.files).any(|file| {
                !partitioner.can_do_trivial_move(file.smallest.user_key(), file.largest.user_key())
            })
        };
        // Nothing is changed here.
        catch_unwind(AssertUnwindSafe(divides_any)).unwrap_or(true)
    }

    /// Whether no two files of L0 overlap.
    pub(crate) fn is_level0_non_overlapping(&self) -> bool {
        let mut files: Vec<_> = self.version.level_files(0).iter().collect();
        files.sort_by(|a, b| self.compare_keys(&a.smallest, &b.smallest));
        files.windows(2).all(|pair| self.compare_keys(&pair[0].largest, &pair[1].smallest).is_lt())
    }

    /// How files of `level` are compressed.
    fn compression_of(&self, draft: &Draft, level: usize) -> CompressionType {
        let options = self.options;
        if !draft.is_compressed {
            return CompressionType::None;
        }
        if let Some(bottommost) = options.bottommost_compression
            && level + 1 >= self.num_non_empty_levels()
        {
            return bottommost;
        }
        let per_level = &options.compression_per_level;
        let index = if level == 0 { 0 } else { (level + 1).saturating_sub(draft.base_level) };
        per_level.get(index).or(per_level.last()).copied().unwrap_or(options.compression)
    }

    fn compression_options_of(&self, draft: &Draft) -> CompressionOptions {
        let is_bottommost = draft.output_level + 1 >= self.num_non_empty_levels();
        let bottommost = self.options.bottommost_compression_options.as_ref();
        bottommost
            .filter(|_| draft.is_compressed && is_bottommost)
            .unwrap_or(&self.options.compression_options)
            .clone()
    }

    fn temperature_of(&self, level: usize) -> Temperature {
        let last = self.options.last_level_temperature;
        if level + 1 == self.version.num_levels() && last != Temperature::UNKNOWN {
            last
        } else {
            self.options.default_write_temperature
        }
    }

    fn output_split_key(
        &self,
        is_round_robin: bool,
        output_level: usize,
        range: &super::overlap::KeyRange,
    ) -> Option<InternalKey> {
        let cursor = self.version.compact_cursors().get(&(output_level as u32))?;
        let compare = |key: &InternalKey| {
            self.comparator.compare_without_timestamp(cursor.user_key(), key.user_key())
        };
        let is_inside = compare(&range.smallest).is_gt() && compare(&range.largest).is_le();
        (is_round_robin && is_inside).then(|| cursor.clone())
    }

    /// The smallest key of the file whose turn it is next: so many files after the first in turn,
    /// round the end, as there are inputs of the start level.
    fn next_cursor(&self, is_round_robin: bool, draft: &Draft) -> Option<(u32, InternalKey)> {
        let start = &draft.inputs[0];
        if !is_round_robin
            || start.level == 0
            || draft.reason != CompactionReason::LevelMaxLevelSize
        {
            return None;
        }
        let files = self.version.level_files(start.level);
        let next =
            (self.first_in_turn(start.level) + start.files.len()).checked_rem(files.len())?;
        let next = files.get(next)?;
        Some((start.level as u32, next.smallest.clone()))
    }
}

/// Size that a file of `level` should have, in bytes.
pub(crate) fn target_file_size(options: &PickerOptions, level: usize, base_level: usize) -> u64 {
    let is_dynamic = options.levels.level_compaction_dynamic_level_bytes;
    let is_leveled = options.style() == CompactionStyle::Level;
    if options.style() == CompactionStyle::Universal && level == 0 {
        // A run in L0 is one file.
        return u64::MAX;
    }
    let from_base = is_leveled && is_dynamic && level >= base_level;
    let steps = if from_base { level - base_level } else { level };
    let multiplier = u64::try_from(options.target_file_size_multiplier).unwrap_or(0);
    (1..steps).fold(options.target_file_size_base, |size, _| {
        if multiplier == 0 { size } else { size.checked_mul(multiplier).unwrap_or(size) }
    })
}

/// The directory for files of `level`: the first that has room for all levels up to it.
pub(crate) fn leveled_path_id(options: &PickerOptions, level: usize) -> u32 {
    let levels = &options.levels;
    let mut paths = options.path_target_sizes.iter();
    let mut room = paths.next().copied().unwrap_or(u64::MAX);
    let mut path_id = 0;
    let mut at_level = 0;
    // L0 is taken to be as large as L1.
    let mut level_size = levels.max_bytes_for_level_base as f64;
    // The last path takes whatever is left.
    while path_id + 1 < options.path_target_sizes.len() {
        if level_size <= room as f64 {
            if at_level == level {
                break;
            }
            room -= level_size as u64;
            if at_level > 0 {
                level_size *= levels.max_bytes_for_level_multiplier;
                if !levels.level_compaction_dynamic_level_bytes {
                    let factors = &levels.max_bytes_for_level_multiplier_additional;
                    level_size *= f64::from(factors.get(at_level).copied().unwrap_or(1));
                }
            }
            at_level += 1;
        } else {
            path_id += 1;
            room = paths.next().copied().unwrap_or(u64::MAX);
        }
    }
    path_id as u32
}
