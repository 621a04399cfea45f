//! What reads of a table count in the perf context of their thread.

use super::table_stats::BlockKind;
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use perf_context::{LevelMetric, PerfMetric, count, count_at_level};

/// Counts for the level a table was in when it was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerfCounts {
    /// None where it is not known.
    pub(super) level: Option<usize>,
}

impl PerfCounts {
    #[inline]
    fn at_level(self, metric: LevelMetric) {
        if let Some(level) = self.level {
            count_at_level(metric, level, 1);
        }
    }

    /// A block was looked for in the block cache, where it takes so many bytes, or was not found.
    #[inline(always)]
    pub(super) fn looked_up(self, kind: BlockKind, found_bytes: Option<usize>) {
        let Some(bytes) = found_bytes else {
            return self.at_level(LevelMetric::BlockCacheMissCount);
        };
        let bytes = bytes as u64;
        count(PerfMetric::BlockCacheHitCount, 1);
        count(PerfMetric::BlockCacheReadByte, bytes);
        match kind {
            BlockKind::Data => {}
            BlockKind::Index => {
                count(PerfMetric::BlockCacheIndexHitCount, 1);
                count(PerfMetric::BlockCacheIndexReadByte, bytes);
            }
            BlockKind::Filter => {
                count(PerfMetric::BlockCacheFilterHitCount, 1);
                count(PerfMetric::BlockCacheFilterReadByte, bytes);
            }
            BlockKind::CompressionDictionary => {
                count(PerfMetric::BlockCacheCompressionDictReadByte, bytes);
            }
        }
        self.at_level(LevelMetric::BlockCacheHitCount);
    }

    /// The filter was asked.
    #[inline]
    pub(super) fn filtered(self, may_match: bool) {
        if may_match {
            count(PerfMetric::BloomSstHitCount, 1);
            self.at_level(LevelMetric::BloomFilterFullPositive);
        } else {
            count(PerfMetric::BloomSstMissCount, 1);
            self.at_level(LevelMetric::BloomFilterUseful);
        }
    }

    /// What the filter let pass was there.
    #[inline]
    pub(super) fn truly_positive(self) {
        self.at_level(LevelMetric::BloomFilterFullTruePositive);
    }
}

/// A block is read from the file.
pub(super) fn count_block_read(kind: BlockKind, handle: BlockHandle) {
    let bytes = handle.size + BLOCK_TRAILER_SIZE as u64;
    match kind {
        BlockKind::Data => count(PerfMetric::DataBlockReadByte, bytes),
        BlockKind::Index => {
            count(PerfMetric::IndexBlockReadCount, 1);
            count(PerfMetric::IndexBlockReadByte, bytes);
        }
        BlockKind::Filter => {
            count(PerfMetric::FilterBlockReadCount, 1);
            count(PerfMetric::FilterBlockReadByte, bytes);
        }
        BlockKind::CompressionDictionary => {
            count(PerfMetric::CompressionDictBlockReadCount, 1);
            count(PerfMetric::CompressionDictBlockReadByte, bytes);
        }
    }
}

/// A block that is neither data, index, filter nor dictionary is read.
pub(super) fn count_metadata_read(handle: BlockHandle) {
    count(PerfMetric::MetadataBlockReadByte, handle.size + BLOCK_TRAILER_SIZE as u64);
}

/// What the time is called that getting such a block takes.
pub(super) fn time_of_reads(kind: BlockKind) -> PerfMetric {
    match kind {
        BlockKind::Index => PerfMetric::ReadIndexBlockNanos,
        BlockKind::Filter => PerfMetric::ReadFilterBlockNanos,
        BlockKind::Data | BlockKind::CompressionDictionary => PerfMetric::NewTableBlockIterNanos,
    }
}
