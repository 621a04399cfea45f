//! A writer of tables in all the shapes the reader knows, for tests.

use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::filter::bloom::FastLocalBloomBuilder;
use crate::filter::legacy_bloom::LegacyBloomBuilder;
use crate::filter::{BUILTIN_POLICY_NAME, FilterBitsBuilder};
use crate::format::{BlockHandle, Footer};
use crate::index::index_block::IndexBlockBuilder;
use crate::index::{IndexBlockFormat, IndexEntry, IndexType};
use crate::metaindex::{FULL_FILTER_PREFIX, INDEX_BLOCK_NAME, MetaIndex, PROPERTIES_BLOCK_NAME};
use crate::properties::{TableProperties, names};
use crate::test_files::Pairs;
use base::InternalKeyComparator;
use base::checksum::ChecksumType;
use base::dbformat::{
    MAX_SEQUENCE_NUMBER, VALUE_TYPE_FOR_SEEK, extract_user_key, pack_sequence_and_type,
};
use compression::{CompressionOptions, CompressionType, compress};
use std::collections::BTreeMap;

/// The shape of a table.
#[derive(Clone, Debug)]
pub(super) struct TableShape {
    pub(super) format_version: u32,
    pub(super) checksum_type: ChecksumType,
    pub(super) compression: CompressionType,
    pub(super) entries_per_block: usize,
    pub(super) restart_interval: usize,
    pub(super) separates_values: bool,
    pub(super) index_type: IndexType,
    pub(super) index_restart_interval: usize,
    pub(super) blocks_per_partition: usize,
    pub(super) delta_encodes_index_values: bool,
    pub(super) shortens_separators: bool,
    /// Bytes left free after every block.
    pub(super) gap: usize,
    pub(super) has_filter: bool,
}

impl Default for TableShape {
    fn default() -> Self {
        Self {
            format_version: 5,
            checksum_type: ChecksumType::Xxh3,
            compression: CompressionType::None,
            entries_per_block: 4,
            restart_interval: 2,
            separates_values: false,
            index_type: IndexType::BinarySearch,
            index_restart_interval: 1,
            blocks_per_partition: 3,
            delta_encodes_index_values: true,
            shortens_separators: true,
            gap: 0,
            has_filter: false,
        }
    }
}

/// Writes tables of one shape.
pub(super) struct TestTable<'a> {
    shape: &'a TableShape,
    comparator: &'a InternalKeyComparator,
    file: Vec<u8>,
    base_context_checksum: u32,
    /// Blocks beside data, index and properties.
    pub(super) metaindex: BTreeMap<Vec<u8>, BlockHandle>,
    pub(super) properties: TableProperties,
    /// Whether the index is left empty.
    pub(super) leaves_index_empty: bool,
}

impl<'a> TestTable<'a> {
    pub(super) fn new(shape: &'a TableShape, comparator: &'a InternalKeyComparator) -> Self {
        Self {
            shape,
            comparator,
            file: Vec::new(),
            base_context_checksum: if shape.format_version >= 6 { 0x8765_4321 } else { 0 },
            metaindex: BTreeMap::new(),
            properties: TableProperties::default(),
            leaves_index_empty: false,
        }
    }

    /// The bytes of a table that holds `pairs`, which must ascend.
    pub(super) fn build(mut self, pairs: &Pairs) -> Vec<u8> {
        let blocks: Vec<_> = pairs.chunks(self.shape.entries_per_block).collect();
        let keys_are_user_keys = self.shape.format_version >= 3
            && blocks.windows(2).all(|pair| {
                let [last, first] = [pair[0].last(), pair[1].first()]
                    .map(|entry| extract_user_key(&entry.expect("an entry").0));
                self.comparator.compare_user_keys(last, first).is_ne()
            });
        let format = IndexBlockFormat {
            keys_are_user_keys,
            values_are_delta_encoded: self.shape.delta_encodes_index_values
                && self.shape.format_version >= 4,
            has_first_keys: self.shape.index_type == IndexType::BinarySearchWithFirstKey,
        };
        let mut entries = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let handle = self.write_data_block(block);
            let next = blocks.get(number + 1).map(|next| &next[0].0[..]);
            let last = &block.last().expect("an entry").0;
            let mut key = self.separator(last, next);
            if keys_are_user_keys {
                key.truncate(key.len() - 8);
            }
            entries.push((key, handle, block[0].0.clone()));
        }
        if self.leaves_index_empty {
            entries.clear();
        }
        let index_handle = self.write_index(&entries, format);
        self.write_filter(pairs);
        self.properties.num_entries = pairs.len() as u64;
        self.properties.num_data_blocks = blocks.len() as u64;
        self.properties.index_key_is_user_key = u64::from(keys_are_user_keys);
        self.properties.index_value_is_delta_encoded = u64::from(format.values_are_delta_encoded);
        self.finish(index_handle)
    }

    fn separator(&self, last: &[u8], next: Option<&[u8]>) -> Vec<u8> {
        let user = self.comparator.user_comparator();
        let mut shortened = extract_user_key(last).to_vec();
        match next {
            _ if !self.shape.shortens_separators => {}
            Some(next) => user.find_shortest_separator(&mut shortened, extract_user_key(next)),
            None => user.find_short_successor(&mut shortened),
        }
        if shortened == extract_user_key(last) {
            return last.to_vec();
        }
        let trailer = pack_sequence_and_type(MAX_SEQUENCE_NUMBER, VALUE_TYPE_FOR_SEEK);
        shortened.extend_from_slice(&trailer.to_le_bytes());
        shortened
    }

    fn write_data_block(&mut self, pairs: &[(Vec<u8>, Vec<u8>)]) -> BlockHandle {
        let mut builder = BlockBuilder::new(BlockBuilderOptions {
            restart_interval: self.shape.restart_interval,
            use_delta_encoding: true,
            hash_index_util_ratio: None,
            separate_values: self.shape.separates_values,
        });
        for (key, value) in pairs {
            builder.add(key, value);
        }
        let handle = self.write_block(&builder.finish(), self.shape.compression);
        self.file.resize(self.file.len() + self.shape.gap, 0);
        handle
    }

    fn write_index(
        &mut self,
        entries: &[(Vec<u8>, BlockHandle, Vec<u8>)],
        format: IndexBlockFormat,
    ) -> BlockHandle {
        let mut builder = IndexBlockBuilder::new(format, self.shape.index_restart_interval);
        let mut build = |entries: &[(Vec<u8>, BlockHandle, Vec<u8>)]| {
            for (key, handle, first_key) in entries {
                let first_internal_key = Some(&first_key[..]);
                builder.add(&IndexEntry { key, handle: *handle, first_internal_key });
            }
            builder.finish()
        };
        if self.shape.index_type != IndexType::TwoLevel {
            let block = build(entries);
            return self.write_block(&block, self.shape.compression);
        }
        let mut top = Vec::new();
        for partition in entries.chunks(self.shape.blocks_per_partition) {
            let block = build(partition);
            let handle = self.write_block(&block, self.shape.compression);
            top.push((partition[partition.len() - 1].0.clone(), handle, Vec::new()));
        }
        let block = build(&top);
        self.write_block(&block, CompressionType::None)
    }

    fn write_filter(&mut self, pairs: &Pairs) {
        if !self.shape.has_filter {
            return;
        }
        let mut builder: Box<dyn FilterBitsBuilder> = if self.shape.format_version >= 5 {
            Box::new(FastLocalBloomBuilder::new(10_000, false))
        } else {
            Box::new(LegacyBloomBuilder::new(10))
        };
        for (key, _) in pairs {
            builder.add_key(self.comparator.strip_timestamp(extract_user_key(key)));
        }
        let handle = self.write_block(&builder.finish(), CompressionType::None);
        let name = format!("{FULL_FILTER_PREFIX}{BUILTIN_POLICY_NAME}");
        self.metaindex.insert(name.into_bytes(), handle);
    }

    /// Writes properties, metaindex and footer.
    fn finish(mut self, index_handle: BlockHandle) -> Vec<u8> {
        let comparator_name = self.comparator.user_comparator().name().to_owned();
        self.properties.comparator_name = comparator_name;
        let index_type = (self.shape.index_type as u32).to_le_bytes();
        self.properties
            .user_collected_properties
            .entry(names::INDEX_TYPE.into())
            .or_insert_with(|| index_type.to_vec());
        let block = self.properties.encode();
        let handle = self.write_block(&block, CompressionType::None);
        self.metaindex.insert(PROPERTIES_BLOCK_NAME.into(), handle);
        if self.shape.format_version >= 6 {
            self.metaindex.insert(INDEX_BLOCK_NAME.into(), index_handle);
        }
        let entries: Vec<_> =
            self.metaindex.iter().map(|(name, &handle)| (name.clone(), handle)).collect();
        let block = MetaIndex::encode(entries.iter().map(|(name, handle)| (&name[..], *handle)));
        let metaindex_handle = self.write_block(&block, CompressionType::None);
        let footer = Footer {
            metaindex_handle,
            index_handle: Some(index_handle),
            offset: self.file.len() as u64,
            ..self.footer()
        };
        footer.encode_to(&mut self.file);
        self.file
    }

    fn footer(&self) -> Footer {
        Footer {
            format_version: self.shape.format_version,
            checksum_type: self.shape.checksum_type,
            base_context_checksum: self.base_context_checksum,
            metaindex_handle: BlockHandle::default(),
            index_handle: None,
            offset: 0,
        }
    }

    fn write_block(&mut self, block: &[u8], compression: CompressionType) -> BlockHandle {
        let stored = compress(compression, &CompressionOptions::default(), block, None).unwrap();
        self.write_stored_block(&stored, compression as u8)
    }

    /// Writes a block with its trailer.
    pub(super) fn write_stored_block(&mut self, stored: &[u8], compression: u8) -> BlockHandle {
        let offset = self.file.len() as u64;
        self.file.extend_from_slice(stored);
        self.file.push(compression);
        let checksum = self.footer().block_checksum(offset, &self.file[offset as usize..]);
        self.file.extend_from_slice(&checksum.to_le_bytes());
        BlockHandle { offset, size: stored.len() as u64 }
    }
}
