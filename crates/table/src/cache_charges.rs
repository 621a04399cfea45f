//! Memory of other uses that counts against a block cache (`cache_usage_options`).

use crate::cache_entry_role::{CacheEntryRole, RoleCharge};
use cache::{Cache, ChargedMemory};
use std::sync::Arc;

/// What is charged to the block cache of a column family beside the blocks in it, by use. None is charged
/// by default.
#[derive(Clone, Debug, Default)]
pub struct CacheCharges {
    /// Blocks that are held back until there is a dictionary.
    pub dictionary_buffers: Option<Arc<ChargedMemory>>,
    /// Keys of filters that are being made.
    pub filter_construction: Option<Arc<ChargedMemory>>,
    /// What open tables hold themselves.
    pub table_readers: Option<Arc<ChargedMemory>>,
    /// What the MANIFEST says of files.
    pub file_metadata: Option<Arc<ChargedMemory>>,
    /// What the blob cache holds.
    pub blob_cache: Option<Arc<ChargedMemory>>,
}

impl CacheCharges {
    /// Charges to `cache` for the uses that `is_charged` tells.
    pub fn new(cache: &Arc<dyn Cache>, is_charged: impl Fn(CacheEntryRole) -> bool) -> Self {
        let charged = |role| {
            let memory =
                || Arc::new(ChargedMemory::new(Arc::clone(cache), RoleCharge(role).into()));
            is_charged(role).then(memory)
        };
        Self {
            dictionary_buffers: charged(CacheEntryRole::CompressionDictionaryBuildingBuffer),
            filter_construction: charged(CacheEntryRole::FilterConstruction),
            table_readers: charged(CacheEntryRole::BlockBasedTableReader),
            file_metadata: charged(CacheEntryRole::FileMetadata),
            blob_cache: charged(CacheEntryRole::BlobCache),
        }
    }
}
