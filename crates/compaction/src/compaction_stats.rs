//! What a compaction read and wrote.

use crate::iteration_stats::IterationStats;
use crate::output_table::OutputFile;
use version::BlobFileAddition;

/// Sums over all parts of a job. Sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionStats {
    /// Time from start to end.
    pub micros: u64,
    /// The same summed over the parts that ran side by side.
    pub part_micros: u64,
    /// Processor time of all parts.
    pub cpu_micros: u64,
    /// How many parts there were.
    pub num_parts: u64,
    /// Input files of the output level.
    pub num_input_files_in_output_level: u64,
    /// Input files of other levels.
    pub num_input_files_in_non_output_levels: u64,
    /// Their sizes.
    pub bytes_read_output_level: u64,
    /// Their sizes.
    pub bytes_read_non_output_levels: u64,
    /// Values read from blob files.
    pub bytes_read_blob: u64,
    /// Size of new tables.
    pub bytes_written: u64,
    /// Size of their data before compression.
    pub bytes_written_pre_comp: u64,
    /// Records of new blob files.
    pub bytes_written_blob: u64,
    /// New tables.
    pub num_output_files: u64,
    /// New blob files.
    pub num_output_files_blob: u64,
    /// Entries of the input files, range tombstones included.
    pub num_input_records: u64,
    /// Entries of the output files, range tombstones not included.
    pub num_output_records: u64,
    /// Entries that went in and did not come out.
    pub num_dropped_records: u64,
    /// Why.
    pub iteration: IterationStats,
}

impl CompactionStats {
    /// Takes in new files.
    pub(crate) fn count_outputs(&mut self, files: &[OutputFile], blob_files: &[BlobFileAddition]) {
        for file in files {
            self.num_output_files += 1;
            self.num_output_records += file.entry_count;
            self.bytes_written += file.metadata.file_size;
            self.bytes_written_pre_comp += file.pre_compression_size;
        }
        self.num_output_files_blob += blob_files.len() as u64;
        self.bytes_written_blob += blob_files.iter().map(|file| file.total_blob_bytes).sum::<u64>();
    }
}
