//! Internal keys: what a user key becomes in a memtable or a table.
//!
//! ```text
//! internal key = user key | fixed64(sequence << 8 | value type)
//! ```
//!
//! Order: user key ascending by the column family's comparator, then the packed trailer
//! *descending*, so that the newest version of a key comes first.

use crate::coding::{decode_fixed64, put_fixed64};
use crate::status::{Result, Status};
use std::fmt;

/// Number of a write, counted over the whole database. At most [`MAX_SEQUENCE_NUMBER`].
pub type SequenceNumber = u64;

/// Largest sequence number: 56 bits.
pub const MAX_SEQUENCE_NUMBER: SequenceNumber = (1 << 56) - 1;

/// Bytes that follow the user key in an internal key.
pub const TRAILER_SIZE: usize = 8;

/// Kinds of records. The numbers are on disk: never change one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum ValueType {
    /// Tombstone of one key.
    Deletion = 0x00,
    /// A value.
    Value = 0x01,
    /// A merge operand.
    Merge = 0x02,
    /// Opaque data in the WAL.
    LogData = 0x03,
    /// WAL only: deletion with a column family id.
    ColumnFamilyDeletion = 0x04,
    /// WAL only: value with a column family id.
    ColumnFamilyValue = 0x05,
    /// WAL only: merge operand with a column family id.
    ColumnFamilyMerge = 0x06,
    /// Tombstone that meets at most one value.
    SingleDeletion = 0x07,
    /// WAL only: single deletion with a column family id.
    ColumnFamilySingleDeletion = 0x08,
    /// WAL only: start of a prepared section, write-committed policy.
    BeginPrepare = 0x09,
    /// WAL only: end of a prepared section.
    EndPrepare = 0x0a,
    /// WAL only: commit of a prepared transaction.
    Commit = 0x0b,
    /// WAL only: rollback of a prepared transaction.
    Rollback = 0x0c,
    /// WAL only: nothing.
    Noop = 0x0d,
    /// WAL only: range deletion with a column family id.
    ColumnFamilyRangeDeletion = 0x0e,
    /// Tombstone of a key range; the value is the exclusive end key.
    RangeDeletion = 0x0f,
    /// WAL only: blob index with a column family id.
    ColumnFamilyBlobIndex = 0x10,
    /// Reference to a value in a blob file.
    BlobIndex = 0x11,
    /// WAL only: start of a prepared section, write-prepared policy.
    BeginPersistedPrepare = 0x12,
    /// WAL only: start of an early part of a transaction, write-unprepared policy.
    BeginUnprepare = 0x13,
    /// Tombstone of one key whose column family has user timestamps.
    DeletionWithTimestamp = 0x14,
    /// WAL only: commit with a commit timestamp.
    CommitXidAndTimestamp = 0x15,
    /// An entity of several columns.
    WideColumnEntity = 0x16,
    /// WAL only: entity with a column family id.
    ColumnFamilyWideColumnEntity = 0x17,
    /// A value with a preferred sequence number ("TimedPut").
    ValuePreferredSeqno = 0x18,
    /// WAL only: the same with a column family id.
    ColumnFamilyValuePreferredSeqno = 0x19,
}

/// The type with which keys made for seeking are packed: the highest that a table may hold, so
/// that a seek to (key, sequence) lands before every record of that sequence.
pub const VALUE_TYPE_FOR_SEEK: ValueType = ValueType::ValuePreferredSeqno;

impl ValueType {
    /// The type with this number, if there is one.
    #[inline]
    pub fn from_u8(number: u8) -> Option<Self> {
        use ValueType::*;
        const ALL: [ValueType; 26] = [
            Deletion,
            Value,
            Merge,
            LogData,
            ColumnFamilyDeletion,
            ColumnFamilyValue,
            ColumnFamilyMerge,
            SingleDeletion,
            ColumnFamilySingleDeletion,
            BeginPrepare,
            EndPrepare,
            Commit,
            Rollback,
            Noop,
            ColumnFamilyRangeDeletion,
            RangeDeletion,
            ColumnFamilyBlobIndex,
            BlobIndex,
            BeginPersistedPrepare,
            BeginUnprepare,
            DeletionWithTimestamp,
            CommitXidAndTimestamp,
            WideColumnEntity,
            ColumnFamilyWideColumnEntity,
            ValuePreferredSeqno,
            ColumnFamilyValuePreferredSeqno,
        ];
        ALL.get(usize::from(number)).copied()
    }

    /// Whether records of this type may stand in a memtable or a data block.
    #[inline]
    pub fn is_stored(self) -> bool {
        Self::is_stored_number(self as u8)
    }

    /// Whether a number is that of a type whose records may stand in a memtable or a data block.
    #[inline]
    pub fn is_stored_number(number: u8) -> bool {
        use ValueType::*;
        /// A bit for each type.
        const STORED: u32 = 1 << Deletion as u8
            | 1 << Value as u8
            | 1 << Merge as u8
            | 1 << SingleDeletion as u8
            | 1 << BlobIndex as u8
            | 1 << DeletionWithTimestamp as u8
            | 1 << WideColumnEntity as u8
            | 1 << ValuePreferredSeqno as u8;
        number < 32 && STORED >> number & 1 == 1
    }

    /// Whether a record of this type hides older versions of its key and shows nothing itself.
    pub fn is_point_deletion(self) -> bool {
        use ValueType::*;
        matches!(self, Deletion | SingleDeletion | DeletionWithTimestamp)
    }
}

/// Packs the trailer of an internal key.
#[inline]
pub fn pack_sequence_and_type(sequence: SequenceNumber, value_type: ValueType) -> u64 {
    debug_assert!(sequence <= MAX_SEQUENCE_NUMBER);
    sequence << 8 | value_type as u64
}

/// The user key of an internal key.
///
/// # Panics
/// If `internal_key` is shorter than a trailer. Blocks check key lengths when they parse entries.
#[inline]
pub fn extract_user_key(internal_key: &[u8]) -> &[u8] {
    &internal_key[..internal_key.len() - TRAILER_SIZE]
}

/// The packed trailer of an internal key.
///
/// # Panics
/// If `internal_key` is shorter than a trailer.
#[inline]
pub fn extract_trailer(internal_key: &[u8]) -> u64 {
    decode_fixed64(internal_key, internal_key.len() - TRAILER_SIZE)
}

/// An internal key taken apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ParsedInternalKey<'a> {
    /// The user key, with its timestamp where the column family has them.
    pub user_key: &'a [u8],
    /// Number of the write.
    pub sequence: SequenceNumber,
    /// Kind of record.
    pub value_type: ValueType,
}

#[cold]
fn malformed_key(internal_key: &[u8]) -> Status {
    let Some((_, trailer)) = internal_key.split_last_chunk::<TRAILER_SIZE>() else {
        return Status::corruption(format!(
            "internal key of {} bytes, expected at least {TRAILER_SIZE}",
            internal_key.len()
        ));
    };
    Status::corruption(format!(
        "internal key {} has unknown value type {:#04x}",
        hex(internal_key),
        trailer[0]
    ))
}

impl<'a> ParsedInternalKey<'a> {
    /// Takes an internal key apart.
    ///
    /// # Errors
    /// `Corruption` if it is shorter than a trailer or its type is unknown.
    #[inline]
    pub fn parse(internal_key: &'a [u8]) -> Result<Self> {
        if let Some((user_key, trailer)) = internal_key.split_last_chunk::<TRAILER_SIZE>() {
            let packed = u64::from_le_bytes(*trailer);
            if let Some(value_type) = ValueType::from_u8(packed as u8) {
                return Ok(Self { user_key, sequence: packed >> 8, value_type });
            }
        }
        Err(malformed_key(internal_key))
    }

    /// The packed trailer.
    pub fn trailer(&self) -> u64 {
        pack_sequence_and_type(self.sequence, self.value_type)
    }

    /// Appends the internal key.
    pub fn append_to(&self, output: &mut Vec<u8>) {
        output.extend_from_slice(self.user_key);
        put_fixed64(output, self.trailer());
    }
}

impl fmt::Debug for ParsedInternalKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user_key, sequence, value_type } = self;
        write!(f, "{}@{sequence}:{value_type:?}", hex(user_key))
    }
}

/// An owned internal key.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct InternalKey(Vec<u8>);

impl InternalKey {
    /// The key of a record.
    pub fn new(user_key: &[u8], sequence: SequenceNumber, value_type: ValueType) -> Self {
        let mut bytes = Vec::with_capacity(user_key.len() + TRAILER_SIZE);
        ParsedInternalKey { user_key, sequence, value_type }.append_to(&mut bytes);
        Self(bytes)
    }

    /// A key that sorts before every version of `user_key` visible at `sequence`.
    pub fn for_seek(user_key: &[u8], sequence: SequenceNumber) -> Self {
        Self::new(user_key, sequence, VALUE_TYPE_FOR_SEEK)
    }

    /// Takes encoded bytes, whose type byte may be any: boundaries in a MANIFEST hold types that
    /// are never records. `None` if they are shorter than a trailer.
    pub fn from_encoded(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() >= TRAILER_SIZE).then_some(Self(bytes))
    }

    /// The encoded bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The user key.
    #[inline]
    pub fn user_key(&self) -> &[u8] {
        extract_user_key(&self.0)
    }

    /// The packed trailer.
    pub fn trailer(&self) -> u64 {
        extract_trailer(&self.0)
    }

    /// Whether this is the end of a range tombstone used as a file's largest key: the boundary is
    /// then exclusive.
    pub fn is_range_tombstone_sentinel(&self) -> bool {
        self.trailer() == pack_sequence_and_type(MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion)
    }
}

impl fmt::Debug for InternalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trailer = self.trailer();
        write!(f, "{}@{}:{:#04x}", hex(self.user_key()), trailer >> 8, trailer as u8)
    }
}

/// Upper-case hexadecimal, as RocksDB's tools and logs print keys.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

#[cfg(test)]
mod tests;
