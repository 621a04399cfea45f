//! What the MANIFEST says about blob files.
//!
//! ```text
//! addition (400)  number v64 | blob count v64 | blob bytes v64 | checksum method lps
//!                 | checksum value lps | (custom tag v32 | value lps)* | 0 v32
//! garbage  (401)  number v64 | garbage count v64 | garbage bytes v64
//!                 | (custom tag v32 | value lps)* | 0 v32
//! ```
//!
//! Bytes count records: header (32), key and stored value. No custom tag is defined yet; an unknown
//! one with bit 0x40 is an error, any other is kept and written again.

use crate::decoder::{Decoder, UnknownField};
use base::Result;
use base::coding::{put_length_prefixed, put_varint32, put_varint64};
use std::collections::BTreeSet;

const END_MARKER: u32 = 0;
const NOT_IGNORABLE: u32 = 1 << 6;

/// A blob file added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFileAddition {
    /// Number in the file's name.
    pub number: u64,
    /// Blobs in it.
    pub total_blob_count: u64,
    /// Bytes of their records.
    pub total_blob_bytes: u64,
    /// Name of the checksum function; empty for none.
    pub checksum_method: Vec<u8>,
    /// Checksum of the whole file.
    pub checksum_value: Vec<u8>,
    /// Custom tags of later releases.
    pub unknown_fields: Vec<UnknownField>,
}

/// Blobs of a file that nothing refers to any more, on top of those known before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFileGarbage {
    /// Number of the blob file.
    pub number: u64,
    /// Blobs.
    pub garbage_blob_count: u64,
    /// Bytes of their records.
    pub garbage_blob_bytes: u64,
    /// Custom tags of later releases.
    pub unknown_fields: Vec<UnknownField>,
}

impl BlobFileAddition {
    pub(crate) fn encode_to(&self, output: &mut Vec<u8>) {
        for number in [self.number, self.total_blob_count, self.total_blob_bytes] {
            put_varint64(output, number);
        }
        put_length_prefixed(output, &self.checksum_method);
        put_length_prefixed(output, &self.checksum_value);
        encode_custom_fields(&self.unknown_fields, output);
    }

    pub(crate) fn decode(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            number: input.file_number("blob file number")?,
            total_blob_count: input.varint64("total blob count")?,
            total_blob_bytes: input.varint64("total blob bytes")?,
            checksum_method: input.bytes("checksum method of a blob file")?.to_vec(),
            checksum_value: input.bytes("checksum value of a blob file")?.to_vec(),
            unknown_fields: decode_custom_fields(input)?,
        })
    }
}

impl BlobFileGarbage {
    pub(crate) fn encode_to(&self, output: &mut Vec<u8>) {
        for number in [self.number, self.garbage_blob_count, self.garbage_blob_bytes] {
            put_varint64(output, number);
        }
        encode_custom_fields(&self.unknown_fields, output);
    }

    pub(crate) fn decode(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            number: input.file_number("blob file number")?,
            garbage_blob_count: input.varint64("garbage blob count")?,
            garbage_blob_bytes: input.varint64("garbage blob bytes")?,
            unknown_fields: decode_custom_fields(input)?,
        })
    }
}

fn encode_custom_fields(fields: &[UnknownField], output: &mut Vec<u8>) {
    for field in fields {
        field.encode_to(output);
    }
    put_varint32(output, END_MARKER);
}

fn decode_custom_fields(input: &mut Decoder<'_>) -> Result<Vec<UnknownField>> {
    let mut fields = Vec::new();
    loop {
        let tag = input.varint32("custom tag of a blob file")?;
        if tag == END_MARKER {
            return Ok(fields);
        }
        if tag & NOT_IGNORABLE != 0 {
            return Err(input.error(format_args!("unknown custom tag {tag} of a blob file")));
        }
        let value = input.bytes("value of a custom tag of a blob file")?.to_vec();
        fields.push(UnknownField { tag, value });
    }
}

/// A blob file of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileMetaData {
    /// As it was added.
    pub addition: BlobFileAddition,
    /// Blobs that nothing refers to.
    pub garbage_blob_count: u64,
    /// Bytes of their records.
    pub garbage_blob_bytes: u64,
    /// Numbers of the tables whose oldest blob file this is.
    pub linked_ssts: BTreeSet<u64>,
}

impl BlobFileMetaData {
    /// Number in the file's name.
    pub fn number(&self) -> u64 {
        self.addition.number
    }
}

#[cfg(test)]
mod tests;
