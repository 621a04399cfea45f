//! The metaindex block: names of the blocks beside data and index, and where they are.
//!
//! ```text
//! key     name, in bytewise order
//! value   block handle
//! ```
//!
//! Names that are not known are ignored.

use crate::block::EntryWalker;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::filter::BUILTIN_POLICY_NAME;
use crate::format::BlockHandle;
use base::{Result, Status};

/// The index block, from format_version 6 on.
pub const INDEX_BLOCK_NAME: &str = "rocksdb.index";
/// The properties block.
pub const PROPERTIES_BLOCK_NAME: &str = "rocksdb.properties";
/// The properties block in files of the first releases.
pub const OLD_PROPERTIES_BLOCK_NAME: &str = "rocksdb.stats";
/// The dictionary of compressed data blocks.
pub const COMPRESSION_DICTIONARY_BLOCK_NAME: &str = "rocksdb.compression_dict";
/// The range tombstones.
pub const RANGE_DEL_BLOCK_NAME: &str = "rocksdb.range_del";
/// Prefixes of a hash index.
pub const HASH_INDEX_PREFIXES_BLOCK_NAME: &str = "rocksdb.hashindex.prefixes";
/// What the prefixes of a hash index lead to.
pub const HASH_INDEX_METADATA_BLOCK_NAME: &str = "rocksdb.hashindex.metadata";
/// Begins the name of a full filter; the policy follows.
pub const FULL_FILTER_PREFIX: &str = "fullfilter.";
/// Begins the name of the top level of partitioned filters; the policy follows.
pub const PARTITIONED_FILTER_PREFIX: &str = "partitionedfilter.";
/// Begins the name of the block-based filter of old releases, which is not read.
pub const OBSOLETE_FILTER_PREFIX: &str = "filter.";
/// Begins the name of a user-defined index.
pub const USER_DEFINED_INDEX_PREFIX: &str = "rocksdb.user_defined_index.";

/// What kind of filter a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterLocation {
    /// One filter over all keys.
    Full(BlockHandle),
    /// Partitions, found through an index block.
    Partitioned(BlockHandle),
}

/// The metaindex, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetaIndex {
    entries: Vec<(Vec<u8>, BlockHandle)>,
}

impl MetaIndex {
    /// Decodes an uncompressed metaindex block.
    ///
    /// # Errors
    /// `Corruption` if an entry does not fit or names do not ascend.
    pub fn decode(block: &[u8]) -> Result<Self> {
        let mut walker = EntryWalker::new(block)?;
        let mut entries: Vec<(Vec<u8>, BlockHandle)> = Vec::new();
        while let Some((name, mut value)) = walker.next()? {
            let handle = BlockHandle::decode(&mut value).ok_or_else(|| {
                let name = String::from_utf8_lossy(name);
                Status::corruption(format!("bad block handle of {name} in metaindex"))
            })?;
            if entries.last().is_some_and(|(last, _)| last.as_slice() >= name) {
                return Err(Status::corruption("metaindex out of order"));
            }
            entries.push((name.to_vec(), handle));
        }
        Ok(Self { entries })
    }

    /// The block made of these entries, whose names must ascend.
    pub fn encode<'a>(entries: impl IntoIterator<Item = (&'a [u8], BlockHandle)>) -> Vec<u8> {
        let options = BlockBuilderOptions { restart_interval: 1, ..Default::default() };
        let mut builder = BlockBuilder::new(options);
        let mut value = Vec::new();
        for (name, handle) in entries {
            value.clear();
            handle.encode_to(&mut value);
            builder.add(name, &value);
        }
        builder.finish()
    }

    /// Names and handles in the order of names.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], BlockHandle)> {
        self.entries.iter().map(|(name, handle)| (name.as_slice(), *handle))
    }

    /// The block of this name.
    pub fn find(&self, name: &str) -> Option<BlockHandle> {
        let found =
            self.entries.binary_search_by(|(other, _)| other.as_slice().cmp(name.as_bytes()));
        found.ok().map(|index| self.entries[index].1)
    }

    /// The properties block, under its new name or its old.
    pub fn properties(&self) -> Option<BlockHandle> {
        self.find(PROPERTIES_BLOCK_NAME).or_else(|| self.find(OLD_PROPERTIES_BLOCK_NAME))
    }

    /// The filter, if there is one of a policy that is known.
    pub fn filter(&self) -> Option<FilterLocation> {
        let find = |prefix: &str| self.find(&format!("{prefix}{BUILTIN_POLICY_NAME}"));
        find(FULL_FILTER_PREFIX)
            .map(FilterLocation::Full)
            .or_else(|| find(PARTITIONED_FILTER_PREFIX).map(FilterLocation::Partitioned))
    }

    /// The name of a user-defined index, if there is one.
    pub fn user_defined_index(&self) -> Option<String> {
        let prefix = USER_DEFINED_INDEX_PREFIX.as_bytes();
        let name = self.entries.iter().find_map(|(name, _)| name.strip_prefix(prefix))?;
        Some(String::from_utf8_lossy(name).into_owned())
    }
}

#[cfg(test)]
mod tests;
