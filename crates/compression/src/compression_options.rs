//! `rocksdb::CompressionOptions`.

/// How to compress. Names and defaults are RocksDB's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressionOptions {
    /// Negated log2 of zlib's window, -15 to -9. Default: -14. Positive values would add a header
    /// that no reader expects and are refused.
    pub window_bits: i32,
    /// The codec's level; [`CompressionOptions::DEFAULT_LEVEL`] leaves it to the codec (zstd 3,
    /// zlib 6, LZ4HC 9). For LZ4 a negative level is the acceleration. Default: `DEFAULT_LEVEL`.
    pub level: i32,
    /// zlib's strategy. Default: 0, and nothing else is acted on: all give what any
    /// zlib reads.
    pub strategy: i32,
    /// Largest dictionary in bytes; 0 for none. Default: 0.
    pub max_dict_bytes: u32,
    /// Bytes of samples for zstd's trainer; 0 to take samples as the dictionary. Default: 0.
    pub zstd_max_train_bytes: u32,
    /// Threads that compress blocks of one file. Default: 1.
    pub parallel_threads: u32,
    /// For `bottommost_compression_opts`: whether they count. Default: false.
    pub enabled: bool,
    /// Bytes of data blocks held back to sample the dictionary from; 0 for no limit. Default: 0.
    pub max_dict_buffer_bytes: u64,
    /// Whether zstd's trainer makes the dictionary rather than its finalizer. Default: true. It
    /// always does.
    pub use_zstd_dict_trainer: bool,
    /// A compressed block is kept if it has at most this many bytes per 1024. Default: 896.
    pub max_compressed_bytes_per_kb: i32,
    /// Whether zstd frames carry a checksum of their own. Default: false.
    pub checksum: bool,
}

impl CompressionOptions {
    /// `kDefaultCompressionLevel`: the codec's own default.
    pub const DEFAULT_LEVEL: i32 = 32767;

    /// The text that tables store as `rocksdb.compression_options`, as RocksDB 10.10 has it.
    pub fn to_property(&self) -> String {
        format!(
            "window_bits={}; level={}; strategy={}; max_dict_bytes={}; zstd_max_train_bytes={}; \
             enabled={}; max_dict_buffer_bytes={}; use_zstd_dict_trainer={}; \
             max_compressed_bytes_per_kb={}; checksum={}; ",
            self.window_bits,
            self.level,
            self.strategy,
            self.max_dict_bytes,
            self.zstd_max_train_bytes,
            u8::from(self.enabled),
            self.max_dict_buffer_bytes,
            u8::from(self.use_zstd_dict_trainer),
            self.max_compressed_bytes_per_kb,
            u8::from(self.checksum),
        )
    }

    /// The level, or `default` where none was chosen.
    pub(crate) fn level_or(&self, default: i32) -> i32 {
        if self.level == Self::DEFAULT_LEVEL { default } else { self.level }
    }
}

impl Default for CompressionOptions {
    fn default() -> Self {
        Self {
            window_bits: -14,
            level: Self::DEFAULT_LEVEL,
            strategy: 0,
            max_dict_bytes: 0,
            zstd_max_train_bytes: 0,
            parallel_threads: 1,
            enabled: false,
            max_dict_buffer_bytes: 0,
            use_zstd_dict_trainer: true,
            max_compressed_bytes_per_kb: 896,
            checksum: false,
        }
    }
}
