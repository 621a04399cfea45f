//! `CompactFiles`: the files that a user names, with all that must go along.

use super::PickerInput;
use super::outputs::Draft;
use super::tree::TreeState;
use crate::compaction::{Compaction, CompactionInputFiles};
use crate::compaction_reason::CompactionReason;
use base::{Result, Status};
use compression::CompressionType;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use version::{CompactionStyle, FileMetaData};

base::call_options! {
    /// How files of these numbers are compacted (`rocksdb::CompactionOptions`). Defaults are
    /// RocksDB's.
    #[derive(Clone, Debug)]
    pub struct CompactFilesOptions;
    rows {
        /// Compression of outputs. Default: none, what their level has (`kDisableCompressionOption`).
        compression: Option<CompressionType> = None, honoured;
        /// Size at which an output file ends, in bytes. Default: no limit.
        output_file_size_limit: u64 = u64::MAX, honoured;
        /// Most parts that run at once; 0 for the option of that name. Default: 0.
        max_subcompactions: u32 = 0, honoured;
        /// Directory of outputs, an index of `cf_paths`; RocksDB has it as an argument. Default: 0.
        output_path_id: u32 = 0, honoured;
        /// Files that overlap nothing are moved as they are, where nothing about them would change.
        /// Default: false.
        allow_trivial_move: bool = false, honoured;
        /// Setting it cancels the compaction. Default: none.
        canceled: Option<Arc<AtomicBool>> = None, honoured;
    }
    objects {
        /// Temperature of outputs.
        output_temperature_override: "Temperature";
    }
}

/// The compaction of the files of these numbers to `output_level`. Files between and below them
/// that overlap go along, and from L0 all older ones.
///
/// # Errors
/// `InvalidArgument` without files, for a file that is not there or below `output_level`, and for a
/// level that is not there; `Aborted` if something needed is being compacted.
pub fn compact_files(
    input: &PickerInput<'_>,
    numbers: &[u64],
    output_level: usize,
    options: &CompactFilesOptions,
) -> Result<Compaction> {
    check_output_level(input, output_level)?;
    let mut numbers: BTreeSet<u64> = numbers.iter().copied().collect();
    if numbers.is_empty() {
        return Err(Status::invalid_argument("A compaction must contain at least one file."));
    }
    check_files(input, &numbers, output_level)?;
    include_what_must_go_along(input, &mut numbers, output_level)?;
    let inputs: Vec<_> = (0..=output_level)
        .map(|level| {
            let files = input.version.level_files(level).iter();
            let files = files.filter(|file| numbers.contains(&file.number)).cloned().collect();
            CompactionInputFiles { level, files }
        })
        .filter(|input| !input.files.is_empty())
        .collect();
    if output_level != 0 && input.conflicts_with_running(&inputs, output_level) {
        return Err(Status::aborted(
            "A running compaction is writing to the same output level(s) in an overlapping key \
             range",
        ));
    }
    let is_leveled = input.options.style() == CompactionStyle::Level;
    let mut compaction = input.compaction(Draft {
        inputs,
        output_level,
        reason: CompactionReason::ManualCompaction,
        score: -1.0,
        grandparents: Vec::new(),
        base_level: if is_leveled { TreeState::new(input).base_level() } else { 1 },
        is_compressed: true,
        output_path_id: options.output_path_id,
        max_compaction_bytes: input.options.max_compaction_bytes(),
        l0_files_might_overlap: true,
        may_move: options.allow_trivial_move,
    });
    compaction.target_output_file_size = options.output_file_size_limit;
    compaction.max_output_file_size = options.output_file_size_limit;
    if let Some(compression) = options.compression {
        compaction.is_trivial_move &= compression == compaction.output_compression;
        compaction.output_compression = compression;
    }
    if options.max_subcompactions > 0 {
        compaction.max_subcompactions = options.max_subcompactions;
    }
    Ok(compaction)
}

fn check_output_level(input: &PickerInput<'_>, output_level: usize) -> Result<()> {
    let last = input.version.num_levels().saturating_sub(1);
    if output_level > last {
        return Err(Status::invalid_argument(format!(
            "Output level for column family must between [0, {last}]."
        )));
    }
    let max = if input.options.style() == CompactionStyle::Fifo { 0 } else { last };
    if output_level > max {
        return Err(Status::invalid_argument(format!(
            "Exceed the maximum output level defined by the current compaction algorithm --- {max}"
        )));
    }
    Ok(())
}

fn check_files(
    input: &PickerInput<'_>,
    numbers: &BTreeSet<u64>,
    output_level: usize,
) -> Result<()> {
    for number in numbers {
        let Some((level, file)) = input.version.files().find(|(_, file)| file.number == *number)
        else {
            return Err(Status::invalid_argument(format!(
                "Specified compaction input file {number:06}.sst does not exist in column family."
            )));
        };
        if level > output_level {
            return Err(Status::invalid_argument(format!(
                "Cannot compact file to up level, input file: {number:06}.sst level {level} > \
                 output level {output_level}"
            )));
        }
        check_idle(input, file)?;
    }
    Ok(())
}

fn check_idle(input: &PickerInput<'_>, file: &FileMetaData) -> Result<()> {
    if input.is_taken(file) {
        return Err(Status::aborted(format!(
            "Necessary compaction input file {:06}.sst is currently being compacted.",
            file.number
        )));
    }
    Ok(())
}

/// Level by level: what lies between the files of a level, what shares user keys with them, and
/// what any file so far overlaps in the levels down to the output.
fn include_what_must_go_along(
    input: &PickerInput<'_>,
    numbers: &mut BTreeSet<u64>,
    output_level: usize,
) -> Result<()> {
    let mut included = Vec::new();
    for level in 0..=output_level {
        let files = input.version.level_files(level);
        let named = |file: &FileMetaData| numbers.contains(&file.number);
        let mut needed = CompactionInputFiles { level, files: Vec::new() };
        if let Some(first) = files.iter().position(|file| named(file)) {
            let last = files.iter().rposition(|file| named(file)).unwrap_or(first);
            // Of the files of L0 older ones may not stay behind.
            let last = if level == 0 && output_level > 0 { files.len() - 1 } else { last };
            needed.files = files[first..=last].to_vec();
        }
        if level > 0 {
            let range = input.key_range(included.iter().chain([&needed]));
            if let Some(range) = range {
                needed = input.overlapping(level, &range);
            }
            if !needed.files.is_empty() {
                needed = expanded(input, needed);
            }
        }
        for file in &needed.files {
            check_idle(input, file)?;
            numbers.insert(file.number);
        }
        included.push(needed);
    }
    Ok(())
}

/// With neighbours that share user keys, taken or not.
fn expanded(input: &PickerInput<'_>, mut files: CompactionInputFiles) -> CompactionInputFiles {
    while let Some(range) = input.key_range([&files]) {
        let wider = input.overlapping(files.level, &range);
        if wider.files.len() <= files.files.len() {
            break;
        }
        files = wider;
    }
    files
}
