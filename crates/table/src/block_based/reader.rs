//! A table open for reads.

use crate::block_based::embedded_blob::EmbeddedBlobs;
use crate::block_based::entry_value::EntryValue;
use crate::block_based::filter_reader::{FilterBits, TableFilter};
use crate::block_based::index_reader::{TableIndex, note_hit};
use crate::block_based::iterator::TableIterator;
use crate::block_based::meta_block::{Meta, MetaBlock, MetaRef};
use crate::block_based::meta_reads::{MetaForm, not_in_cache};
use crate::block_based::read_buffer;
use crate::block_based::table_lookup::TableLookup;
use crate::block_based::table_scan::TableScan;
use crate::block_based::table_stats::{BlockKind, TableStats};
use crate::block_fetcher::BlockFetcher;
use crate::block_iter::{BlockCursor, ExactMatch, candidates as candidates_of, find_exact};
use crate::data_block::{DataBlock, DataBlockDecoder};
use crate::entry_columns::RankOrder;
use crate::filter::KeyHash;
use crate::format::{BlockHandle, Footer};
use crate::frame_slots::BlockRef;
use crate::index::FlatIndex;
use crate::metaindex::MetaIndex;
use crate::properties::{TableProperties, find_global_seqno};
use crate::read_options::ReadOptions;
use crate::read_window::{ReadWindow, StoredRange, WindowBlock};
use base::dbformat::extract_user_key;
use base::status::Code;
use base::{InternalKeyComparator, ParsedInternalKey, Result, SliceTransform, Status};
use cache::{Cache, CacheKey, CacheValue, Insertion, MemoryCharge, Priority, SecondaryLookup};
use compression::UncompressionDictionary;
use env::readahead::SequentialPrefetcher;
use env::{IoPriority, RandomAccessFile, ReadGate, ReadTerms, ReadaheadOptions};
use iterator::FragmentedRangeTombstoneList;
use perf_context::{PerfMetric, Timer};
use statistics::{Activity, Recorder};
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

/// A block-based table. Constant after it was opened, but for blocks of index and filter, which are
/// loaded when they are first needed.
#[derive(Debug)]
pub struct BlockBasedTable {
    pub(super) file: Arc<dyn RandomAccessFile>,
    pub(super) file_size: u64,
    pub(super) footer: Footer,
    pub(super) metaindex: MetaIndex,
    pub(super) properties: Arc<TableProperties>,
    pub(super) comparator: InternalKeyComparator,
    pub(super) decoder: DataBlockDecoder,
    pub(super) dictionary: Option<MetaBlock<UncompressionDictionary>>,
    pub(super) index: TableIndex,
    pub(super) filter: Option<TableFilter>,
    pub(super) filtering: Filtering,
    pub(super) range_tombstones: Option<Arc<FragmentedRangeTombstoneList>>,
    pub(super) embedded_blobs: Option<EmbeddedBlobs>,
    pub(super) cache: Option<TableCacheHandle>,
    pub(super) readahead: ReadaheadOptions,
    pub(super) read_gate: ReadGate,
    pub(super) stats: TableStats,
    /// Of its memory to the block cache, where that is asked for.
    pub(super) charge: Option<MemoryCharge>,
}

/// What the filter may be asked.
#[derive(Debug)]
pub(super) struct Filtering {
    pub(super) has_whole_keys: bool,
    /// The prefix extractor, if the filter has prefixes by one of that name.
    pub(super) prefix_extractor: Option<Arc<dyn SliceTransform>>,
}

/// The block cache, and what the table is called there.
#[derive(Debug)]
pub(super) struct TableCacheHandle {
    pub(super) cache: Arc<dyn Cache>,
    pub(super) id: u64,
    pub(super) meta_priority: Priority,
}

impl TableCacheHandle {
    /// The block of index, filter or dictionary at this place, if it is in the cache.
    pub(super) fn meta_block<T: Send + Sync + 'static>(
        &self,
        handle: BlockHandle,
    ) -> Option<Arc<Meta<T>>> {
        self.cache.lookup(&CacheKey::new(self.id, handle.offset)).and_then(CacheValue::downcast)
    }
}

/// What is shown an entry: whether it wants the next one too.
type Visit<'v> = dyn FnMut(ParsedInternalKey<'_>, EntryValue<'_>) -> Result<bool> + 'v;

/// The part of [`ReadOptions`] that reading a block needs: no more than two words, since each step of a
/// lookup is given it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockReadOptions {
    pub(super) verify_checksums: bool,
    pub(super) fill_cache: bool,
    pub(super) may_read_files: bool,
    pub(super) rate_limiter_priority: Option<IoPriority>,
    pub(super) deadline_micros: u64,
    /// What is read for, where nobody has said what the thread does.
    pub(super) activity: Activity,
}

/// A data block, and the entries of it among which a key has its place, if that is known.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) block: BlockRef,
    pub(super) candidates: Option<Range<usize>>,
    /// For this lookup it came from the cache or the file, which is counted by who brought it.
    pub(super) was_read: bool,
}

/// Where a visit of a block begins.
#[derive(Debug)]
enum SeekTo {
    /// At the entry after this one.
    After(usize),
    /// At the first entry at or after the key, which is among these or right after them.
    KeyAmong(Range<usize>),
}

impl BlockReadOptions {
    /// What reading from the file asks before.
    pub(super) fn terms(self) -> ReadTerms {
        ReadTerms { priority: self.rate_limiter_priority, deadline_micros: self.deadline_micros }
    }
}

impl From<&ReadOptions> for BlockReadOptions {
    #[inline]
    fn from(options: &ReadOptions) -> Self {
        Self {
            verify_checksums: options.verify_checksums,
            fill_cache: options.fill_cache,
            may_read_files: options.read_tier.may_read_files(),
            rate_limiter_priority: options.rate_limiter_priority,
            deadline_micros: options.deadline,
            activity: Activity::Get,
        }
    }
}

impl BlockBasedTable {
    /// Visits the entries from the first at or after the key of `lookup` on, until `visit` returns
    /// false or no later entry can have the same user key, timestamps left aside. Visits nothing if
    /// the filter knows that the table has no such key.
    ///
    /// # Errors
    /// What `visit` gives; `Corruption`; `Incomplete` where a block is needed that
    /// [`ReadOptions::read_tier`] does not allow to read.
    pub fn get(&self, lookup: &TableLookup<'_>, visit: &mut Visit<'_>) -> Result<()> {
        if !self.filter_lookup(lookup)? {
            return Ok(());
        }
        self.visit_all(lookup, visit)
    }

    /// As [`Self::get`], of the last table that the lookup goes to. Where filters of such tables let keys
    /// pass of late, the block is asked for before this one's has answered.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_last(&self, lookup: &TableLookup<'_>, visit: &mut Visit<'_>) -> Result<()> {
        self.prefetch_filter(lookup);
        let Some(index) = self.index.resident().filter(|_| are_keys_expected()) else {
            let passes = self.filter_lookup(lookup)?;
            note_expectation(passes);
            return if passes { self.visit_all(lookup, visit) } else { Ok(()) };
        };
        let position = index.seek(lookup.internal_key);
        let block = index.approach_frame(position);
        let passes = self.filter_lookup(lookup)?;
        note_expectation(passes);
        if !passes {
            return Ok(());
        }
        let located = block.map(|block| {
            block.note_use();
            Located { block, candidates: None, was_read: false }
        });
        self.visit_blocks(lookup, index, position, located, visit).map(drop)
    }

    /// Asks for the memory that [`Self::get`] looks at first, the filter's, if the table holds one.
    #[inline]
    pub fn prefetch_filter(&self, lookup: &TableLookup<'_>) {
        if let Some(bits) = self.resident_filter() {
            bits.prefetch(lookup.hash(&self.comparator));
        }
    }

    /// [`Self::get`] of a key that the filter has let pass.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_passed(&self, lookup: &TableLookup<'_>, visit: &mut Visit<'_>) -> Result<()> {
        self.visit_all(lookup, visit)
    }

    /// [`Self::get`] without asking the filter.
    #[inline]
    pub(super) fn visit_all(&self, lookup: &TableLookup<'_>, visit: &mut Visit<'_>) -> Result<()> {
        let &TableLookup { options, internal_key, recorder, .. } = lookup;
        let top = self.index.top(self, options, recorder)?;
        let position = top.seek(internal_key);
        match self.index.is_two_level() {
            true => self.visit_partitions(lookup, &top, position, visit),
            false => self.visit_blocks(lookup, &top, position, None, visit).map(drop),
        }
    }

    /// [`Self::visit_all`] in the partitions of the index from `position` of its top level on.
    pub(super) fn visit_partitions(
        &self,
        lookup: &TableLookup<'_>,
        top: &FlatIndex,
        mut position: usize,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        let &TableLookup { options, internal_key, recorder, .. } = lookup;
        while position < top.len() {
            let partition = self.index.partition(self, top, position, options, recorder)?;
            let start = partition.seek(internal_key);
            if !self.visit_blocks(lookup, &partition, start, None, visit)? {
                break;
            }
            position += 1;
        }
        Ok(())
    }

    /// Visits the entries of the blocks from `position` on, of which the first may be `located`.
    /// Returns whether later blocks than those of `index` may matter too.
    pub(super) fn visit_blocks(
        &self,
        lookup: &TableLookup<'_>,
        index: &FlatIndex,
        mut position: usize,
        mut located: Option<Located>,
        visit: &mut Visit<'_>,
    ) -> Result<bool> {
        let &TableLookup { options, internal_key, recorder, .. } = lookup;
        while position < index.len() {
            let Located { block, candidates, was_read } = match located.take() {
                Some(located) => located,
                None => self.indexed_block(index, position, options)?,
            };
            if !was_read {
                self.count_data_block_hit(&block, recorder);
            }
            let timer = Timer::start(PerfMetric::BlockSeekNanos);
            let candidates = candidates.unwrap_or_else(|| candidates_of(&block, internal_key));
            let found = match self.embedded_blobs {
                None => find_exact(&block, candidates, internal_key),
                Some(_) => ExactMatch::Unknown(candidates),
            };
            drop(timer);
            let is_over = match found {
                ExactMatch::Found { index, suffix, value } => {
                    let stored = &block.padded()[suffix];
                    let key = ParsedInternalKey {
                        user_key: extract_user_key(internal_key),
                        ..ParsedInternalKey::parse(stored)?
                    };
                    !visit(key, EntryValue::in_block(&block, value))?
                        || self.visit_from(&block, SeekTo::After(index), lookup, visit)?
                }
                ExactMatch::Absent => true,
                ExactMatch::Behind => false,
                ExactMatch::Unknown(among) => {
                    self.visit_from(&block, SeekTo::KeyAmong(among), lookup, visit)?
                }
            };
            if is_over || !self.may_go_on(index, position, internal_key) {
                return Ok(false);
            }
            position += 1;
        }
        Ok(true)
    }

    /// Whether the block behind that at `position` may have the user key of `internal_key` too: only if
    /// the separator has it.
    fn may_go_on(&self, index: &FlatIndex, position: usize, internal_key: &[u8]) -> bool {
        let mut scratch = Vec::new();
        let separator = index.user_key(position, &mut scratch);
        self.comparator.compare_without_timestamp(separator, extract_user_key(internal_key)).is_eq()
    }

    /// Visits the entries of a block from a place on, their keys put together. Returns whether the visit is
    /// over.
    #[inline(never)]
    fn visit_from(
        &self,
        block: &Arc<DataBlock>,
        place: SeekTo,
        lookup: &TableLookup<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<bool> {
        let mut cursor = BlockCursor::new();
        match place {
            SeekTo::After(index) => cursor.move_to(block, index + 1),
            SeekTo::KeyAmong(candidates) => {
                let _timer = Timer::start(PerfMetric::BlockSeekNanos);
                cursor.seek_among(block, candidates, lookup.internal_key, &self.comparator);
            }
        }
        while cursor.valid(block) {
            if !self.visit_entry(block, &cursor, lookup.options, visit)? {
                return Ok(true);
            }
            cursor.next(block);
        }
        Ok(false)
    }

    #[inline]
    fn visit_entry(
        &self,
        block: &Arc<DataBlock>,
        cursor: &BlockCursor,
        options: BlockReadOptions,
        visit: &mut Visit<'_>,
    ) -> Result<bool> {
        let mut key = ParsedInternalKey::parse(cursor.key())?;
        if let Some(blobs) = &self.embedded_blobs
            && let Some(resolved) =
                blobs.resolve(self, key.value_type, cursor.value(block), options)?
        {
            key.value_type = resolved.value_type;
            return visit(key, EntryValue::resolved(&resolved.value));
        }
        visit(key, EntryValue::in_block(block, cursor.value_range()))
    }

    /// Tells that [`BlockBasedTable::get`] found entries of its key, for the statistics.
    #[inline]
    pub fn note_found(&self, recorder: Option<Recorder<'_>>) {
        if self.filter.is_some() {
            self.stats.count_true_positive(recorder, self.filtering.has_whole_keys);
        }
    }

    /// Whether the table may hold `user_key`, which has no timestamp. `internal_key` is any internal
    /// key of it, to find a filter's partition by.
    ///
    /// # Errors
    /// `Corruption` if the filter cannot be read.
    pub fn key_may_match(&self, options: &ReadOptions, internal_key: &[u8]) -> Result<bool> {
        self.filter_may_match(&TableLookup::new(options, internal_key, self.stats.recorder()))
    }

    /// Whether the table may hold keys with the prefix of `internal_key`'s user key. True where
    /// that cannot be told.
    ///
    /// # Errors
    /// `Corruption` if the filter cannot be read.
    pub fn prefix_may_match(&self, options: &ReadOptions, internal_key: &[u8]) -> Result<bool> {
        self.filter_prefix_may_match(options.into(), internal_key)
    }

    /// As [`Self::filter_may_match`], counted.
    #[inline]
    pub(super) fn filter_lookup(&self, lookup: &TableLookup<'_>) -> Result<bool> {
        let may_match = self.filter_may_match(lookup)?;
        if self.filter.is_some() {
            self.count_filtered(lookup, may_match);
        }
        Ok(may_match)
    }

    /// Counts what the filter said.
    #[inline]
    pub(super) fn count_filtered(&self, lookup: &TableLookup<'_>, may_match: bool) {
        self.stats.count_filtered(lookup.recorder, self.filtering.has_whole_keys, may_match);
    }

    /// The filter over all whole keys, if there is one and the table holds it already.
    #[inline]
    pub(super) fn resident_filter(&self) -> Option<&FilterBits> {
        match &self.filter {
            Some(TableFilter::Full(bits)) if self.filtering.has_whole_keys => bits.resident(),
            _ => None,
        }
    }

    #[inline(always)]
    fn filter_may_match(&self, lookup: &TableLookup<'_>) -> Result<bool> {
        let Some(filter) = &self.filter else { return Ok(true) };
        if !self.filtering.has_whole_keys {
            return self.prefix_of_lookup_may_match(lookup);
        }
        let hash = lookup.hash(&self.comparator);
        match_if_incomplete(filter.may_match(self, lookup, hash))
    }

    pub(super) fn filter_prefix_may_match(
        &self,
        options: BlockReadOptions,
        internal_key: &[u8],
    ) -> Result<bool> {
        let lookup = TableLookup::with(options, internal_key, self.stats.recorder());
        self.prefix_of_lookup_may_match(&lookup)
    }

    fn prefix_of_lookup_may_match(&self, lookup: &TableLookup<'_>) -> Result<bool> {
        let Some(filter) = &self.filter else { return Ok(true) };
        match self.prefix_hash(lookup) {
            Some(prefix) => match_if_incomplete(filter.may_match(self, lookup, prefix)),
            None => Ok(true),
        }
    }

    /// What a filter is asked for in a lookup: the key, or its prefix, if it has one.
    pub(super) fn filter_hash<'l>(&self, lookup: &TableLookup<'l>) -> Option<KeyHash<'l>> {
        match self.filtering.has_whole_keys {
            true => Some(lookup.hash(&self.comparator)),
            false => self.prefix_hash(lookup),
        }
    }

    fn prefix_hash<'l>(&self, lookup: &TableLookup<'l>) -> Option<KeyHash<'l>> {
        let user_key = lookup.plain_user_key(&self.comparator);
        let extractor = self.filtering.prefix_extractor.as_ref()?;
        extractor.in_domain(user_key).then(|| KeyHash::new(extractor.transform(user_key)))
    }

    /// An iterator over the table, not valid until it is moved. Values in embedded blobs show as if
    /// they were not.
    pub fn new_iterator(self: &Arc<Self>, options: &ReadOptions) -> TableIterator {
        TableIterator::new(Arc::clone(self), options, true)
    }

    /// As [`BlockBasedTable::new_iterator`], with embedded blobs as the references that are stored.
    pub fn new_raw_iterator(self: &Arc<Self>, options: &ReadOptions) -> TableIterator {
        TableIterator::new(Arc::clone(self), options, false)
    }

    /// Whether there may be a [`TableScan`]: entries show as they are stored, and keys are ordered as
    /// bytes.
    pub fn can_be_scanned(&self) -> bool {
        self.embedded_blobs.is_none() && self.comparator.is_bytewise()
    }

    /// A scan of the table, for a merge of tables whose keys have ranks by `order`.
    ///
    /// # Errors
    /// `NotSupported` if there can be none ([`Self::can_be_scanned`]).
    pub fn new_scan(
        self: &Arc<Self>,
        options: &ReadOptions,
        order: &RankOrder,
    ) -> Result<TableScan> {
        if !self.can_be_scanned() {
            let path = self.file.path().display();
            return Err(Status::not_supported(format!("{path}: a scan of what is stored")));
        }
        Ok(TableScan::new(Arc::clone(self), options, order.clone()))
    }

    /// The range tombstones, if there are any.
    pub fn range_tombstones(&self) -> Option<&Arc<FragmentedRangeTombstoneList>> {
        self.range_tombstones.as_ref()
    }

    /// The properties; the defaults for a file without.
    pub fn properties(&self) -> &Arc<TableProperties> {
        &self.properties
    }

    /// The footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// The metaindex.
    pub fn metaindex(&self) -> &MetaIndex {
        &self.metaindex
    }

    /// The order of keys.
    pub fn comparator(&self) -> &InternalKeyComparator {
        &self.comparator
    }

    /// The file.
    pub fn file(&self) -> &Arc<dyn RandomAccessFile> {
        &self.file
    }

    /// Where in the file the sequence number of all its keys stands (8 bytes, little-endian), as files
    /// have it that were made to be ingested; none for others.
    ///
    /// # Errors
    /// Of reading, and of a malformed properties block.
    pub fn global_seqno_offset(&self) -> Result<Option<u64>> {
        let Some(handle) = self.metaindex.properties() else { return Ok(None) };
        // Checked as the table was opened; the checksum may be that of zeros.
        let fetcher = BlockFetcher {
            file: &*self.file,
            footer: &self.footer,
            verify_checksums: false,
            statistics: None,
            limit: None,
        };
        let block = fetcher.fetch_raw(handle, None)?;
        if block.compression_type != compression::CompressionType::None as u8 {
            return Ok(None);
        }
        let found = find_global_seqno(&block.contents)?;
        Ok(found.map(|range| handle.offset + range.start as u64))
    }

    /// Bytes of the file.
    pub fn file_size(&self) -> u64 {
        self.file_size
    }

    pub(super) fn fetcher(&self, verify_checksums: bool, terms: ReadTerms) -> BlockFetcher<'_> {
        let statistics = self.stats.statistics();
        let limit = self.read_gate.limit(terms);
        BlockFetcher {
            file: &*self.file,
            footer: &self.footer,
            verify_checksums,
            statistics,
            limit,
        }
    }

    /// The data block at a position of the index, from the cache or the file.
    #[inline]
    fn indexed_block(
        &self,
        index: &FlatIndex,
        position: usize,
        options: BlockReadOptions,
    ) -> Result<Located> {
        let _timer = Timer::start(PerfMetric::NewTableBlockIterNanos);
        if let Some(block) = index.frame(position) {
            return Ok(Located { block, candidates: None, was_read: false });
        }
        // How it came is counted there.
        let block = self.unlinked_block(index, position, options)?;
        Ok(Located { block, candidates: None, was_read: true })
    }

    /// As [`Self::indexed_block`], for blocks that the index does not lead to directly.
    #[inline(never)]
    fn unlinked_block(
        &self,
        index: &FlatIndex,
        position: usize,
        options: BlockReadOptions,
    ) -> Result<BlockRef> {
        let block = self.data_block(index.handle(position), options)?;
        index.link_frame(position, &block);
        Ok(block.into())
    }

    /// A data block, from the cache or the file.
    #[inline]
    pub(super) fn data_block(
        &self,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Arc<DataBlock>> {
        let (cached, recorder) = (self.cached_data_block(handle), self.stats.recorder());
        if let Some(block) = cached {
            self.count_data_block_hit(&block, recorder);
            return Ok(block);
        }
        if let Some(block) = self.secondary_data_block(handle, options)? {
            self.count_data_block_hit(&block, recorder);
            return Ok(block);
        }
        self.count_data_block_miss(recorder);
        self.read_data_block(handle, options, None)
    }

    /// A data block out of the cache or its next tier, if it is there.
    pub(super) fn block_without_reading(
        &self,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<DataBlock>>> {
        match self.cached_data_block(handle) {
            Some(block) => Ok(Some(block)),
            None => self.secondary_data_block(handle, options),
        }
    }

    /// A data block that the cache had to drop, if the next tier has it. It moves to the cache.
    #[inline]
    pub(super) fn secondary_data_block(
        &self,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<DataBlock>>> {
        match self.cache.as_ref() {
            Some(at) if at.cache.secondary_cache().is_some() => {
                self.look_in_secondary(at, handle, options)
            }
            _ => Ok(None),
        }
    }

    #[inline(never)]
    fn look_in_secondary(
        &self,
        at: &TableCacheHandle,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) -> Result<Option<Arc<DataBlock>>> {
        let Some(secondary) = at.cache.secondary_cache() else { return Ok(None) };
        let found = secondary.lookup(&CacheKey::new(at.id, handle.offset), options.fill_cache);
        let is_found = matches!(found, SecondaryLookup::Found(_));
        let is_compressed = secondary.is_compressed_in_memory();
        if is_compressed && found != SecondaryLookup::Missing {
            self.stats.count_compressed_secondary(is_found, options.fill_cache);
        }
        let SecondaryLookup::Found(contents) = found else { return Ok(None) };
        // What cannot be a block is no loss: the file has it.
        let Ok(block) = self.decoder.decode_plain(&contents).map(Arc::new) else { return Ok(None) };
        self.stats.count_secondary_hit();
        if options.fill_cache {
            insert_data_block(&*at.cache, at.id, handle, &block, Priority::Low, |_, _, _| {})?;
        }
        Ok(Some(block))
    }

    /// A data block, if it is in the cache.
    #[inline]
    pub(super) fn cached_data_block(&self, handle: BlockHandle) -> Option<Arc<DataBlock>> {
        let TableCacheHandle { cache, id, .. } = self.cache.as_ref()?;
        cache.lookup(&CacheKey::new(*id, handle.offset))?.downcast()
    }

    /// A data block was found in the cache, if there is one.
    #[inline]
    pub(super) fn count_data_block_hit(
        &self,
        block: &Arc<DataBlock>,
        recorder: Option<Recorder<'_>>,
    ) {
        if self.cache.is_some() {
            self.stats.count_hit(recorder, BlockKind::Data, || block.memory_usage_bytes());
        }
    }

    /// A data block is not in the cache, if there is one.
    pub(super) fn count_data_block_miss(&self, recorder: Option<Recorder<'_>>) {
        if self.cache.is_some() {
            self.stats.count_miss(recorder, BlockKind::Data);
        }
    }

    /// A data block from the file, which is then put into the cache.
    #[inline(never)]
    pub(super) fn read_data_block(
        &self,
        handle: BlockHandle,
        options: BlockReadOptions,
        prefetcher: Option<&mut SequentialPrefetcher>,
    ) -> Result<Arc<DataBlock>> {
        let block = self.read_with(handle, options, |fetcher, dictionary| {
            read_buffer::with(|buffer| {
                let contents = fetcher.fetch_to(handle, dictionary, prefetcher, buffer)?;
                let decoded = self.decoder.decode(&contents);
                decoded.map(Arc::new).map_err(|status| fetcher.explain(handle, &status))
            })
        })?;
        self.keep_block(handle, &block, options)?;
        Ok(block)
    }

    /// Puts a data block that was read into the cache, if there is one and `options` want that.
    pub(super) fn keep_block(
        &self,
        handle: BlockHandle,
        block: &Arc<DataBlock>,
        options: BlockReadOptions,
    ) -> Result<()> {
        let Some(TableCacheHandle { cache, id, .. }) =
            self.cache.as_ref().filter(|_| options.fill_cache)
        else {
            return Ok(());
        };
        let count = |kind, charge, done: Option<&Insertion>| {
            self.stats.count_insertion(kind, charge, done);
        };
        insert_data_block(&**cache, *id, handle, block, Priority::Low, count)
    }

    /// A data block in the plain form, from the file through `window`; where it is in there as it is stored,
    /// if that is its plain form, but for compression.
    pub(super) fn read_plain_block(
        &self,
        handle: BlockHandle,
        options: BlockReadOptions,
        window: &mut ReadWindow,
        prefetcher: &mut SequentialPrefetcher,
    ) -> Result<(WindowBlock, Option<StoredRange>)> {
        self.read_with(handle, options, |fetcher, dictionary| {
            let (block, stored) = fetcher.fetch_from(window, handle, dictionary, prefetcher)?;
            let contents = match &block {
                WindowBlock::Inside(range) => &window.bytes()[range.clone()],
                WindowBlock::Apart(contents) => contents,
            };
            let rewritten = self.decoder.rewritten(contents);
            let rewritten = rewritten.map_err(|status| fetcher.explain(handle, &status))?;
            Ok(match rewritten {
                None => (block, Some(stored)),
                Some(rewritten) => (WindowBlock::Apart(rewritten), None),
            })
        })
    }

    /// Has `read` read a data block from the file, with the dictionary that they have.
    fn read_with<T>(
        &self,
        handle: BlockHandle,
        options: BlockReadOptions,
        read: impl FnOnce(&BlockFetcher<'_>, Option<&UncompressionDictionary>) -> Result<T>,
    ) -> Result<T> {
        if !options.may_read_files {
            return Err(not_in_cache());
        }
        let _activity = options.activity.begin_if_unknown();
        let start = self.stats.start_read(BlockKind::Data, handle);
        let fetcher = self.fetcher(options.verify_checksums, options.terms());
        let dictionary = self.load_dictionary(options)?;
        let block = read(&fetcher, dictionary.as_deref())?;
        self.stats.count_read(start);
        Ok(block)
    }

    /// An error found in a data block's contents, with file and offset put before it.
    #[cold]
    pub(super) fn explain(&self, handle: BlockHandle, status: &Status) -> Status {
        self.fetcher(false, ReadTerms::NONE).explain(handle, status)
    }

    /// Reads data blocks ahead, none of what follows them.
    pub(super) fn new_prefetcher(&self, options: &ReadaheadOptions) -> SequentialPrefetcher {
        let mut prefetcher = SequentialPrefetcher::new(options);
        prefetcher.set_end(self.data_end());
        prefetcher
    }

    /// The dictionary that data blocks are compressed with, if they are.
    pub(super) fn load_dictionary(
        &self,
        options: BlockReadOptions,
    ) -> Result<Option<MetaRef<'_, UncompressionDictionary>>> {
        let Some(dictionary) = &self.dictionary else { return Ok(None) };
        let load =
            |handle, use_cache| self.load_meta_block(DictionaryForm, handle, use_cache, options);
        let note_hit = note_hit::<DictionaryForm>(self, self.stats.recorder());
        dictionary.get(note_hit, load).map(Some)
    }
}

/// How compression dictionaries are read.
#[derive(Clone, Copy, Debug)]
struct DictionaryForm;

impl MetaForm for DictionaryForm {
    type Contents = UncompressionDictionary;

    const KIND: BlockKind = BlockKind::CompressionDictionary;

    fn decode(self, _table: &BlockBasedTable, block: Vec<u8>) -> Result<UncompressionDictionary> {
        Ok(UncompressionDictionary::new(block))
    }

    fn memory_usage_bytes(dictionary: &UncompressionDictionary) -> usize {
        size_of::<UncompressionDictionary>() + dictionary.raw().len()
    }
}

/// From so many on keys are expected to be found.
const EXPECTATION_ENOUGH: u8 = 2;
const EXPECTATION_MAX: u8 = 3;

thread_local! {
    /// How often filters of last tables have let keys of this thread pass of late.
    static EXPECTATION: Cell<u8> = const { Cell::new(EXPECTATION_MAX) };
}

/// Whether keys that this thread looks up are found more often than not.
#[inline]
fn are_keys_expected() -> bool {
    EXPECTATION.get() >= EXPECTATION_ENOUGH
}

#[inline]
fn note_expectation(passes: bool) {
    let before = EXPECTATION.get();
    EXPECTATION.set(match passes {
        true => (before + 1).min(EXPECTATION_MAX),
        false => before.saturating_sub(1),
    });
}

/// Puts a data block into the cache, where its file is called `id`, and has `count` count that.
///
/// # Errors
/// As [`Cache::insert`].
pub(super) fn insert_data_block(
    cache: &dyn Cache,
    id: u64,
    handle: BlockHandle,
    block: &Arc<DataBlock>,
    priority: Priority,
    count: impl FnOnce(BlockKind, usize, Option<&Insertion>),
) -> Result<()> {
    let charge = block.memory_usage_bytes();
    block.residence().enter_cache();
    let value = CacheValue::Linked(block.clone());
    let inserted = cache.insert(CacheKey::new(id, handle.offset), value, charge, priority);
    count(BlockKind::Data, charge, inserted.as_ref().ok());
    inserted.map(|_| ())
}

/// Where the filter is not in memory and may not be read, every key may match.
#[inline]
pub(super) fn match_if_incomplete(result: Result<bool>) -> Result<bool> {
    match result {
        Err(status) if status.code() == Code::Incomplete => Ok(true),
        other => other,
    }
}
