//! Builds an index of kind hash search: an index block, and two blocks beside it.
//!
//! ```text
//! rocksdb.hashindex.prefixes    prefixes of user keys, one behind the other, as they come
//! rocksdb.hashindex.metadata    for each: varint32 length | varint32 first index entry
//!                               varint32 number of index entries
//! ```

use super::index_builder::{WriteIndexBlock, WrittenIndex};
use super::shortened_index_builder::ShortenedIndexBuilder;
use crate::format::BlockHandle;
use crate::metaindex::{HASH_INDEX_METADATA_BLOCK_NAME, HASH_INDEX_PREFIXES_BLOCK_NAME};
use crate::table_builder_options::TableBuilderOptions;
use base::coding::put_varint32;
use base::dbformat::extract_user_key;
use base::{Result, SliceTransform};
use std::sync::Arc;

/// Keys of one prefix, one after another.
#[derive(Debug)]
struct Group {
    prefix: Vec<u8>,
    first_entry: u32,
    entries_count: u32,
}

/// Builds hash indexes.
#[derive(Debug)]
pub(crate) struct HashIndexBuilder {
    primary: ShortenedIndexBuilder,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    prefixes: Vec<u8>,
    metadata: Vec<u8>,
    group: Option<Group>,
    current_entry: u32,
}

impl HashIndexBuilder {
    pub(crate) fn new(options: &TableBuilderOptions) -> Self {
        Self {
            primary: ShortenedIndexBuilder::new(options),
            prefix_extractor: options.prefix_extractor.clone(),
            prefixes: Vec::new(),
            metadata: Vec::new(),
            group: None,
            current_entry: 0,
        }
    }

    pub(crate) fn on_key_added(&mut self, internal_key: &[u8]) {
        let user_key = extract_user_key(internal_key);
        let prefix = match &self.prefix_extractor {
            Some(extractor) if extractor.in_domain(user_key) => extractor.transform(user_key),
            // No lookup by prefix asks for these; RocksDB requires that there are none.
            _ => user_key,
        };
        match &mut self.group {
            Some(group) if group.prefix == prefix => {
                group.entries_count = self.current_entry + 1 - group.first_entry;
            }
            _ => {
                self.end_group();
                self.group = Some(Group {
                    prefix: prefix.to_vec(),
                    first_entry: self.current_entry,
                    entries_count: 1,
                });
            }
        }
    }

    fn end_group(&mut self) {
        if let Some(Group { prefix, first_entry, entries_count }) = self.group.take() {
            self.prefixes.extend_from_slice(&prefix);
            for number in [prefix.len() as u32, first_entry, entries_count] {
                put_varint32(&mut self.metadata, number);
            }
        }
    }

    pub(crate) fn add_entry(
        &mut self,
        last_key: &[u8],
        next_key: Option<&[u8]>,
        handle: BlockHandle,
    ) {
        self.current_entry += 1;
        self.primary.add_entry(last_key, next_key, handle);
    }

    pub(crate) fn keys_are_user_keys(&self) -> bool {
        self.primary.keys_are_user_keys()
    }

    pub(crate) fn size_estimate(&self) -> usize {
        self.primary.size_estimate() + self.prefixes.len() + self.metadata.len()
    }

    pub(crate) fn finish(&mut self, write: &mut WriteIndexBlock<'_>) -> Result<WrittenIndex> {
        self.end_group();
        let [metadata, prefixes] = [&mut self.metadata, &mut self.prefixes].map(std::mem::take);
        let index = self.primary.finish();
        let size = (metadata.len() + prefixes.len() + index.len()) as u64;
        let meta_blocks = vec![
            (HASH_INDEX_METADATA_BLOCK_NAME, write(metadata)?),
            (HASH_INDEX_PREFIXES_BLOCK_NAME, write(prefixes)?),
        ];
        Ok(WrittenIndex { handle: write(index)?, meta_blocks, size, partitions: None })
    }
}
