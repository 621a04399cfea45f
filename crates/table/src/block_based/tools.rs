//! What tools ask of a table: its index as stored, sizes, checksums of everything.

use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::tail::read_properties;
use crate::block_fetcher::RawBlock;
use crate::block_iter::DataBlockIter;
use crate::format::BlockHandle;
use crate::index::{IndexBlockFormat, IndexBlockWalker};
use crate::metaindex::{
    OBSOLETE_FILTER_PREFIX, OLD_PROPERTIES_BLOCK_NAME, PARTITIONED_FILTER_PREFIX,
    PROPERTIES_BLOCK_NAME,
};
use crate::read_options::ReadOptions;
use base::Result;
use env::{ReadTerms, ReadaheadOptions};
use statistics::Activity;

/// One entry of an index, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntryInfo {
    /// The separator: a user key or an internal key, as [`BlockBasedTable::index_keys_are_user_keys`]
    /// says.
    pub key: Vec<u8>,
    /// The block it leads to.
    pub handle: BlockHandle,
    /// The first internal key of that block, in indexes that hold them.
    pub first_internal_key: Option<Vec<u8>>,
}

/// A data block, as the index knows it.
pub type DataBlockInfo = IndexEntryInfo;

const ALL_FROM_FILE: BlockReadOptions = BlockReadOptions {
    verify_checksums: true,
    fill_cache: false,
    may_read_files: true,
    rate_limiter_priority: None,
    deadline_micros: 0,
    activity: Activity::Unknown,
};

impl BlockBasedTable {
    /// Whether separators in the index are user keys.
    pub fn index_keys_are_user_keys(&self) -> bool {
        self.index.layout.format.keys_are_user_keys
    }

    /// Whether the index has two levels.
    pub fn has_two_level_index(&self) -> bool {
        self.index.is_two_level()
    }

    /// Entries of the index block; in a two-level index, of its top level.
    ///
    /// # Errors
    /// `Corruption` if it cannot be read.
    pub fn index_entries(&self) -> Result<Vec<IndexEntryInfo>> {
        self.read_index_block(self.index.top.handle, self.index.layout.format.has_first_keys)
    }

    /// One entry per data block, in the order of keys.
    ///
    /// # Errors
    /// `Corruption` if the index cannot be read.
    pub fn data_blocks(&self) -> Result<Vec<DataBlockInfo>> {
        let entries = self.index_entries()?;
        if !self.has_two_level_index() {
            return Ok(entries);
        }
        let mut blocks = Vec::new();
        for partition in entries {
            blocks.extend(self.read_index_block(partition.handle, false)?);
        }
        Ok(blocks)
    }

    fn read_index_block(
        &self,
        handle: BlockHandle,
        has_first_keys: bool,
    ) -> Result<Vec<IndexEntryInfo>> {
        let fetcher = self.fetcher(true, ReadTerms::NONE);
        let block = fetcher.fetch(handle, None, None)?;
        let decode = || -> Result<Vec<IndexEntryInfo>> {
            let format = IndexBlockFormat { has_first_keys, ..self.index.layout.format };
            let mut walker = IndexBlockWalker::new(&block, format)?;
            let mut entries = Vec::new();
            while let Some(entry) = walker.next()? {
                entries.push(IndexEntryInfo {
                    key: entry.key.to_vec(),
                    handle: entry.handle,
                    first_internal_key: entry.first_internal_key.map(<[u8]>::to_vec),
                });
            }
            Ok(entries)
        };
        decode().map_err(|status| fetcher.explain(handle, &status))
    }

    /// An iterator over one data block.
    ///
    /// # Errors
    /// `Corruption` if it cannot be read.
    pub fn data_block_iter(&self, handle: BlockHandle) -> Result<DataBlockIter> {
        let block = self.data_block(handle, ALL_FROM_FILE)?;
        Ok(DataBlockIter::new(block, self.comparator.clone()))
    }

    /// A block as stored, its checksum verified.
    ///
    /// # Errors
    /// `Corruption` if it cannot be read.
    pub fn raw_block(&self, handle: BlockHandle) -> Result<RawBlock> {
        self.fetcher(true, ReadTerms::NONE).fetch_raw(handle, None)
    }

    /// About where in the file the entries at or after `internal_key` begin. What lies beside the
    /// data counts in proportion.
    ///
    /// # Errors
    /// `Corruption` if the index cannot be read.
    pub fn approximate_offset_of(&self, internal_key: &[u8]) -> Result<u64> {
        match self.data_size() {
            0 => Ok(self.file_size / 2),
            data_size => {
                let offset = self.data_offset_of(internal_key, data_size)?;
                Ok(self.share_of_file(offset, data_size))
            }
        }
    }

    /// About how many bytes of the file belong to the entries from `start` up to `end`, both internal
    /// keys.
    ///
    /// # Errors
    /// `Corruption` if the index cannot be read.
    pub fn approximate_size(&self, start: &[u8], end: &[u8]) -> Result<u64> {
        match self.data_size() {
            0 => Ok(self.file_size),
            data_size => {
                let start = self.data_offset_of(start, data_size)?;
                let end = self.data_offset_of(end, data_size)?;
                Ok(self.share_of_file(end.saturating_sub(start), data_size))
            }
        }
    }

    /// Bytes of data blocks, guessed from where the metaindex is in files too old to say.
    fn data_size(&self) -> u64 {
        match self.metaindex.properties() {
            Some(_) => self.properties.data_size,
            None => self.footer.metaindex_handle.offset,
        }
    }

    /// Offset of the first data block that may hold `internal_key` or later keys, `data_size` if
    /// there is none.
    fn data_offset_of(&self, internal_key: &[u8], data_size: u64) -> Result<u64> {
        let recorder = self.stats.recorder();
        let top = self.index.top(self, ALL_FROM_FILE, recorder)?;
        let position = top.seek(internal_key);
        let handle = if position >= top.len() {
            None
        } else if self.has_two_level_index() {
            let partition = self.index.partition(self, &top, position, ALL_FROM_FILE, recorder)?;
            let position = partition.seek(internal_key);
            (position < partition.len()).then(|| partition.handle(position))
        } else {
            Some(top.handle(position))
        };
        Ok(handle.map_or(data_size, |handle| handle.offset))
    }

    fn share_of_file(&self, data_bytes: u64, data_size: u64) -> u64 {
        (data_bytes as f64 / data_size as f64 * self.file_size as f64) as u64
    }

    /// Verifies the checksum of every block: data, and all that the metaindex names, partitions
    /// included.
    ///
    /// # Errors
    /// `Corruption` naming file, offset, expected and found checksum of the first bad block.
    pub fn verify_checksum(&self, options: &ReadOptions) -> Result<()> {
        let fetcher = self.fetcher(true, options.terms());
        fetcher.fetch_raw(self.footer.metaindex_handle, None)?;
        for (name, handle) in self.metaindex.entries() {
            let is = |other: &str| name == other.as_bytes();
            let starts_with = |prefix: &str| name.starts_with(prefix.as_bytes());
            if is(PROPERTIES_BLOCK_NAME) || is(OLD_PROPERTIES_BLOCK_NAME) {
                read_properties(&fetcher, handle)?;
                continue;
            }
            if starts_with(OBSOLETE_FILTER_PREFIX) {
                continue;
            }
            fetcher.fetch_raw(handle, None)?;
            if starts_with(PARTITIONED_FILTER_PREFIX) {
                for partition in self.read_index_block(handle, false)? {
                    fetcher.fetch_raw(partition.handle, None)?;
                }
            }
        }
        let window = match options.readahead_size {
            0 => self.readahead.max_size,
            size => size,
        };
        let mut prefetcher = self.new_prefetcher(&ReadaheadOptions::fixed(window));
        for block in self.data_blocks()? {
            fetcher.fetch_raw(block.handle, Some(&mut prefetcher))?;
        }
        Ok(())
    }
}
