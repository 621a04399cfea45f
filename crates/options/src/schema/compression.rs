//! Options of a codec.

use crate::config::ConfigOptions;
use crate::option_string::trim;
use crate::schema::{OptionStruct, options};
use crate::value::{Context, SetError, bad};

options! {
    /// Tuning of a codec (`rocksdb::CompressionOptions`).
    pub struct CompressionOptions, short form parse_colon_form;
    rows {
        /// zlib window parameter.
        window_bits: i32 = -14, mutable honoured 6.12;
        /// Codec level; 32767 is the library default.
        level: i32 = 32767, mutable honoured 6.12;
        /// zlib strategy number.
        strategy: i32 = 0, mutable accepted 6.12;
        /// Dictionary size cap; 0 disables dictionaries.
        max_dict_bytes: u32 = 0, mutable honoured 6.12;
        /// Sample bytes given to the zstd trainer.
        zstd_max_train_bytes: u32 = 0, mutable honoured 6.12;
        /// Compression threads per job.
        parallel_threads: u32 = 1, mutable honoured 6.12;
        /// Marks the struct as explicitly set (bottommost, blob use).
        enabled: bool = false, mutable honoured 6.12;
        /// Data buffered while sampling for a dictionary; 0 unlimited.
        max_dict_buffer_bytes: u64 = 0, mutable honoured 6.19;
        /// Full trainer versus zstd finalize step.
        use_zstd_dict_trainer: bool = true, mutable accepted 7.3;
        /// Output bytes per KiB input beyond which raw is stored.
        max_compressed_bytes_per_kb: i32 = 896, mutable honoured 8.3;
        /// Add zstd frame checksum.
        checksum: bool = false, mutable honoured 8.6;
    }
}

/// `window_bits:level:strategy[:max_dict_bytes[:zstd_max_train_bytes[:parallel_threads:enabled
/// [:max_dict_buffer_bytes[:use_zstd_dict_trainer]]]]]`, the form of releases before 6.11. Where
/// exactly six fields are there, the sixth is `enabled`.
fn parse_colon_form(options: &mut CompressionOptions, text: &str) -> Result<(), SetError> {
    const FIELDS: [&str; 9] = [
        "window_bits",
        "level",
        "strategy",
        "max_dict_bytes",
        "zstd_max_train_bytes",
        "parallel_threads",
        "enabled",
        "max_dict_buffer_bytes",
        "use_zstd_dict_trainer",
    ];
    let values: Vec<&str> = text.split(':').map(trim).collect();
    if !(3..=FIELDS.len()).contains(&values.len()) {
        return bad(format!("expected 3 to 9 values with colons between them, found {text:?}"));
    }
    let config = ConfigOptions::default();
    let mut context = Context::new(&config);
    let mut parsed = options.clone();
    for (at, value) in values.iter().enumerate() {
        let enabled_alone = at == 5 && values.len() == 6;
        let name = if enabled_alone { "enabled" } else { FIELDS[at] };
        parsed.set_option(name, value, &mut context)?;
    }
    *options = parsed;
    Ok(())
}
