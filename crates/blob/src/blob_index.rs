//! Blob indexes: what a table or a write batch holds in place of a value kept in a blob file.
//!
//! ```text
//! type u8
//!   0  inlined with expiration  varint64 expiration | value
//!   1  blob                     reference
//!   2  blob with expiration     varint64 expiration | reference
//! reference   varint64 file number | varint64 offset | varint64 size | compression type u8
//! ```
//!
//! The offset is that of the stored value, behind the header and the key of its record; the size is
//! that of the stored (compressed) value. File number 0 is the table file that holds the index.
//!
//! Types 0 and 2 come from the old BlobDB that was stacked on a database (`blob_dir`); a plain open
//! cannot read their values.

use base::coding::{get_u8, get_varint64, put_varint64};
use base::{Result, Status};
use compression::CompressionType;
use std::fmt;

/// The file number of values embedded in the table that refers to them.
pub const CURRENT_FILE_NUMBER: u64 = 0;

const INLINED_TTL: u8 = 0;
const BLOB: u8 = 1;
const BLOB_TTL: u8 = 2;

/// A decoded blob index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobIndex<'a> {
    /// The value itself and when it expires.
    InlinedTtl {
        /// Seconds since 1970.
        expiration: u64,
        /// The value.
        value: &'a [u8],
    },
    /// Where the value is.
    Blob(BlobReference),
    /// Where the value is and when it expires.
    BlobTtl {
        /// Seconds since 1970.
        expiration: u64,
        /// Where.
        reference: BlobReference,
    },
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlobReference {
    /// Number of the blob file, or [`CURRENT_FILE_NUMBER`].
    pub file_number: u64,
    /// Where the stored value starts in the file.
    pub offset: u64,
    /// Bytes of the stored value.
    pub size: u64,
    /// How the stored value is compressed.
    pub compression: CompressionType,
}

impl<'a> BlobIndex<'a> {
    /// Decodes an index.
    ///
    /// # Errors
    /// `Corruption` if the type is unknown, or there are too few bytes or too many; `NotSupported`
    /// if the compression type is unknown.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        let mut input = bytes;
        let index = match get_u8(&mut input).ok_or_else(|| malformed(bytes))? {
            INLINED_TTL => {
                let expiration = get_varint64(&mut input).ok_or_else(|| malformed(bytes))?;
                return Ok(BlobIndex::InlinedTtl { expiration, value: input });
            }
            BLOB => BlobIndex::Blob(decode_reference(&mut input, bytes)?),
            BLOB_TTL => {
                let expiration = get_varint64(&mut input).ok_or_else(|| malformed(bytes))?;
                let reference = decode_reference(&mut input, bytes)?;
                BlobIndex::BlobTtl { expiration, reference }
            }
            _ => return Err(malformed(bytes)),
        };
        if input.is_empty() { Ok(index) } else { Err(malformed(bytes)) }
    }

    /// Appends the encoded index.
    pub fn encode_to(&self, output: &mut Vec<u8>) {
        match self {
            BlobIndex::InlinedTtl { expiration, value } => {
                output.push(INLINED_TTL);
                put_varint64(output, *expiration);
                output.extend_from_slice(value);
            }
            BlobIndex::Blob(reference) => {
                output.push(BLOB);
                reference.encode_to(output);
            }
            BlobIndex::BlobTtl { expiration, reference } => {
                output.push(BLOB_TTL);
                put_varint64(output, *expiration);
                reference.encode_to(output);
            }
        }
    }
}

fn decode_reference(input: &mut &[u8], bytes: &[u8]) -> Result<BlobReference> {
    let numbers = (get_varint64(input), get_varint64(input), get_varint64(input), get_u8(input));
    let (Some(file_number), Some(offset), Some(size), Some(compression)) = numbers else {
        return Err(malformed(bytes));
    };
    let compression = CompressionType::from_u8(compression)
        .map_err(|status| status.context(format_args!("blob index of file {file_number}")))?;
    Ok(BlobReference { file_number, offset, size, compression })
}

#[cold]
fn malformed(bytes: &[u8]) -> Status {
    // Inlined values may be large.
    let shown = &bytes[..bytes.len().min(48)];
    Status::corruption(format!(
        "malformed blob index of {} bytes: {}",
        bytes.len(),
        base::dbformat::hex(shown)
    ))
}

impl BlobReference {
    /// Decodes the index of a value that a plain open can read.
    ///
    /// # Errors
    /// As [`BlobIndex::decode`]; `NotSupported` for the kinds of the stacked BlobDB.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        match BlobIndex::decode(bytes)? {
            BlobIndex::Blob(reference) => Ok(reference),
            BlobIndex::InlinedTtl { .. } | BlobIndex::BlobTtl { .. } => Err(stacked_blob_db()),
        }
    }

    /// Whether the value is embedded in the table that holds the index.
    pub fn is_in_current_file(&self) -> bool {
        self.file_number == CURRENT_FILE_NUMBER
    }

    /// The end of the stored value; none if there is no such offset.
    pub fn end_offset(&self) -> Option<u64> {
        self.offset.checked_add(self.size)
    }

    /// The encoded index.
    pub fn to_index(self) -> Vec<u8> {
        let mut output = Vec::new();
        BlobIndex::Blob(self).encode_to(&mut output);
        output
    }

    fn encode_to(&self, output: &mut Vec<u8>) {
        for number in [self.file_number, self.offset, self.size] {
            put_varint64(output, number);
        }
        output.push(self.compression as u8);
    }
}

#[cold]
fn stacked_blob_db() -> Status {
    Status::not_supported("value with an expiration time, of the stacked BlobDB (blob_dir)")
}

/// As RocksDB's tools print it, but for values, which they print as they are.
impl fmt::Display for BlobIndex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlobIndex::InlinedTtl { expiration, value } => {
                write!(f, "[inlined blob] value:{} exp:{expiration}", base::dbformat::hex(value))
            }
            BlobIndex::Blob(reference) => write!(f, "{reference}"),
            BlobIndex::BlobTtl { expiration, reference } => {
                write!(f, "{reference} exp:{expiration}")
            }
        }
    }
}

impl fmt::Display for BlobReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_number, offset, size, compression } = self;
        f.write_str("[blob ref] file:")?;
        match *file_number {
            CURRENT_FILE_NUMBER => f.write_str("same")?,
            number => write!(f, "{number}")?,
        }
        let compression = compression.property_name();
        write!(f, " offset:{offset} size:{size} compression: {compression}")
    }
}

#[cfg(test)]
mod tests;
