//! Takes fields off the front of a version edit; every error says which field and at which byte of
//! the edit.

use base::coding;
use base::{InternalKey, Result, Status};
use std::fmt;

/// Largest file number: the two bits above it once held a path id.
pub(crate) const FILE_NUMBER_MAX: u64 = (1 << 62) - 1;
/// Largest path id (index into `cf_paths` or `db_paths`).
pub(crate) const PATH_ID_MAX: u32 = 3;

/// What is left of an edit, or of one length-prefixed field in it.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    rest: &'a [u8],
    /// Position in the edit of the end of `rest`.
    end: usize,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(edit: &'a [u8]) -> Self {
        Self { rest: edit, end: edit.len() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Position in the edit.
    pub(crate) fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    #[cold]
    pub(crate) fn error(&self, what: impl fmt::Display) -> Status {
        Status::corruption(format!("version edit, byte {}: {what}", self.offset()))
    }

    pub(crate) fn varint32(&mut self, field: &str) -> Result<u32> {
        coding::get_varint32(&mut self.rest)
            .ok_or_else(|| self.error(format_args!("expected {field} as a varint32")))
    }

    pub(crate) fn varint64(&mut self, field: &str) -> Result<u64> {
        coding::get_varint64(&mut self.rest)
            .ok_or_else(|| self.error(format_args!("expected {field} as a varint64")))
    }

    pub(crate) fn fixed64(&mut self, field: &str) -> Result<u64> {
        coding::get_fixed64(&mut self.rest)
            .ok_or_else(|| self.error(format_args!("expected {field} as a fixed64")))
    }

    /// The number of a file: at most [`FILE_NUMBER_MAX`].
    pub(crate) fn file_number(&mut self, field: &str) -> Result<u64> {
        let number = self.varint64(field)?;
        self.check_file_number(field, number)
    }

    /// [`Decoder::file_number`] of eight bytes.
    pub(crate) fn fixed_file_number(&mut self, field: &str) -> Result<u64> {
        let number = self.fixed64(field)?;
        self.check_file_number(field, number)
    }

    fn check_file_number(&self, field: &str, number: u64) -> Result<u64> {
        if number > FILE_NUMBER_MAX {
            return Err(self.error(format_args!("{field} {number}, expected less than 2^62")));
        }
        Ok(number)
    }

    /// A level: at most `i32::MAX`, as in RocksDB.
    pub(crate) fn level(&mut self) -> Result<u32> {
        let level = self.varint32("level")?;
        if level > i32::MAX as u32 {
            return Err(self.error(format_args!("level {level}")));
        }
        Ok(level)
    }

    pub(crate) fn path_id(&mut self) -> Result<u32> {
        let path_id = self.varint32("path id")?;
        if path_id > PATH_ID_MAX {
            return Err(
                self.error(format_args!("path id {path_id}, expected at most {PATH_ID_MAX}"))
            );
        }
        Ok(path_id)
    }

    pub(crate) fn bytes(&mut self, field: &str) -> Result<&'a [u8]> {
        coding::get_length_prefixed(&mut self.rest)
            .ok_or_else(|| self.error(format_args!("expected {field} as a byte string")))
    }

    /// A boundary key. Its type may be any: boundaries hold types that are never records.
    pub(crate) fn internal_key(&mut self, field: &str) -> Result<InternalKey> {
        let bytes = self.bytes(field)?;
        InternalKey::from_encoded(bytes.to_vec()).ok_or_else(|| {
            self.error(format_args!("{field} of {} bytes, expected 8 or more", bytes.len()))
        })
    }

    /// The content of a length-prefixed field, to be taken apart in turn.
    pub(crate) fn nested(&mut self, field: &str) -> Result<Decoder<'a>> {
        let rest = self.bytes(field)?;
        Ok(Decoder { rest, end: self.offset() })
    }

    /// All that is left.
    pub(crate) fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// All that is left, which must be one byte.
    pub(crate) fn one_byte(&mut self, field: &str) -> Result<u8> {
        match *self.rest {
            [byte] => {
                self.rest = &[];
                Ok(byte)
            }
            _ => {
                Err(self
                    .error(format_args!("{field} of {} bytes, expected 1 byte", self.rest.len())))
            }
        }
    }
}

/// A field of a later release, kept so that a rewritten MANIFEST still has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownField {
    /// Its tag.
    pub tag: u32,
    /// Its value.
    pub value: Vec<u8>,
}

impl UnknownField {
    pub(crate) fn encode_to(&self, output: &mut Vec<u8>) {
        coding::put_varint32(output, self.tag);
        coding::put_length_prefixed(output, &self.value);
    }
}
