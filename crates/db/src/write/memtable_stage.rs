//! Where entries go in memory: the memtables that take writes, by column family.

use crate::column_family::ColumnFamilyData;
use crate::deletion_passes::pass_trigger;
use crate::write::merge_at_write::merge_at_write;
use base::dbformat::{ValueType, hex};
use base::{Result, SequenceNumber, Status};
use memtable::{EXPECTED_KEYS_MAX, MemTable, MemTableWriter};
use options::ColumnFamilyOptions;
use std::sync::Arc;
use wal::write_batch_reader::{Entry, Record, RecordIterator};
use wal::{WriteBatch, WriteBatchReader, check_entry_size};

/// A column family that takes writes.
#[derive(Clone, Debug)]
pub(crate) struct ActiveFamily {
    pub(crate) data: Arc<ColumnFamilyData>,
    pub(crate) memtable: Arc<MemTable>,
    /// Those of the column family, as of when it was turned to this memtable or they last changed.
    pub(crate) options: Arc<ColumnFamilyOptions>,
    timestamp_size: usize,
    /// Deletions that ask for a pass over what they are in a row with, if any do.
    pass_trigger: Option<u64>,
}

impl ActiveFamily {
    pub(crate) fn new(data: Arc<ColumnFamilyData>, memtable: Arc<MemTable>) -> Self {
        let timestamp_size = data.comparator.timestamp_size();
        let options = data.options();
        let pass_trigger = pass_trigger(&options, &data.comparator);
        Self { data, memtable, options, timestamp_size, pass_trigger }
    }
}

/// The memtables that take writes. One writer at a time has it.
#[derive(Debug, Default)]
pub(crate) struct MemTableStage {
    /// By id.
    families: Vec<ActiveFamily>,
}

/// What a batch was found to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckedBatch {
    /// Entries, which take a sequence number each.
    pub(crate) entries: u64,
    /// Its column families with timestamps, and the sizes of these.
    pub(crate) timestamp_sizes: Vec<(u32, u16)>,
}

impl MemTableStage {
    /// Turns the writes of a column family to a memtable.
    pub(crate) fn set(&mut self, family: ActiveFamily) {
        match self.position(family.data.id) {
            Ok(index) => self.families[index] = family,
            Err(index) => self.families.insert(index, family),
        }
    }

    /// The column family takes no writes any more.
    pub(crate) fn remove(&mut self, id: u32) {
        if let Ok(index) = self.position(id) {
            self.families.remove(index);
        }
    }

    fn position(&self, id: u32) -> std::result::Result<usize, usize> {
        self.families.binary_search_by_key(&id, |family| family.data.id)
    }

    /// The column family of this id, if it takes writes.
    #[inline]
    pub(crate) fn family(&self, id: u32) -> Option<&ActiveFamily> {
        match self.families.first() {
            Some(first) if first.data.id == id => Some(first),
            _ => self.position(id).ok().map(|index| &self.families[index]),
        }
    }

    /// The column families in the order of their ids.
    pub(crate) fn families(&self) -> &[ActiveFamily] {
        &self.families
    }

    /// Checks a batch before anything of it is written: afterwards it cannot fail.
    ///
    /// # Errors
    /// `Corruption` if it is malformed, `InvalidArgument` if it names a column family that does not
    /// exist (unless these are to be ignored) or keys without the timestamps of theirs,
    /// `NotSupported` for records that this engine does not write.
    pub(crate) fn check(&self, batch: &WriteBatch, ignores_missing: bool) -> Result<CheckedBatch> {
        let mut checked = CheckedBatch::default();
        let reader = batch.reader();
        if let Some(entry) = reader.only_entry() {
            self.check_entry(&entry, ignores_missing, &mut checked)?;
            checked.entries = 1;
            return Ok(checked);
        }
        let mut records = reader.records();
        for record in records.by_ref() {
            match record? {
                Record::Entry(entry) => self.check_entry(&entry, ignores_missing, &mut checked)?,
                Record::LogData(_) | Record::Noop => {}
                other => {
                    return Err(Status::not_supported(format!(
                        "write batch with {other:?}: transactions are not written yet"
                    )));
                }
            }
        }
        reader.check_count(records.entry_count())?;
        checked.entries = records.entry_count();
        Ok(checked)
    }

    #[inline]
    fn check_entry(
        &self,
        entry: &Entry<'_>,
        ignores_missing: bool,
        checked: &mut CheckedBatch,
    ) -> Result<()> {
        let Some(family) = self.family(entry.column_family_id) else {
            return match ignores_missing {
                true => Ok(()),
                false => Err(Status::invalid_argument(format!(
                    "Invalid column family specified in write batch: no family with id {}",
                    entry.column_family_id
                ))),
            };
        };
        check_entry_size(entry.key.len(), entry.value.len())?;
        if family.timestamp_size > 0 {
            check_timestamps(family, entry, checked)?;
        }
        match entry.value_type {
            ValueType::Merge if family.options.merge_operator.is_none() => {
                Err(Status::invalid_argument(format!(
                    "Merge requires `ColumnFamilyOptions::merge_operator != nullptr`: column family \
                     {} has none",
                    family.data.name
                )))
            }
            ValueType::RangeDeletion => check_range(family, entry),
            ValueType::ValuePreferredSeqno => entry.timed_value().map(|_| ()),
            ValueType::BlobIndex => Err(Status::not_supported(format!(
                "write batch with a blob index for key {}: blob files are written by flush and \
                 compaction only",
                hex(entry.key)
            ))),
            _ => Ok(()),
        }
    }

    /// Puts the entries of a checked batch into the memtables, numbered from `sequence` on, and
    /// returns the number that follows. Ids of column families whose memtables are full, and keys where many
    /// deletions begin or end, go into `found`.
    ///
    /// # Errors
    /// None for a batch that was checked.
    pub(crate) fn insert(
        &self,
        batch: &[u8],
        mut sequence: SequenceNumber,
        found: &mut InsertFindings,
    ) -> Result<SequenceNumber> {
        let reader = WriteBatchReader::new(batch)?;
        if let Some(entry) = reader.only_entry() {
            if let Some(family) = self.family(entry.column_family_id) {
                let mut target = Target::new(family);
                target.insert(&entry, sequence)?;
                target.end(found);
            }
            return Ok(sequence + 1);
        }
        // Entries of one column family come together more often than not.
        let mut target: Option<Target<'_>> = None;
        let mut expected = 0;
        let mut records = reader.records();
        loop {
            let ahead = records.clone();
            let Some(record) = records.next() else { break };
            let Record::Entry(entry) = record? else { continue };
            let id = entry.column_family_id;
            if target.as_ref().is_none_or(|target| target.family.data.id != id) {
                if let Some(target) = target.take() {
                    target.end(found);
                }
                target = self.family(id).map(Target::new);
                expected = 0;
            }
            if let Some(target) = &mut target {
                if expected == 0 {
                    expected = target.expect(ahead);
                }
                expected = expected.saturating_sub(1);
                target.insert(&entry, sequence)?;
            }
            sequence += 1;
        }
        if let Some(target) = target {
            target.end(found);
        }
        Ok(sequence)
    }
}

/// What the insertion of entries finds out.
#[derive(Debug, Default)]
pub(crate) struct InsertFindings {
    /// Ids of column families whose memtables are full, each once.
    pub(crate) full: Vec<u32>,
    /// The first and the last of keys that were deleted, where they are many, and the id of their column family.
    pub(crate) deleted: Vec<(u32, Vec<u8>)>,
}

/// A memtable that entries go into, one after the other.
struct Target<'s> {
    family: &'s ActiveFamily,
    writer: MemTableWriter<'s>,
    last_deleted: Option<&'s [u8]>,
}

impl<'s> Target<'s> {
    fn new(family: &'s ActiveFamily) -> Self {
        Self { family, writer: family.memtable.writer(), last_deleted: None }
    }

    #[inline]
    fn insert(&mut self, entry: &Entry<'s>, sequence: SequenceNumber) -> Result<()> {
        if entry.value_type.is_point_deletion() {
            self.last_deleted = Some(entry.key);
        }
        let (value_type, value) = match entry.value_type {
            // It covers nothing.
            ValueType::RangeDeletion if entry.key == entry.value => return Ok(()),
            ValueType::Deletion if self.family.timestamp_size > 0 => {
                (ValueType::DeletionWithTimestamp, entry.value)
            }
            // The time of writing becomes a preferred sequence number only where a map from
            // sequence to time exists; without one it is a plain value.
            ValueType::ValuePreferredSeqno => (ValueType::Value, entry.timed_value()?.0),
            value_type => (value_type, entry.value),
        };
        if value_type == ValueType::Merge
            && let Some(merged) = merge_at_write(self.family, entry, sequence)
        {
            self.writer.add(sequence, merged.value_type, entry.key, &merged.value);
            return Ok(());
        }
        self.writer.add(sequence, value_type, entry.key, value);
        Ok(())
    }

    /// Tells the memtable which keys come next: those that `ahead` begins with, as far as they are records of
    /// its own. Returns how many.
    fn expect(&mut self, ahead: RecordIterator<'_>) -> usize {
        let id = self.family.data.id;
        let mut keys = [[].as_slice(); EXPECTED_KEYS_MAX];
        let mut count = 0;
        for (key, record) in keys.iter_mut().zip(ahead) {
            let Ok(Record::Entry(entry)) = record else { break };
            if entry.column_family_id != id || entry.value_type == ValueType::RangeDeletion {
                break;
            }
            *key = entry.key;
            count += 1;
        }
        self.writer.expect(&keys[..count]);
        count
    }

    /// No more entries go in for now: notes what those have led to.
    #[inline]
    fn end(mut self, found: &mut InsertFindings) {
        let id = self.family.data.id;
        if self.family.memtable.should_flush() && !found.full.contains(&id) {
            found.full.push(id);
        }
        if let (Some(last), Some(trigger)) = (self.last_deleted, self.family.pass_trigger)
            && let Some(first) = self.writer.take_first_deleted(trigger)
        {
            found.deleted.extend([(id, first), (id, last.to_vec())]);
        }
    }
}

fn check_range(family: &ActiveFamily, entry: &Entry<'_>) -> Result<()> {
    if family.data.comparator.compare_user_keys(entry.key, entry.value).is_gt() {
        return Err(Status::invalid_argument(format!(
            "end key {} comes before start key {} of a range deletion in column family {}",
            hex(entry.value),
            hex(entry.key),
            family.data.name
        )));
    }
    Ok(())
}

/// Keys of a column family with timestamps end in one.
fn check_timestamps(
    family: &ActiveFamily,
    entry: &Entry<'_>,
    checked: &mut CheckedBatch,
) -> Result<()> {
    let size = family.timestamp_size;
    let is_range = entry.value_type == ValueType::RangeDeletion;
    if entry.key.len() < size || (is_range && entry.value.len() < size) {
        return Err(Status::invalid_argument(format!(
            "Timestamp sizes mismatch: key {} has no room for the {size} bytes of timestamp that \
             column family {} has",
            hex(entry.key),
            family.data.name
        )));
    }
    let id = entry.column_family_id;
    if !checked.timestamp_sizes.iter().any(|(stated, _)| *stated == id) {
        checked.timestamp_sizes.push((id, size as u16));
    }
    Ok(())
}
