//! Write batches: what a user writes at once, and the payload of a WAL's records.
//!
//! ```text
//! batch     fixed64 sequence number of the first entry | fixed32 count of entries | records
//! record    tag u8 | fields by tag
//!
//! entries, which take a sequence number each
//!   00 Deletion, 07 SingleDeletion    key
//!   01 Value, 02 Merge                key | value
//!   0f RangeDeletion                  begin key | end key, exclusive
//!   11 BlobIndex                      key | blob index
//!   16 WideColumnEntity               key | entity
//!   18 ValuePreferredSeqno            key | (value, fixed64 seconds since 1970 when written)
//! the same with a varint32 column family id before the key
//!   04, 08, 05, 06, 0e, 10, 17, 19    in the order of the plain tags above
//! others
//!   03 LogData                        bytes
//!   0d Noop                           nothing
//!   09, 12, 13 begin of a prepared section, write-committed, -prepared and -unprepared
//!   0a EndPrepare, 0b Commit, 0c Rollback    transaction name
//!   15 CommitXidAndTimestamp          commit timestamp | transaction name
//! ```
//!
//! Every field is a length-prefixed byte string unless it says otherwise. A key has its timestamp
//! at its end where its column family has them. One WAL record may hold several users' batches
//! back to back, so record borders are not theirs.

use crate::write_batch_reader::{HEADER_SIZE, WriteBatchReader};
use base::coding::{
    decode_fixed32, decode_fixed64, put_fixed64, put_length_prefixed, put_varint32,
};
use base::wide_columns::{self, Column};
use base::{Result, SequenceNumber, Status, ValueType};
use std::fmt;

const COUNT_OFFSET: usize = 8;
/// Bytes of an entry beside its key and value: a tag and three numbers of 32 bits.
const ENTRY_OVERHEAD_MAX: usize = 1 + 3 * 5;

/// Operations to be written at once, in order.
#[derive(Clone, PartialEq, Eq)]
pub struct WriteBatch {
    bytes: Vec<u8>,
}

impl WriteBatch {
    /// An empty batch.
    pub fn new() -> Self {
        Self { bytes: vec![0; HEADER_SIZE] }
    }

    /// An empty batch in this memory, with room for an entry whose key and value have so many bytes
    /// together.
    #[inline]
    pub fn in_buffer(mut bytes: Vec<u8>, entry_bytes: usize) -> Self {
        bytes.clear();
        bytes.reserve(HEADER_SIZE + ENTRY_OVERHEAD_MAX + entry_bytes);
        bytes.extend_from_slice(&[0; HEADER_SIZE]);
        Self { bytes }
    }

    /// Its memory, to be used again.
    #[inline]
    pub fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    /// A batch from its encoded bytes. Records are not looked at.
    ///
    /// # Errors
    /// `Corruption` if they are shorter than a header.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        WriteBatchReader::new(&bytes)?;
        Ok(Self { bytes })
    }

    /// The encoded bytes.
    #[inline]
    pub fn data(&self) -> &[u8] {
        &self.bytes
    }

    /// The encoded bytes, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Reads the records.
    #[inline]
    pub fn reader(&self) -> WriteBatchReader<'_> {
        WriteBatchReader::new(&self.bytes).expect("a batch has a header")
    }

    /// Forgets all records and the sequence number.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.resize(HEADER_SIZE, 0);
    }

    /// Whether there are no records at all.
    pub fn is_empty(&self) -> bool {
        self.bytes.len() == HEADER_SIZE
    }

    /// How many entries there are, other records not counted.
    #[inline]
    pub fn count(&self) -> u32 {
        decode_fixed32(&self.bytes, COUNT_OFFSET)
    }

    /// The sequence number of the first entry.
    #[inline]
    pub fn sequence(&self) -> SequenceNumber {
        decode_fixed64(&self.bytes, 0)
    }

    /// Sets the sequence number of the first entry.
    #[inline]
    pub fn set_sequence(&mut self, sequence: SequenceNumber) {
        self.bytes[..COUNT_OFFSET].copy_from_slice(&sequence.to_le_bytes());
    }

    /// Sets a key's value.
    ///
    /// # Errors
    /// This and the other entries: `InvalidArgument` if key and value together have 4 GiB or nearly
    /// so, or the batch has as many entries as can be counted.
    #[inline]
    pub fn put(&mut self, column_family_id: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add_entry(ValueType::Value, column_family_id, key, Some(value))
    }

    /// Deletes a key.
    ///
    /// # Errors
    /// As [`WriteBatch::put`].
    pub fn delete(&mut self, column_family_id: u32, key: &[u8]) -> Result<()> {
        self.add_entry(ValueType::Deletion, column_family_id, key, None)
    }

    /// Deletes a key that was put once since it was last deleted.
    ///
    /// # Errors
    /// As [`WriteBatch::put`].
    pub fn single_delete(&mut self, column_family_id: u32, key: &[u8]) -> Result<()> {
        self.add_entry(ValueType::SingleDeletion, column_family_id, key, None)
    }

    /// Adds a merge operand to a key.
    ///
    /// # Errors
    /// As [`WriteBatch::put`].
    pub fn merge(&mut self, column_family_id: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add_entry(ValueType::Merge, column_family_id, key, Some(operand))
    }

    /// Deletes the keys from `begin` up to but not including `end`.
    ///
    /// # Errors
    /// As [`WriteBatch::put`].
    pub fn delete_range(&mut self, column_family_id: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.add_entry(ValueType::RangeDeletion, column_family_id, begin, Some(end))
    }

    /// Sets a key's value to a reference into a blob file.
    ///
    /// # Errors
    /// As [`WriteBatch::put`].
    pub fn put_blob_index(
        &mut self,
        column_family_id: u32,
        key: &[u8],
        blob_index: &[u8],
    ) -> Result<()> {
        self.add_entry(ValueType::BlobIndex, column_family_id, key, Some(blob_index))
    }

    /// Sets a key to an entity of columns, names and values in any order.
    ///
    /// # Errors
    /// As [`WriteBatch::put`], and `InvalidArgument` if a name is there twice.
    pub fn put_entity(
        &mut self,
        column_family_id: u32,
        key: &[u8],
        columns: &[(&[u8], &[u8])],
    ) -> Result<()> {
        let sizes = columns.iter().map(|(name, value)| name.len() + value.len());
        check_entry_size(key.len(), sizes.sum())?;
        let mut columns: Vec<_> = columns
            .iter()
            .map(|&(name, value)| Column { name, value, is_blob_index: false })
            .collect();
        columns.sort_by_key(|column| column.name);
        if columns.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return Err(Status::invalid_argument("entity with two columns of one name"));
        }
        let entity = wide_columns::encode(&columns);
        self.add_entry(ValueType::WideColumnEntity, column_family_id, key, Some(&entity))
    }

    /// Sets a key's value as if written at a time, in seconds since 1970 ("TimedPut").
    ///
    /// # Errors
    /// As [`WriteBatch::put`].
    pub fn timed_put(
        &mut self,
        column_family_id: u32,
        key: &[u8],
        value: &[u8],
        write_unix_time: u64,
    ) -> Result<()> {
        let mut packed = Vec::with_capacity(value.len() + 8);
        packed.extend_from_slice(value);
        put_fixed64(&mut packed, write_unix_time);
        self.add_entry(ValueType::ValuePreferredSeqno, column_family_id, key, Some(&packed))
    }

    /// Adds bytes that only readers of the WAL see.
    ///
    /// # Errors
    /// `InvalidArgument` if there are 4 GiB or more.
    pub fn put_log_data(&mut self, bytes: &[u8]) -> Result<()> {
        self.add_marker(ValueType::LogData, &[bytes])
    }

    /// Adds nothing. As the first record, it holds the place for
    /// [`WriteBatch::mark_end_prepare`].
    pub fn put_noop(&mut self) {
        self.bytes.push(ValueType::Noop as u8);
    }

    /// Makes all records the prepared section of a write-committed transaction.
    ///
    /// # Errors
    /// `InvalidArgument` if the batch does not begin with [`WriteBatch::put_noop`] or the name has
    /// 4 GiB or more.
    pub fn mark_end_prepare(&mut self, transaction_name: &[u8]) -> Result<()> {
        if self.bytes.get(HEADER_SIZE) != Some(&(ValueType::Noop as u8)) {
            return Err(Status::invalid_argument("prepared batch does not begin with a no-op"));
        }
        self.add_marker(ValueType::EndPrepare, &[transaction_name])?;
        self.bytes[HEADER_SIZE] = ValueType::BeginPrepare as u8;
        Ok(())
    }

    /// Commits a prepared transaction.
    ///
    /// # Errors
    /// As [`WriteBatch::put_log_data`].
    pub fn mark_commit(&mut self, transaction_name: &[u8]) -> Result<()> {
        self.add_marker(ValueType::Commit, &[transaction_name])
    }

    /// Commits a prepared transaction and gives its keys a timestamp.
    ///
    /// # Errors
    /// As [`WriteBatch::put_log_data`].
    pub fn mark_commit_with_timestamp(
        &mut self,
        transaction_name: &[u8],
        timestamp: &[u8],
    ) -> Result<()> {
        self.add_marker(ValueType::CommitXidAndTimestamp, &[timestamp, transaction_name])
    }

    /// Gives up a prepared transaction.
    ///
    /// # Errors
    /// As [`WriteBatch::put_log_data`].
    pub fn mark_rollback(&mut self, transaction_name: &[u8]) -> Result<()> {
        self.add_marker(ValueType::Rollback, &[transaction_name])
    }

    /// Adds an entry; `value_type` is one that takes no column family id.
    fn add_entry(
        &mut self,
        value_type: ValueType,
        column_family_id: u32,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<()> {
        check_entry_size(key.len(), value.map_or(0, <[u8]>::len))?;
        let count = self.count().checked_add(1).ok_or_else(|| {
            Status::invalid_argument(format!("write batch of more than {} entries", u32::MAX))
        })?;
        let lengths = key.len() + value.map_or(0, <[u8]>::len);
        self.bytes.reserve(lengths + ENTRY_OVERHEAD_MAX);
        if column_family_id == 0 {
            self.bytes.push(value_type as u8);
        } else {
            self.bytes.push(with_column_family_id(value_type) as u8);
            put_varint32(&mut self.bytes, column_family_id);
        }
        put_length_prefixed(&mut self.bytes, key);
        if let Some(value) = value {
            put_length_prefixed(&mut self.bytes, value);
        }
        self.bytes[COUNT_OFFSET..HEADER_SIZE].copy_from_slice(&count.to_le_bytes());
        Ok(())
    }

    fn add_marker(&mut self, tag: ValueType, fields: &[&[u8]]) -> Result<()> {
        fields.iter().try_for_each(|field| check_size(field))?;
        self.bytes.push(tag as u8);
        for field in fields {
            put_length_prefixed(&mut self.bytes, field);
        }
        Ok(())
    }
}

/// The tag of an entry that names its column family.
fn with_column_family_id(value_type: ValueType) -> ValueType {
    match value_type {
        ValueType::Deletion => ValueType::ColumnFamilyDeletion,
        ValueType::Value => ValueType::ColumnFamilyValue,
        ValueType::Merge => ValueType::ColumnFamilyMerge,
        ValueType::SingleDeletion => ValueType::ColumnFamilySingleDeletion,
        ValueType::RangeDeletion => ValueType::ColumnFamilyRangeDeletion,
        ValueType::BlobIndex => ValueType::ColumnFamilyBlobIndex,
        ValueType::WideColumnEntity => ValueType::ColumnFamilyWideColumnEntity,
        ValueType::ValuePreferredSeqno => ValueType::ColumnFamilyValuePreferredSeqno,
        other => unreachable!("{other:?} is no entry of a batch"),
    }
}

/// Keys become internal keys, whose length has to fit in 32 bits too.
const KEY_SIZE_MAX: usize = u32::MAX as usize - base::dbformat::TRAILER_SIZE;
/// Offsets within the blocks of tables have 32 bits, and one block holds a key and its value. RocksDB
/// takes values of up to 4 GiB, and fails to flush the last few of these sizes.
const ENTRY_SIZE_MAX: usize = u32::MAX as usize - (64 << 10);

/// Checks that an entry of these sizes can be written, now and into a table.
///
/// # Errors
/// `InvalidArgument` that says which of them is too large.
#[inline]
pub fn check_entry_size(key_bytes: usize, value_bytes: usize) -> Result<()> {
    if key_bytes.saturating_add(value_bytes) <= ENTRY_SIZE_MAX {
        return Ok(());
    }
    Err(too_large(key_bytes, value_bytes))
}

#[cold]
fn too_large(key_bytes: usize, value_bytes: usize) -> Status {
    let which = if key_bytes > ENTRY_SIZE_MAX { "key" } else { "value" };
    Status::invalid_argument(format!(
        "{which} is too large: {key_bytes} bytes of key and {value_bytes} of value, at most \
         {ENTRY_SIZE_MAX} of both can be written"
    ))
}

/// Checks a field that is no part of an entry.
fn check_size(field: &[u8]) -> Result<()> {
    if field.len() > KEY_SIZE_MAX {
        return Err(Status::invalid_argument(format!(
            "{} bytes in a record of a write batch, at most {KEY_SIZE_MAX} can be written",
            field.len()
        )));
    }
    Ok(())
}

impl Default for WriteBatch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for record in self.reader().records() {
            list.entry(&record);
        }
        list.finish()
    }
}

#[cfg(test)]
mod tests;
