//! What lookups and scans count.

use statistics::{GetOutcome, HistogramType, Moment, OperationTimer, Recorder, Statistics, Ticker};
use std::sync::Arc;
use table::LevelReads;

/// Where a lookup found what decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nowhere: no source knows the key.
    None,
    MemTables,
    /// A table in this level.
    Level(usize),
}

/// A lookup, counted if anybody wants to know.
#[derive(Debug)]
pub(crate) struct CountedLookup<'s> {
    /// A pointer of its own, rather than all of this being there or not: most of a lookup has it in a
    /// register, and it is all that is asked.
    recorder: Option<Recorder<'s>>,
    timer: OperationTimer,
}

impl<'s> CountedLookup<'s> {
    /// One begins.
    #[inline]
    pub(crate) fn begin(statistics: Option<&'s Statistics>, kind: HistogramType) -> Self {
        let recorder = statistics.and_then(Statistics::recorder);
        let timer = recorder.map_or_else(OperationTimer::default, |all| all.start_operation(kind));
        Self { recorder, timer }
    }

    /// A lookup of one key is over that began as [`HistogramType::DbGet`], and found a value of
    /// `value_bytes`, if any.
    #[inline]
    pub(crate) fn end_get(self, source: Source, value_bytes: Option<usize>) {
        let Self { recorder: Some(recorder), timer } = self else { return };
        let outcome = match source {
            Source::None => GetOutcome::Unknown,
            Source::MemTables => GetOutcome::InMemTables,
            Source::Level(_) if value_bytes.is_none() => GetOutcome::DeletedInTable,
            Source::Level(level) => GetOutcome::found_at(level),
        };
        recorder.end_get(outcome, value_bytes.unwrap_or(0) as u64);
        recorder.end_operation(HistogramType::DbGet, timer);
    }

    /// What the thread counts to, also for what the lookup is made of; none if nobody wants to know.
    #[inline]
    pub(crate) fn recorder(&self) -> Option<Recorder<'s>> {
        self.recorder
    }

    /// Whether reads of files are counted by what the thread does.
    #[inline]
    pub(crate) fn has_details(&self) -> bool {
        self.recorder.is_some_and(|recorder| recorder.has_detailed_timers())
    }

    /// One key of a lookup of several is found, or is not there.
    #[inline]
    pub(crate) fn count_one_of_several(&self, source: Source, is_found: bool) {
        if let Some(recorder) = &self.recorder {
            count_source(recorder, source, is_found);
        }
    }

    /// A lookup of several keys is over that began as [`HistogramType::DbMultiget`]; values of so many
    /// have so many bytes, and `reads` says what was read from files.
    pub(crate) fn end_multi_get(self, keys: usize, found: u64, bytes: u64, reads: &[LevelReads]) {
        let Self { recorder: Some(recorder), timer } = self else { return };
        if !reads.is_empty() {
            count_level_reads(&recorder, reads);
        }
        recorder.tick(Ticker::NumberMultigetCalls, 1);
        recorder.tick(Ticker::NumberMultigetKeysRead, keys as u64);
        recorder.tick(Ticker::NumberMultigetKeysFound, found);
        recorder.tick(Ticker::NumberMultigetBytesRead, bytes);
        recorder.value(HistogramType::BytesPerMultiget, bytes);
        recorder.end_operation(HistogramType::DbMultiget, timer);
    }
}

/// What a lookup of several keys has read, level by level. Where nothing was read nothing counts.
#[cold]
fn count_level_reads(recorder: &Recorder<'_>, reads: &[LevelReads]) {
    for LevelReads { meta_blocks, files } in reads {
        if *meta_blocks > 0 {
            recorder.value(HistogramType::NumIndexAndFilterBlocksReadPerLevel, *meta_blocks);
        }
        if *files > 0 {
            recorder.value(HistogramType::NumSstReadPerLevel, *files);
        }
    }
    let levels = reads.iter().filter(|level| level.files > 0).count() as u64;
    if levels > 0 {
        recorder.value(HistogramType::NumLevelReadPerMultiget, levels);
    }
}

/// One key of several is found, or is not there.
#[inline]
fn count_source(recorder: &Recorder<'_>, source: Source, is_found: bool) {
    let level = match source {
        Source::None => return recorder.tick(Ticker::MemtableMiss, 1),
        Source::MemTables => return recorder.tick(Ticker::MemtableHit, 1),
        Source::Level(level) => level,
    };
    recorder.tick(Ticker::MemtableMiss, 1);
    if is_found {
        let by_level = [Ticker::GetHitL0, Ticker::GetHitL1, Ticker::GetHitL2AndUp];
        recorder.tick(by_level[level.min(2)], 1);
    }
}

/// Merge operands of a read were combined.
pub(crate) fn count_merge(
    statistics: &Statistics,
    start: Option<Moment>,
    operands: usize,
    is_done: bool,
) {
    statistics.record(|recorder| {
        recorder.value(HistogramType::ReadNumMergeOperands, operands as u64);
        recorder.tick(Ticker::MergeOperationTotalTime, recorder.elapsed_nanos(start));
        recorder.tick(Ticker::NumberMergeFailures, u64::from(!is_done));
    });
}

/// What an iterator has counted since it was made; added to the statistics when it is dropped. It
/// counts also where there are none: asking would cost more.
#[derive(Debug, Default)]
pub(crate) struct ScanStats {
    statistics: Option<Arc<Statistics>>,
    /// Whether it is added up, and counts nothing.
    is_over: bool,
    nexts: u64,
    nexts_found: u64,
    prevs: u64,
    prevs_found: u64,
    bytes_read: u64,
    skipped: u64,
}

impl ScanStats {
    /// Of an iterator that is made now.
    pub(crate) fn new(statistics: Option<Arc<Statistics>>) -> Self {
        let mut stats = Self { statistics, ..Self::default() };
        stats.begin();
        stats
    }

    /// An iterator begins that is as good as made now.
    pub(crate) fn begin(&mut self) {
        self.is_over = false;
        if let Some(statistics) = &self.statistics {
            statistics.record_tick(Ticker::NoIteratorCreated, 1);
        }
    }

    /// The iterator is as good as dropped: what it has counted is added up.
    pub(crate) fn end(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        if let Some(statistics) = &self.statistics {
            statistics.record_ticks(&[
                (Ticker::NoIteratorDeleted, 1),
                (Ticker::NumberDbNext, self.nexts),
                (Ticker::NumberDbNextFound, self.nexts_found),
                (Ticker::NumberDbPrev, self.prevs),
                (Ticker::NumberDbPrevFound, self.prevs_found),
                (Ticker::IterBytesRead, self.bytes_read),
                (Ticker::NumberIterSkip, self.skipped),
            ]);
        }
        (self.nexts, self.nexts_found, self.prevs, self.prevs_found) = (0, 0, 0, 0);
        (self.bytes_read, self.skipped) = (0, 0);
    }

    /// An entry is shown whose key and value have so many bytes.
    #[inline]
    pub(crate) fn count_shown(&mut self, bytes: usize) {
        self.bytes_read += bytes as u64;
    }

    /// A step forward is over; on an entry, or on none.
    #[inline]
    pub(crate) fn count_next(&mut self, is_found: bool) {
        self.nexts += 1;
        self.nexts_found += u64::from(is_found);
    }

    /// A move passed so many entries that are not shown.
    #[inline]
    pub(crate) fn count_skipped(&mut self, entries: u64) {
        self.skipped += entries;
    }

    /// A move seeks where stepping would take too long.
    #[cold]
    pub(crate) fn count_reseek(&self) {
        if let Some(statistics) = &self.statistics {
            statistics.record_tick(Ticker::NumberOfReseeksInIteration, 1);
        }
    }

    /// Deletions were to be brought under a range tombstone, and were or were not.
    #[cold]
    pub(crate) fn count_conversion(&self, is_added: bool) {
        if let Some(statistics) = &self.statistics {
            let ticker = match is_added {
                true => Ticker::ReadPathRangeTombstonesInserted,
                false => Ticker::ReadPathRangeTombstonesDiscarded,
            };
            statistics.record_tick(ticker, 1);
        }
    }

    /// A step backward is over.
    #[inline]
    pub(crate) fn count_prev(&mut self, is_found: bool) {
        self.prevs += 1;
        self.prevs_found += u64::from(is_found);
    }

    /// A seek begins.
    #[inline]
    pub(crate) fn start_seek(&self) -> OperationTimer {
        let recorder = self.statistics.as_deref().and_then(Statistics::recorder);
        let start = |recorder: Recorder<'_>| recorder.start_operation(HistogramType::DbSeek);
        recorder.map_or_else(OperationTimer::default, start)
    }

    /// A seek is over; on an entry, or on none. It is timed if it began by [`Self::start_seek`]:
    /// those to a key do, those to either end do not.
    #[inline]
    pub(crate) fn count_seek(&self, begun: OperationTimer, is_found: bool) {
        let Some(statistics) = &self.statistics else { return };
        statistics.record(|recorder| {
            recorder.tick(Ticker::NumberDbSeek, 1);
            recorder.tick(Ticker::NumberDbSeekFound, u64::from(is_found));
            recorder.end_operation(HistogramType::DbSeek, begun);
        });
    }
}

impl Drop for ScanStats {
    fn drop(&mut self) {
        self.end();
    }
}
