//! A table of a fixture, taken apart.

use crate::block::EntryWalker;
use crate::block_based::{BlockBasedTable, TableTail};
use crate::block_fetcher::BlockFetcher;
use crate::data_block::KeyTransform;
use crate::filter::{FilterBitsReader, FilterKind};
use crate::format::BlockHandle;
use crate::index::{IndexBlockFormat, IndexBlockWalker};
use crate::metaindex::{COMPRESSION_DICTIONARY_BLOCK_NAME, FilterLocation, RANGE_DEL_BLOCK_NAME};
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, open};
use base::Result;
use compression::UncompressionDictionary;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table taken apart.
pub(super) struct Parts {
    pub(super) table: Arc<BlockBasedTable>,
    file: BytesFile,
    pub(super) tail: TableTail,
    dictionary: Option<UncompressionDictionary>,
}

impl Parts {
    pub(super) fn read(bytes: Vec<u8>, options: &TableOptions) -> Result<Self> {
        let file = BytesFile(bytes.clone());
        let tail = TableTail::read(&file, bytes.len() as u64)?;
        let table = open(bytes, options)?;
        let mut parts = Self { table, file, tail, dictionary: None };
        if let Some(handle) = parts.tail.metaindex.find(COMPRESSION_DICTIONARY_BLOCK_NAME) {
            parts.dictionary = Some(UncompressionDictionary::new(parts.block(handle)?));
        }
        Ok(parts)
    }

    fn fetcher(&self) -> BlockFetcher<'_> {
        BlockFetcher {
            file: &self.file,
            footer: &self.tail.footer,
            verify_checksums: false,
            statistics: None,
            limit: None,
        }
    }

    fn block(&self, handle: BlockHandle) -> Result<Vec<u8>> {
        self.fetcher().fetch(handle, None, None)
    }

    pub(super) fn named(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.tail.metaindex.find(name).map(|handle| self.block(handle)).transpose()
    }

    /// Handles and contents of data blocks.
    pub(super) fn data_blocks(&self) -> Result<Vec<(BlockHandle, Vec<u8>)>> {
        let blocks = self.table.data_blocks()?;
        let fetch = |handle| self.fetcher().fetch(handle, self.dictionary.as_ref(), None);
        blocks.into_iter().map(|block| Ok((block.handle, fetch(block.handle)?))).collect()
    }

    /// Entries and range tombstones as the builder wants them.
    pub(super) fn entries(&self) -> Result<Pairs> {
        let properties = self.table.properties();
        let missing_timestamp_size = match properties.user_defined_timestamps_persisted {
            0 => self.table.comparator().timestamp_size(),
            _ => 0,
        };
        let transform = KeyTransform { global_sequence: None, missing_timestamp_size };
        let mut pairs = Pairs::new();
        let mut take = |block: &[u8], is_range_del: bool| -> Result<()> {
            let mut walker = EntryWalker::with_expansion(block, usize::MAX)?;
            while let Some((stored_key, value)) = walker.next()? {
                let (mut key, mut value) = (Vec::new(), value.to_vec());
                transform.apply(stored_key, &mut key)?;
                if is_range_del {
                    value.resize(value.len() + missing_timestamp_size, 0);
                }
                pairs.push((key, value));
            }
            Ok(())
        };
        for (_, block) in self.data_blocks()? {
            take(&block, false)?;
        }
        if let Some(block) = self.named(RANGE_DEL_BLOCK_NAME)? {
            take(&block, true)?;
        }
        Ok(pairs)
    }

    fn filter_partitions(&self, top: BlockHandle) -> Result<Vec<BlockHandle>> {
        let properties = self.table.properties();
        let format = IndexBlockFormat {
            keys_are_user_keys: properties.index_key_is_user_key != 0,
            values_are_delta_encoded: properties.index_value_is_delta_encoded != 0,
            has_first_keys: false,
        };
        let block = self.block(top)?;
        let mut walker = IndexBlockWalker::new(&block, format)?;
        let mut handles = Vec::new();
        while let Some(entry) = walker.next()? {
            handles.push(entry.handle);
        }
        Ok(handles)
    }

    /// Whether the filter, or its first partition, is a Ribbon filter.
    pub(super) fn has_ribbon(&self) -> Result<bool> {
        let handle = match self.tail.metaindex.filter() {
            None => return Ok(false),
            Some(FilterLocation::Full(handle)) => handle,
            Some(FilterLocation::Partitioned(handle)) => self.filter_partitions(handle)?[0],
        };
        let filter = FilterBitsReader::new(self.block(handle)?);
        Ok(matches!(filter.kind(), FilterKind::Ribbon(_)))
    }

    /// The contents of all blocks of index and filter.
    pub(super) fn index_and_filter(&self) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut blocks = BTreeMap::new();
        let handle = self.tail.footer.index_handle;
        let index = handle.or_else(|| self.tail.metaindex.find("rocksdb.index")).expect("an index");
        blocks.insert("index".to_owned(), self.block(index)?);
        if self.table.has_two_level_index() {
            for (number, entry) in self.table.index_entries()?.iter().enumerate() {
                blocks.insert(format!("index partition {number}"), self.block(entry.handle)?);
            }
        }
        for name in ["rocksdb.hashindex.prefixes", "rocksdb.hashindex.metadata"] {
            if let Some(block) = self.named(name)? {
                blocks.insert(name.to_owned(), block);
            }
        }
        match self.tail.metaindex.filter() {
            None => {}
            Some(FilterLocation::Full(handle)) => {
                blocks.insert("filter".to_owned(), self.block(handle)?);
            }
            Some(FilterLocation::Partitioned(handle)) => {
                blocks.insert("filter".to_owned(), self.block(handle)?);
                for (number, handle) in self.filter_partitions(handle)?.into_iter().enumerate() {
                    blocks.insert(format!("filter partition {number}"), self.block(handle)?);
                }
            }
        }
        Ok(blocks)
    }
}
