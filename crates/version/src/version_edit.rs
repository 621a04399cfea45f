//! One record of a MANIFEST: a change of one column family, or of the database.
//!
//! An edit is a run of fields, each a `varint32` tag and its payload, in any order; an edit of no
//! fields is legal. `v32`, `v64` are varints, `lps` is a length-prefixed byte string.
//!
//! | tag | payload | field |
//! |---|---|---|
//! | 1 | lps | `comparator` |
//! | 2 | v64 | `log_number` |
//! | 3 | v64 | `next_file_number` |
//! | 4 | v64 | `last_sequence` |
//! | 5 | level v32, internal key lps | `compact_cursors` |
//! | 6 | level v32, file number v64 | `deleted_files` |
//! | 7, 100, 102, 103 | [`file_metadata`](crate::file_metadata) | `new_files` |
//! | 9 | v64 | `prev_log_number` |
//! | 10 | v64 | `min_log_number_to_keep` |
//! | 200 | v32 | `column_family`, 0 where absent |
//! | 201 | lps | `column_family_add` |
//! | 202 | nothing | `column_family_drop` |
//! | 203 | v32 | `max_column_family` |
//! | 300 | v32 | `remaining_entries` of an atomic group |
//! | 400, 401 | [`blob_file_metadata`](crate::blob_file_metadata) | `blob_file_additions`, `…_garbages` |
//! | 8193 | lps | `db_id` |
//! | 8194, 8195 | as 400, 401 | early blob tags |
//! | 8196, 8197 | [`wal_edit`](crate::wal_edit) without length | early log tags (6.15, 6.16) |
//! | 8198 | lps | `full_history_ts_low` |
//! | 8199, 8200 | [`wal_edit`](crate::wal_edit) | `wal_additions`, `wal_deletion` |
//! | 8201 | lps of one byte | `persist_user_defined_timestamps` |
//! | 8202 | lps | `subcompaction_progress` |
//! | 8203 | lps of a v64 | `last_compacted_manifest_file_size` |
//!
//! An unknown tag with bit 0x2000 has an `lps` payload; it is kept and written again. Any other
//! unknown tag is an error.

use crate::blob_file_metadata::{BlobFileAddition, BlobFileGarbage};
use crate::decoder::{Decoder, UnknownField};
use crate::file_metadata::{NewFile, tag as file_tag};
use crate::wal_edit::WalAddition;
use base::coding::{put_length_prefixed, put_varint32, put_varint64, varint_length};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalKey, Result, SequenceNumber};
use std::collections::BTreeSet;

mod tag {
    pub(super) const COMPARATOR: u32 = 1;
    pub(super) const LOG_NUMBER: u32 = 2;
    pub(super) const NEXT_FILE_NUMBER: u32 = 3;
    pub(super) const LAST_SEQUENCE: u32 = 4;
    pub(super) const COMPACT_CURSOR: u32 = 5;
    pub(super) const DELETED_FILE: u32 = 6;
    pub(super) const PREV_LOG_NUMBER: u32 = 9;
    pub(super) const MIN_LOG_NUMBER_TO_KEEP: u32 = 10;
    pub(super) const COLUMN_FAMILY: u32 = 200;
    pub(super) const COLUMN_FAMILY_ADD: u32 = 201;
    pub(super) const COLUMN_FAMILY_DROP: u32 = 202;
    pub(super) const MAX_COLUMN_FAMILY: u32 = 203;
    pub(super) const IN_ATOMIC_GROUP: u32 = 300;
    pub(super) const BLOB_FILE_ADDITION: u32 = 400;
    pub(super) const BLOB_FILE_GARBAGE: u32 = 401;
    /// A reader that does not know a tag with this bit skips the field.
    pub(super) const SAFE_IGNORE_MASK: u32 = 1 << 13;
    pub(super) const DB_ID: u32 = 8193;
    pub(super) const EARLY_BLOB_FILE_ADDITION: u32 = 8194;
    pub(super) const EARLY_BLOB_FILE_GARBAGE: u32 = 8195;
    pub(super) const EARLY_WAL_ADDITION: u32 = 8196;
    pub(super) const EARLY_WAL_DELETION: u32 = 8197;
    pub(super) const FULL_HISTORY_TS_LOW: u32 = 8198;
    pub(super) const WAL_ADDITION: u32 = 8199;
    pub(super) const WAL_DELETION: u32 = 8200;
    pub(super) const PERSIST_USER_DEFINED_TIMESTAMPS: u32 = 8201;
    pub(super) const SUBCOMPACTION_PROGRESS: u32 = 8202;
    pub(super) const LAST_COMPACTED_MANIFEST_FILE_SIZE: u32 = 8203;
}

/// A version edit. Names are bytes: RocksDB lets a column family's name be any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionEdit {
    /// Id of the database.
    pub db_id: Option<Vec<u8>>,
    /// Name of the column family's comparator.
    pub comparator: Option<Vec<u8>>,
    /// Logs with a smaller number hold nothing for the column family.
    pub log_number: Option<u64>,
    /// LevelDB's second log; 0.
    pub prev_log_number: Option<u64>,
    /// First file number that is free.
    pub next_file_number: Option<u64>,
    /// Largest id that a column family ever had.
    pub max_column_family: Option<u32>,
    /// Logs with a smaller number are not needed by any column family.
    pub min_log_number_to_keep: Option<u64>,
    /// Last sequence number used.
    pub last_sequence: Option<SequenceNumber>,
    /// Where round-robin compaction goes on, by level.
    pub compact_cursors: Vec<(u32, InternalKey)>,
    /// Table files removed: level and number.
    pub deleted_files: BTreeSet<(u32, u64)>,
    /// Table files added.
    pub new_files: Vec<NewFile>,
    /// Blob files added.
    pub blob_file_additions: Vec<BlobFileAddition>,
    /// Garbage found in blob files.
    pub blob_file_garbages: Vec<BlobFileGarbage>,
    /// Logs created or synced.
    pub wal_additions: Vec<WalAddition>,
    /// Logs before this number are gone.
    pub wal_deletion: Option<u64>,
    /// Id of the column family that the edit applies to.
    pub column_family: u32,
    /// The column family is new; its name.
    pub column_family_add: Option<Vec<u8>>,
    /// The column family is dropped.
    pub column_family_drop: bool,
    /// Member of an atomic group: how many edits of the group follow.
    pub remaining_entries: Option<u32>,
    /// Timestamps below this may have been collapsed.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Whether tables of the column family keep user-defined timestamps; written beside
    /// `comparator`.
    pub persist_user_defined_timestamps: Option<bool>,
    /// Progress of a resumable compaction, undecoded; not found in a MANIFEST.
    pub subcompaction_progress: Option<Vec<u8>>,
    /// Bytes of the MANIFEST's opening snapshot, from which the size to roll over at is tuned.
    pub last_compacted_manifest_file_size: Option<u64>,
    /// Fields of later releases.
    pub unknown_fields: Vec<UnknownField>,
}

impl VersionEdit {
    /// Reads an edit.
    ///
    /// # Errors
    /// `Corruption` that names the byte of the edit.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut edit = Self::default();
        let mut input = Decoder::new(bytes);
        while !input.is_empty() {
            let tag = input.varint32("tag")?;
            let known = edit.decode_number(tag, &mut input)?
                || edit.decode_files(tag, &mut input)?
                || edit.decode_column_family(tag, &mut input)?
                || edit.decode_skippable(tag, &mut input)?;
            if !known {
                return Err(input.error(format_args!("unknown tag {tag}")));
            }
        }
        Ok(edit)
    }

    /// Database-wide and per-family numbers. False if `tag` is none of them.
    fn decode_number(&mut self, tag: u32, input: &mut Decoder<'_>) -> Result<bool> {
        match tag {
            tag::LOG_NUMBER => self.log_number = Some(input.file_number("log number")?),
            tag::PREV_LOG_NUMBER => {
                self.prev_log_number = Some(input.file_number("previous log number")?);
            }
            tag::NEXT_FILE_NUMBER => {
                self.next_file_number = Some(input.file_number("next file number")?);
            }
            tag::MIN_LOG_NUMBER_TO_KEEP => {
                self.min_log_number_to_keep = Some(input.file_number("min log number to keep")?);
            }
            tag::LAST_SEQUENCE => {
                let sequence = input.varint64("last sequence number")?;
                if sequence > MAX_SEQUENCE_NUMBER {
                    return Err(input.error(format_args!(
                        "last sequence number {sequence}, expected at most {MAX_SEQUENCE_NUMBER}"
                    )));
                }
                self.last_sequence = Some(sequence);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Changes of the tree. False if `tag` is none of them.
    fn decode_files(&mut self, tag: u32, input: &mut Decoder<'_>) -> Result<bool> {
        match tag {
            tag::COMPACT_CURSOR => {
                let level = input.level()?;
                self.compact_cursors.push((level, input.internal_key("compaction cursor")?));
            }
            tag::DELETED_FILE => {
                let level = input.level()?;
                self.deleted_files.insert((level, input.file_number("deleted file")?));
            }
            file_tag::NEW_FILE
            | file_tag::NEW_FILE2
            | file_tag::NEW_FILE3
            | file_tag::NEW_FILE4 => {
                let file = NewFile::decode(tag, input, &mut self.min_log_number_to_keep)?;
                self.new_files.push(file);
            }
            tag::BLOB_FILE_ADDITION | tag::EARLY_BLOB_FILE_ADDITION => {
                self.blob_file_additions.push(BlobFileAddition::decode(input)?);
            }
            tag::BLOB_FILE_GARBAGE | tag::EARLY_BLOB_FILE_GARBAGE => {
                self.blob_file_garbages.push(BlobFileGarbage::decode(input)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Names and ids. False if `tag` is none of them.
    fn decode_column_family(&mut self, tag: u32, input: &mut Decoder<'_>) -> Result<bool> {
        match tag {
            tag::COMPARATOR => self.comparator = Some(input.bytes("comparator name")?.to_vec()),
            tag::COLUMN_FAMILY => self.column_family = input.varint32("column family id")?,
            tag::COLUMN_FAMILY_ADD => {
                self.column_family_add = Some(input.bytes("column family name")?.to_vec());
            }
            tag::COLUMN_FAMILY_DROP => self.column_family_drop = true,
            tag::MAX_COLUMN_FAMILY => {
                self.max_column_family = Some(input.varint32("max column family id")?);
            }
            tag::IN_ATOMIC_GROUP => {
                self.remaining_entries = Some(input.varint32("remaining entries")?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Tags with [`tag::SAFE_IGNORE_MASK`]. False if `tag` has it not.
    fn decode_skippable(&mut self, tag: u32, input: &mut Decoder<'_>) -> Result<bool> {
        if tag & tag::SAFE_IGNORE_MASK == 0 {
            return Ok(false);
        }
        match tag {
            tag::EARLY_WAL_ADDITION => self.wal_additions.push(WalAddition::decode(input)?),
            tag::EARLY_WAL_DELETION => {
                self.wal_deletion = Some(input.file_number("deleted log number")?);
            }
            _ => {
                let mut field = input.nested("value of a skippable field")?;
                self.decode_skippable_field(tag, &mut field)?;
            }
        }
        Ok(true)
    }

    fn decode_skippable_field(&mut self, tag: u32, field: &mut Decoder<'_>) -> Result<()> {
        match tag {
            tag::DB_ID => self.db_id = Some(field.take_rest().to_vec()),
            tag::FULL_HISTORY_TS_LOW => {
                let timestamp = field.take_rest();
                if timestamp.is_empty() {
                    return Err(field.error("empty full_history_ts_low"));
                }
                self.full_history_ts_low = Some(timestamp.to_vec());
            }
            tag::WAL_ADDITION => self.wal_additions.push(WalAddition::decode(field)?),
            tag::WAL_DELETION => {
                self.wal_deletion = Some(field.file_number("deleted log number")?);
            }
            tag::PERSIST_USER_DEFINED_TIMESTAMPS => {
                let byte = field.one_byte("persist_user_defined_timestamps")?;
                self.persist_user_defined_timestamps = Some(byte == 1);
            }
            tag::SUBCOMPACTION_PROGRESS => {
                self.subcompaction_progress = Some(field.take_rest().to_vec());
            }
            tag::LAST_COMPACTED_MANIFEST_FILE_SIZE => {
                let size = field.varint64("size of the last compacted MANIFEST")?;
                self.last_compacted_manifest_file_size = Some(size);
            }
            _ => {
                let value = field.take_rest().to_vec();
                self.unknown_fields.push(UnknownField { tag, value });
            }
        }
        Ok(())
    }

    /// The edit's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut output = Vec::new();
        self.encode_to(&mut output);
        output
    }

    /// Appends the edit's bytes, fields in the order in which RocksDB writes them.
    pub fn encode_to(&self, output: &mut Vec<u8>) {
        self.encode_numbers(output);
        self.encode_files(output);
        self.encode_column_family(output);
        if let Some(timestamp) = &self.full_history_ts_low {
            put_bytes(output, tag::FULL_HISTORY_TS_LOW, timestamp);
        }
        if let Some(persist) = self.persist_user_defined_timestamps {
            put_bytes(output, tag::PERSIST_USER_DEFINED_TIMESTAMPS, &[u8::from(persist)]);
        }
        if let Some(progress) = &self.subcompaction_progress {
            put_bytes(output, tag::SUBCOMPACTION_PROGRESS, progress);
        }
        if let Some(size) = self.last_compacted_manifest_file_size {
            put_nested_number(output, tag::LAST_COMPACTED_MANIFEST_FILE_SIZE, size);
        }
        for field in &self.unknown_fields {
            field.encode_to(output);
        }
    }

    fn encode_numbers(&self, output: &mut Vec<u8>) {
        if let Some(id) = &self.db_id {
            put_bytes(output, tag::DB_ID, id);
        }
        if let Some(name) = &self.comparator {
            put_bytes(output, tag::COMPARATOR, name);
        }
        for (tag, number) in [
            (tag::LOG_NUMBER, self.log_number),
            (tag::PREV_LOG_NUMBER, self.prev_log_number),
            (tag::NEXT_FILE_NUMBER, self.next_file_number),
            (tag::MAX_COLUMN_FAMILY, self.max_column_family.map(u64::from)),
            (tag::MIN_LOG_NUMBER_TO_KEEP, self.min_log_number_to_keep),
            (tag::LAST_SEQUENCE, self.last_sequence),
        ] {
            if let Some(number) = number {
                put_varint32(output, tag);
                put_varint64(output, number);
            }
        }
    }

    fn encode_files(&self, output: &mut Vec<u8>) {
        for (level, key) in &self.compact_cursors {
            put_varint32(output, tag::COMPACT_CURSOR);
            put_varint32(output, *level);
            put_length_prefixed(output, key.as_bytes());
        }
        for &(level, number) in &self.deleted_files {
            put_varint32(output, tag::DELETED_FILE);
            put_varint32(output, level);
            put_varint64(output, number);
        }
        let mut min_log_number_to_keep = self.min_log_number_to_keep;
        for file in &self.new_files {
            // For releases that do not know the field of the edit.
            file.encode_to(output, min_log_number_to_keep.take());
        }
        for addition in &self.blob_file_additions {
            put_varint32(output, tag::BLOB_FILE_ADDITION);
            addition.encode_to(output);
        }
        for garbage in &self.blob_file_garbages {
            put_varint32(output, tag::BLOB_FILE_GARBAGE);
            garbage.encode_to(output);
        }
        for addition in &self.wal_additions {
            let mut value = Vec::new();
            addition.encode_to(&mut value);
            put_bytes(output, tag::WAL_ADDITION, &value);
        }
        if let Some(number) = self.wal_deletion {
            put_nested_number(output, tag::WAL_DELETION, number);
        }
    }

    fn encode_column_family(&self, output: &mut Vec<u8>) {
        if self.column_family != 0 {
            put_varint32(output, tag::COLUMN_FAMILY);
            put_varint32(output, self.column_family);
        }
        if let Some(name) = &self.column_family_add {
            put_bytes(output, tag::COLUMN_FAMILY_ADD, name);
        }
        if self.column_family_drop {
            put_varint32(output, tag::COLUMN_FAMILY_DROP);
        }
        if let Some(count) = self.remaining_entries {
            put_varint32(output, tag::IN_ATOMIC_GROUP);
            put_varint32(output, count);
        }
    }

    /// Whether the edit changes the tree of its column family.
    pub fn changes_files(&self) -> bool {
        !(self.deleted_files.is_empty()
            && self.new_files.is_empty()
            && self.blob_file_additions.is_empty()
            && self.blob_file_garbages.is_empty()
            && self.compact_cursors.is_empty())
    }

    /// Whether the edit is about write-ahead logs and so about no column family.
    pub fn changes_wals(&self) -> bool {
        !self.wal_additions.is_empty() || self.wal_deletion.is_some_and(|number| number != 0)
    }
}

fn put_bytes(output: &mut Vec<u8>, tag: u32, value: &[u8]) {
    put_varint32(output, tag);
    put_length_prefixed(output, value);
}

/// A number inside a length-prefixed field.
fn put_nested_number(output: &mut Vec<u8>, tag: u32, number: u64) {
    put_varint32(output, tag);
    output.push(varint_length(number) as u8);
    put_varint64(output, number);
}

#[cfg(test)]
mod tests;
