//! What a table counts: blocks looked for in the block cache, and what its filter said.

use statistics::{Statistics, Ticker};
use std::sync::Arc;

/// What a block is, to who counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Data,
    Index,
    Filter,
}

/// Counts what a table does, if anybody wants to know.
#[derive(Clone, Debug)]
pub(super) struct TableStats(pub(super) Option<Arc<Statistics>>);

impl TableStats {
    /// A block was looked for in the block cache; `found_bytes` is what it takes there.
    #[inline]
    pub(super) fn count_lookup(
        &self,
        kind: BlockKind,
        found_bytes: impl FnOnce() -> Option<usize>,
    ) {
        if let Some(statistics) = &self.0 {
            match found_bytes() {
                Some(bytes) => statistics.record_ticks(&[
                    (Ticker::BlockCacheHit, 1),
                    (kind.hit(), 1),
                    (Ticker::BlockCacheBytesRead, bytes as u64),
                ]),
                None => statistics.record_ticks(&[(Ticker::BlockCacheMiss, 1), (kind.miss(), 1)]),
            }
        }
    }

    /// A block was put into the block cache, where it takes `bytes`, or was refused.
    pub(super) fn count_insertion(&self, kind: BlockKind, bytes: usize, is_in: bool) {
        let Some(statistics) = &self.0 else { return };
        if !is_in {
            return statistics.record_tick(Ticker::BlockCacheAddFailures, 1);
        }
        let (added, inserted_bytes) = kind.insertion();
        statistics.record_ticks(&[
            (Ticker::BlockCacheAdd, 1),
            (Ticker::BlockCacheBytesWrite, bytes as u64),
            (added, 1),
            (inserted_bytes, bytes as u64),
        ]);
    }

    /// The filter was asked whether a lookup may find its key here, by the whole key or its prefix.
    #[inline]
    pub(super) fn count_filtered(&self, by_whole_key: bool, may_match: bool) {
        if let Some(statistics) = &self.0 {
            match (by_whole_key, may_match) {
                (true, true) => statistics.record_tick(Ticker::BloomFilterFullPositive, 1),
                (true, false) => statistics.record_tick(Ticker::BloomFilterUseful, 1),
                (false, true) => statistics.record_tick(Ticker::BloomFilterPrefixChecked, 1),
                (false, false) => statistics.record_ticks(&[
                    (Ticker::BloomFilterPrefixChecked, 1),
                    (Ticker::BloomFilterPrefixUseful, 1),
                ]),
            }
        }
    }

    /// What the filter let pass was there.
    #[inline]
    pub(super) fn count_true_positive(&self, by_whole_key: bool) {
        if let Some(statistics) = &self.0 {
            statistics.record_tick(
                match by_whole_key {
                    true => Ticker::BloomFilterFullTruePositive,
                    false => Ticker::BloomFilterPrefixTruePositive,
                },
                1,
            );
        }
    }
}

impl BlockKind {
    fn hit(self) -> Ticker {
        match self {
            Self::Data => Ticker::BlockCacheDataHit,
            Self::Index => Ticker::BlockCacheIndexHit,
            Self::Filter => Ticker::BlockCacheFilterHit,
        }
    }

    fn miss(self) -> Ticker {
        match self {
            Self::Data => Ticker::BlockCacheDataMiss,
            Self::Index => Ticker::BlockCacheIndexMiss,
            Self::Filter => Ticker::BlockCacheFilterMiss,
        }
    }

    /// Counters of blocks and of their bytes.
    fn insertion(self) -> (Ticker, Ticker) {
        match self {
            Self::Data => (Ticker::BlockCacheDataAdd, Ticker::BlockCacheDataBytesInsert),
            Self::Index => (Ticker::BlockCacheIndexAdd, Ticker::BlockCacheIndexBytesInsert),
            Self::Filter => (Ticker::BlockCacheFilterAdd, Ticker::BlockCacheFilterBytesInsert),
        }
    }
}
