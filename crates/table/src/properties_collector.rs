//! Collectors of properties that are not the table's own (`TablePropertiesCollector`).

use base::{InternalKeyComparator, ParsedInternalKey};
use std::collections::BTreeMap;
use std::fmt;

use crate::properties::names::{TIMESTAMP_MAX, TIMESTAMP_MIN};

/// Names and values of properties.
pub type CollectedProperties = BTreeMap<Vec<u8>, Vec<u8>>;

/// Looks at every entry of one table as it is added, and makes properties of what it saw.
pub trait TablePropertiesCollector: fmt::Debug + Send {
    /// Takes an entry or range tombstone. `file_size` is that of the blocks written before.
    fn add(&mut self, key: &ParsedInternalKey<'_>, value: &[u8], file_size: u64);

    /// Takes notice of a data block that is complete, of so many bytes before compression.
    fn add_block(&mut self, _uncompressed_size: u64) {}

    /// The properties. Where two collectors have one of the same name, the first one's counts.
    fn finish(&mut self) -> CollectedProperties;

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
}

/// Makes a collector for each new table.
pub trait TablePropertiesCollectorFactory: fmt::Debug + Send + Sync {
    /// A collector for one table; none if it wants to see nothing of it.
    fn create(
        &self,
        context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>>;

    /// The name that tables list in `rocksdb.property.collectors`.
    fn name(&self) -> &str;
}

/// Collects the smallest and largest timestamp of a table whose keys have some.
#[derive(Debug)]
pub(crate) struct TimestampCollector {
    comparator: InternalKeyComparator,
    range: Option<(Vec<u8>, Vec<u8>)>,
}

impl TimestampCollector {
    pub(crate) fn new(comparator: InternalKeyComparator) -> Self {
        Self { comparator, range: None }
    }
}

impl TablePropertiesCollector for TimestampCollector {
    fn add(&mut self, key: &ParsedInternalKey<'_>, _value: &[u8], _file_size: u64) {
        let start = key.user_key.len().saturating_sub(self.comparator.timestamp_size());
        let timestamp = &key.user_key[start..];
        let comparator = self.comparator.user_comparator();
        match &mut self.range {
            None => self.range = Some((timestamp.to_vec(), timestamp.to_vec())),
            Some((smallest, largest)) => {
                for (bound, replaces) in [
                    (&mut *smallest, std::cmp::Ordering::Less),
                    (&mut *largest, std::cmp::Ordering::Greater),
                ] {
                    if comparator.compare_timestamp(timestamp, bound) == replaces {
                        bound.clear();
                        bound.extend_from_slice(timestamp);
                    }
                }
            }
        }
    }

    fn finish(&mut self) -> CollectedProperties {
        let (smallest, largest) = self.range.take().unwrap_or_default();
        [(TIMESTAMP_MIN.into(), smallest), (TIMESTAMP_MAX.into(), largest)].into()
    }

    fn name(&self) -> &str {
        "TimestampTablePropertiesCollector"
    }
}
