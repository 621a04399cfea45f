//! FIFO compaction: the oldest files are deleted.

use super::PickerInput;
use super::intra_l0;
use super::outputs::Draft;
use super::tree::TreeState;
use crate::compaction::{Compaction, CompactionInputFiles, total_file_size};
use crate::compaction_reason::CompactionReason;
use std::sync::Arc;
use version::FileMetaData;

/// Size of files that merges within L0 make, in bytes.
const MERGED_FILE_SIZE: u64 = 16 << 20;

/// What is deleted next, or merged, if anything.
///
/// Files that are to change their temperature with age (`file_temperature_age_thresholds`,
/// `age_for_warm`) are left where they are.
pub(crate) fn pick(input: &PickerInput<'_>) -> Option<Compaction> {
    let score = TreeState::new(input).score(0);
    expired(input, score).or_else(|| too_large(input, score)).or_else(|| merge(input, score))
}

/// Whether there is a reason to call [`pick`].
pub(crate) fn needs_compaction(input: &PickerInput<'_>) -> bool {
    TreeState::new(input).score(0) >= 1.0
        || expired_files(input).next().is_some()
        || is_too_large(input)
}

fn max_table_files_size(input: &PickerInput<'_>) -> u64 {
    input.options.levels.fifo_max_table_files_size
}

fn total_bytes(input: &PickerInput<'_>) -> u64 {
    input.version.files().fold(0, |sum, (_, file)| sum.saturating_add(file.file_size))
}

fn is_too_large(input: &PickerInput<'_>) -> bool {
    total_bytes(input) > max_table_files_size(input)
}

/// The files of L0, the oldest first, all of whose entries are older than `ttl`. One of unknown
/// age ends them.
fn expired_files<'a>(input: &PickerInput<'a>) -> impl Iterator<Item = &'a Arc<FileMetaData>> {
    let ttl = input.options.ttl_seconds;
    let expired_before = input.now_seconds.saturating_sub(ttl);
    let table_facts = input.table_facts;
    let newest_key_time = move |file: &FileMetaData| {
        let facts = table_facts.get(&file.number);
        facts.and_then(|facts| facts.newest_key_time).unwrap_or(file.oldest_ancester_time)
    };
    let files = input.version.level_files(0).iter().rev();
    files.take_while(move |file| {
        let time = newest_key_time(file);
        ttl > 0 && time > 0 && time < expired_before
    })
}

/// Expired files, if without them the rest is within `max_table_files_size`; otherwise more than
/// these have to go.
fn expired(input: &PickerInput<'_>, score: f64) -> Option<Compaction> {
    let files: Vec<_> = expired_files(input).cloned().collect();
    let rest = input.version.level_size_bytes(0).saturating_sub(total_file_size(&files));
    if files.is_empty() || input.in_progress.has_level0() || rest > max_table_files_size(input) {
        return None;
    }
    deletion(input, CompactionInputFiles { level: 0, files }, CompactionReason::FifoTtl, score)
}

/// Files beyond `max_table_files_size`: the oldest of L0. A tree that was compacted otherwise
/// before has more levels; the last goes first, from its smallest keys on, as the age of entries is
/// not known there.
fn too_large(input: &PickerInput<'_>, score: f64) -> Option<Compaction> {
    let mut rest = total_bytes(input);
    if rest <= max_table_files_size(input) || input.in_progress.has_level0() {
        return None;
    }
    let level = input.num_non_empty_levels().saturating_sub(1);
    let oldest_first: Vec<_> = match level {
        0 => input.version.level_files(0).iter().rev().collect(),
        _ => input.version.level_files(level).iter().filter(|f| !input.is_taken(f)).collect(),
    };
    let mut files = Vec::new();
    for file in oldest_first {
        if rest <= max_table_files_size(input) {
            break;
        }
        rest -= file.file_size.min(rest);
        files.push(Arc::clone(file));
    }
    deletion(input, CompactionInputFiles { level, files }, CompactionReason::FifoMaxSize, score)
}

fn deletion(
    input: &PickerInput<'_>,
    files: CompactionInputFiles,
    reason: CompactionReason,
    score: f64,
) -> Option<Compaction> {
    let output_level = files.level;
    (!files.files.is_empty()).then(|| {
        let mut compaction = input.compaction(draft(files, output_level, reason, score));
        compaction.is_deletion_only = true;
        compaction
    })
}

/// `compaction_options_fifo.allow_compaction`: many small files become one. Not files larger than a
/// memtable, which would never get old enough to be deleted.
fn merge(input: &PickerInput<'_>, score: f64) -> Option<Compaction> {
    let levels = &input.options.levels;
    if !levels.fifo_allow_compaction || input.num_non_empty_levels() > 1 {
        return None;
    }
    let max_bytes = (input.options.write_buffer_size as f64 * 1.1) as u64;
    let min_files = usize::try_from(levels.level0_file_num_compaction_trigger).unwrap_or(0);
    let files = intra_l0::newest_files(input, min_files.max(2), max_bytes)?;
    let reason = CompactionReason::FifoReduceNumFiles;
    let mut compaction = input.compaction(draft(files, 0, reason, score));
    compaction.target_output_file_size = MERGED_FILE_SIZE;
    compaction.max_output_file_size = MERGED_FILE_SIZE;
    Some(compaction)
}

fn draft(
    files: CompactionInputFiles,
    output_level: usize,
    reason: CompactionReason,
    score: f64,
) -> Draft {
    Draft {
        inputs: vec![files],
        output_level,
        reason,
        score,
        grandparents: Vec::new(),
        base_level: 1,
        is_compressed: true,
        output_path_id: 0,
        max_compaction_bytes: 0,
        l0_files_might_overlap: true,
        may_move: false,
    }
}
