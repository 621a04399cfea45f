//! Builds a table file.
//!
//! Entries gather in a data block. When the next one would make it too large the block is written,
//! and the index gets an entry for it, which needs the first key of the next block. All else is
//! written at the end: filter, index, dictionary, range tombstones, properties, metaindex, footer.
//!
//! With a compression dictionary the first blocks are held back uncompressed: the dictionary is made
//! of samples of them.

mod copy;
mod finish;
mod lagging_blocks;

use super::block_compressor::{BlockCompressor, Compressed};
use super::block_writer::BlockWriter;
use super::cache_warming::BlockWarmer;
use super::dictionary_buffer::DictionaryBuffer;
use super::flush_block_policy::BlockEnds;
use super::open_block::OpenBlock;
use crate::block::EntryWalker;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::data_block::KeyTransform;
use crate::filter::filter_block_builder::FilterBlockBuilder;
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle, FORMAT_VERSION_WITH_CONTEXT, Footer};
use crate::index::index_builder::IndexBuilder;
use crate::index::shortened_index_builder::strip_timestamp;
use crate::properties::TableProperties;
use crate::properties_collector::TimestampCollector;
use crate::range_del;
use crate::table_builder_options::TableBuilderOptions;
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key};
use base::file_checksum::FileChecksumGenContext;
use base::hash::xxh3_128_with_seed;
use base::table_properties_collector::{TablePropertiesCollector, TablePropertiesCollectorContext};
use base::{InternalKeyComparator, ParsedInternalKey, Result, SequenceNumber, Status, ValueType};
use cache::MemoryCharge;
use compression::CompressionType;
use env::WritableFile;
pub use finish::FinishedTable;
use lagging_blocks::LaggingBlocks;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::mem;

/// What a key takes while the filter is made: its hash.
const FILTER_KEY_BYTES: usize = size_of::<u64>();

/// Pages that aligned blocks keep to.
const PAGE_SIZE: u64 = 4096;

/// Writes one table. Keys come in ascending order, range tombstones in their own.
///
/// After an error the builder is good for nothing: every later call gives the error again, and the
/// file is to be deleted.
#[derive(Debug)]
pub struct BlockBasedTableBuilder {
    options: TableBuilderOptions,
    writer: BlockWriter,
    compressor: BlockCompressor,
    /// Blocks that others compress, where they may.
    lagging: Option<LaggingBlocks>,
    warmer: Option<BlockWarmer>,
    data_block: BlockBuilder,
    block_ends: BlockEnds,
    filter: Option<FilterBlockBuilder>,
    index: IndexBuilder,
    index_wants_keys: bool,
    /// Where blocks go as long as there is no dictionary.
    held_back: Option<DictionaryBuffer>,
    /// Of the filter's keys to the block cache.
    filter_charge: Option<MemoryCharge>,
    filter_keys_charged: usize,
    range_del_block: BlockBuilder,
    collectors: Vec<Box<dyn TablePropertiesCollector>>,
    properties: TableProperties,
    /// The last internal key added, empty before the first.
    last_key: Vec<u8>,
    /// A key as it is stored, where that is without its timestamp.
    stored_key: Vec<u8>,
    stripped_timestamp_size: usize,
    pre_compression_size: u64,
    /// The last block, if that was copied: the index gets its entry once the next key is known.
    copied: Option<BlockHandle>,
    /// The data block ends once it has so many bytes.
    cut_size: Option<usize>,
    /// The compression options, as the properties will have them.
    compression_property: String,
    status: Result<()>,
}

impl BlockBasedTableBuilder {
    /// A builder that writes to `file`, which must be new and empty.
    ///
    /// # Errors
    /// `InvalidArgument` for options that contradict each other or are out of range, `NotSupported`
    /// for those that this engine cannot follow.
    pub fn new(options: &TableBuilderOptions, file: Box<dyn WritableFile>) -> Result<Self> {
        let options = options.sanitized()?;
        let file_checksum = options.file_checksum_gen_factory.as_ref().and_then(|factory| {
            let file_name = file.path().to_string_lossy();
            let requested_function_name = "";
            factory
                .create(&FileChecksumGenContext { file_name: &file_name, requested_function_name })
        });
        let footer = Footer {
            format_version: options.format_version,
            checksum_type: options.checksum,
            base_context_checksum: base_context_checksum(&options),
            metaindex_handle: BlockHandle::default(),
            index_handle: None,
            offset: 0,
        };
        let index = IndexBuilder::new(&options);
        let filter = FilterBlockBuilder::new(&options);
        Ok(Self {
            lagging: LaggingBlocks::new(&options, &index, filter.as_ref()),
            writer: BlockWriter::new(file, footer, file_checksum, options.statistics.clone()),
            compressor: BlockCompressor::new(
                options.compression,
                &options.compression_options,
                options.format_version,
                options.verify_compression,
                options.statistics.clone(),
            ),
            warmer: BlockWarmer::new(&options),
            data_block: BlockBuilder::new(data_block_options(&options)),
            block_ends: BlockEnds::new(&options),
            filter,
            index_wants_keys: index.wants_keys(),
            index,
            held_back: DictionaryBuffer::new(
                options.compression,
                &options.compression_options,
                options.target_file_size,
                options.charges.dictionary_buffers.as_ref(),
            ),
            // No bytes fit any limit.
            filter_charge: options
                .charges
                .filter_construction
                .as_ref()
                .and_then(|memory| memory.charge(0).ok()),
            filter_keys_charged: 0,
            range_del_block: range_del::block_builder(),
            collectors: collectors(&options),
            properties: TableProperties { key_largest_seqno: 0, ..Default::default() },
            last_key: Vec::new(),
            stored_key: Vec::new(),
            stripped_timestamp_size: options.stripped_timestamp_size(),
            pre_compression_size: 0,
            copied: None,
            cut_size: None,
            compression_property: options.compression_options.to_property(),
            status: Ok(()),
            options,
        })
    }

    /// Adds an entry. One of type `RangeDeletion`, whose value is the end of the range, goes to the
    /// range tombstones; others must ascend.
    ///
    /// # Errors
    /// `InvalidArgument` for a key that no table may hold; what writing the file gives.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        self.status.clone()?;
        match ParsedInternalKey::parse(internal_key) {
            Ok(parsed) => self.add_parsed(&parsed, internal_key, value),
            Err(status) => {
                self.status = Err(status.clone());
                Err(status)
            }
        }
    }

    /// As [`Self::add`], of a key that was taken apart already.
    ///
    /// # Errors
    /// As [`Self::add`].
    #[inline]
    pub fn add_parsed(
        &mut self,
        parsed: &ParsedInternalKey<'_>,
        internal_key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        if let Err(status) = &self.status {
            return Err(status.clone());
        }
        let result = self.add_any(parsed, internal_key, value);
        if let Err(status) = &result {
            self.status = Err(status.clone());
        }
        result
    }

    /// The data block that the next entry goes to, if that has one already and values that are added
    /// concern nobody but it, the filter and the sums of the properties. Keys are then ordered as
    /// bytes.
    pub fn open_block(&mut self) -> Option<OpenBlock<'_>> {
        let comparator = &self.options.comparator;
        let is_plain = self.status.is_ok()
            && comparator.is_bytewise()
            && comparator.timestamp_size() == 0
            && self.held_back.is_none()
            && !self.index_wants_keys
            && self.collectors.is_empty()
            && self.data_block.is_plain()
            && self.data_block.entry_count() > 0;
        let cut_size = self.cut_size.unwrap_or(usize::MAX);
        let free_size = self.block_ends.free_size().filter(|_| is_plain)?;
        let free_size = free_size.min(cut_size.saturating_sub(1));
        let filter = match &mut self.filter {
            Some(filter) => Some(filter.takes_keys()?),
            None => None,
        };
        Some(OpenBlock {
            block: &mut self.data_block,
            filter,
            last_key: &mut self.last_key,
            properties: &mut self.properties,
            free_size,
        })
    }

    /// The internal key of the last entry; empty before the first.
    #[inline]
    pub fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    fn add_any(
        &mut self,
        parsed: &ParsedInternalKey<'_>,
        internal_key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let value_type = parsed.value_type;
        if value_type == ValueType::RangeDeletion {
            self.check_sizes(parsed, value)?;
            self.add_range_tombstone(internal_key, value)?;
            self.properties.num_range_deletions += 1;
            self.properties.num_deletions += 1;
        } else if value_type.is_stored() {
            self.check_sizes(parsed, value)?;
            self.add_entry(internal_key, value)?;
            self.properties.num_deletions += u64::from(value_type.is_point_deletion());
            self.properties.num_merge_operands += u64::from(value_type == ValueType::Merge);
        } else {
            return Err(Status::invalid_argument(format!(
                "table builder: key {parsed:?} has a type that no table holds"
            )));
        }
        let properties = &mut self.properties;
        properties.num_entries += 1;
        properties.raw_key_size += (internal_key.len() - self.stripped_timestamp_size) as u64;
        properties.raw_value_size += value.len() as u64;
        properties.key_largest_seqno = properties.key_largest_seqno.max(parsed.sequence);
        properties.key_smallest_seqno = properties.key_smallest_seqno.min(parsed.sequence);
        for collector in &mut self.collectors {
            collector.add(parsed, value, self.writer.offset());
        }
        Ok(())
    }

    #[inline]
    fn check_sizes(&self, key: &ParsedInternalKey<'_>, value: &[u8]) -> Result<()> {
        /// Offsets within blocks have 32 bits; an entry has more than its key and value.
        const SIZE_MAX: usize = u32::MAX as usize - (64 << 10);
        let timestamp_size = self.options.comparator.timestamp_size();
        if key.user_key.len() >= timestamp_size && key.user_key.len() + value.len() <= SIZE_MAX {
            return Ok(());
        }
        Err(Status::invalid_argument(format!(
            "table builder: expected a key of at least {timestamp_size} bytes and at most \
             {SIZE_MAX} with its value, found {} and {}",
            key.user_key.len(),
            value.len()
        )))
    }

    fn add_entry(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        debug_assert!(
            self.last_key.is_empty()
                || self.options.comparator.compare(&self.last_key, internal_key).is_lt(),
            "keys must ascend"
        );
        let (block, stripped_size) = (&self.data_block, self.stripped_timestamp_size);
        let size_after =
            || block.size_for_cut_after(internal_key.len() - stripped_size, value.len(), true);
        let is_cut = self.cut_size.is_some_and(|size| block.current_size_estimate() >= size);
        if self.block_ends.must_flush(
            (internal_key, value),
            block.entry_count(),
            || block.size_for_cut(),
            size_after,
        ) || is_cut
        {
            self.flush(Some(internal_key))?;
        }
        self.index_copied(Some(internal_key));
        if self.held_back.is_none() {
            let Self { filter, index, options, last_key, .. } = self;
            if let Some(filter) = filter {
                add_to_filter(filter, index, &options.comparator, internal_key, last_key);
            }
            if self.index_wants_keys {
                self.index.on_key_added(internal_key);
            }
        }
        if self.stripped_timestamp_size == 0 {
            self.data_block.add_after(&self.last_key, internal_key, value);
        } else {
            self.stored_key.clear();
            self.stored_key.extend_from_slice(internal_key);
            strip_timestamp(&mut self.stored_key, self.stripped_timestamp_size);
            self.data_block.add(&self.stored_key, value);
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(internal_key);
        Ok(())
    }

    fn add_range_tombstone(&mut self, internal_key: &[u8], end_key: &[u8]) -> Result<()> {
        if self.range_del_block.current_size_estimate() + internal_key.len() + end_key.len()
            > u32::MAX as usize / 2
        {
            return Err(Status::not_supported("more than 2 GiB of range tombstones in a table"));
        }
        let stripped_size = self.stripped_timestamp_size;
        let Some(end_size) = end_key.len().checked_sub(stripped_size) else {
            return Err(Status::invalid_argument(format!(
                "table builder: a range ends in a key of {} bytes, shorter than a timestamp",
                end_key.len()
            )));
        };
        self.stored_key.clear();
        self.stored_key.extend_from_slice(internal_key);
        strip_timestamp(&mut self.stored_key, stripped_size);
        self.range_del_block.add(&self.stored_key, &end_key[..end_size]);
        Ok(())
    }

    /// Ends the data block before `next_key`, none if it is the last.
    fn flush(&mut self, next_key: Option<&[u8]>) -> Result<()> {
        if self.data_block.entry_count() == 0 {
            return Ok(());
        }
        self.cut_size = None;
        let mut block = mem::take(self.data_block.finish_in_place());
        for collector in &mut self.collectors {
            collector.add_block(block.len() as u64);
        }
        if let Some(buffer) = &mut self.held_back {
            self.data_block.reset();
            return match buffer.push(block) || next_key.is_none() {
                true => self.release_held_back(next_key),
                false => Ok(()),
            };
        }
        self.charge_for_filter();
        let last_key = mem::take(&mut self.last_key);
        let result = self.write_data_block(&mut block, &last_key, next_key);
        self.last_key = last_key;
        self.data_block.recycle(block);
        result
    }

    /// Charges for the filter's keys so far, if that is asked for. Where a strict limit allows for no more,
    /// the filter is made all the same: reads without it would cost more.
    fn charge_for_filter(&mut self) {
        let (Some(charge), Some(filter)) = (&mut self.filter_charge, &self.filter) else { return };
        let keys = filter.entries_count();
        let bytes = keys.saturating_sub(self.filter_keys_charged) * FILTER_KEY_BYTES;
        if charge.grow(bytes).is_ok() {
            self.filter_keys_charged = keys;
        }
    }

    fn write_data_block(
        &mut self,
        block: &mut Vec<u8>,
        last_key: &[u8],
        next_key: Option<&[u8]>,
    ) -> Result<()> {
        if self.lagging.is_some() {
            return self.lag(block, last_key, next_key);
        }
        let compressed = self.compressor.compress(block, true)?;
        self.write_compressed(block, compressed, last_key, next_key)
    }

    /// Writes a data block in the form that it is to have.
    fn write_compressed(
        &mut self,
        block: &mut Vec<u8>,
        compressed: Compressed,
        last_key: &[u8],
        next_key: Option<&[u8]>,
    ) -> Result<()> {
        let raw_size = block.len();
        let handle = match compressed {
            Compressed::Kept(mut compressed) => {
                self.write_aligned(&mut compressed, self.compressor.kind())?
            }
            Compressed::Rejected => {
                self.properties.num_data_blocks_compression_rejected += 1;
                self.write_aligned(block, CompressionType::None)?
            }
            Compressed::Bypassed => {
                self.properties.num_data_blocks_compression_bypassed += 1;
                self.write_aligned(block, CompressionType::None)?
            }
        };
        if let Some(warmer) = &self.warmer {
            // The writer has put a trailer behind what it was given.
            warmer.add(&block[..raw_size], handle)?;
        }
        self.properties.num_data_blocks += 1;
        self.properties.data_size = self.writer.offset();
        self.pre_compression_size += (raw_size + BLOCK_TRAILER_SIZE) as u64;
        self.index.add_entry(last_key, next_key, handle);
        Ok(())
    }

    fn write_aligned(&mut self, block: &mut Vec<u8>, kind: CompressionType) -> Result<BlockHandle> {
        if let Some(offset) = self.super_block_start(block.len() as u64) {
            self.writer.pad_to(offset)?;
        }
        let handle = self.writer.write(block, kind as u8)?;
        if self.options.block_align {
            let alignment = self.options.block_size.min(PAGE_SIZE);
            self.writer.pad_to(self.writer.offset().next_multiple_of(alignment))?;
        }
        Ok(handle)
    }

    /// Where a block of this size goes instead of across the end of a super block, if that wastes
    /// few enough bytes.
    fn super_block_start(&self, size: u64) -> Option<u64> {
        let super_block = self.options.super_block_alignment_size;
        let ratio = self.options.super_block_alignment_space_overhead_ratio;
        if super_block == 0 || ratio == 0 {
            return None;
        }
        let offset = self.writer.offset();
        let padding = super_block - offset % super_block;
        let crosses = offset / super_block != (offset + size) / super_block;
        (crosses && padding < super_block / ratio).then_some(offset + padding)
    }

    /// Makes the dictionary, and writes all blocks held back.
    fn release_held_back(&mut self, next_key: Option<&[u8]>) -> Result<()> {
        let Some(buffer) = self.held_back.take() else { return Ok(()) };
        let dictionary = buffer.make_dictionary();
        if !dictionary.is_empty() {
            self.compressor.set_dictionary(dictionary)?;
        }
        let transform = KeyTransform {
            global_sequence: None,
            missing_timestamp_size: self.stripped_timestamp_size,
        };
        let mut blocks = buffer.into_blocks();
        let (mut key, mut last_key, mut first_of_next) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..blocks.len() {
            let mut walker = EntryWalker::with_expansion(&blocks[index], usize::MAX)?;
            while let Some((stored_key, _)) = walker.next()? {
                transform.apply(stored_key, &mut key)?;
                if let Some(filter) = &mut self.filter {
                    let comparator = &self.options.comparator;
                    add_to_filter(filter, &mut self.index, comparator, &key, &last_key);
                }
                if self.index_wants_keys {
                    self.index.on_key_added(&key);
                }
                mem::swap(&mut key, &mut last_key);
            }
            let next_key = match blocks.get(index + 1) {
                None => next_key,
                Some(next) => {
                    let mut walker = EntryWalker::with_expansion(next, usize::MAX)?;
                    if let Some((stored_key, _)) = walker.next()? {
                        transform.apply(stored_key, &mut first_of_next)?;
                    }
                    Some(&first_of_next[..])
                }
            };
            self.write_data_block(&mut mem::take(&mut blocks[index]), &last_key, next_key)?;
        }
        Ok(())
    }

    /// Entries and range tombstones added.
    pub fn num_entries(&self) -> u64 {
        self.properties.num_entries
    }

    /// Entries added, range tombstones not counted.
    pub fn num_point_entries(&self) -> u64 {
        self.properties.num_entries - self.properties.num_range_deletions
    }

    /// The smallest and the largest sequence number of all that was added.
    pub fn sequence_range(&self) -> (SequenceNumber, SequenceNumber) {
        let TableProperties { key_smallest_seqno, key_largest_seqno, .. } = self.properties;
        (key_smallest_seqno, key_largest_seqno)
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.properties.num_entries == 0
    }

    /// Bytes written so far: complete data blocks, but for those that others compress
    /// ([`Self::settle`]). What RocksDB cuts the outputs of compactions by.
    pub fn estimated_file_size(&self) -> u64 {
        self.writer.offset()
    }

    /// About how many bytes will follow the data blocks, rather more than less. With
    /// `target_file_size_is_upper_bound` outputs are cut by this, too.
    pub fn estimated_tail_size(&self) -> u64 {
        /// Properties, metaindex and footer.
        const REST_SIZE: usize = 3 << 10;
        let filter_size = self.filter.as_ref().map_or(0, FilterBlockBuilder::size_estimate);
        let dictionary_size = self.compressor.dictionary().map_or(0, <[u8]>::len);
        let size = self.index.size_estimate()
            + filter_size
            + dictionary_size
            + self.range_del_block.current_size_estimate()
            + REST_SIZE;
        size as u64
    }

    /// Whether a collector wants the table compacted soon.
    pub fn need_compact(&self) -> bool {
        self.collectors.iter().any(|collector| collector.need_compact())
    }

    /// Sets what is known only when all entries are there: the encoded mapping of sequence numbers to
    /// times, which may be empty, and the time of the oldest source.
    pub fn set_seqno_time_properties(&mut self, mapping: Vec<u8>, oldest_ancestor_time: u64) {
        self.options.seqno_to_time_mapping = mapping;
        self.options.creation_time = oldest_ancestor_time;
    }

    /// Gives up: the file is closed as it is, and is to be deleted.
    pub fn abandon(self) {
        drop(self);
    }
}

#[inline]
fn add_to_filter(
    filter: &mut FilterBlockBuilder,
    index: &mut IndexBuilder,
    comparator: &InternalKeyComparator,
    internal_key: &[u8],
    last_key: &[u8],
) {
    let key = comparator.strip_timestamp(extract_user_key(internal_key));
    let last_key = || match last_key {
        [] => last_key,
        _ => comparator.strip_timestamp(extract_user_key(last_key)),
    };
    filter.add(key, last_key, index);
}

fn data_block_options(options: &TableBuilderOptions) -> BlockBuilderOptions {
    BlockBuilderOptions {
        restart_interval: options.block_restart_interval,
        use_delta_encoding: options.use_delta_encoding,
        hash_index_util_ratio: options.data_block_hash_table_util_ratio,
        separate_values: options.separate_key_value_in_data_block,
    }
}

fn collectors(options: &TableBuilderOptions) -> Vec<Box<dyn TablePropertiesCollector>> {
    let context = TablePropertiesCollectorContext {
        column_family_id: options.column_family_id,
        level: options.level,
        num_levels: options.num_levels,
        last_level_inclusive_max_sequence: MAX_SEQUENCE_NUMBER,
    };
    let mut collectors: Vec<_> =
        options.collector_factories.iter().filter_map(|factory| factory.create(&context)).collect();
    if options.comparator.timestamp_size() > 0 && options.user_defined_timestamps_persisted {
        collectors.push(Box::new(TimestampCollector::new(options.comparator.clone())));
    }
    collectors
}

/// What makes the checksums of this file's blocks differ from those of other files, so that a block
/// of another file is noticed: made of what the file is, or random if it has no identity.
fn base_context_checksum(options: &TableBuilderOptions) -> u32 {
    if options.format_version < FORMAT_VERSION_WITH_CONTEXT {
        return 0;
    }
    let hash = if options.db_session_id.is_empty() {
        RandomState::new().build_hasher().finish()
    } else {
        let session = xxh3_128_with_seed(options.db_session_id.as_bytes(), options.file_number);
        xxh3_128_with_seed(options.db_id.as_bytes(), session as u64) as u64
    };
    // 0 would mean that there is none.
    (hash as u32).max(1)
}

#[cfg(test)]
mod tests;
