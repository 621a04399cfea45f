//! What a thread counts level by level.

use crate::measure::Measure::{self, Count, Time};

metric::metrics! {
    /// A field of `rocksdb::PerfContextByLevel`.
    pub enum LevelMetric: Measure;
    rows {
        /// Lookups avoided by the level's filter.
        BloomFilterUseful = "bloom_filter_useful", Count, counted;
        /// Filter passes at the level.
        BloomFilterFullPositive = "bloom_filter_full_positive", Count, counted;
        /// Correct filter passes at the level.
        BloomFilterFullTruePositive = "bloom_filter_full_true_positive", Count, counted;
        /// Keys answered by the level.
        UserKeyReturnCount = "user_key_return_count", Count, counted;
        /// Time searching the level's tables.
        GetFromTableNanos = "get_from_table_nanos", Time, counted;
        /// Block cache hits at the level.
        BlockCacheHitCount = "block_cache_hit_count", Count, counted;
        /// Block cache misses at the level.
        BlockCacheMissCount = "block_cache_miss_count", Count, counted;
    }
}
