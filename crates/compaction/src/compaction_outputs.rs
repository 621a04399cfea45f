//! The output files of one part of a compaction, one after another.
//!
//! Range tombstones go into every file whose range of user keys they touch. A file answers for the
//! user keys from its first on up to before the first of the next file, so that tombstones between
//! entries are not lost; its boundaries in the MANIFEST are widened as far as its tombstones go.
//!
//! A file is synced while the next one is written, and the last one by itself. No more than one is
//! synced beside the one that is written: where that takes longer, the next waits.

use crate::blob_garbage_meter::BlobFlow;
use crate::block_copy::{BlockSums, sum_up};
use crate::compaction_input::KeyRange;
use crate::created_files::CreatedFiles;
use crate::deeper_levels::DeeperLevels;
use crate::iteration_stats::IterationStats;
use crate::output_splitter::{OpenFile, OutputSplitter};
use crate::output_table::{OutputFile, OutputTable, OutputTableOptions, OutputTableSpec};
use crate::range_tombstones::TombstoneFragment;
use crate::snapshot_rules::SnapshotRules;
use base::dbformat::extract_user_key;
use base::{
    InternalKey, InternalKeyComparator, ParsedInternalKey, Result, SequenceNumber, ValueType,
};
use env::RunningSync;
use std::sync::Arc;
use table::{BlockFit, OpenBlock, SeqnoToTimeMapping, WholeBlock};
use version::FileMetaData;

/// What outputs depend on.
pub(crate) struct OutputsContext<'a> {
    pub(crate) files: &'a CreatedFiles<'a>,
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) tables: &'a OutputTableOptions,
    pub(crate) spec: OutputTableSpec,
    pub(crate) splitter: OutputSplitter<'a>,
    /// Files end where with what follows their data they have the size they may have
    /// (`target_file_size_is_upper_bound`).
    pub(crate) counts_tail: bool,
    /// The part's range, padded.
    pub(crate) range: KeyRange,
    /// The tombstones of the whole job.
    pub(crate) fragments: &'a [TombstoneFragment],
    pub(crate) snapshots: SnapshotRules,
    pub(crate) full_history_ts_low: Option<Vec<u8>>,
    pub(crate) is_bottommost: bool,
    pub(crate) deeper_levels: DeeperLevels,
    /// Input files, for the age of their data.
    pub(crate) inputs: Vec<Arc<FileMetaData>>,
    /// Whether to count the blobs that entries refer to.
    pub(crate) counts_blobs: bool,
    /// When sequence numbers were given out.
    pub(crate) times: &'a SeqnoToTimeMapping,
}

pub(crate) struct CompactionOutputs<'a> {
    context: OutputsContext<'a>,
    current: Option<OutputTable>,
    /// Where the current file begins; none if it begins with the part.
    lower_bound: Option<Vec<u8>>,
    /// The output before the current one, if it may not be safe yet.
    syncing: Option<(RunningSync, OutputFile)>,
    /// Processor time of threads that synced or compressed for the part.
    other_cpu_micros: u64,
    finished: Vec<OutputFile>,
    /// The first fragment that was not yet offered as a place to end a file at.
    next_start: usize,
    /// The first fragment that may reach into the current file or later ones.
    next_fragment: usize,
    blob_flow: Option<BlobFlow>,
    stats: IterationStats,
}

/// What came out of a part.
#[derive(Debug, Default)]
pub(crate) struct FinishedOutputs {
    pub(crate) files: Vec<OutputFile>,
    pub(crate) blob_flow: Option<BlobFlow>,
    pub(crate) stats: IterationStats,
    /// Processor time of other threads that worked for the part.
    pub(crate) other_cpu_micros: u64,
}

impl<'a> CompactionOutputs<'a> {
    pub(crate) fn new(context: OutputsContext<'a>) -> Self {
        let fragments = context.fragments;
        // Those before the part are other parts' matter.
        let first = match &context.range.start {
            None => 0,
            Some(start) => fragments.partition_point(|fragment| {
                context.comparator.compare_without_timestamp(&fragment.end_key, start).is_le()
            }),
        };
        Self {
            current: None,
            lower_bound: None,
            syncing: None,
            other_cpu_micros: 0,
            finished: Vec::new(),
            next_start: first,
            next_fragment: first,
            blob_flow: context.counts_blobs.then(BlobFlow::default),
            stats: IterationStats::default(),
            context,
        }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// As [`OutputTable::add`] and [`OutputTable::finish`].
    #[inline]
    pub(crate) fn add(
        &mut self,
        key: &ParsedInternalKey<'_>,
        internal_key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        if self.next_start < self.context.fragments.len() {
            self.offer_fragment_starts(key.user_key)?;
        }
        let table = self.table_for(internal_key)?;
        table.add(key, internal_key, value)?;
        if let Some(flow) = &mut self.blob_flow {
            flow.add(key.user_key, key.value_type, value)?;
        }
        Ok(())
    }

    /// Adds the block, if it can go on as it is stored and its entries as they are; for `zeroed_up_to` see
    /// [`sum_up`]. None if its entries are to be added one by one.
    ///
    /// # Errors
    /// As [`Self::add`]; `Corruption` of the block.
    pub(crate) fn add_block(
        &mut self,
        block: &WholeBlock<'_>,
        zeroed_up_to: Option<SequenceNumber>,
    ) -> Result<Option<BlockSums>> {
        let (context, first_key) = (&self.context, block.first_key());
        let goes_to_one_file = self.next_start >= context.fragments.len()
            && self.blob_flow.is_none()
            && !context.counts_tail
            && context.splitter.crosses_nothing(block.last_key());
        if !goes_to_one_file {
            return Ok(None);
        }
        let fit = match &self.current {
            Some(table) => table.fit_of(block)?,
            None => self.table_for_block(first_key)?.fit_of(block)?,
        };
        if let BlockFit::Apart(_) = fit {
            return Ok(None);
        }
        let Ok(sums) = sum_up(block.entries(), zeroed_up_to) else { return Ok(None) };
        let table = self.table_for_block(first_key)?;
        if let BlockFit::EvenOut(size) = fit {
            table.end_block_at(size);
            return Ok(None);
        }
        table.copy_block(block)?;
        Ok(Some(sums))
    }

    /// The file that an entry goes to that follows the last one.
    #[inline(never)]
    fn table_for_block(&mut self, internal_key: &[u8]) -> Result<&mut OutputTable> {
        self.table_for(internal_key)
    }

    /// As [`Self::table_for_block`], in one piece with who asks for each entry.
    #[inline(always)]
    fn table_for(&mut self, internal_key: &[u8]) -> Result<&mut OutputTable> {
        self.end_file_before(internal_key)?;
        Ok(match &mut self.current {
            Some(table) => table,
            none => none.insert(OutputTable::create(
                self.context.files,
                self.context.tables,
                &self.context.spec,
            )?),
        })
    }

    /// Where values can go that no file ends before, and for which nothing else is to be done; none if
    /// there is no saying that of all.
    #[inline]
    pub(crate) fn open_block(&mut self) -> Option<OpenBlock<'_>> {
        let context = &self.context;
        let table = self.current.as_mut()?;
        let takes_all = self.next_start >= context.fragments.len()
            && self.blob_flow.is_none()
            && !context.counts_tail
            && context.splitter.goes_on(table.file_size_at_most());
        if takes_all { table.open_block() } else { None }
    }

    /// Where a range tombstone begins a file may end, too: without that a tombstone over a range
    /// without entries would make a file that overlaps many grandparents. At the bottom there are
    /// none, and the tombstone may be dropped.
    fn offer_fragment_starts(&mut self, user_key: &[u8]) -> Result<()> {
        while let Some(fragment) = self.context.fragments.get(self.next_start) {
            let comparator = &self.context.comparator;
            if comparator.compare_without_timestamp(&fragment.start_key, user_key).is_gt() {
                break;
            }
            self.next_start += 1;
            if self.context.is_bottommost || self.is_before_range(&fragment.start_key) {
                continue;
            }
            let Some((sequence, _)) = fragment.tombstones.first() else { continue };
            let start = InternalKey::new(&fragment.start_key, *sequence, ValueType::RangeDeletion);
            self.end_file_before(start.as_bytes())?;
            if self.current.is_none() {
                let context = &self.context;
                let table = OutputTable::create(context.files, context.tables, &context.spec)?;
                self.current = Some(table);
            }
        }
        Ok(())
    }

    fn is_before_range(&self, user_key: &[u8]) -> bool {
        let comparator = &self.context.comparator;
        let start = self.context.range.start.as_ref();
        start.is_some_and(|start| comparator.compare_without_timestamp(user_key, start).is_lt())
    }

    /// Ends the current file if the next one is to begin at `key`.
    #[inline(always)]
    fn end_file_before(&mut self, key: &[u8]) -> Result<()> {
        let counts_tail = self.context.counts_tail;
        if let Some(table) = &mut self.current
            && !table.is_settled()
        {
            // Only where a size may matter it must be what it would be with one thread.
            let tail_size = if counts_tail { table.tail_size_at_most() } else { 0 };
            let size_max = table.file_size_at_most().saturating_add(tail_size);
            if self.context.splitter.depends_on_size(key, size_max) {
                table.settle()?;
            }
        }
        let open = self.current.as_ref().map(|table| {
            let size = table.estimated_file_size();
            let tail_size = if counts_tail { table.estimated_tail_size() } else { 0 };
            OpenFile { size, full_size: size.saturating_add(tail_size) }
        });
        let last_key = self.current.as_ref().map_or(&[][..], OutputTable::last_key);
        if self.context.splitter.should_stop_before(key, open, last_key) {
            self.end_file(Some(extract_user_key(key)))?;
            self.context.splitter.start_file(key);
        }
        Ok(())
    }

    /// Ends the current file. It answers for user keys up to before `next_start`, or to the end of
    /// the part.
    #[cold]
    fn end_file(&mut self, next_start: Option<&[u8]>) -> Result<()> {
        let Some(mut table) = self.current.take() else { return Ok(()) };
        let upper_bound = next_start.map(|user_key| self.with_greatest_timestamp(user_key));
        let end = upper_bound.clone().or_else(|| self.context.range.end.clone());
        self.add_range_tombstones(&mut table, end.as_deref())?;
        self.lower_bound = upper_bound;
        let Some((smallest, largest)) = table.boundaries() else {
            // Nothing but tombstones that are not needed any more.
            let number = table.number();
            drop(table);
            self.context.files.discard(number);
            return Ok(());
        };
        let time = self.oldest_ancester_time(&smallest, &largest);
        let output = table.finish(time, self.context.times)?;
        self.other_cpu_micros += output.other_cpu_micros;
        if next_start.is_none() {
            // Beside the sync of the one before it, whose error counts first.
            let last = output.sync();
            self.end_sync()?;
            self.add_finished(last?);
        } else {
            self.end_sync()?;
            self.syncing = Some(output.begin_sync());
        }
        Ok(())
    }

    /// Waits until the output before the current one is safe.
    fn end_sync(&mut self) -> Result<()> {
        let Some((sync, output)) = self.syncing.take() else { return Ok(()) };
        let (result, cpu_micros) = sync.wait();
        self.other_cpu_micros += cpu_micros;
        result?;
        self.add_finished(output);
        Ok(())
    }

    fn add_finished(&mut self, output: OutputFile) {
        self.context.files.environment().table_file_finished(&output);
        self.finished.push(output);
    }

    fn with_greatest_timestamp(&self, user_key: &[u8]) -> Vec<u8> {
        let mut key = self.context.comparator.strip_timestamp(user_key).to_vec();
        key.resize(user_key.len(), 0xff);
        key
    }

    /// With the boundaries of a file its data's age is known better than with those of the part.
    fn oldest_ancester_time(&self, smallest: &InternalKey, largest: &InternalKey) -> u64 {
        let comparator = &self.context.comparator;
        let compare =
            |a: &InternalKey, b: &InternalKey| comparator.compare(a.as_bytes(), b.as_bytes());
        let overlapping = self.context.inputs.iter().filter(|file| {
            compare(&file.largest, smallest).is_ge() && compare(&file.smallest, largest).is_le()
        });
        let times = overlapping.map(|file| file.oldest_ancester_time).filter(|time| *time != 0);
        times.min().unwrap_or(self.context.spec.oldest_ancester_time)
    }

    /// Adds the tombstones of the range that `table` answers for, up to before `end`.
    fn add_range_tombstones(&mut self, table: &mut OutputTable, end: Option<&[u8]>) -> Result<()> {
        let fragments = self.context.fragments;
        let comparator = self.context.comparator.clone();
        let start = self.lower_bound.clone().or_else(|| self.context.range.start.clone());
        let mut index = self.next_fragment;
        while let Some(fragment) = fragments.get(index) {
            let is_before =
                |key: &[u8], bound: &[u8]| comparator.compare_without_timestamp(key, bound).is_lt();
            let (mut first, mut last) = (&fragment.start_key[..], &fragment.end_key[..]);
            if let Some(start) = &start
                && is_before(first, start)
            {
                first = start;
            }
            let reaches_beyond = end.is_some_and(|end| is_before(end, last));
            if let Some(end) = end
                && reaches_beyond
            {
                last = end;
            }
            if end.is_some_and(|end| !is_before(&fragment.start_key, end)) {
                break;
            }
            if is_before(first, last) {
                self.add_fragment(table, fragment, (first, last))?;
            }
            if reaches_beyond {
                break;
            }
            index += 1;
        }
        self.next_fragment = index;
        Ok(())
    }

    fn add_fragment(
        &mut self,
        table: &mut OutputTable,
        fragment: &TombstoneFragment,
        bounds: (&[u8], &[u8]),
    ) -> Result<()> {
        for (sequence, timestamp) in &fragment.tombstones {
            let is_obsolete = self.context.snapshots.is_in_earliest(*sequence)
                && self.is_history_collapsed(timestamp)
                && (self.context.is_bottommost
                    || self.context.deeper_levels.range_does_not_exist(bounds.0, bounds.1));
            if is_obsolete {
                self.stats.dropped_range_deletions += 1;
                self.stats.dropped_obsolete += 1;
                continue;
            }
            let range = (&fragment.start_key[..], &fragment.end_key[..]);
            table.add_range_tombstone(range, (*sequence, timestamp), bounds)?;
        }
        Ok(())
    }

    fn is_history_collapsed(&self, timestamp: &[u8]) -> bool {
        let comparator = &self.context.comparator;
        comparator.timestamp_size() == 0
            || self.context.full_history_ts_low.as_deref().is_some_and(|low| {
                comparator.user_comparator().compare_timestamp(timestamp, low).is_lt()
            })
    }

    /// Ends the last file.
    ///
    /// # Errors
    /// As [`OutputTable::finish`].
    pub(crate) fn finish(mut self) -> Result<FinishedOutputs> {
        // Tombstones behind the last entry may be worth a file of their own.
        while let Some(fragment) = self.context.fragments.get(self.next_start)
            && !self.is_behind_range(&fragment.start_key)
        {
            self.offer_fragment_starts(&fragment.start_key)?;
        }
        let fragment = self.context.fragments.get(self.next_fragment);
        if self.current.is_none()
            && fragment.is_some_and(|fragment| !self.is_behind_range(&fragment.start_key))
        {
            let context = &self.context;
            let table = OutputTable::create(context.files, context.tables, &context.spec)?;
            self.current = Some(table);
        }
        self.end_file(None)?;
        // Where nothing came after it.
        self.end_sync()?;
        Ok(FinishedOutputs {
            files: self.finished,
            blob_flow: self.blob_flow,
            stats: self.stats,
            other_cpu_micros: self.other_cpu_micros,
        })
    }

    fn is_behind_range(&self, user_key: &[u8]) -> bool {
        let comparator = &self.context.comparator;
        let end = self.context.range.end.as_ref();
        end.is_some_and(|end| comparator.compare_without_timestamp(user_key, end).is_ge())
    }
}
