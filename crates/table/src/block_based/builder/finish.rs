//! What comes after the data blocks.

use super::BlockBasedTableBuilder;
use super::lagging_blocks::LaggingBlocks;
use crate::block_based::block_compressor::{BlockCompressor, Compressed};
use crate::block_based::block_writer::{BlockWriter, WrittenFile};
use crate::filter::BUILTIN_POLICY_NAME;
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle, FORMAT_VERSION_WITH_CONTEXT};
use crate::index::index_builder::WrittenIndex;
use crate::metaindex::{
    COMPRESSION_DICTIONARY_BLOCK_NAME, FULL_FILTER_PREFIX, INDEX_BLOCK_NAME, MetaIndex,
    PARTITIONED_FILTER_PREFIX, PROPERTIES_BLOCK_NAME, RANGE_DEL_BLOCK_NAME,
};
use crate::properties::{TableProperties, names};
use base::Result;
use base::coding::put_varint64;
use base::dbformat::extract_user_key;
use compression::CompressionType;
use env::WritableFile;
use std::collections::BTreeMap;
use std::mem;

/// First format version whose property of compression names a manager and the types in use.
const FORMAT_VERSION_WITH_MANAGER_NAME: u32 = 7;

/// A table that is complete, but for being synced and closed.
#[derive(Debug)]
pub struct FinishedTable {
    /// The file, all of it appended; the caller syncs and closes it.
    pub file: Box<dyn WritableFile>,
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes after the data blocks.
    pub tail_size: u64,
    /// Bytes of the data blocks with trailers, had they not been compressed.
    pub pre_compression_size: u64,
    /// The properties, as a reader will find them.
    pub properties: TableProperties,
    /// Name of the function and checksum of the whole file, if a generator was given.
    pub file_checksum: Option<(String, Vec<u8>)>,
    /// Whether a collector wants the table compacted soon.
    pub need_compact: bool,
    /// Processor time of threads that compressed blocks beside the caller's, in microseconds.
    pub other_cpu_micros: u64,
}

type MetaBlocks = BTreeMap<Vec<u8>, BlockHandle>;

impl BlockBasedTableBuilder {
    /// Writes what is left of the table.
    ///
    /// # Errors
    /// The first error of any call. The file is then to be deleted.
    pub fn finish(mut self) -> Result<FinishedTable> {
        mem::replace(&mut self.status, Ok(()))?;
        self.flush(None)?;
        self.settle_all()?;
        self.index_copied(None);
        let other_cpu_micros = self.lagging.take().map_or(0, LaggingBlocks::finish);
        self.properties.tail_start_offset = self.writer.offset();
        let mut meta_blocks = MetaBlocks::new();
        self.write_filter(&mut meta_blocks)?;
        let index = self.write_index(&mut meta_blocks)?;
        self.write_dictionary(&mut meta_blocks)?;
        self.write_range_tombstones(&mut meta_blocks)?;
        self.complete_properties(&index);
        let mut block = self.properties.encode();
        let handle = self.writer.write(&mut block, CompressionType::None as u8)?;
        meta_blocks.insert(PROPERTIES_BLOCK_NAME.into(), handle);
        let entries = meta_blocks.iter().map(|(name, &handle)| (&name[..], handle));
        let mut block = MetaIndex::encode(entries);
        let metaindex = self.writer.write(&mut block, CompressionType::None as u8)?;
        let need_compact = self.need_compact();
        let WrittenFile { file, size, checksum } = self.writer.finish(metaindex, index.handle)?;
        Ok(FinishedTable {
            file,
            file_size: size,
            tail_size: size - self.properties.tail_start_offset,
            pre_compression_size: self.pre_compression_size,
            properties: self.properties,
            file_checksum: checksum,
            need_compact,
            other_cpu_micros,
        })
    }

    fn write_filter(&mut self, meta_blocks: &mut MetaBlocks) -> Result<()> {
        let Some(filter) = &mut self.filter else { return Ok(()) };
        let entries_count = filter.entries_count();
        if entries_count == 0 {
            return Ok(());
        }
        let last_key = match &self.last_key[..] {
            [] => &[],
            key => self.options.comparator.strip_timestamp(extract_user_key(key)),
        };
        let (writer, size) = (&mut self.writer, &mut self.properties.filter_size);
        let handle = filter.finish(last_key, &self.index, &mut |mut block| {
            *size += block.len() as u64;
            writer.write(&mut block, CompressionType::None as u8)
        })?;
        self.properties.num_filter_entries = entries_count as u64;
        let prefix = match self.options.partition_filters {
            true => PARTITIONED_FILTER_PREFIX,
            false => FULL_FILTER_PREFIX,
        };
        meta_blocks.insert(format!("{prefix}{BUILTIN_POLICY_NAME}").into_bytes(), handle);
        Ok(())
    }

    fn write_index(&mut self, meta_blocks: &mut MetaBlocks) -> Result<WrittenIndex> {
        let (writer, compressor) = (&mut self.writer, &mut self.compressor);
        let is_compressed = self.options.enable_index_compression;
        let index = self.index.finish(&mut |block| match is_compressed {
            true => write_compressed(writer, compressor, block),
            false => write_plain(writer, block),
        })?;
        for &(name, handle) in &index.meta_blocks {
            meta_blocks.insert(name.into(), handle);
        }
        if self.options.format_version >= FORMAT_VERSION_WITH_CONTEXT {
            meta_blocks.insert(INDEX_BLOCK_NAME.into(), index.handle);
        }
        Ok(index)
    }

    fn write_dictionary(&mut self, meta_blocks: &mut MetaBlocks) -> Result<()> {
        if let Some(dictionary) = self.compressor.dictionary() {
            let handle = write_plain(&mut self.writer, dictionary.to_vec())?;
            meta_blocks.insert(COMPRESSION_DICTIONARY_BLOCK_NAME.into(), handle);
        }
        Ok(())
    }

    fn write_range_tombstones(&mut self, meta_blocks: &mut MetaBlocks) -> Result<()> {
        if self.range_del_block.entry_count() > 0 {
            let handle = write_plain(&mut self.writer, self.range_del_block.finish())?;
            meta_blocks.insert(RANGE_DEL_BLOCK_NAME.into(), handle);
        }
        Ok(())
    }

    fn complete_properties(&mut self, index: &WrittenIndex) {
        self.complete_sizes(index);
        self.complete_origin();
        self.complete_names();
        self.collect_properties();
    }

    fn complete_sizes(&mut self, index: &WrittenIndex) {
        let (options, properties) = (&self.options, &mut self.properties);
        properties.index_size = index.size + BLOCK_TRAILER_SIZE as u64;
        if let Some((count, top_level_size)) = index.partitions {
            properties.index_partitions = count;
            properties.top_level_index_size = top_level_size;
        }
        properties.index_key_is_user_key = u64::from(self.index.keys_are_user_keys());
        properties.index_value_is_delta_encoded =
            u64::from(options.index_values_are_delta_encoded());
        properties.format_version = u64::from(options.format_version);
        properties.data_block_restart_interval = options.block_restart_interval as u64;
        properties.index_block_restart_interval = options.index_block_restart_interval as u64;
        properties.separate_key_value_in_data_block =
            u64::from(options.separate_key_value_in_data_block);
        properties.user_defined_timestamps_persisted =
            u64::from(options.user_defined_timestamps_persisted);
    }

    fn complete_origin(&mut self) {
        let (options, properties) = (&self.options, &mut self.properties);
        properties.column_family_id = options.column_family_id;
        properties.column_family_name.clone_from(&options.column_family_name);
        properties.original_file_number = options.file_number;
        properties.db_id.clone_from(&options.db_id);
        properties.db_session_id.clone_from(&options.db_session_id);
        properties.db_host_id.clone_from(&options.db_host_id);
        properties.creation_time = options.creation_time;
        properties.oldest_key_time = options.oldest_key_time;
        properties.newest_key_time = options.newest_key_time;
        properties.file_creation_time = options.file_creation_time;
        properties.seqno_to_time_mapping.clone_from(&options.seqno_to_time_mapping);
    }

    fn complete_names(&mut self) {
        const NONE: &str = "nullptr";
        let (options, properties) = (&self.options, &mut self.properties);
        let filter_policy = options.filter_policy.as_ref();
        properties.filter_policy_name =
            filter_policy.map(|policy| policy.property_name().to_owned()).unwrap_or_default();
        properties.comparator_name = options.comparator.user_comparator().name().to_owned();
        properties.merge_operator_name =
            options.merge_operator_name.clone().unwrap_or_else(|| NONE.to_owned());
        let prefix_extractor = options.prefix_extractor.as_ref();
        properties.prefix_extractor_name =
            prefix_extractor.map_or(NONE, |extractor| extractor.name()).to_owned();
        let collectors: Vec<_> =
            options.collector_factories.iter().map(|factory| factory.name()).collect();
        properties.property_collectors_names = format!("[{}]", collectors.join(","));
        properties.compression_name = compression_name(&self.compressor, options.format_version);
        properties.compression_options = self.compression_property.clone();
    }

    /// Properties without fields: those of collectors, and those of block-based tables.
    fn collect_properties(&mut self) {
        let (options, properties) = (&self.options, &mut self.properties);
        let collected = &mut properties.user_collected_properties;
        for collector in &mut self.collectors {
            for (name, value) in collector.finish() {
                collected.entry(name).or_insert(value);
            }
            for (name, value) in collector.readable_properties() {
                properties.readable_properties.entry(name).or_insert(value);
            }
        }
        let mut insert = |name: &str, value: &[u8]| collected.insert(name.into(), value.into());
        let flag = |is_set: bool| if is_set { b"1" } else { b"0" };
        insert(names::INDEX_TYPE, &(options.index_type as u32).to_le_bytes());
        insert(names::WHOLE_KEY_FILTERING, flag(options.whole_key_filtering));
        insert(names::PREFIX_FILTERING, flag(options.prefix_extractor.is_some()));
        if options.decouple_partitioned_filters {
            insert(names::DECOUPLED_PARTITIONED_FILTERS, flag(true));
        }
        // Readers find these two among the user's as well.
        for (name, number) in [
            (names::DELETED_KEYS, properties.num_deletions),
            (names::MERGE_OPERANDS, properties.num_merge_operands),
        ] {
            let mut value = Vec::new();
            put_varint64(&mut value, number);
            insert(name, &value);
        }
    }
}

fn write_plain(writer: &mut BlockWriter, mut block: Vec<u8>) -> Result<BlockHandle> {
    writer.write(&mut block, CompressionType::None as u8)
}

fn write_compressed(
    writer: &mut BlockWriter,
    compressor: &mut BlockCompressor,
    block: Vec<u8>,
) -> Result<BlockHandle> {
    match compressor.compress(&block, false)? {
        Compressed::Kept(mut compressed) => writer.write(&mut compressed, compressor.kind() as u8),
        Compressed::Bypassed | Compressed::Rejected => write_plain(writer, block),
    }
}

/// The property `rocksdb.compression`.
fn compression_name(compressor: &BlockCompressor, format_version: u32) -> String {
    let kind = compressor.kind();
    if format_version < FORMAT_VERSION_WITH_MANAGER_NAME {
        return kind.property_name().to_owned();
    }
    let manager = if kind == CompressionType::None { "" } else { "BuiltinV2" };
    let used = match compressor.is_used() {
        true => format!("{:02X}", kind as u8),
        false => String::new(),
    };
    format!("{manager};{used};")
}
