//! What a table counts: blocks looked for in the block cache, and what its filter said.
//!
//! All counting of the table's readers and builders goes through here.

use crate::block_based::batch_reads::{BlockRead, note};
use crate::block_based::perf_counts::{PerfCounts, count_block_read};
use crate::format::BlockHandle;
use crate::table_options::TableOptions;
use cache::Insertion;
use perf_context::{PerfLevel, PerfMetric, perf_level};
use statistics::{Activity, HistogramType, Moment, OperationTimer, Recorder, Statistics, Ticker};
use std::sync::Arc;

/// What a block is, to who counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Data,
    Index,
    Filter,
    CompressionDictionary,
}

/// Counts what a table does, if anybody wants to know.
#[derive(Clone, Debug)]
pub(super) struct TableStats {
    statistics: Option<Arc<Statistics>>,
    is_in_last_level: bool,
    file_number: u64,
    perf: PerfCounts,
}

/// A block that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadTimer {
    histogram: HistogramType,
    timer: OperationTimer,
}

impl TableStats {
    pub(super) fn new(options: &TableOptions) -> Self {
        let &TableOptions { ref statistics, is_in_last_level, level, file_number, .. } = options;
        let perf = PerfCounts { level };
        Self { statistics: statistics.clone(), is_in_last_level, file_number, perf }
    }

    pub(super) fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_deref()
    }

    /// What this thread counts to, if anybody wants to know.
    #[inline]
    pub(super) fn recorder(&self) -> Option<Recorder<'_>> {
        self.statistics.as_ref()?.recorder()
    }

    /// A block was found in the block cache, where it takes `bytes`.
    #[inline]
    pub(super) fn count_hit(
        &self,
        recorder: Option<Recorder<'_>>,
        kind: BlockKind,
        bytes: impl FnOnce() -> usize,
    ) {
        if recorder.is_none() && perf_level() < PerfLevel::EnableCount {
            return;
        }
        let bytes = bytes();
        self.perf.looked_up(kind, Some(bytes));
        if let Some(recorder) = recorder {
            recorder.tick(kind.tickers().hit, 1);
            recorder.tick(Ticker::BlockCacheBytesRead, bytes as u64);
        }
    }

    /// A block was looked for in the block cache, and is not there.
    #[inline]
    pub(super) fn count_miss(&self, recorder: Option<Recorder<'_>>, kind: BlockKind) {
        self.perf.looked_up(kind, None);
        if let Some(recorder) = recorder {
            recorder.tick(kind.tickers().miss, 1);
        }
    }

    /// A data block was found in the cache's next tier.
    pub(super) fn count_secondary_hit(&self) {
        perf_context::count(PerfMetric::SecondaryCacheHitCount, 1);
        if let Some(recorder) = self.recorder() {
            recorder.tick(Ticker::SecondaryCacheHits, 1);
            recorder.tick(Ticker::SecondaryCacheDataHits, 1);
        }
    }

    /// The compressed tier in memory had a block, or only a mark that it was offered one. What it had
    /// moves to the cache if `moves`.
    pub(super) fn count_compressed_secondary(&self, is_found: bool, moves: bool) {
        let Some(recorder) = self.recorder() else { return };
        if !is_found {
            recorder.tick(Ticker::CompressedSecondaryCacheDummyHits, 1);
            return;
        }
        recorder.tick(Ticker::CompressedSecondaryCacheHits, 1);
        recorder.tick(
            match moves {
                true => Ticker::CompressedSecondaryCachePromotions,
                false => Ticker::CompressedSecondaryCachePromotionSkips,
            },
            1,
        );
    }

    /// So many blocks are read together.
    pub(super) fn count_batch(&self, count: usize) {
        if let Some(recorder) = self.recorder() {
            recorder.value(HistogramType::MultigetIoBatchSize, count as u64);
        }
    }

    /// See [`count_insertion`].
    pub(super) fn count_insertion(
        &self,
        kind: BlockKind,
        bytes: usize,
        insertion: Option<&Insertion>,
    ) {
        if let Some(statistics) = &self.statistics {
            count_insertion(statistics, kind, bytes, insertion);
        }
    }

    /// A block begins to be read from the file and decoded. The file times each read beside.
    pub(super) fn start_read(&self, kind: BlockKind, handle: BlockHandle) -> Option<ReadTimer> {
        count_block_read(kind, handle);
        note(BlockRead { kind, file_number: self.file_number, level: self.perf.level });
        let recorder = self.recorder()?;
        let histogram = match Activity::current().is_compaction() {
            true => HistogramType::ReadBlockCompactionMicros,
            false => HistogramType::ReadBlockGetMicros,
        };
        Some(ReadTimer { histogram, timer: recorder.start_operation(histogram) })
    }

    /// It is there.
    pub(super) fn count_read(&self, timer: Option<ReadTimer>) {
        if let Some(ReadTimer { histogram, timer }) = timer
            && let Some(recorder) = self.recorder()
        {
            recorder.end_operation(histogram, timer);
        }
    }

    /// The filter was asked whether a lookup may find its key here, by the whole key or its prefix.
    #[inline]
    pub(super) fn count_filtered(
        &self,
        recorder: Option<Recorder<'_>>,
        by_whole_key: bool,
        may_match: bool,
    ) {
        count_filtered(self.perf, recorder, by_whole_key, may_match);
    }

    /// What goes to the thread's perf context.
    pub(super) fn perf(&self) -> PerfCounts {
        self.perf
    }

    /// What the filter let pass was there.
    #[inline]
    pub(super) fn count_true_positive(&self, recorder: Option<Recorder<'_>>, by_whole_key: bool) {
        self.perf.truly_positive();
        let Some(recorder) = recorder else { return };
        let ticker = match by_whole_key {
            true => Ticker::BloomFilterFullTruePositive,
            false => Ticker::BloomFilterPrefixTruePositive,
        };
        recorder.tick(ticker, 1);
    }

    /// A seek of an iterator asked the filter for a prefix.
    #[inline]
    pub(super) fn count_seek_filtered(&self, may_match: bool) {
        let Some(statistics) = &self.statistics else { return };
        statistics.record_tick(
            match (self.is_in_last_level, may_match) {
                (true, true) => Ticker::LastLevelSeekFilterMatch,
                (true, false) => Ticker::LastLevelSeekFiltered,
                (false, true) => Ticker::NonLastLevelSeekFilterMatch,
                (false, false) => Ticker::NonLastLevelSeekFiltered,
            },
            1,
        );
    }

    /// So many seeks of an iterator came to a data block; from those of so many a value was taken, where
    /// the filter was not asked and where it was.
    pub(super) fn count_seeks(&self, with_data: u64, with_value: [u64; 2]) {
        let Some(recorder) = self.recorder() else { return };
        let (data, useful) = match self.is_in_last_level {
            true => (
                Ticker::LastLevelSeekData,
                [
                    Ticker::LastLevelSeekDataUsefulNoFilter,
                    Ticker::LastLevelSeekDataUsefulFilterMatch,
                ],
            ),
            false => (
                Ticker::NonLastLevelSeekData,
                [
                    Ticker::NonLastLevelSeekDataUsefulNoFilter,
                    Ticker::NonLastLevelSeekDataUsefulFilterMatch,
                ],
            ),
        };
        recorder.tick(data, with_data);
        for (ticker, count) in useful.into_iter().zip(with_value) {
            recorder.tick(ticker, count);
        }
    }
}

/// A filter was asked.
#[inline]
pub(super) fn count_filtered(
    perf: PerfCounts,
    recorder: Option<Recorder<'_>>,
    by_whole_key: bool,
    may_match: bool,
) {
    perf.filtered(may_match);
    let Some(recorder) = recorder else { return };
    if may_match {
        count_match(recorder, by_whole_key);
    } else if by_whole_key {
        recorder.tick(Ticker::BloomFilterUseful, 1);
    } else {
        recorder.tick(Ticker::BloomFilterPrefixChecked, 1);
        recorder.tick(Ticker::BloomFilterPrefixUseful, 1);
    }
}

/// The filter lets a lookup pass. A call, so that the other outcome has a branch of its own: were it one
/// addition to one of two counters, its address would wait for the filter's line, and all that follows in a
/// lookup that finds nothing with it.
#[inline(never)]
fn count_match(recorder: Recorder<'_>, by_whole_key: bool) {
    recorder.tick(
        match by_whole_key {
            true => Ticker::BloomFilterFullPositive,
            false => Ticker::BloomFilterPrefixChecked,
        },
        1,
    );
}

/// A block was put into the block cache, where it takes `bytes`; none if it was refused.
pub(super) fn count_insertion(
    statistics: &Statistics,
    kind: BlockKind,
    bytes: usize,
    insertion: Option<&Insertion>,
) {
    let Some(insertion) = insertion else {
        return statistics.record_tick(Ticker::BlockCacheAddFailures, 1);
    };
    statistics.record(|recorder| {
        let tickers = kind.tickers();
        recorder.tick(tickers.add, 1);
        recorder.tick(tickers.bytes_insert, bytes as u64);
        if *insertion == Insertion::Replaced {
            recorder.tick(tickers.add_redundant, 1);
        }
    });
}

/// The checksum of a block was computed and compared.
pub(crate) fn count_checksum(statistics: &Statistics, matches: bool) {
    statistics.record(|recorder| {
        recorder.tick(Ticker::BlockChecksumComputeCount, 1);
        if !matches {
            recorder.tick(Ticker::BlockChecksumMismatchCount, 1);
        }
    });
}

/// A block was uncompressed, since `start` where that is timed.
pub(crate) fn count_decompression(
    statistics: &Statistics,
    start: Option<Moment>,
    from_bytes: usize,
    to_bytes: usize,
) {
    statistics.stop_nanos_timer(HistogramType::DecompressionTimesNanos, start);
    statistics.record(|recorder| {
        recorder.tick(Ticker::NumberBlockDecompressed, 1);
        recorder.tick(Ticker::BytesDecompressedFrom, from_bytes as u64);
        recorder.tick(Ticker::BytesDecompressedTo, to_bytes as u64);
    });
}

/// What became of a block that was to be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompressionOutcome {
    /// It has so many bytes now.
    Compressed(usize),
    Rejected,
    Bypassed,
}

/// A block of so many bytes is to be written, compressed or not; that took `nanos` where it is timed.
pub(super) fn count_compression(
    statistics: &Statistics,
    nanos: Option<u64>,
    bytes: usize,
    outcome: CompressionOutcome,
) {
    if let Some(nanos) = nanos.filter(|_| outcome != CompressionOutcome::Bypassed) {
        statistics.record_in_histogram(HistogramType::CompressionTimesNanos, nanos);
    }
    let bytes = bytes as u64;
    statistics.record(|recorder| match outcome {
        CompressionOutcome::Compressed(to_bytes) => {
            recorder.tick(Ticker::NumberBlockCompressed, 1);
            recorder.tick(Ticker::BytesCompressedFrom, bytes);
            recorder.tick(Ticker::BytesCompressedTo, to_bytes as u64);
        }
        CompressionOutcome::Rejected => {
            recorder.tick(Ticker::NumberBlockCompressionRejected, 1);
            recorder.tick(Ticker::BytesCompressionRejected, bytes);
        }
        CompressionOutcome::Bypassed => {
            recorder.tick(Ticker::NumberBlockCompressionBypassed, 1);
            recorder.tick(Ticker::BytesCompressionBypassed, bytes);
        }
    });
}

/// Where blocks of one kind are counted.
struct BlockTickers {
    hit: Ticker,
    miss: Ticker,
    add: Ticker,
    add_redundant: Ticker,
    bytes_insert: Ticker,
}

impl BlockKind {
    #[inline]
    fn tickers(self) -> BlockTickers {
        match self {
            Self::Data => BlockTickers {
                hit: Ticker::BlockCacheDataHit,
                miss: Ticker::BlockCacheDataMiss,
                add: Ticker::BlockCacheDataAdd,
                add_redundant: Ticker::BlockCacheDataAddRedundant,
                bytes_insert: Ticker::BlockCacheDataBytesInsert,
            },
            Self::Index => BlockTickers {
                hit: Ticker::BlockCacheIndexHit,
                miss: Ticker::BlockCacheIndexMiss,
                add: Ticker::BlockCacheIndexAdd,
                add_redundant: Ticker::BlockCacheIndexAddRedundant,
                bytes_insert: Ticker::BlockCacheIndexBytesInsert,
            },
            Self::Filter => BlockTickers {
                hit: Ticker::BlockCacheFilterHit,
                miss: Ticker::BlockCacheFilterMiss,
                add: Ticker::BlockCacheFilterAdd,
                add_redundant: Ticker::BlockCacheFilterAddRedundant,
                bytes_insert: Ticker::BlockCacheFilterBytesInsert,
            },
            Self::CompressionDictionary => BlockTickers {
                hit: Ticker::BlockCacheCompressionDictHit,
                miss: Ticker::BlockCacheCompressionDictMiss,
                add: Ticker::BlockCacheCompressionDictAdd,
                add_redundant: Ticker::BlockCacheCompressionDictAddRedundant,
                bytes_insert: Ticker::BlockCacheCompressionDictBytesInsert,
            },
        }
    }
}
