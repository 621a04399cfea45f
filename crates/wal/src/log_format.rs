//! The framing of WAL and MANIFEST files.
//!
//! ```text
//! file                 blocks of 32768 bytes; the last may be shorter
//! block                physical records, then zeros where no header fits
//! legacy record        masked crc fixed32 | payload length fixed16 | type u8 | payload
//! recyclable record    masked crc fixed32 | payload length fixed16 | type u8
//!                      | low 32 bits of the file number fixed32 | payload
//! crc                  CRC-32C of everything from the type on
//!
//! type 1/5    a whole logical record          type 9        compression of what follows, first in
//! type 2/6    its first fragment                            the file, always a legacy record
//! type 3/7    a fragment between              type 10/11    sizes of user timestamps (8.4+)
//! type 4/8    its last fragment               type 130/131  the WAL before this one (9.11+)
//! type 0      with length 0: zeros up to the end of the block
//! ```
//!
//! The second number of each pair is the recyclable form. Its file number tells a record from what
//! an earlier life of the file left behind it.
//!
//! A logical record is cut where its block ends, so a fragment may be empty. Control records (9 to
//! 131) are never cut: where one does not fit, the rest of the block is zeros.
//!
//! ```text
//! type 9        fixed32 compression type, 7 (Zstandard)
//! type 10/11    any number of (fixed32 column family id, fixed16 timestamp size in bytes)
//! type 130/131  fixed64 file number | fixed64 file size in bytes | fixed64 last sequence number
//! ```
//!
//! After a type 9 record each logical record is one Zstandard frame, cut into fragments. Control
//! records are never compressed.

use base::coding::{get_fixed16, get_fixed32, get_fixed64, put_fixed16, put_fixed32, put_fixed64};
use base::{Result, SequenceNumber, Status, crc32c};

/// Bytes in a block.
pub const BLOCK_SIZE: usize = 32768;
/// Bytes in the header of a legacy record.
pub const HEADER_SIZE: usize = 4 + 2 + 1;
/// Bytes in the header of a recyclable record.
pub const RECYCLABLE_HEADER_SIZE: usize = HEADER_SIZE + 4;

/// A reader that does not know a type with this bit skips the record.
pub const RECORD_TYPE_SAFE_IGNORE_MASK: u8 = 0x80;

const _: () = assert!(BLOCK_SIZE - HEADER_SIZE <= u16::MAX as usize);

/// The type number of zeros.
pub(crate) const ZERO_TYPE: u8 = 0;

/// What a physical record is, apart from its header form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhysicalType {
    Full,
    First,
    Middle,
    Last,
    SetCompressionType,
    UserDefinedTimestampSize,
    PredecessorWalInfo,
}

impl PhysicalType {
    /// The type with this number, and whether its header is the recyclable one.
    #[inline]
    pub(crate) fn from_number(number: u8) -> Option<(Self, bool)> {
        Some(match number {
            1 => (PhysicalType::Full, false),
            2 => (PhysicalType::First, false),
            3 => (PhysicalType::Middle, false),
            4 => (PhysicalType::Last, false),
            5 => (PhysicalType::Full, true),
            6 => (PhysicalType::First, true),
            7 => (PhysicalType::Middle, true),
            8 => (PhysicalType::Last, true),
            9 => (PhysicalType::SetCompressionType, false),
            10 => (PhysicalType::UserDefinedTimestampSize, false),
            11 => (PhysicalType::UserDefinedTimestampSize, true),
            130 => (PhysicalType::PredecessorWalInfo, false),
            131 => (PhysicalType::PredecessorWalInfo, true),
            _ => return None,
        })
    }

    /// The number in a file of recyclable or of legacy records.
    pub(crate) fn number(self, recyclable: bool) -> u8 {
        let [legacy, recycled] = match self {
            PhysicalType::Full => [1, 5],
            PhysicalType::First => [2, 6],
            PhysicalType::Middle => [3, 7],
            PhysicalType::Last => [4, 8],
            PhysicalType::SetCompressionType => [9, 9],
            PhysicalType::UserDefinedTimestampSize => [10, 11],
            PhysicalType::PredecessorWalInfo => [130, 131],
        };
        if recyclable { recycled } else { legacy }
    }
}

/// Appends a physical record to `output`, whose payload `put_payload` appends. `log_number` is given
/// for the recyclable form.
#[inline]
pub(crate) fn put_physical_record(
    output: &mut Vec<u8>,
    type_number: u8,
    log_number: Option<u32>,
    put_payload: impl FnOnce(&mut Vec<u8>),
) {
    const TYPE_OFFSET: usize = 4 + 2;
    let start = output.len();
    // The checksum and the length come when the payload is there.
    output.extend_from_slice(&[0; TYPE_OFFSET]);
    output.push(type_number);
    if let Some(number) = log_number {
        put_fixed32(output, number);
    }
    let payload_start = output.len();
    put_payload(output);
    let length = u16::try_from(output.len() - payload_start).expect("a fragment fits in a block");
    let crc = crc32c::mask(crc32c::value(&output[start + TYPE_OFFSET..]));
    output[start..start + 4].copy_from_slice(&crc.to_le_bytes());
    output[start + 4..start + TYPE_OFFSET].copy_from_slice(&length.to_le_bytes());
}

/// How the logical records of a WAL are compressed (`wal_compression`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogCompression {
    /// Not.
    #[default]
    None,
    /// Each is a Zstandard frame.
    Zstd,
}

/// RocksDB's number of Zstandard.
const ZSTD_NUMBER: u32 = 7;

impl LogCompression {
    /// Encodes the payload of a compression record.
    pub(crate) fn encode(self) -> Option<[u8; 4]> {
        match self {
            LogCompression::None => None,
            LogCompression::Zstd => Some(ZSTD_NUMBER.to_le_bytes()),
        }
    }

    /// Decodes the payload of a compression record.
    ///
    /// # Errors
    /// `Corruption` if it is not four bytes; `NotSupported` if the number is not Zstandard's.
    pub(crate) fn decode(payload: &[u8]) -> Result<Self> {
        let Ok(bytes) = <[u8; 4]>::try_from(payload) else {
            return Err(wrong_length("compression", payload, "4"));
        };
        match u32::from_le_bytes(bytes) {
            ZSTD_NUMBER => Ok(LogCompression::Zstd),
            number => {
                Err(Status::not_supported(format!("log compressed with compression type {number}")))
            }
        }
    }
}

/// What a WAL says about the one written before it (`track_and_verify_wals`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredecessorWalInfo {
    /// Its file number.
    pub log_number: u64,
    /// Its size.
    pub size_bytes: u64,
    /// The sequence number of its last record; 0 if it has none.
    pub last_sequence: SequenceNumber,
}

impl PredecessorWalInfo {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(24);
        for number in [self.log_number, self.size_bytes, self.last_sequence] {
            put_fixed64(&mut payload, number);
        }
        payload
    }

    pub(crate) fn decode(payload: &[u8]) -> Result<Self> {
        let mut input = payload;
        match (get_fixed64(&mut input), get_fixed64(&mut input), get_fixed64(&mut input)) {
            (Some(log_number), Some(size_bytes), Some(last_sequence)) if input.is_empty() => {
                Ok(Self { log_number, size_bytes, last_sequence })
            }
            _ => Err(wrong_length("predecessor WAL", payload, "24")),
        }
    }
}

/// A column family's id and the bytes of its user timestamps.
pub type TimestampSize = (u32, u16);

/// Bytes of a [`TimestampSize`] in its record.
pub(crate) const TIMESTAMP_SIZE_LENGTH: usize = 4 + 2;

pub(crate) fn encode_timestamp_sizes(sizes: &[TimestampSize]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(sizes.len() * TIMESTAMP_SIZE_LENGTH);
    for &(column_family_id, size_bytes) in sizes {
        put_fixed32(&mut payload, column_family_id);
        put_fixed16(&mut payload, size_bytes);
    }
    payload
}

pub(crate) fn decode_timestamp_sizes(payload: &[u8]) -> Result<Vec<TimestampSize>> {
    let mut sizes = Vec::with_capacity(payload.len() / TIMESTAMP_SIZE_LENGTH);
    let mut input = payload;
    while !input.is_empty() {
        let (Some(column_family_id), Some(size_bytes)) =
            (get_fixed32(&mut input), get_fixed16(&mut input))
        else {
            return Err(wrong_length("timestamp size", payload, "a multiple of 6"));
        };
        if size_bytes == 0 {
            return Err(Status::corruption(format!(
                "timestamp size record with size 0 for column family {column_family_id}"
            )));
        }
        sizes.push((column_family_id, size_bytes));
    }
    Ok(sizes)
}

fn wrong_length(what: &str, payload: &[u8], expected: &str) -> Status {
    Status::corruption(format!("{what} record of {} bytes, expected {expected}", payload.len()))
}

#[cfg(test)]
mod tests;
