//! The properties block: what a table says of itself.
//!
//! ```text
//! key     name, in bytewise order; one restart point for all
//! value   varint64, text, or what the name's entry below says
//! ```
//!
//! The block is never compressed. Numbers and texts that RocksDB knows are fields of
//! [`TableProperties`]; all others, those of block-based tables and of ingested files among them, are
//! kept as they are in [`TableProperties::user_collected_properties`].

use crate::block::EntryWalker;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::index::IndexType;
use crate::seqno_to_time_mapping::SeqnoToTimeMapping;
use crate::unique_id::TableOrigin;
use base::coding::{get_varint64, put_varint64};
use base::compaction_filter::NamedTableProperties;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{Result, SequenceNumber, Status};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

mod text;

/// Names of properties that have no field.
pub mod names {
    /// Kind of index: fixed32 ([`IndexType`](crate::index::IndexType)).
    pub const INDEX_TYPE: &str = "rocksdb.block.based.table.index.type";
    /// `1` if whole keys are in the filter, else `0`.
    pub const WHOLE_KEY_FILTERING: &str = "rocksdb.block.based.table.whole.key.filtering";
    /// `1` if prefixes of keys are in the filter, else `0`.
    pub const PREFIX_FILTERING: &str = "rocksdb.block.based.table.prefix.filtering";
    /// `1` if filter partitions end elsewhere than index partitions.
    pub const DECOUPLED_PARTITIONED_FILTERS: &str =
        "rocksdb.block.based.table.decoupled.partitioned.filters";
    /// Version of an ingested file: fixed32.
    pub const EXTERNAL_SST_FILE_VERSION: &str = "rocksdb.external_sst_file.version";
    /// Sequence number of all keys of an ingested file: fixed64.
    pub const EXTERNAL_SST_FILE_GLOBAL_SEQNO: &str = "rocksdb.external_sst_file.global_seqno";
    /// Smallest user timestamp.
    pub const TIMESTAMP_MIN: &str = "rocksdb.timestamp_min";
    /// Largest user timestamp.
    pub const TIMESTAMP_MAX: &str = "rocksdb.timestamp_max";
    /// Number of deletions: varint64.
    pub const DELETED_KEYS: &str = "rocksdb.deleted.keys";
    /// Number of merge operands: varint64.
    pub const MERGE_OPERANDS: &str = "rocksdb.merge.operands";
    /// Number and bytes of embedded blobs: two varint64. There only if there are any.
    pub const EMBEDDED_BLOB_STATS: &str = "rocksdb.embedded.blob.stats";
}

/// `column_family_id` where it is not known, as in files made outside a database.
pub const UNKNOWN_COLUMN_FAMILY_ID: u64 = i32::MAX as u64;
/// `key_largest_seqno` and `key_smallest_seqno` where they are not known.
pub const UNKNOWN_SEQUENCE_NUMBER: u64 = u64::MAX;

/// Declares the properties that have fields, each once: documentation, field, name on disk, the
/// value when it is missing, and whether RocksDB leaves it out then.
macro_rules! properties {
    (
        numbers { $($(#[$number_doc:meta])* $number:ident $number_name:literal
            $default:expr, $presence:ident;)* }
        texts { $($(#[$text_doc:meta])* $text:ident $text_name:literal;)* }
    ) => {
        /// The properties of a table. Numbers count bytes or things as their names say; times are
        /// seconds since 1970.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct TableProperties {
            $($(#[$number_doc])* pub $number: u64,)*
            $($(#[$text_doc])* pub $text: String,)*
            /// `rocksdb.seqno.time.map` as stored; [`TableProperties::seqno_to_time_mapping`] decodes it.
            pub seqno_to_time_mapping: Vec<u8>,
            /// All properties without a field, and, as RocksDB has it, `rocksdb.deleted.keys` and
            /// `rocksdb.merge.operands` too.
            pub user_collected_properties: BTreeMap<Vec<u8>, Vec<u8>>,
            /// What collectors say of theirs to people. Not stored: only who made the table has it.
            pub readable_properties: BTreeMap<String, String>,
        }

        impl Default for TableProperties {
            fn default() -> Self {
                Self {
                    $($number: $default,)*
                    $($text: String::new(),)*
                    seqno_to_time_mapping: Vec::new(),
                    user_collected_properties: BTreeMap::new(),
                    readable_properties: BTreeMap::new(),
                }
            }
        }

        const NUMBERS: &[NumberProperty] = &[
            $(NumberProperty {
                name: $number_name,
                default: $default,
                presence: Presence::$presence,
                get: |properties| properties.$number,
                get_mut: |properties| &mut properties.$number,
            },)*
        ];

        const TEXTS: &[TextProperty] = &[
            $(TextProperty {
                name: $text_name,
                get: |properties| &properties.$text,
                get_mut: |properties| &mut properties.$text,
            },)*
        ];
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Always,
    IfSet,
}

struct NumberProperty {
    name: &'static str,
    default: u64,
    presence: Presence,
    get: fn(&TableProperties) -> u64,
    get_mut: fn(&mut TableProperties) -> &mut u64,
}

struct TextProperty {
    name: &'static str,
    get: fn(&TableProperties) -> &str,
    get_mut: fn(&mut TableProperties) -> &mut String,
}

properties! {
    numbers {
        /// Number the file had when it was made.
        original_file_number "rocksdb.original.file.number" 0, Always;
        /// Bytes of data blocks as stored, trailers included.
        data_size "rocksdb.data.size" 0, Always;
        /// Bytes of index blocks as stored, trailers included.
        index_size "rocksdb.index.size" 0, Always;
        /// Number of partitions of a two-level index.
        index_partitions "rocksdb.index.partitions" 0, IfSet;
        /// Bytes of the top level of a two-level index.
        top_level_index_size "rocksdb.top-level.index.size" 0, IfSet;
        /// 1 if index keys lack sequence number and type.
        index_key_is_user_key "rocksdb.index.key.is.user.key" 0, Always;
        /// 1 if index handles are delta-encoded.
        index_value_is_delta_encoded "rocksdb.index.value.is.delta.encoded" 0, Always;
        /// 1 if a user-defined index is the one to use.
        udi_is_primary_index "rocksdb.udi.is.primary.index" 0, IfSet;
        /// Bytes of the filter.
        filter_size "rocksdb.filter.size" 0, Always;
        /// Bytes of internal keys, not delta-encoded.
        raw_key_size "rocksdb.raw.key.size" 0, Always;
        /// Bytes of values.
        raw_value_size "rocksdb.raw.value.size" 0, Always;
        /// Number of data blocks.
        num_data_blocks "rocksdb.num.data.blocks" 0, Always;
        /// Data blocks stored as they are since compression saved too little.
        num_data_blocks_compression_rejected
            "rocksdb.num.data.blocks.compression.rejected" 0, IfSet;
        /// Data blocks that nobody tried to compress.
        num_data_blocks_compression_bypassed
            "rocksdb.num.data.blocks.compression.bypassed" 0, IfSet;
        /// Blocks marked as having evenly spread keys.
        num_uniform_blocks "rocksdb.num.uniform.blocks" 0, IfSet;
        /// Number of entries, tombstones of ranges included.
        num_entries "rocksdb.num.entries" 0, Always;
        /// Number of keys and prefixes in the filter.
        num_filter_entries "rocksdb.num.filter_entries" 0, Always;
        /// Number of deletions, those of ranges included.
        num_deletions "rocksdb.deleted.keys" 0, Always;
        /// Number of merge operands.
        num_merge_operands "rocksdb.merge.operands" 0, Always;
        /// Number of range tombstones.
        num_range_deletions "rocksdb.num.range-deletions" 0, Always;
        /// Not the format version of the footer: 0 for most files.
        format_version "rocksdb.format.version" 0, Always;
        /// Length of all keys, or 0.
        fixed_key_len "rocksdb.fixed.key.length" 0, Always;
        /// Column family the file was made for, or [`UNKNOWN_COLUMN_FAMILY_ID`].
        column_family_id "rocksdb.column.family.id" UNKNOWN_COLUMN_FAMILY_ID, Always;
        /// Time of the flush, or of the oldest source of a compaction; 0 if not known.
        creation_time "rocksdb.creation.time" 0, Always;
        /// Time of the oldest key; 0 if not known.
        oldest_key_time "rocksdb.oldest.key.time" 0, Always;
        /// Time of the newest key; 0 if not known.
        newest_key_time "rocksdb.newest.key.time" 0, IfSet;
        /// Time the file was made; 0 if not known.
        file_creation_time "rocksdb.file.creation.time" 0, IfSet;
        /// Estimated bytes of data under a slow codec; 0 if not sampled.
        slow_compression_estimated_data_size
            "rocksdb.sample_for_compression.slow.data.size" 0, IfSet;
        /// Estimated bytes of data under a fast codec; 0 if not sampled.
        fast_compression_estimated_data_size
            "rocksdb.sample_for_compression.fast.data.size" 0, IfSet;
        /// Where the data blocks end; 0 if not known.
        tail_start_offset "rocksdb.tail.start.offset" 0, IfSet;
        /// 0 if user keys lack their timestamps.
        user_defined_timestamps_persisted
            "rocksdb.user.defined.timestamps.persisted" 1, IfSet;
        /// Largest sequence number, or [`UNKNOWN_SEQUENCE_NUMBER`].
        key_largest_seqno "rocksdb.key.largest.seqno" UNKNOWN_SEQUENCE_NUMBER, IfSet;
        /// Smallest sequence number, or [`UNKNOWN_SEQUENCE_NUMBER`].
        key_smallest_seqno "rocksdb.key.smallest.seqno" UNKNOWN_SEQUENCE_NUMBER, IfSet;
        /// Restart interval of data blocks; 0 if not known.
        data_block_restart_interval "rocksdb.data.block.restart.interval" 0, IfSet;
        /// Restart interval of index blocks; 0 if not known.
        index_block_restart_interval "rocksdb.index.block.restart.interval" 0, IfSet;
        /// 1 if data blocks hold keys and values apart.
        separate_key_value_in_data_block
            "rocksdb.separate.key.value.in.data.block" 0, IfSet;
    }
    texts {
        /// Identity of the database that made the file.
        db_id "rocksdb.creating.db.identity";
        /// Identity of the session that made the file.
        db_session_id "rocksdb.creating.session.identity";
        /// Host that made the file.
        db_host_id "rocksdb.creating.host.identity";
        /// Name of the column family the file was made for.
        column_family_name "rocksdb.column.family.name";
        /// Name of the filter policy.
        filter_policy_name "rocksdb.filter.policy";
        /// Name of the comparator.
        comparator_name "rocksdb.comparator";
        /// Name of the merge operator, or `nullptr`.
        merge_operator_name "rocksdb.merge.operator";
        /// Name of the prefix extractor, or `nullptr`.
        prefix_extractor_name "rocksdb.prefix.extractor.name";
        /// Names of the property collectors in brackets.
        property_collectors_names "rocksdb.property.collectors";
        /// Name of the compression, or, from format version 7 on, compression manager and types.
        compression_name "rocksdb.compression";
        /// Options of the compression as text.
        compression_options "rocksdb.compression_options";
    }
}

#[derive(Clone, Copy)]
enum Field {
    Number(&'static NumberProperty),
    Text(&'static TextProperty),
    SeqnoTimeMap,
}

/// The properties that have fields, in the order of names, as blocks have them.
static FIELDS: LazyLock<Vec<(&[u8], Field)>> = LazyLock::new(|| {
    let numbers = NUMBERS.iter().map(|number| (number.name.as_bytes(), Field::Number(number)));
    let texts = TEXTS.iter().map(|text| (text.name.as_bytes(), Field::Text(text)));
    let map = (SEQNO_TIME_MAP.as_bytes(), Field::SeqnoTimeMap);
    let mut fields: Vec<_> = numbers.chain(texts).chain([map]).collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields
});

const SEQNO_TIME_MAP: &str = "rocksdb.seqno.time.map";
/// Numbers that are among the user's properties as well.
const ALSO_USER_COLLECTED: [&str; 2] = [names::DELETED_KEYS, names::MERGE_OPERANDS];

/// So many properties without a field, or with one and among the user's, most tables have at most.
const COLLECTED_EXPECTED: usize = 8;

/// Version of ingested files that have a global sequence number.
const EXTERNAL_VERSION_WITH_GLOBAL_SEQNO: u32 = 2;

impl TableProperties {
    /// Whether every entry deletes a key. Old releases did not count range deletions among the
    /// entries, so a table that has such is not said to.
    #[inline]
    pub fn holds_only_point_deletions(&self) -> bool {
        self.num_entries > 0
            && self.num_deletions == self.num_entries
            && self.num_range_deletions == 0
            && self.num_merge_operands == 0
    }

    /// Decodes a properties block.
    ///
    /// # Errors
    /// `Corruption` if an entry does not fit, names do not ascend, or a number is none.
    pub fn decode(block: &[u8]) -> Result<Self> {
        let mut walker = EntryWalker::new(block)?;
        let mut properties = Self::default();
        let mut collected: Vec<(Vec<u8>, Vec<u8>)> = Vec::with_capacity(COLLECTED_EXPECTED);
        // Both go by name: the fields before this one are passed.
        let mut passed = 0;
        // The name before, unless the last one collected is it.
        let mut last: Option<&[u8]> = None;
        while let Some((name, value)) = walker.next()? {
            let last_name = last.or(collected.last().map(|(name, _)| name.as_slice()));
            if last_name.is_some_and(|last| last >= name) {
                return Err(Status::corruption("properties unsorted"));
            }
            while FIELDS.get(passed).is_some_and(|(field, _)| *field < name) {
                passed += 1;
            }
            let field = FIELDS.get(passed).filter(|(field, _)| *field == name);
            let is_kept_too = match field {
                Some((_, field)) => properties.set(*field, value)?,
                None => true,
            };
            last = field.filter(|_| !is_kept_too).map(|(name, _)| *name);
            if is_kept_too {
                collected.push((name.to_vec(), value.to_vec()));
            }
        }
        properties.user_collected_properties = collected.into_iter().collect();
        Ok(properties)
    }

    /// Sets a field. Whether the property is to be among the user's as well.
    fn set(&mut self, field: Field, value: &[u8]) -> Result<bool> {
        match field {
            Field::Number(property) => {
                let number = get_varint64(&mut &*value).ok_or_else(|| {
                    Status::corruption(format!("property {} is no number", property.name))
                })?;
                *(property.get_mut)(self) = number;
                return Ok(ALSO_USER_COLLECTED.contains(&property.name));
            }
            Field::Text(property) => {
                *(property.get_mut)(self) = match std::str::from_utf8(value) {
                    Ok(text) => text.to_owned(),
                    Err(_) => String::from_utf8_lossy(value).into_owned(),
                };
            }
            Field::SeqnoTimeMap => self.seqno_to_time_mapping = value.to_vec(),
        }
        Ok(false)
    }

    /// Encodes a properties block: every number that RocksDB always writes, and what else is set.
    pub fn encode(&self) -> Vec<u8> {
        let mut entries = self.user_collected_properties.clone();
        for property in NUMBERS {
            let value = (property.get)(self);
            if property.presence == Presence::Always || value != property.default {
                let mut encoded = Vec::new();
                put_varint64(&mut encoded, value);
                entries.insert(property.name.into(), encoded);
            }
        }
        for property in TEXTS {
            let value = (property.get)(self);
            if !value.is_empty() {
                entries.insert(property.name.into(), value.into());
            }
        }
        if !self.seqno_to_time_mapping.is_empty() {
            entries.insert(SEQNO_TIME_MAP.into(), self.seqno_to_time_mapping.clone());
        }
        let options = BlockBuilderOptions { restart_interval: usize::MAX, ..Default::default() };
        let mut builder = BlockBuilder::new(options);
        for (name, value) in &entries {
            builder.add(name, value);
        }
        builder.finish()
    }

    /// A property without a field.
    pub fn user_collected(&self, name: &str) -> Option<&[u8]> {
        self.user_collected_properties.get(name.as_bytes()).map(Vec::as_slice)
    }

    fn fixed<const N: usize>(&self, name: &str) -> Result<Option<[u8; N]>> {
        let Some(value) = self.user_collected(name) else { return Ok(None) };
        match value.first_chunk() {
            Some(chunk) => Ok(Some(*chunk)),
            None => Err(Status::corruption(format!(
                "property {name}: expected {N} bytes, found {}",
                value.len()
            ))),
        }
    }

    /// The kind of index; binary search in files too old to say.
    ///
    /// # Errors
    /// `NotSupported` if it is not known.
    pub fn index_type(&self) -> Result<IndexType> {
        let Some(raw) = self.fixed(names::INDEX_TYPE)? else { return Ok(IndexType::default()) };
        let number = u32::from_le_bytes(raw);
        IndexType::from_u32(number)
            .ok_or_else(|| Status::not_supported(format!("index of type {number}")))
    }

    /// The name of the user comparator; none in files too old to say. Releases around 4.13 stored
    /// the name of the internal key comparator, which begins otherwise.
    pub fn user_comparator_name(&self) -> Option<&str> {
        const INTERNAL_PREFIX: &str = "rocksdb.InternalKeyComparator:";
        let name = self.comparator_name.as_str();
        Some(name.strip_prefix(INTERNAL_PREFIX).unwrap_or(name)).filter(|name| !name.is_empty())
    }

    /// Whether whole keys are in the filter. They are unless the file says they are not.
    pub fn whole_key_filtering(&self) -> bool {
        self.user_collected(names::WHOLE_KEY_FILTERING) != Some(b"0")
    }

    /// Whether prefixes are in the filter. They are unless the file says they are not.
    pub fn prefix_filtering(&self) -> bool {
        self.user_collected(names::PREFIX_FILTERING) != Some(b"0")
    }

    /// Whether the table holds embedded blobs.
    pub fn has_embedded_blobs(&self) -> bool {
        self.user_collected(names::EMBEDDED_BLOB_STATS).is_some()
    }

    /// Version of an ingested file; none for others.
    ///
    /// # Errors
    /// `Corruption` if it is malformed.
    pub fn external_sst_file_version(&self) -> Result<Option<u32>> {
        Ok(self.fixed(names::EXTERNAL_SST_FILE_VERSION)?.map(u32::from_le_bytes))
    }

    /// The sequence number of every key of an ingested file, none for other files.
    /// `largest_seqno` is the largest of the file by the MANIFEST, where that is known.
    ///
    /// # Errors
    /// `Corruption` if properties and MANIFEST contradict themselves or one another.
    pub fn global_seqno(
        &self,
        largest_seqno: Option<SequenceNumber>,
    ) -> Result<Option<SequenceNumber>> {
        let stored = self.fixed(names::EXTERNAL_SST_FILE_GLOBAL_SEQNO)?.map(u64::from_le_bytes);
        let Some(version) = self.external_sst_file_version()? else {
            return match stored {
                None => Ok(None),
                Some(stored) => Err(Status::corruption(format!(
                    "a file that was not ingested has global sequence number {stored}"
                ))),
            };
        };
        if version < EXTERNAL_VERSION_WITH_GLOBAL_SEQNO {
            return match (version, stored) {
                (1, None) => Ok(None),
                _ => Err(Status::corruption(format!(
                    "an ingested file of version {version} has a global sequence number"
                ))),
            };
        }
        let sequence = match (stored.unwrap_or(0), largest_seqno) {
            (0, Some(largest)) => largest,
            (stored, Some(largest)) if stored != largest => {
                return Err(Status::corruption(format!(
                    "an ingested file has global sequence number {stored}, while the largest \
                     sequence number in the file is {largest}"
                )));
            }
            (stored, _) => stored,
        };
        if sequence > MAX_SEQUENCE_NUMBER {
            return Err(Status::corruption(format!(
                "global sequence number {sequence} is greater than {MAX_SEQUENCE_NUMBER}"
            )));
        }
        Ok(Some(sequence))
    }

    /// When the sequence numbers of the table were given out.
    ///
    /// # Errors
    /// `Corruption` if the mapping is malformed.
    pub fn seqno_to_time_mapping(&self) -> Result<SeqnoToTimeMapping> {
        SeqnoToTimeMapping::decode(&self.seqno_to_time_mapping)
            .map_err(|error| error.context(format!("property {SEQNO_TIME_MAP}")))
    }

    /// Where the file comes from.
    pub fn origin(&self) -> TableOrigin<'_> {
        TableOrigin {
            db_id: &self.db_id,
            db_session_id: &self.db_session_id,
            file_number: self.original_file_number,
        }
    }
}

impl NamedTableProperties for TableProperties {
    fn number(&self, name: &str) -> Option<u64> {
        let property = NUMBERS.iter().find(|property| property.name == name)?;
        Some((property.get)(self))
    }

    fn text(&self, name: &str) -> Option<&str> {
        let property = TEXTS.iter().find(|property| property.name == name)?;
        Some((property.get)(self))
    }

    fn user_collected(&self, name: &[u8]) -> Option<&[u8]> {
        self.user_collected_properties.get(name).map(Vec::as_slice)
    }
}

/// Where in a properties block the value of the global sequence number is: old releases write it
/// there when they ingest the file, and leave the block's checksum as it was with zeros.
pub fn find_global_seqno(block: &[u8]) -> Result<Option<Range<usize>>> {
    let mut walker = EntryWalker::new(block)?;
    while let Some((name, value)) = walker.next()? {
        if name == names::EXTERNAL_SST_FILE_GLOBAL_SEQNO.as_bytes() {
            let start = value.as_ptr().addr() - block.as_ptr().addr();
            return Ok((value.len() == 8).then_some(start..start + 8));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
