//! The records of one column family that are in no table yet.

mod hidden_keys;

use crate::deleted_keys::DeletedKeys;
use crate::dynamic_bloom::DynamicBloom;
use crate::hidden_range::{HiddenRanges, HiddenSlot};
use crate::memtable_memory::CountedMemory;
use crate::memtable_options::MemTableOptions;
use crate::memtable_rep::{MemTableEntry, MemTableRep, MemTableRepWriter};
use crate::memtable_rep_factory::MemTableRepContext;
use crate::memtable_stats::MemTableStats;
use crate::range_tombstones::{RangeTombstoneParts, RangeTombstones};
use crate::write_buffer::{ArenaAccount, WriteBuffer, encoded_size};
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key, pack_sequence_and_type};
use base::hash::hash64;
use base::{
    InternalIterator, InternalKey, InternalKeyComparator, ParsedInternalKey, RangeTombstone,
    SequenceNumber, SliceTransform, ValueType,
};
use iterator::FragmentedRangeTombstoneList;
use parking_lot::{Mutex, MutexGuard};
use perf_context::{PerfMetric, count};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Records in memory, written by one at a time and read by anyone meanwhile.
///
/// Readers take no lock. What they see of records that are added while they look is any of them,
/// each whole; the engine tells them by sequence number which to take. A record counts as added for
/// a reader who learned of it, for instance by the last sequence number, after [`Self::add`].
#[derive(Debug)]
pub struct MemTable {
    comparator: InternalKeyComparator,
    rep: Arc<dyn MemTableRep>,
    writer: Mutex<WriterState>,
    filter: Option<Filter>,
    insert_hint_extractor: Option<Arc<dyn SliceTransform>>,
    range_tombstones: RangeTombstones,
    stats: MemTableStats,
    write_buffer: WriteBuffer,
    max_range_deletions: u64,
    is_immutable: AtomicBool,
    hidden: Arc<HiddenSlot>,
    id: u64,
    creation_sequence: SequenceNumber,
    /// The first WAL that holds records of the next memtable; 0 until that is known.
    next_log_number: AtomicU64,
    /// The first WAL with a prepared section of a transaction that was committed into this
    /// memtable; 0 if there is none.
    min_prep_log_referenced: AtomicU64,
}

/// What only the one who writes may touch.
#[derive(Debug)]
struct WriterState {
    rep: Box<dyn MemTableRepWriter>,
    account: ArenaAccount,
    memory: Option<CountedMemory>,
    /// Broken by who writes into them.
    watched: HiddenRanges,
    deleted: DeletedKeys,
}

impl WriterState {
    fn count_memory(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.grow_to(self.account.allocated_in_blocks());
        }
    }
}

/// Adds records to a memtable. As long as one lives nobody else adds any.
#[derive(Debug)]
pub struct MemTableWriter<'a> {
    memtable: &'a MemTable,
    state: MutexGuard<'a, WriterState>,
}

/// What became of a range tombstone that hides only what is hidden already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedundantTombstone {
    /// It is in the memtable.
    Added,
    /// There are others over all its keys.
    Covered,
    /// The memtable takes no records any more.
    Refused,
}

/// The Bloom filter of point lookups: of prefixes, whole keys or both.
#[derive(Debug)]
struct Filter {
    bloom: DynamicBloom,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    whole_keys: bool,
}

impl Filter {
    fn new(options: &MemTableOptions) -> Option<Self> {
        let bytes = (options.write_buffer_size as f64 * options.prefix_bloom_size_ratio) as usize;
        let filters = options.whole_key_filtering || options.prefix_extractor.is_some();
        (filters && bytes > 0).then(|| Self {
            bloom: DynamicBloom::new(bytes),
            prefix_extractor: options.prefix_extractor.clone(),
            whole_keys: options.whole_key_filtering,
        })
    }

    fn prefix<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        let extractor = self.prefix_extractor.as_ref()?;
        extractor.in_domain(key).then(|| extractor.transform(key))
    }

    /// Adds a user key without timestamp.
    fn add(&self, key: &[u8]) {
        if let Some(prefix) = self.prefix(key) {
            self.bloom.add(prefix);
        }
        if self.whole_keys {
            self.bloom.add(key);
        }
    }

    /// Whether there may be records of a user key, given without timestamp.
    fn may_contain(&self, key: &[u8]) -> bool {
        if self.whole_keys {
            self.bloom.may_contain(key)
        } else {
            self.prefix(key).is_none_or(|prefix| self.bloom.may_contain(prefix))
        }
    }
}

impl MemTable {
    /// An empty memtable, with 0 as its id and creation sequence number.
    pub fn new(comparator: InternalKeyComparator, options: &MemTableOptions) -> Self {
        let filter = Filter::new(options);
        let bloom_bytes = filter.as_ref().map_or(0, |filter| filter.bloom.size_bytes());
        let account = ArenaAccount::new(options, bloom_bytes);
        let write_buffer = WriteBuffer::new(options, &account);
        let (rep, writer) = options.rep_factory.create(&MemTableRepContext {
            comparator: comparator.clone(),
            prefix_extractor: options.prefix_extractor.clone(),
            column_family_id: options.column_family_id,
            memory: options.memory.clone(),
            huge_page_size: options.huge_page_size,
        });
        if let Some(memory) = &options.memory {
            memory.blocks().expect(options.write_buffer_size);
        }
        let memory = options.memory.clone().map(CountedMemory::new);
        let (watched, deleted) = (HiddenRanges::default(), DeletedKeys::default());
        let mut state = WriterState { rep: writer, account, memory, watched, deleted };
        state.count_memory();
        Self {
            range_tombstones: RangeTombstones::new(comparator.clone()),
            comparator,
            rep,
            writer: Mutex::new(state),
            filter,
            insert_hint_extractor: options.insert_hint_extractor.clone(),
            stats: MemTableStats::default(),
            write_buffer,
            max_range_deletions: options.max_range_deletions.into(),
            is_immutable: AtomicBool::new(false),
            hidden: Arc::default(),
            id: 0,
            creation_sequence: 0,
            next_log_number: AtomicU64::new(0),
            min_prep_log_referenced: AtomicU64::new(0),
        }
    }

    /// The memtable with its number within the column family, ascending by age, and the last
    /// sequence number when it was made ([`MAX_SEQUENCE_NUMBER`] if not known).
    #[must_use]
    pub fn with_identity(self, id: u64, creation_sequence: SequenceNumber) -> Self {
        Self { id, creation_sequence, ..self }
    }

    /// Makes the caller the one who writes, once nobody else is.
    #[inline]
    pub fn writer(&self) -> MemTableWriter<'_> {
        MemTableWriter { memtable: self, state: self.writer.lock() }
    }

    /// Adds one record, as [`MemTableWriter::add`] does.
    ///
    /// # Panics
    /// If records of this type stand in a WAL only, or the memtable is immutable.
    pub fn add(
        &self,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) {
        self.writer().add(sequence, value_type, user_key, value);
    }

    /// The hash of the prefix by which the place of a key's insertion is remembered.
    #[inline]
    fn insert_hint(&self, user_key: &[u8]) -> Option<u64> {
        let extractor = self.insert_hint_extractor.as_ref()?;
        let key = self.comparator.strip_timestamp(user_key);
        extractor.in_domain(key).then(|| hash64(extractor.transform(key)))
    }

    /// Says that no record will be added any more, which makes reads of some representations
    /// cheaper.
    pub fn mark_immutable(&self) {
        let mut writer = self.writer.lock();
        if let Some(memory) = &mut writer.memory {
            memory.retire();
        }
        self.is_immutable.store(true, Ordering::Relaxed);
        self.rep.mark_immutable();
        self.range_tombstones.mark_immutable();
    }

    /// Says that all records are in a table now.
    pub fn mark_flushed(&self) {
        self.rep.mark_flushed();
    }

    /// Whether no record will be added any more.
    pub fn is_immutable(&self) -> bool {
        self.is_immutable.load(Ordering::Relaxed)
    }

    /// Visits the versions of a key, newest first, from the internal key `seek_key` on until
    /// `visitor` returns false. In a column family with timestamps the versions of a key are those
    /// of all its timestamps. Range tombstones are not among them.
    #[inline]
    pub fn get(&self, seek_key: &[u8], mut visitor: impl FnMut(MemTableEntry<'_>) -> bool) {
        // A writer counts before it lets readers see what it wrote.
        if self.num_point_entries() == 0 {
            return;
        }
        let user_key = extract_user_key(seek_key);
        count(PerfMetric::GetFromMemtableCount, 1);
        if let Some(filter) = &self.filter {
            if !filter.may_contain(self.comparator.strip_timestamp(user_key)) {
                count(PerfMetric::BloomMemtableMissCount, 1);
                return;
            }
            count(PerfMetric::BloomMemtableHitCount, 1);
        }
        self.rep.visit_key(seek_key, &mut |entry| {
            self.comparator.is_equal_without_timestamp(entry.user_key(), user_key) && visitor(entry)
        });
    }

    /// How many of a key's newest versions, of those up to `sequence`, are merge operands one after
    /// the other; counted no further than `limit`.
    pub fn count_successive_merges(
        &self,
        user_key: &[u8],
        sequence: SequenceNumber,
        limit: u64,
    ) -> u64 {
        let seek_key = InternalKey::for_seek(user_key, sequence);
        let mut count = 0;
        self.get(seek_key.as_bytes(), |entry| {
            let is_merge = ParsedInternalKey::parse(entry.key())
                .is_ok_and(|key| key.value_type == ValueType::Merge);
            count += u64::from(is_merge);
            is_merge && count < limit
        });
        count
    }

    /// Adds a range tombstone over keys of which a read at `sequence` sees nothing anyway, for reads to come
    /// to see that sooner. It is in no WAL. The caller knows that what is in no memtable, or in older ones,
    /// has no greater sequence numbers.
    pub fn add_redundant_range_tombstone(
        &self,
        sequence: SequenceNumber,
        start_key: &[u8],
        end_key: &[u8],
    ) -> RedundantTombstone {
        let mut writer = self.writer();
        if self.is_immutable() {
            return RedundantTombstone::Refused;
        }
        if self.range_tombstones.cover(start_key, end_key, sequence) {
            return RedundantTombstone::Covered;
        }
        writer.add(sequence, ValueType::RangeDeletion, start_key, end_key);
        RedundantTombstone::Added
    }

    /// What scans of this memtable's states need not look at.
    pub fn hidden_slot(&self) -> &Arc<HiddenSlot> {
        &self.hidden
    }

    /// Iterates over all records but range tombstones. The iterator keeps them alive.
    pub fn new_iterator(&self) -> Box<dyn InternalIterator> {
        self.rep.clone().new_iterator()
    }

    /// Whether iterators see records that are added after they were made, from their next seek on.
    pub fn has_live_iterators(&self) -> bool {
        self.rep.has_live_iterators()
    }

    /// About how many records but range tombstones there are from the internal key `start` on and
    /// before `end`.
    pub fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        self.rep.approximate_num_entries(start, end).min(self.num_point_entries())
    }

    /// User keys that divide the records, but for range tombstones, into ranges of about the same size, at most `count`
    /// of them, ascending and no two of the same bytes; none where records lie in memory in that order already, or a
    /// program's own container does not tell. For memtables that take no more writes.
    pub fn split_keys(&self, count: usize) -> Vec<Vec<u8>> {
        self.rep.split_keys(count)
    }

    /// The range tombstones, those included that were added before the call, in few parts: what
    /// reads need while others are added.
    pub fn range_tombstone_parts(&self) -> RangeTombstoneParts {
        self.range_tombstones.parts()
    }

    /// The same as one list. While others are added each call may cut up all of them anew.
    pub fn fragmented_range_tombstones(&self) -> Arc<FragmentedRangeTombstoneList> {
        self.range_tombstones.fragmented()
    }

    /// The same as they were added.
    pub fn range_tombstones(&self) -> Vec<RangeTombstone> {
        self.range_tombstones.all()
    }

    /// The order of the records.
    pub fn comparator(&self) -> &InternalKeyComparator {
        &self.comparator
    }

    /// Whether there is no record and no range tombstone.
    pub fn is_empty(&self) -> bool {
        self.stats.num_entries() == 0
    }

    /// How many records there are, range tombstones included.
    pub fn num_entries(&self) -> u64 {
        self.stats.num_entries()
    }

    /// How many of them are not range tombstones.
    #[inline]
    pub fn num_point_entries(&self) -> u64 {
        self.stats.num_point_entries()
    }

    /// How many of them are deletions of one key, single deletions included.
    pub fn num_deletes(&self) -> u64 {
        self.stats.num_deletes()
    }

    /// How many of them are single deletions.
    pub fn num_single_deletes(&self) -> u64 {
        self.stats.num_single_deletes()
    }

    /// How many of them are merge operands.
    pub fn num_merges(&self) -> u64 {
        self.stats.num_merges()
    }

    /// How many of them are range tombstones.
    #[inline]
    pub fn num_range_deletes(&self) -> u64 {
        self.range_tombstones.count()
    }

    /// Bytes of keys and values, counted as RocksDB lays them out in its memtables.
    pub fn data_size_bytes(&self) -> u64 {
        self.stats.data_size_bytes()
    }

    /// Bytes of memory that RocksDB's memtable would have used for these records: what its
    /// properties tell and `write_buffer_size` is about.
    pub fn approximate_memory_usage(&self) -> usize {
        self.write_buffer.used()
    }

    /// The same with the spare room of blocks: what a limit to all memtables together counts.
    pub fn approximate_memory_allocated(&self) -> usize {
        self.write_buffer.allocated()
    }

    /// Bytes of memory that this memtable really holds, spare room included.
    pub fn allocated_bytes(&self) -> usize {
        let bloom = self.filter.as_ref().map_or(0, |filter| filter.bloom.size_bytes());
        self.rep.allocated_bytes() + self.range_tombstones.allocated_bytes() + bloom
    }

    /// Whether the memtable is full and the next write should go to a new one.
    #[inline]
    pub fn should_flush(&self) -> bool {
        let limit = self.max_range_deletions;
        (limit > 0 && self.num_range_deletes() >= limit) || self.write_buffer.is_full()
    }

    /// Changes `write_buffer_size`. As in RocksDB a memtable with a Bloom filter does not grow: the
    /// filter was made for its size.
    pub fn set_write_buffer_size(&self, size: usize) {
        if self.filter.is_none() || size < self.write_buffer.size() {
            self.write_buffer.set_size(size);
        }
    }

    /// The number within the column family, ascending by age.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The last sequence number when the memtable was made.
    pub fn creation_sequence(&self) -> SequenceNumber {
        self.creation_sequence
    }

    /// A sequence number that no record's is smaller than: that of creation, or where it is not
    /// known the first record's.
    pub fn earliest_sequence(&self) -> SequenceNumber {
        match self.creation_sequence {
            MAX_SEQUENCE_NUMBER => self.first_sequence().unwrap_or(MAX_SEQUENCE_NUMBER),
            sequence => sequence,
        }
    }

    /// The sequence number of the record added first; none if there is no record.
    pub fn first_sequence(&self) -> Option<SequenceNumber> {
        self.stats.first_sequence()
    }

    /// The smallest sequence number; none if there is no record.
    pub fn smallest_sequence(&self) -> Option<SequenceNumber> {
        self.stats.smallest_sequence()
    }

    /// The largest sequence number; none if there is no record.
    pub fn largest_sequence(&self) -> Option<SequenceNumber> {
        self.stats.largest_sequence()
    }

    /// The first WAL that holds records of the next memtable, which is the first one needed when
    /// this one has been flushed; 0 until that is known.
    pub fn next_log_number(&self) -> u64 {
        self.next_log_number.load(Ordering::Relaxed)
    }

    /// Sets [`Self::next_log_number`].
    pub fn set_next_log_number(&self, number: u64) {
        self.next_log_number.store(number, Ordering::Relaxed);
    }

    /// Notes that a transaction was committed into this memtable whose prepared section is in the
    /// WAL `number`, which must not be deleted before the memtable is flushed.
    pub fn reference_prep_log(&self, number: u64) {
        let smaller = |old| (old == 0 || number < old).then_some(number);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        // That the number was not smaller is no failure.
        self.min_prep_log_referenced.fetch_update(set, fetch, smaller).ok();
    }

    /// The first WAL with a prepared section of a transaction that was committed into this
    /// memtable; 0 if there is none.
    pub fn min_prep_log_referenced(&self) -> u64 {
        self.min_prep_log_referenced.load(Ordering::Relaxed)
    }
}

impl MemTableWriter<'_> {
    /// Adds a record. That of a range deletion is its first key and, as value, the key after its
    /// last. Records may come in any order; of records with equal internal keys all are kept,
    /// and the last one added comes first.
    ///
    /// # Panics
    /// If records of this type stand in a WAL only, or the memtable is immutable.
    pub fn add(
        &mut self,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) {
        let Self { memtable, state } = self;
        assert!(!memtable.is_immutable(), "record added to an immutable memtable");
        let is_range_tombstone = value_type == ValueType::RangeDeletion;
        if is_range_tombstone {
            let (start_key, end_key) = (user_key.to_vec(), value.to_vec());
            memtable.range_tombstones.add(RangeTombstone { start_key, end_key, sequence });
        } else {
            assert!(value_type.is_stored(), "{value_type:?} record in a memtable");
            if let Some(filter) = &memtable.filter {
                filter.add(memtable.comparator.strip_timestamp(user_key));
            }
            let trailer = pack_sequence_and_type(sequence, value_type);
            match memtable.insert_hint(user_key) {
                None => state.rep.insert(user_key, trailer, value),
                Some(hint) if state.rep.insert_with_hint(hint, user_key, trailer, value) => {
                    state.account.add_hint();
                }
                Some(_) => {}
            }
        }
        if value_type.is_point_deletion() {
            state.deleted.add(user_key);
        } else if !state.watched.is_empty() && !is_range_tombstone {
            memtable.break_hidden(state, user_key);
        }
        let size = encoded_size(user_key, value);
        memtable.stats.add(sequence, value_type, size);
        state.account.add(size, is_range_tombstone);
        if state.account.is_as_held() {
            state.account.set_held(memtable.rep.allocated_bytes());
        }
        memtable.write_buffer.publish(&state.account);
        state.count_memory();
    }

    /// Says which records are added next, in this order, by their user keys: see [`MemTableRepWriter::expect`].
    /// Range deletions are not among them.
    #[inline]
    pub fn expect(&mut self, user_keys: &[&[u8]]) {
        // Hints say where to begin.
        if self.memtable.insert_hint_extractor.is_none() {
            self.state.rep.expect(user_keys);
        }
    }

    /// The first key that was deleted by itself since this was last asked, if as many as `min` were: who asks
    /// may look what these deletions are in a row with.
    #[inline]
    pub fn take_first_deleted(&mut self, min: u64) -> Option<Vec<u8>> {
        self.state.deleted.take_first(min)
    }

    /// The memtable written to.
    pub fn memtable(&self) -> &MemTable {
        self.memtable
    }
}

#[cfg(test)]
mod tests;
