//! The records of one column family that are in no table yet.

use crate::memtable_rep::{MemTableEntry, MemTableRep, Position};
use crate::vector_rep::VectorRep;
use base::coding::varint_length;
use base::dbformat::{TRAILER_SIZE, extract_user_key, pack_sequence_and_type};
use base::{
    InternalIterator, InternalKeyComparator, PinnableSlice, RangeTombstone, Result, SequenceNumber,
    ValueType,
};
use iterator::FragmentedRangeTombstoneList;
use std::sync::{Arc, OnceLock};

/// Records in memory. Filled by one owner, then shared and read.
#[derive(Debug)]
pub struct MemTable {
    comparator: InternalKeyComparator,
    rep: Box<dyn MemTableRep>,
    range_tombstones: Vec<RangeTombstone>,
    /// The range tombstones cut up, once a read has asked for them.
    fragmented: OnceLock<Arc<FragmentedRangeTombstoneList>>,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    entries: u64,
    deletes: u64,
    data_size_bytes: u64,
    first_sequence: Option<SequenceNumber>,
    smallest_sequence: Option<SequenceNumber>,
    largest_sequence: Option<SequenceNumber>,
}

impl MemTable {
    /// An empty memtable.
    pub fn new(comparator: InternalKeyComparator) -> Self {
        let rep = Box::new(VectorRep::new(comparator.clone()));
        Self {
            comparator,
            rep,
            range_tombstones: Vec::new(),
            fragmented: OnceLock::new(),
            counts: Counts::default(),
        }
    }

    /// Adds a record. That of a range deletion is its first key and, as value, the key after its
    /// last. Records may come in any order; of records with equal internal keys all are kept,
    /// and the last one added comes first.
    ///
    /// # Panics
    /// If records of this type stand in a WAL only.
    pub fn add(
        &mut self,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) {
        if value_type == ValueType::RangeDeletion {
            self.fragmented.take();
            self.range_tombstones.push(RangeTombstone {
                start_key: user_key.to_vec(),
                end_key: value.to_vec(),
                sequence,
            });
        } else {
            assert!(value_type.is_stored(), "{value_type:?} record in a memtable");
            self.rep.insert(user_key, pack_sequence_and_type(sequence, value_type), value);
        }
        self.counts.add(sequence, value_type, user_key, value);
    }

    /// Visits the versions of a key, newest first, from the internal key `seek_key` on until
    /// `visitor` returns false. In a column family with timestamps the versions of a key are those
    /// of all its timestamps. Range tombstones are not among them.
    pub fn get<'a>(&'a self, seek_key: &[u8], mut visitor: impl FnMut(MemTableEntry<'a>) -> bool) {
        let user_key = extract_user_key(seek_key);
        let mut next = self.rep.seek(seek_key);
        while let Some(position) = next {
            let entry = self.rep.entry(position);
            let order = self.comparator.compare_without_timestamp(entry.user_key(), user_key);
            if order.is_ne() || !visitor(entry) {
                return;
            }
            next = self.rep.next(position);
        }
    }

    /// Iterates over all records but range tombstones.
    pub fn new_iterator(self: &Arc<Self>) -> MemTableIterator {
        MemTableIterator { memtable: self.clone(), position: None }
    }

    /// The range tombstones.
    pub fn fragmented_range_tombstones(&self) -> &Arc<FragmentedRangeTombstoneList> {
        self.fragmented.get_or_init(|| {
            let tombstones = self.range_tombstones.clone();
            Arc::new(FragmentedRangeTombstoneList::new(tombstones, &self.comparator))
        })
    }

    /// The order of the records.
    pub fn comparator(&self) -> &InternalKeyComparator {
        &self.comparator
    }

    /// Whether there is no record and no range tombstone.
    pub fn is_empty(&self) -> bool {
        self.counts.entries == 0
    }

    /// How many records there are, range tombstones included.
    pub fn num_entries(&self) -> u64 {
        self.counts.entries
    }

    /// How many of them are deletions of one key.
    pub fn num_deletes(&self) -> u64 {
        self.counts.deletes
    }

    /// How many of them are range tombstones.
    pub fn num_range_deletes(&self) -> u64 {
        self.range_tombstones.len() as u64
    }

    /// Bytes of keys and values, counted as RocksDB lays them out in its memtables.
    pub fn data_size_bytes(&self) -> u64 {
        self.counts.data_size_bytes
    }

    /// Bytes of memory held, spare room included.
    pub fn approximate_memory_usage(&self) -> usize {
        let range_tombstones: usize = self
            .range_tombstones
            .iter()
            .map(|tombstone| tombstone.start_key.capacity() + tombstone.end_key.capacity())
            .sum();
        self.rep.approximate_memory_usage()
            + range_tombstones
            + self.range_tombstones.capacity() * size_of::<RangeTombstone>()
    }

    /// The sequence number of the record added first; none if there is no record.
    pub fn first_sequence(&self) -> Option<SequenceNumber> {
        self.counts.first_sequence
    }

    /// The smallest sequence number; none if there is no record.
    pub fn smallest_sequence(&self) -> Option<SequenceNumber> {
        self.counts.smallest_sequence
    }

    /// The largest sequence number; none if there is no record.
    pub fn largest_sequence(&self) -> Option<SequenceNumber> {
        self.counts.largest_sequence
    }
}

impl Counts {
    fn add(
        &mut self,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) {
        let prefixed = |length: usize| varint_length(length as u64) + length;
        let size = prefixed(user_key.len() + TRAILER_SIZE) + prefixed(value.len());
        self.entries += 1;
        self.deletes += u64::from(value_type.is_point_deletion());
        self.data_size_bytes += size as u64;
        self.first_sequence.get_or_insert(sequence);
        self.smallest_sequence = Some(self.smallest_sequence.map_or(sequence, |s| s.min(sequence)));
        self.largest_sequence = self.largest_sequence.max(Some(sequence));
    }
}

/// Iterates over a memtable and keeps it alive.
#[derive(Clone, Debug)]
pub struct MemTableIterator {
    memtable: Arc<MemTable>,
    position: Option<Position>,
}

impl MemTableIterator {
    #[inline]
    fn position(&self) -> Position {
        match self.position {
            Some(position) => position,
            None => panic!("iterator is not valid"),
        }
    }

    #[inline]
    fn entry(&self) -> MemTableEntry<'_> {
        self.memtable.rep.entry(self.position())
    }
}

impl InternalIterator for MemTableIterator {
    fn valid(&self) -> bool {
        self.position.is_some()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.position = self.memtable.rep.first();
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.position = self.memtable.rep.last();
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.position = self.memtable.rep.seek(target);
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.position = self.memtable.rep.seek_for_prev(target);
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.position = self.memtable.rep.next(self.position());
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        self.position = self.memtable.rep.prev(self.position());
        Ok(())
    }

    fn key(&self) -> &[u8] {
        self.entry().key()
    }

    fn value(&self) -> &[u8] {
        self.entry().value()
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.entry().pinned_value()
    }
}

#[cfg(test)]
mod tests;
