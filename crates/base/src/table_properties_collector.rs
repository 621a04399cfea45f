//! Collectors of properties that are not the table's own (`TablePropertiesCollector`).
//!
//! A collector sees each entry of a table while it is written. What it found goes into the table's
//! properties, and it may ask for the table to be compacted soon.

use crate::{ParsedInternalKey, SequenceNumber};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

mod compact_on_deletion;

pub use compact_on_deletion::{CompactOnDeletionCollector, CompactOnDeletionCollectorFactory};

/// Names and values of properties.
pub type CollectedProperties = BTreeMap<Vec<u8>, Vec<u8>>;

/// Looks at every entry of one table as it is added, and makes properties of what it saw.
pub trait TablePropertiesCollector: fmt::Debug + Send {
    /// Takes an entry or range tombstone, with its type and sequence number. `file_size` is that of
    /// the blocks written before.
    fn add(&mut self, key: &ParsedInternalKey<'_>, value: &[u8], file_size: u64);

    /// Takes notice of a data block that is complete, of so many bytes before compression.
    fn add_block(&mut self, _uncompressed_size: u64) {}

    /// The properties. Where two collectors have one of the same name, the first one's counts.
    fn finish(&mut self) -> CollectedProperties;

    /// The properties for people, asked for after [`TablePropertiesCollector::finish`]; they are not
    /// stored, but stand in the event of the table's creation. Default: none.
    fn readable_properties(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Whether the table should be compacted soon; asked after [`TablePropertiesCollector::finish`].
    fn need_compact(&self) -> bool {
        false
    }

    /// Its name, for messages.
    fn name(&self) -> &str;
}

/// What is known when a collector is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePropertiesCollectorContext {
    /// The column family.
    pub column_family_id: u64,
    /// The table's level, if it is known.
    pub level: Option<u32>,
    /// How many levels the column family has, if that is known.
    pub num_levels: Option<u32>,
    /// Data up to this sequence number may go to the last level
    /// (`last_level_inclusive_max_seqno_threshold`). The largest of all here, as it is in RocksDB without
    /// `preclude_last_level_data_seconds`.
    pub last_level_inclusive_max_sequence: SequenceNumber,
}

/// Makes a collector for each new table.
pub trait TablePropertiesCollectorFactory: fmt::Debug + Send + Sync {
    /// A collector for one table; none if it wants to see nothing of it.
    fn create(
        &self,
        context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>>;

    /// What OPTIONS files say of it beside its name. Default: nothing.
    fn properties(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The name that tables list in `rocksdb.property.collectors`.
    fn name(&self) -> &str;
}

/// The built-in factory of this name, with the properties that OPTIONS files give it:
/// `CompactOnDeletionCollector` with `window_size`, `deletion_trigger`, `deletion_ratio` and
/// `min_file_size` (defaults: 0, which ask for no compaction).
pub fn builtin(
    name: &str,
    properties: &[(&str, &str)],
) -> Option<Arc<dyn TablePropertiesCollectorFactory>> {
    if name != CompactOnDeletionCollectorFactory::NAME {
        return None;
    }
    let mut factory = CompactOnDeletionCollectorFactory::default();
    for (property, value) in properties {
        match *property {
            "window_size" => factory.window_size = value.parse().ok()?,
            "deletion_trigger" => factory.deletion_trigger = value.parse().ok()?,
            "deletion_ratio" => factory.deletion_ratio = value.parse().ok()?,
            "min_file_size" => factory.min_file_size = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(Arc::new(factory))
}

#[cfg(test)]
mod tests;
