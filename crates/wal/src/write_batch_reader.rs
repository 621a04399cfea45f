//! Reads the records of a write batch. The layout is in [`write_batch`](crate::write_batch).

use base::coding::{decode_fixed32, decode_fixed64, get_length_prefixed, get_u8, get_varint32};
use base::dbformat::hex;
use base::{Result, SequenceNumber, Status, ValueType};
use std::fmt;

/// Bytes of a batch before its first record.
pub const HEADER_SIZE: usize = 8 + 4;

/// An encoded batch.
#[derive(Clone, Copy, Debug)]
pub struct WriteBatchReader<'a> {
    bytes: &'a [u8],
}

/// One record of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A change of a key or of a range of keys. The only record that is counted.
    Entry(Entry<'a>),
    /// Bytes that only readers of the WAL see.
    LogData(&'a [u8]),
    /// Nothing.
    Noop,
    /// A prepared section begins (write-committed policy).
    BeginPrepare,
    /// A prepared section begins whose entries take effect as prepared (write-prepared policy, and
    /// the last part of a write-unprepared transaction).
    BeginPersistedPrepare,
    /// An earlier part of a write-unprepared transaction begins.
    BeginUnprepare,
    /// The prepared section ends.
    EndPrepare {
        /// Name of the transaction.
        transaction_name: &'a [u8],
    },
    /// A prepared transaction is committed.
    Commit {
        /// Its name.
        transaction_name: &'a [u8],
    },
    /// A prepared transaction is committed and its keys get a timestamp.
    CommitWithTimestamp {
        /// Its name.
        transaction_name: &'a [u8],
        /// The timestamp, as at the end of a key.
        timestamp: &'a [u8],
    },
    /// A prepared transaction is given up.
    Rollback {
        /// Its name.
        transaction_name: &'a [u8],
    },
}

/// A change of a key, or of a range of keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Id of the column family.
    pub column_family_id: u32,
    /// The kind of change: one of `Deletion`, `SingleDeletion`, `Value`, `Merge`, `RangeDeletion`,
    /// `BlobIndex`, `WideColumnEntity`, `ValuePreferredSeqno`.
    pub value_type: ValueType,
    /// The key, with its timestamp where the column family has them; a range's first key.
    pub key: &'a [u8],
    /// By kind: the value, operand, exclusive end of the range, blob index, encoded entity, value
    /// with the time of writing ([`Entry::timed_value`]). Empty for the deletions of one key.
    pub value: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Value and time of writing, in seconds since 1970, of a `ValuePreferredSeqno`.
    ///
    /// # Errors
    /// `Corruption` if the value is too short to end in a time.
    pub fn timed_value(&self) -> Result<(&'a [u8], u64)> {
        match self.value.split_last_chunk::<8>() {
            Some((value, time)) => Ok((value, u64::from_le_bytes(*time))),
            None => Err(Status::corruption(format!(
                "timed value of {} bytes, expected at least 8",
                self.value.len()
            ))),
        }
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column_family_id, value_type, key, value } = self;
        write!(f, "{value_type:?}({column_family_id}, {}, {})", hex(key), hex(value))
    }
}

impl<'a> WriteBatchReader<'a> {
    /// Reads `bytes`, the payload of a WAL record.
    ///
    /// # Errors
    /// `Corruption` if they are shorter than a header.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        if bytes.len() < HEADER_SIZE {
            return Err(Status::corruption(format!(
                "write batch of {} bytes, expected at least {HEADER_SIZE}",
                bytes.len()
            )));
        }
        Ok(Self { bytes })
    }

    /// The sequence number of the first entry.
    pub fn sequence(&self) -> SequenceNumber {
        decode_fixed64(self.bytes, 0)
    }

    /// How many entries the header claims.
    #[inline]
    pub fn count(&self) -> u32 {
        decode_fixed32(self.bytes, 8)
    }

    /// The records in order.
    #[inline]
    pub fn records(&self) -> RecordIterator<'a> {
        RecordIterator { bytes: self.bytes, position: HEADER_SIZE, entry_count: 0 }
    }

    /// The record of a batch that has but one, if that is an entry: most batches are such. None where it is
    /// not whole, of which [`Self::records`] tells more.
    #[inline]
    pub fn only_entry(&self) -> Option<Entry<'a>> {
        if self.count() != 1 {
            return None;
        }
        let mut input = &self.bytes[HEADER_SIZE..];
        let (value_type, has_column_family_id) =
            entry_of_tag(ValueType::from_u8(get_u8(&mut input)?)?)?;
        let entry = parse_entry(value_type, has_column_family_id, &mut input)?;
        input.is_empty().then_some(entry)
    }

    /// Checks the number of entries that were found against the header.
    ///
    /// # Errors
    /// `Corruption` if they differ.
    #[inline]
    pub fn check_count(&self, found: u64) -> Result<()> {
        if found == u64::from(self.count()) {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "write batch has wrong count: expected {}, found {found}",
            self.count()
        )))
    }

    /// Checks that every record can be read and that the count is right.
    ///
    /// # Errors
    /// `Corruption` if not.
    pub fn verify(&self) -> Result<()> {
        let mut records = self.records();
        for record in records.by_ref() {
            record?;
        }
        self.check_count(records.entry_count())
    }
}

/// The records of a batch. Ends after the first error.
#[derive(Clone, Debug)]
pub struct RecordIterator<'a> {
    bytes: &'a [u8],
    position: usize,
    entry_count: u64,
}

impl<'a> RecordIterator<'a> {
    /// Where the next record starts in the batch.
    pub fn offset(&self) -> usize {
        self.position
    }

    /// How many entries there were so far.
    pub fn entry_count(&self) -> u64 {
        self.entry_count
    }
}

impl<'a> Iterator for RecordIterator<'a> {
    type Item = Result<Record<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut input = &self.bytes[self.position..];
        let tag = get_u8(&mut input)?;
        let record = match ValueType::from_u8(tag) {
            None | Some(ValueType::DeletionWithTimestamp) => {
                return Some(Err(self.fail(&format!("unknown write batch tag {tag:#04x}"))));
            }
            Some(tag) => match parse_record(tag, &mut input) {
                Some(record) => record,
                None => {
                    let what = format!("write batch cut short in a {tag:?} record");
                    return Some(Err(self.fail(&what)));
                }
            },
        };
        self.position = self.bytes.len() - input.len();
        self.entry_count += u64::from(matches!(record, Record::Entry(_)));
        Some(Ok(record))
    }
}

impl RecordIterator<'_> {
    #[cold]
    fn fail(&mut self, what: &str) -> Status {
        let offset = self.position;
        self.position = self.bytes.len();
        Status::corruption(format!("{what} at offset {offset} of the batch"))
    }
}

/// Takes the fields after `tag`; none if they end too early, or if the tag is of no batch.
fn parse_record<'a>(tag: ValueType, input: &mut &'a [u8]) -> Option<Record<'a>> {
    match entry_of_tag(tag) {
        Some((value_type, has_column_family_id)) => {
            parse_entry(value_type, has_column_family_id, input).map(Record::Entry)
        }
        None => parse_marker(tag, input),
    }
}

/// Which kind of change a tag is, and whether the id of a column family follows it.
#[inline]
fn entry_of_tag(tag: ValueType) -> Option<(ValueType, bool)> {
    use ValueType::*;
    Some(match tag {
        Deletion | SingleDeletion | Value | Merge | RangeDeletion | BlobIndex
        | WideColumnEntity | ValuePreferredSeqno => (tag, false),
        ColumnFamilyDeletion => (Deletion, true),
        ColumnFamilySingleDeletion => (SingleDeletion, true),
        ColumnFamilyValue => (Value, true),
        ColumnFamilyMerge => (Merge, true),
        ColumnFamilyRangeDeletion => (RangeDeletion, true),
        ColumnFamilyBlobIndex => (BlobIndex, true),
        ColumnFamilyWideColumnEntity => (WideColumnEntity, true),
        ColumnFamilyValuePreferredSeqno => (ValuePreferredSeqno, true),
        _ => return None,
    })
}

#[inline]
fn parse_entry<'a>(
    value_type: ValueType,
    has_column_family_id: bool,
    input: &mut &'a [u8],
) -> Option<Entry<'a>> {
    let column_family_id = if has_column_family_id { get_varint32(input)? } else { 0 };
    let key = get_length_prefixed(input)?;
    let value = match value_type {
        ValueType::Deletion | ValueType::SingleDeletion => &[],
        _ => get_length_prefixed(input)?,
    };
    Some(Entry { column_family_id, value_type, key, value })
}

fn parse_marker<'a>(tag: ValueType, input: &mut &'a [u8]) -> Option<Record<'a>> {
    Some(match tag {
        ValueType::LogData => Record::LogData(get_length_prefixed(input)?),
        ValueType::Noop => Record::Noop,
        ValueType::BeginPrepare => Record::BeginPrepare,
        ValueType::BeginPersistedPrepare => Record::BeginPersistedPrepare,
        ValueType::BeginUnprepare => Record::BeginUnprepare,
        ValueType::EndPrepare => {
            Record::EndPrepare { transaction_name: get_length_prefixed(input)? }
        }
        ValueType::Commit => Record::Commit { transaction_name: get_length_prefixed(input)? },
        ValueType::Rollback => Record::Rollback { transaction_name: get_length_prefixed(input)? },
        ValueType::CommitXidAndTimestamp => {
            let timestamp = get_length_prefixed(input)?;
            let transaction_name = get_length_prefixed(input)?;
            Record::CommitWithTimestamp { transaction_name, timestamp }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
