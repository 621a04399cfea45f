//! Options of the compaction styles.

use crate::config::ConfigOptions;
use crate::enums::{CompactionStopStyle, Temperature};
use crate::schema::{no_short_form, options};
use crate::value::{Context, OptionValue, SetError};

options! {
    /// Options of universal compaction (`rocksdb::CompactionOptionsUniversal`).
    pub struct CompactionOptionsUniversal, short form no_short_form;
    rows {
        /// Percent slack when comparing neighbouring run sizes.
        size_ratio: u32 = 1, mutable honoured 5.10;
        /// Fewest runs merged at once.
        min_merge_width: u32 = 2, mutable honoured 5.10;
        /// Most runs merged at once.
        max_merge_width: u32 = u32::MAX, mutable honoured 5.10;
        /// Extra space percentage that forces full merge.
        max_size_amplification_percent: u32 = 200, mutable honoured 5.10;
        /// Share of data kept compressed; -1 all.
        compression_size_percent: i32 = -1, mutable honoured 5.10;
        /// Sorted run limit; -1 from trigger, 0 automatic.
        max_read_amp: i32 = -1, [at_least(-1).not_supported()] mutable honoured 9.4;
        /// Rule for stopping run selection.
        stop_style: CompactionStopStyle = CompactionStopStyle::TotalSize, mutable honoured 5.10;
        /// Move non-overlapping files without rewriting.
        allow_trivial_move: bool = false, mutable honoured 5.10;
        /// Split large merges into smaller ones.
        incremental: bool = false, mutable accepted 6.26;
        /// Pick inputs so waiting bottom jobs lock fewer files.
        reduce_file_locking: bool = true, mutable accepted 10.4;
    }
}

options! {
    /// Options of FIFO compaction (`rocksdb::CompactionOptionsFIFO`).
    pub struct CompactionOptionsFifo, short form parse_size_form;
    rows {
        /// Table byte total beyond which oldest files are deleted.
        max_table_files_size: u64 = 1 << 30, mutable honoured 5.9;
        /// Merge small L0 files together.
        allow_compaction: bool = false, mutable honoured 5.9;
        /// Legacy age threshold for moving files to warm.
        age_for_warm: u64 = 0, mutable accepted 6.24;
        /// Ascending ages with the temperature to move to.
        file_temperature_age_thresholds: Vec<FileTemperatureAge> = Vec::new(), mutable accepted 8.3;
        /// Copy file bytes rather than rebuild on temperature change.
        allow_trivial_copy_when_change_temperature: bool = false, mutable accepted 10.4;
        /// Buffer for temperature-change copies; at least 4 KiB.
        trivial_copy_buffer_size: u64 = 4096, mutable accepted 10.4;
        /// Table plus blob byte total limit; 0 off.
        max_data_files_size: u64 = 0, mutable accepted 11.0;
        /// Size L0 merges from the observed table/blob ratio.
        use_kv_ratio_compaction: bool = false, mutable accepted 11.0;
    }
    legacy {
        ttl 5.9;
    }
}

options! {
    /// The temperature files of an age get (`rocksdb::FileTemperatureAge`).
    pub struct FileTemperatureAge, short form no_short_form;
    rows {
        /// Target temperature.
        temperature: Temperature = Temperature::Unknown, mutable accepted 8.3;
        /// Seconds of age from which it applies.
        age: u64 = 0, mutable accepted 8.3;
    }
}

/// A number alone is `max_table_files_size`.
fn parse_size_form(options: &mut CompactionOptionsFifo, text: &str) -> Result<(), SetError> {
    let config = ConfigOptions::default();
    options.max_table_files_size.set(text, &mut Context::new(&config))
}
