//! Where entries go in memory: the memtables that take writes, by column family.

use crate::column_family::ColumnFamilyData;
use base::dbformat::{ValueType, hex};
use base::{Result, SequenceNumber, Status};
use memtable::MemTable;
use std::sync::Arc;
use wal::write_batch_reader::{Entry, Record};
use wal::{WriteBatch, WriteBatchReader};

/// A column family that takes writes.
#[derive(Clone, Debug)]
pub(crate) struct ActiveFamily {
    pub(crate) data: Arc<ColumnFamilyData>,
    pub(crate) memtable: Arc<MemTable>,
    timestamp_size: usize,
}

impl ActiveFamily {
    pub(crate) fn new(data: Arc<ColumnFamilyData>, memtable: Arc<MemTable>) -> Self {
        let timestamp_size = data.comparator.timestamp_size();
        Self { data, memtable, timestamp_size }
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
        if family.timestamp_size > 0 {
            check_timestamps(family, entry, checked)?;
        }
        match entry.value_type {
            ValueType::Merge if family.data.options.merge_operator.is_none() => {
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

    /// Puts the entries of a checked batch into the memtables, numbered from `sequence` on. Ids of
    /// column families whose memtables are full go into `full`.
    ///
    /// # Errors
    /// None for a batch that was checked.
    pub(crate) fn insert(
        &self,
        batch: &[u8],
        mut sequence: SequenceNumber,
        full: &mut Vec<u32>,
    ) -> Result<()> {
        for record in WriteBatchReader::new(batch)?.records() {
            let Record::Entry(entry) = record? else { continue };
            if let Some(family) = self.family(entry.column_family_id) {
                family.insert(&entry, sequence)?;
                if family.memtable.should_flush() && !full.contains(&family.data.id) {
                    full.push(family.data.id);
                }
            }
            sequence += 1;
        }
        Ok(())
    }
}

impl ActiveFamily {
    #[inline]
    fn insert(&self, entry: &Entry<'_>, sequence: SequenceNumber) -> Result<()> {
        let (value_type, value) = match entry.value_type {
            // It covers nothing.
            ValueType::RangeDeletion if entry.key == entry.value => return Ok(()),
            ValueType::Deletion if self.timestamp_size > 0 => {
                (ValueType::DeletionWithTimestamp, entry.value)
            }
            // The time of writing becomes a preferred sequence number only where a map from
            // sequence to time exists; without one it is a plain value.
            ValueType::ValuePreferredSeqno => (ValueType::Value, entry.timed_value()?.0),
            value_type => (value_type, entry.value),
        };
        self.memtable.add(sequence, value_type, entry.key, value);
        Ok(())
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
