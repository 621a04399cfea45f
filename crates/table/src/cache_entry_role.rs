//! What a value in the block cache is.

use crate::block_based::{FilterBits, Meta};
use crate::data_block::DataBlock;
use crate::index::FlatIndex;
use cache::CacheValue;
use compression::UncompressionDictionary;
use std::sync::Arc;

/// Kinds of values, as RocksDB's statistics of a block cache tell them apart
/// (`CacheEntryRole`). Some never come up here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheEntryRole {
    /// A data block.
    DataBlock,
    /// A filter, or a partition of one.
    FilterBlock,
    /// The top level of a partitioned filter. Here it counts as an index block, which it is.
    FilterMetaBlock,
    /// A filter of the first kind, by block.
    DeprecatedFilterBlock,
    /// An index block.
    IndexBlock,
    /// Another block.
    OtherBlock,
    /// Memory of memtables.
    WriteBuffer,
    /// Data from which a dictionary is made.
    CompressionDictionaryBuildingBuffer,
    /// A filter while it is made.
    FilterConstruction,
    /// Memory of open tables.
    BlockBasedTableReader,
    /// Memory of what the MANIFEST says of files.
    FileMetadata,
    /// A value from a blob file.
    BlobValue,
    /// Memory of a blob cache.
    BlobCache,
    /// Anything else.
    Misc,
}

/// What a cache holds for memory of such a use that is charged to it.
#[derive(Clone, Copy, Debug)]
pub struct RoleCharge(pub CacheEntryRole);

impl From<RoleCharge> for CacheValue {
    fn from(charge: RoleCharge) -> Self {
        Self::Plain(Arc::new(charge))
    }
}

impl CacheEntryRole {
    /// All, in RocksDB's order.
    pub const ALL: [Self; 14] = [
        Self::DataBlock,
        Self::FilterBlock,
        Self::FilterMetaBlock,
        Self::DeprecatedFilterBlock,
        Self::IndexBlock,
        Self::OtherBlock,
        Self::WriteBuffer,
        Self::CompressionDictionaryBuildingBuffer,
        Self::FilterConstruction,
        Self::BlockBasedTableReader,
        Self::FileMetadata,
        Self::BlobValue,
        Self::BlobCache,
        Self::Misc,
    ];

    /// What `value` is, if a table put it into the cache, or memory of another use is charged by it.
    pub fn of_table_value(value: &CacheValue) -> Option<Self> {
        if value.is::<DataBlock>() {
            Some(Self::DataBlock)
        } else if value.is::<Meta<FlatIndex>>() {
            Some(Self::IndexBlock)
        } else if value.is::<Meta<FilterBits>>() {
            Some(Self::FilterBlock)
        } else if value.is::<Meta<UncompressionDictionary>>() {
            Some(Self::OtherBlock)
        } else {
            value.downcast_ref::<RoleCharge>().map(|charge| charge.0)
        }
    }

    /// Words run together, as in texts.
    pub fn camel_name(self) -> String {
        format!("{self:?}")
    }

    /// Words with hyphens, as in keys of maps.
    pub fn hyphen_name(self) -> String {
        let mut name = String::new();
        for character in self.camel_name().chars() {
            if character.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(character.to_ascii_lowercase());
        }
        name
    }
}

#[cfg(test)]
mod tests;
