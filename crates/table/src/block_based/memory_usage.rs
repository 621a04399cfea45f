//! How much memory an open table takes.

use crate::block_based::filter_reader::{PartitionedFilter, TableFilter};
use crate::block_based::index_reader::Partitions;
use crate::block_based::reader::BlockBasedTable;
use crate::index::FlatIndex;
use crate::properties::TableProperties;

impl BlockBasedTable {
    /// About how many bytes of memory the table takes: what it holds of index, filter and
    /// dictionary, and its properties. Blocks in the block cache do not count.
    pub fn approximate_memory_usage_bytes(&self) -> usize {
        let index = self.index.top.resident().map_or(0, FlatIndex::memory_usage_bytes);
        let partitions =
            self.index.partitions.as_ref().map_or(0, |partitions| {
                partitions.resident().map(FlatIndex::memory_usage_bytes).sum()
            });
        let filter = match &self.filter {
            None => 0,
            Some(TableFilter::Full(filter)) => {
                filter.resident().map_or(0, |bits| bits.contents().len())
            }
            Some(TableFilter::Partitioned(PartitionedFilter { top, partitions, .. })) => {
                top.resident().map_or(0, FlatIndex::memory_usage_bytes)
                    + partitions.resident().map(|bits| bits.contents().len()).sum::<usize>()
            }
        };
        let dictionary = self.dictionary.as_ref().and_then(|dictionary| dictionary.resident());
        let dictionary = dictionary.map_or(0, |dictionary| dictionary.raw().len());
        let properties = properties_bytes(&self.properties);
        size_of::<Self>() + index + partitions + filter + dictionary + properties
    }

    /// About how many bytes the table will take once all that it holds itself was needed: it has just been
    /// opened, and filters and partitions are loaded later.
    pub(super) fn expected_memory_usage_bytes(&self) -> usize {
        let properties = &self.properties;
        let partitions = match &self.index.partitions {
            Some(Partitions::Resident(_)) => properties.index_size,
            Some(Partitions::Cached(_)) | None => 0,
        };
        let filter = match &self.filter {
            Some(TableFilter::Full(filter)) if filter.is_held() => filter.handle.size,
            Some(TableFilter::Partitioned(filter))
                if matches!(filter.partitions, Partitions::Resident(_)) =>
            {
                properties.filter_size
            }
            _ => 0,
        };
        self.approximate_memory_usage_bytes() + (partitions + filter) as usize
    }
}

fn properties_bytes(properties: &TableProperties) -> usize {
    let collected = properties.user_collected_properties.iter();
    let collected: usize = collected.map(|(name, value)| name.len() + value.len()).sum();
    size_of::<TableProperties>() + collected + properties.seqno_to_time_mapping.len()
}
