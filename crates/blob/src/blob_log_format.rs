//! The layout of blob files.
//!
//! ```text
//! file      header | records | footer; without the footer while it is being written
//!
//! header, 30 bytes
//!   0  fixed32  magic number 0x00248f37
//!   4  fixed32  version, 1
//!   8  fixed32  column family id
//!  12  u8       flags; bit 0: values have expiration times
//!  13  u8       compression type of all values
//!  14  fixed64  earliest expiration, 0 without any
//!  22  fixed64  latest expiration, 0 without any
//!
//! record, 32 bytes and key and value
//!   0  fixed64  key length
//!   8  fixed64  value length as stored
//!  16  fixed64  expiration, 0 without one
//!  24  fixed32  masked CRC-32C of bytes 0 to 23
//!  28  fixed32  masked CRC-32C of key and stored value
//!  32           key | stored value
//!
//! footer, 32 bytes
//!   0  fixed32  magic number
//!   4  fixed64  number of records
//!  12  fixed64  earliest expiration
//!  20  fixed64  latest expiration
//!  28  fixed32  masked CRC-32C of bytes 0 to 27
//! ```
//!
//! A key is a user key, with its timestamp where the column family has them. In a compressed file
//! every value is compressed, even one that gets larger.

use base::coding::{decode_fixed32, decode_fixed64, put_fixed32, put_fixed64};
use base::{Result, Status, crc32c};
use compression::CompressionType;

const MAGIC: u32 = 0x0024_8f37;
const FLAG_HAS_TTL: u8 = 1;

/// Earliest and latest expiration time, in seconds since 1970; zeros without any.
pub type ExpirationRange = (u64, u64);

/// The start of a blob file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobLogHeader {
    /// Id of the column family.
    pub column_family_id: u32,
    /// Whether values have expiration times (the stacked BlobDB only).
    pub has_ttl: bool,
    /// How all values are compressed.
    pub compression: CompressionType,
    /// Expiration times known when the file was created.
    pub expiration_range: ExpirationRange,
}

impl BlobLogHeader {
    /// Bytes of a header.
    pub const SIZE: usize = 30;

    /// The only version there is.
    pub const VERSION: u32 = 1;

    /// A header of the integrated BlobDB.
    pub fn new(column_family_id: u32, compression: CompressionType) -> Self {
        Self { column_family_id, has_ttl: false, compression, expiration_range: (0, 0) }
    }

    /// Encodes the header.
    pub fn encode(&self) -> Vec<u8> {
        let mut output = Vec::with_capacity(Self::SIZE);
        put_fixed32(&mut output, MAGIC);
        put_fixed32(&mut output, Self::VERSION);
        put_fixed32(&mut output, self.column_family_id);
        output.push(if self.has_ttl { FLAG_HAS_TTL } else { 0 });
        output.push(self.compression as u8);
        put_expiration_range(&mut output, self.expiration_range);
        output
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// `Corruption` if it is none or its version or a flag is unknown; `NotSupported` for an unknown
    /// compression type.
    pub fn decode(bytes: &[u8; Self::SIZE]) -> Result<Self> {
        check_magic("header", bytes)?;
        let version = decode_fixed32(bytes, 4);
        if version != Self::VERSION {
            return Err(Status::corruption(format!(
                "blob file header: expected version {}, found {version}",
                Self::VERSION
            )));
        }
        let flags = bytes[12];
        if flags & !FLAG_HAS_TTL != 0 {
            return Err(Status::corruption(format!(
                "blob file header: unknown flags {flags:#04x}"
            )));
        }
        Ok(Self {
            column_family_id: decode_fixed32(bytes, 8),
            has_ttl: flags & FLAG_HAS_TTL != 0,
            compression: CompressionType::from_u8(bytes[13])?,
            expiration_range: decode_expiration_range(bytes, 14),
        })
    }
}

/// The start of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobLogRecordHeader {
    /// Bytes of the key.
    pub key_size: u64,
    /// Bytes of the stored value.
    pub value_size: u64,
    /// Seconds since 1970; 0 without an expiration.
    pub expiration: u64,
    /// Masked checksum of key and stored value.
    pub blob_crc: u32,
}

impl BlobLogRecordHeader {
    /// Bytes of a record before its key.
    pub const SIZE: usize = 32;

    /// The header of a record.
    pub fn new(key: &[u8], stored_value: &[u8]) -> Self {
        Self {
            key_size: key.len() as u64,
            value_size: stored_value.len() as u64,
            expiration: 0,
            blob_crc: masked_blob_crc(key, stored_value),
        }
    }

    /// Appends the encoded header.
    pub fn encode_to(&self, output: &mut Vec<u8>) {
        let start = output.len();
        put_fixed64(output, self.key_size);
        put_fixed64(output, self.value_size);
        put_fixed64(output, self.expiration);
        let crc = crc32c::value(&output[start..]);
        put_fixed32(output, crc32c::mask(crc));
        put_fixed32(output, self.blob_crc);
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// `Corruption` if its checksum does not match.
    pub fn decode(bytes: &[u8; Self::SIZE]) -> Result<Self> {
        check_crc("record header", bytes, 24)?;
        Ok(Self {
            key_size: decode_fixed64(bytes, 0),
            value_size: decode_fixed64(bytes, 8),
            expiration: decode_fixed64(bytes, 16),
            blob_crc: decode_fixed32(bytes, 28),
        })
    }

    /// Bytes of the whole record; none if they cannot be counted.
    pub fn record_size(&self) -> Option<u64> {
        self.key_size.checked_add(self.value_size)?.checked_add(Self::SIZE as u64)
    }

    /// Checks key and stored value against the checksum.
    ///
    /// # Errors
    /// `Corruption` if it does not match.
    pub fn check_blob_crc(&self, key: &[u8], stored_value: &[u8]) -> Result<()> {
        let found = masked_blob_crc(key, stored_value);
        if found == self.blob_crc {
            Ok(())
        } else {
            Err(crc_mismatch("blob", self.blob_crc, found))
        }
    }
}

/// Bytes that a record takes: what the MANIFEST counts for a blob.
pub fn record_size_bytes(key_size: u64, value_size: u64) -> u64 {
    BlobLogRecordHeader::SIZE as u64 + key_size + value_size
}

fn masked_blob_crc(key: &[u8], stored_value: &[u8]) -> u32 {
    crc32c::mask(crc32c::extend(crc32c::value(key), stored_value))
}

/// The end of a finished blob file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobLogFooter {
    /// Number of records.
    pub blob_count: u64,
    /// Expiration times.
    pub expiration_range: ExpirationRange,
}

impl BlobLogFooter {
    /// Bytes of a footer.
    pub const SIZE: usize = 32;

    /// Encodes the footer.
    pub fn encode(&self) -> Vec<u8> {
        let mut output = Vec::with_capacity(Self::SIZE);
        put_fixed32(&mut output, MAGIC);
        put_fixed64(&mut output, self.blob_count);
        put_expiration_range(&mut output, self.expiration_range);
        let crc = crc32c::value(&output);
        put_fixed32(&mut output, crc32c::mask(crc));
        output
    }

    /// Decodes a footer.
    ///
    /// # Errors
    /// `Corruption` if it is none or its checksum does not match.
    pub fn decode(bytes: &[u8; Self::SIZE]) -> Result<Self> {
        check_magic("footer", bytes)?;
        check_crc("footer", bytes, 28)?;
        Ok(Self {
            blob_count: decode_fixed64(bytes, 4),
            expiration_range: decode_expiration_range(bytes, 12),
        })
    }
}

fn put_expiration_range(output: &mut Vec<u8>, (earliest, latest): ExpirationRange) {
    put_fixed64(output, earliest);
    put_fixed64(output, latest);
}

fn decode_expiration_range(bytes: &[u8], offset: usize) -> ExpirationRange {
    (decode_fixed64(bytes, offset), decode_fixed64(bytes, offset + 8))
}

fn check_magic(what: &str, bytes: &[u8]) -> Result<()> {
    let found = decode_fixed32(bytes, 0);
    if found == MAGIC {
        return Ok(());
    }
    Err(Status::corruption(format!(
        "blob file {what}: expected magic number {MAGIC:#010x}, found {found:#010x}"
    )))
}

/// Checks the bytes before `crc_offset` against the masked checksum there.
fn check_crc(what: &str, bytes: &[u8], crc_offset: usize) -> Result<()> {
    let found = crc32c::mask(crc32c::value(&bytes[..crc_offset]));
    let expected = decode_fixed32(bytes, crc_offset);
    if found == expected { Ok(()) } else { Err(crc_mismatch(what, expected, found)) }
}

#[cold]
fn crc_mismatch(what: &str, expected: u32, found: u32) -> Status {
    Status::corruption(format!(
        "{what} checksum mismatch: expected {expected:#010x}, found {found:#010x}"
    ))
}

#[cfg(test)]
mod tests;
