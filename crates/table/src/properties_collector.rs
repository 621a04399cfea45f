//! The collector that the engine itself brings.

use crate::properties::names::{TIMESTAMP_MAX, TIMESTAMP_MIN};
use base::table_properties_collector::{CollectedProperties, TablePropertiesCollector};
use base::{InternalKeyComparator, ParsedInternalKey};

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
