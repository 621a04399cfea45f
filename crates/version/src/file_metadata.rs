//! What the MANIFEST says about one table file.
//!
//! ```text
//! NewFile   (7)    level v32 | number v64 | size v64 | smallest lps | largest lps
//! NewFile2  (100)  as NewFile | smallest seqno v64 | largest seqno v64
//! NewFile3  (102)  as NewFile2, with path id v32 after the number
//! NewFile4  (103)  as NewFile2 | (custom tag v32 | value lps)* | 1 v32
//! ```
//!
//! `v32`, `v64` are varints, `lps` is a length-prefixed byte string, keys are internal keys. Only
//! NewFile4 is written here, and by RocksDB since 6.6. Custom tags:
//!
//! | tag | value | field |
//! |---|---|---|
//! | 2 | byte 1 | `marked_for_compaction` |
//! | 3 | fixed64 | the edit's `min_log_number_to_keep`, in the first file of the edit |
//! | 4 | v64 | `oldest_blob_file_number` |
//! | 5, 6 | v64 | `oldest_ancester_time`, `file_creation_time` |
//! | 7, 8 | bytes | `file_checksum` and the name of its function |
//! | 9 | byte | `temperature` |
//! | 10, 11 | bytes | `min_timestamp`, `max_timestamp` |
//! | 12 | 16 bytes | `unique_id` |
//! | 13 | v64 | `epoch_number` |
//! | 14 | v64 | `compensated_range_deletion_size` |
//! | 15 | v64 | `tail_size` |
//! | 16 | byte 0 | `user_defined_timestamps_persisted` is false |
//! | 17 | bytes | `file_open_metadata` |
//! | 65 | byte ≤ 3 | `path_id` |
//!
//! An unknown tag with bit 0x40 is an error; any other is kept and written again.

use crate::decoder::{Decoder, PATH_ID_MAX, UnknownField};
use base::coding::{put_fixed64, put_length_prefixed, put_varint32, put_varint64};
use base::dbformat::{TRAILER_SIZE, hex};
use base::{InternalKey, Result, SequenceNumber};
use std::fmt;

mod custom_tag {
    pub(super) const TERMINATE: u32 = 1;
    pub(super) const NEED_COMPACTION: u32 = 2;
    pub(super) const MIN_LOG_NUMBER_TO_KEEP: u32 = 3;
    pub(super) const OLDEST_BLOB_FILE_NUMBER: u32 = 4;
    pub(super) const OLDEST_ANCESTER_TIME: u32 = 5;
    pub(super) const FILE_CREATION_TIME: u32 = 6;
    pub(super) const FILE_CHECKSUM: u32 = 7;
    pub(super) const FILE_CHECKSUM_FUNCTION: u32 = 8;
    pub(super) const TEMPERATURE: u32 = 9;
    pub(super) const MIN_TIMESTAMP: u32 = 10;
    pub(super) const MAX_TIMESTAMP: u32 = 11;
    pub(super) const UNIQUE_ID: u32 = 12;
    pub(super) const EPOCH_NUMBER: u32 = 13;
    pub(super) const COMPENSATED_RANGE_DELETION_SIZE: u32 = 14;
    pub(super) const TAIL_SIZE: u32 = 15;
    pub(super) const USER_DEFINED_TIMESTAMPS_PERSISTED: u32 = 16;
    pub(super) const FILE_OPEN_METADATA: u32 = 17;
    /// A reader that does not know a tag with this bit must refuse the file.
    pub(super) const NOT_IGNORABLE: u32 = 1 << 6;
    pub(super) const PATH_ID: u32 = 65;
}

/// Tags of the forms in which a file is added.
pub(crate) mod tag {
    pub(crate) const NEW_FILE: u32 = 7;
    pub(crate) const NEW_FILE2: u32 = 100;
    pub(crate) const NEW_FILE3: u32 = 102;
    pub(crate) const NEW_FILE4: u32 = 103;
}

/// Epoch number of files whose epoch is unknown: those written before 7.10.
pub const UNKNOWN_EPOCH_NUMBER: u64 = 0;
/// Epoch number of files ingested behind all others (`allow_ingest_behind`).
pub const INGESTED_BEHIND_EPOCH_NUMBER: u64 = 1;
/// The function name that stands for "no checksum".
pub const UNKNOWN_FILE_CHECKSUM_FUNCTION: &[u8] = b"Unknown";

/// Where a file should be stored (`rocksdb::Temperature`); the number on disk, also one that this
/// release does not know.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Temperature(pub u8);

impl Temperature {
    /// Nothing is known; not written.
    pub const UNKNOWN: Self = Self(0);
    /// Hot.
    pub const HOT: Self = Self(0x04);
    /// Warm.
    pub const WARM: Self = Self(0x08);
    /// Cool.
    pub const COOL: Self = Self(0x0a);
    /// Cold.
    pub const COLD: Self = Self(0x0c);
    /// Ice.
    pub const ICE: Self = Self(0x10);

    /// RocksDB's name, `unknown` for numbers without one.
    pub fn name(self) -> &'static str {
        match self {
            Self::HOT => "hot",
            Self::WARM => "warm",
            Self::COOL => "cool",
            Self::COLD => "cold",
            Self::ICE => "ice",
            _ => "unknown",
        }
    }
}

impl fmt::Debug for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#04x})", self.name(), self.0)
    }
}

/// Checksum of a whole table file (`file_checksum_gen_factory`).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FileChecksum {
    /// The checksum; empty if there is none.
    pub value: Vec<u8>,
    /// Name of the function, for instance `FileChecksumCrc32c`;
    /// [`UNKNOWN_FILE_CHECKSUM_FUNCTION`] if there is none.
    pub function_name: Vec<u8>,
}

impl Default for FileChecksum {
    fn default() -> Self {
        Self { value: Vec::new(), function_name: UNKNOWN_FILE_CHECKSUM_FUNCTION.to_vec() }
    }
}

impl fmt::Debug for FileChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", String::from_utf8_lossy(&self.function_name), hex(&self.value))
    }
}

/// One table file. All times are seconds since 1970, all sizes bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMetaData {
    /// Number in the file's name.
    pub number: u64,
    /// Index of its directory in `cf_paths` or `db_paths`.
    pub path_id: u32,
    /// Size of the file.
    pub file_size: u64,
    /// Smallest internal key, range tombstones included. Its type may be any.
    pub smallest: InternalKey,
    /// Largest internal key. A range tombstone's end makes it exclusive, see
    /// [`InternalKey::is_range_tombstone_sentinel`].
    pub largest: InternalKey,
    /// Smallest sequence number; 0 where the oldest form did not record it.
    pub smallest_seqno: SequenceNumber,
    /// Largest sequence number; 0 where the oldest form did not record it.
    pub largest_seqno: SequenceNumber,
    /// A table properties collector asked for its compaction.
    pub marked_for_compaction: bool,
    /// Where it should be stored.
    pub temperature: Temperature,
    /// Smallest number of the blob files that its entries refer to.
    pub oldest_blob_file_number: Option<u64>,
    /// When the oldest data in it was written; 0 if unknown.
    pub oldest_ancester_time: u64,
    /// When it was made; 0 if unknown.
    pub file_creation_time: u64,
    /// Order among L0 files, larger is newer; [`UNKNOWN_EPOCH_NUMBER`] before 7.10.
    pub epoch_number: u64,
    /// As written; ask [`FileMetaData::checksum`].
    pub file_checksum: Option<FileChecksum>,
    /// Identity of its content, to be compared with what its properties give.
    pub unique_id: Option<[u8; 16]>,
    /// Estimated size of the data that its range tombstones cover in the next level.
    pub compensated_range_deletion_size: u64,
    /// From the end of the last data block to the end of the file; 0 if unknown.
    pub tail_size: u64,
    /// Whether its keys, and the boundaries in the MANIFEST, end in the timestamps that the
    /// comparator expects.
    pub user_defined_timestamps_persisted: bool,
    /// Smallest timestamp; empty if there is none or it is unknown.
    pub min_timestamp: Vec<u8>,
    /// Largest timestamp; empty if there is none or it is unknown.
    pub max_timestamp: Vec<u8>,
    /// What the file system wants to be given when the file is opened again (`fast_sst_open`).
    pub file_open_metadata: Vec<u8>,
    /// Custom tags of later releases.
    pub unknown_fields: Vec<UnknownField>,
}

/// What a file's two maps in memory take beside what it holds: table statistics and the table cache's slot.
const OVERHEAD_BYTES: usize = 256;

impl FileMetaData {
    /// About how many bytes of memory what is known of the file takes.
    pub fn memory_usage_bytes(&self) -> usize {
        let keys = self.smallest.as_bytes().len() + self.largest.as_bytes().len();
        size_of::<Self>() + keys + OVERHEAD_BYTES
    }

    /// A file with nothing but what every form records.
    pub fn new(number: u64, file_size: u64, smallest: InternalKey, largest: InternalKey) -> Self {
        Self {
            number,
            path_id: 0,
            file_size,
            smallest,
            largest,
            smallest_seqno: 0,
            largest_seqno: 0,
            marked_for_compaction: false,
            temperature: Temperature::UNKNOWN,
            oldest_blob_file_number: None,
            oldest_ancester_time: 0,
            file_creation_time: 0,
            epoch_number: UNKNOWN_EPOCH_NUMBER,
            file_checksum: None,
            unique_id: None,
            compensated_range_deletion_size: 0,
            tail_size: 0,
            user_defined_timestamps_persisted: true,
            min_timestamp: Vec::new(),
            max_timestamp: Vec::new(),
            file_open_metadata: Vec::new(),
            unknown_fields: Vec::new(),
        }
    }

    /// The checksum of the whole file, if it has one.
    pub fn checksum(&self) -> Option<&FileChecksum> {
        self.file_checksum
            .as_ref()
            .filter(|checksum| checksum.function_name != UNKNOWN_FILE_CHECKSUM_FUNCTION)
    }

    /// Puts into both boundaries the timestamps that the MANIFEST leaves out where they are not
    /// persisted: zeros, or ones where the largest key is the exclusive end of a range tombstone.
    pub fn pad_boundary_timestamps(&mut self, timestamp_size: usize) {
        let largest_byte = if self.largest.is_range_tombstone_sentinel() { 0xff } else { 0 };
        self.smallest = padded(&self.smallest, timestamp_size, 0);
        self.largest = padded(&self.largest, timestamp_size, largest_byte);
    }

    /// The file as the MANIFEST holds it: its boundaries without timestamps where its keys have
    /// none.
    ///
    /// # Panics
    /// If a boundary is too short to have a timestamp.
    pub fn to_stored_form(&self, timestamp_size: usize) -> Self {
        let mut file = self.clone();
        if timestamp_size > 0 && !file.user_defined_timestamps_persisted {
            file.strip_boundary_timestamps(timestamp_size);
        }
        file
    }

    /// Takes the timestamps out of both boundaries again: the form that the MANIFEST holds where
    /// timestamps are not persisted.
    ///
    /// # Panics
    /// If a boundary is too short to have one.
    pub fn strip_boundary_timestamps(&mut self, timestamp_size: usize) {
        for key in [&mut self.smallest, &mut self.largest] {
            let user_key = key.user_key();
            *key = joined(&user_key[..user_key.len() - timestamp_size], &[], key);
        }
    }
}

fn padded(key: &InternalKey, timestamp_size: usize, byte: u8) -> InternalKey {
    joined(key.user_key(), &vec![byte; timestamp_size], key)
}

/// `user_key`, `timestamp` and the trailer of `key`.
fn joined(user_key: &[u8], timestamp: &[u8], key: &InternalKey) -> InternalKey {
    let mut bytes = Vec::with_capacity(user_key.len() + timestamp.len() + TRAILER_SIZE);
    bytes.extend_from_slice(user_key);
    bytes.extend_from_slice(timestamp);
    put_fixed64(&mut bytes, key.trailer());
    InternalKey::from_encoded(bytes).expect("a trailer was appended")
}

/// A file added to a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// The level.
    pub level: u32,
    /// The file, its boundaries as in the MANIFEST.
    pub file: FileMetaData,
}

impl NewFile {
    /// Appends tag and content. `min_log_number_to_keep` goes into the first file of an edit.
    pub(crate) fn encode_to(&self, output: &mut Vec<u8>, min_log_number_to_keep: Option<u64>) {
        let file = &self.file;
        put_varint32(output, tag::NEW_FILE4);
        put_varint32(output, self.level);
        put_varint64(output, file.number);
        put_varint64(output, file.file_size);
        put_length_prefixed(output, file.smallest.as_bytes());
        put_length_prefixed(output, file.largest.as_bytes());
        put_varint64(output, file.smallest_seqno);
        put_varint64(output, file.largest_seqno);
        encode_custom_fields(file, min_log_number_to_keep, output);
        put_varint32(output, custom_tag::TERMINATE);
    }

    /// Reads what follows the tag of one of the four forms.
    pub(crate) fn decode(
        form: u32,
        input: &mut Decoder<'_>,
        min_log_number_to_keep: &mut Option<u64>,
    ) -> Result<Self> {
        let level = input.level()?;
        let number = input.file_number("file number")?;
        let path_id = if form == tag::NEW_FILE3 { input.path_id()? } else { 0 };
        let file_size = input.varint64("file size")?;
        let smallest = input.internal_key("smallest key")?;
        let largest = input.internal_key("largest key")?;
        let mut file = FileMetaData::new(number, file_size, smallest, largest);
        file.path_id = path_id;
        if form != tag::NEW_FILE {
            file.smallest_seqno = input.varint64("smallest sequence number")?;
            file.largest_seqno = input.varint64("largest sequence number")?;
        }
        if form == tag::NEW_FILE4 {
            decode_custom_fields(&mut file, input, min_log_number_to_keep)?;
        }
        Ok(Self { level, file })
    }
}

/// In the order in which RocksDB writes them.
fn encode_custom_fields(
    file: &FileMetaData,
    min_log_number_to_keep: Option<u64>,
    output: &mut Vec<u8>,
) {
    put_number(output, custom_tag::OLDEST_ANCESTER_TIME, file.oldest_ancester_time);
    put_number(output, custom_tag::FILE_CREATION_TIME, file.file_creation_time);
    if file.epoch_number != UNKNOWN_EPOCH_NUMBER {
        put_number(output, custom_tag::EPOCH_NUMBER, file.epoch_number);
    }
    if let Some(checksum) = &file.file_checksum {
        put_field(output, custom_tag::FILE_CHECKSUM, &checksum.value);
        put_field(output, custom_tag::FILE_CHECKSUM_FUNCTION, &checksum.function_name);
    }
    if file.path_id != 0 {
        put_field(output, custom_tag::PATH_ID, &[file.path_id as u8]);
    }
    if file.temperature != Temperature::UNKNOWN {
        put_field(output, custom_tag::TEMPERATURE, &[file.temperature.0]);
    }
    if file.marked_for_compaction {
        put_field(output, custom_tag::NEED_COMPACTION, &[1]);
    }
    if let Some(number) = min_log_number_to_keep {
        put_field(output, custom_tag::MIN_LOG_NUMBER_TO_KEEP, &number.to_le_bytes());
    }
    if let Some(number) = file.oldest_blob_file_number {
        put_number(output, custom_tag::OLDEST_BLOB_FILE_NUMBER, number);
    }
    if let Some(id) = &file.unique_id {
        put_field(output, custom_tag::UNIQUE_ID, id);
    }
    if file.compensated_range_deletion_size != 0 {
        let size = file.compensated_range_deletion_size;
        put_number(output, custom_tag::COMPENSATED_RANGE_DELETION_SIZE, size);
    }
    if file.tail_size != 0 {
        put_number(output, custom_tag::TAIL_SIZE, file.tail_size);
    }
    if !file.user_defined_timestamps_persisted {
        put_field(output, custom_tag::USER_DEFINED_TIMESTAMPS_PERSISTED, &[0]);
    }
    for (tag, value) in [
        (custom_tag::MIN_TIMESTAMP, &file.min_timestamp),
        (custom_tag::MAX_TIMESTAMP, &file.max_timestamp),
        (custom_tag::FILE_OPEN_METADATA, &file.file_open_metadata),
    ] {
        if !value.is_empty() {
            put_field(output, tag, value);
        }
    }
    for field in &file.unknown_fields {
        field.encode_to(output);
    }
}

fn put_field(output: &mut Vec<u8>, tag: u32, value: &[u8]) {
    put_varint32(output, tag);
    put_length_prefixed(output, value);
}

fn put_number(output: &mut Vec<u8>, tag: u32, number: u64) {
    put_varint32(output, tag);
    output.push(base::coding::varint_length(number) as u8);
    put_varint64(output, number);
}

fn decode_custom_fields(
    file: &mut FileMetaData,
    input: &mut Decoder<'_>,
    min_log_number_to_keep: &mut Option<u64>,
) -> Result<()> {
    loop {
        let tag = input.varint32("custom tag of a file")?;
        if tag == custom_tag::TERMINATE {
            return Ok(());
        }
        let mut field = input.nested("value of a custom tag of a file")?;
        if tag == custom_tag::MIN_LOG_NUMBER_TO_KEEP {
            *min_log_number_to_keep = Some(field.fixed_file_number("min log number to keep")?);
        } else {
            decode_custom_field(file, tag, &mut field)?;
        }
    }
}

fn decode_custom_field(file: &mut FileMetaData, tag: u32, field: &mut Decoder<'_>) -> Result<()> {
    use custom_tag::*;
    match tag {
        NEED_COMPACTION => file.marked_for_compaction = field.one_byte("need compaction")? == 1,
        OLDEST_BLOB_FILE_NUMBER => {
            let number = field.file_number("oldest blob file number")?;
            file.oldest_blob_file_number = (number != 0).then_some(number);
        }
        OLDEST_ANCESTER_TIME => {
            file.oldest_ancester_time = field.varint64("oldest ancester time")?;
        }
        FILE_CREATION_TIME => file.file_creation_time = field.varint64("file creation time")?,
        FILE_CHECKSUM => {
            file.file_checksum.get_or_insert_default().value = field.take_rest().to_vec();
        }
        FILE_CHECKSUM_FUNCTION => {
            file.file_checksum.get_or_insert_default().function_name = field.take_rest().to_vec();
        }
        TEMPERATURE => file.temperature = Temperature(field.one_byte("temperature")?),
        MIN_TIMESTAMP => file.min_timestamp = field.take_rest().to_vec(),
        MAX_TIMESTAMP => file.max_timestamp = field.take_rest().to_vec(),
        UNIQUE_ID => {
            let value = field.take_rest();
            let id = <[u8; 16]>::try_from(value).map_err(|_| {
                field.error(format_args!("unique id of {} bytes, expected 16", value.len()))
            })?;
            file.unique_id = (id != [0; 16]).then_some(id);
        }
        EPOCH_NUMBER => file.epoch_number = field.varint64("epoch number")?,
        COMPENSATED_RANGE_DELETION_SIZE => {
            let size = field.varint64("compensated range deletion size")?;
            file.compensated_range_deletion_size = size;
        }
        TAIL_SIZE => file.tail_size = field.varint64("tail size")?,
        USER_DEFINED_TIMESTAMPS_PERSISTED => {
            let byte = field.one_byte("user-defined timestamps persisted")?;
            file.user_defined_timestamps_persisted = byte == 1;
        }
        FILE_OPEN_METADATA => file.file_open_metadata = field.take_rest().to_vec(),
        PATH_ID => {
            let path_id = u32::from(field.one_byte("path id")?);
            if path_id > PATH_ID_MAX {
                return Err(
                    field.error(format_args!("path id {path_id}, expected at most {PATH_ID_MAX}"))
                );
            }
            file.path_id = path_id;
        }
        _ if tag & NOT_IGNORABLE != 0 => {
            return Err(field.error(format_args!("unknown custom tag {tag} of a file")));
        }
        _ => {
            let value = field.take_rest().to_vec();
            file.unknown_fields.push(UnknownField { tag, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
