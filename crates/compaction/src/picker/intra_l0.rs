//! Merging files of L0 among themselves.

use super::PickerInput;
use crate::compaction::CompactionInputFiles;

/// Fewest files that are merged while the way to the base level is blocked.
const MIN_FILES_FOR_INTRA_L0_COMPACTION: usize = 4;

/// The newest files of L0, as many as keep the bytes written for each file removed falling, and not
/// more than `max_compaction_bytes` of them. None if those are fewer than `min_files`, or cost
/// `max_bytes_per_removed_file` or more for each file removed.
pub(crate) fn newest_files(
    input: &PickerInput<'_>,
    min_files: usize,
    max_bytes_per_removed_file: u64,
) -> Option<CompactionInputFiles> {
    let files = input.version.level_files(0);
    let first = files.first().filter(|file| !input.is_taken(file))?;
    let mut bytes = first.file_size;
    let mut bytes_per_removed_file = u64::MAX;
    let mut count = 1;
    for file in &files[1..] {
        bytes = bytes.saturating_add(file.file_size);
        let per_file = bytes / count as u64;
        if input.is_taken(file)
            || per_file > bytes_per_removed_file
            || bytes > input.options.max_compaction_bytes()
        {
            break;
        }
        bytes_per_removed_file = per_file;
        count += 1;
    }
    (count >= min_files && bytes_per_removed_file < max_bytes_per_removed_file)
        .then(|| CompactionInputFiles { level: 0, files: files[..count].to_vec() })
}

/// While L0 cannot go down: from two files above the trigger on.
pub(crate) fn while_blocked(input: &PickerInput<'_>) -> Option<CompactionInputFiles> {
    let trigger = i64::from(input.options.levels.level0_file_num_compaction_trigger);
    let is_backlog = input.version.level_files(0).len() as i64 >= trigger.saturating_add(2);
    is_backlog.then(|| newest_files(input, MIN_FILES_FOR_INTRA_L0_COMPACTION, u64::MAX)).flatten()
}

/// The newest files of L0 where all of it is small beside the base level, so that taking it down
/// would rewrite twenty times its size or more.
pub(crate) fn before_large_base(
    input: &PickerInput<'_>,
    base_level: usize,
) -> Option<CompactionInputFiles> {
    let trigger = input.options.levels.level0_file_num_compaction_trigger;
    let min_files = usize::try_from(trigger).unwrap_or(0).max(2);
    let files = input.version.level_files(0);
    let l0_bytes =
        files.iter().fold(0_u64, |sum, file| sum.saturating_add(input.compensated_size(file)));
    let factor = input.options.levels.max_bytes_for_level_multiplier.max(10.0) * 2.0;
    if (input.version.level_size_bytes(base_level) as f64) <= l0_bytes as f64 * factor {
        return None;
    }
    let idle: Vec<_> = files.iter().take_while(|file| !input.is_taken(file)).cloned().collect();
    (idle.len() >= min_files).then_some(CompactionInputFiles { level: 0, files: idle })
}
