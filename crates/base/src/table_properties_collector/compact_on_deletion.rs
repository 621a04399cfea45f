//! RocksDB's `CompactOnDeletionCollector`: tables with many deletions are compacted soon.
//!
//! Deletions that lie close together cost whoever reads over them. A table is marked when a window
//! of adjacent entries has at least so many deletions, or when deletions are at least such a part of
//! the whole table. The window moves in 128 steps, so that it forgets entries by the bucket.

use super::{
    CollectedProperties, TablePropertiesCollector, TablePropertiesCollectorContext,
    TablePropertiesCollectorFactory,
};
use crate::ParsedInternalKey;

const BUCKET_COUNT: usize = 128;

/// Makes [`CompactOnDeletionCollector`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompactOnDeletionCollectorFactory {
    /// Entries that lie close together, rounded up to a multiple of 128; 0 to look at no window.
    pub window_size: usize,
    /// Deletions among them that mark the table.
    pub deletion_trigger: usize,
    /// Part of the table's entries that marks it if they are deletions; counts if it is above 0 and
    /// at most 1.
    pub deletion_ratio: f64,
    /// Bytes that a table must have to be marked.
    pub min_file_size: u64,
}

impl CompactOnDeletionCollectorFactory {
    /// The name of the factory.
    pub const NAME: &'static str = "CompactOnDeletionCollector";
}

impl TablePropertiesCollectorFactory for CompactOnDeletionCollectorFactory {
    fn create(
        &self,
        _context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>> {
        let collector = CompactOnDeletionCollector::new(*self);
        collector.is_enabled().then(|| Box::new(collector) as Box<dyn TablePropertiesCollector>)
    }

    fn properties(&self) -> Vec<(&'static str, String)> {
        vec![
            ("window_size", self.window_size.to_string()),
            ("deletion_trigger", self.deletion_trigger.to_string()),
            ("deletion_ratio", self.deletion_ratio.to_string()),
            ("min_file_size", self.min_file_size.to_string()),
        ]
    }

    fn name(&self) -> &str {
        Self::NAME
    }
}

/// Counts the deletions of one table.
#[derive(Debug)]
pub struct CompactOnDeletionCollector {
    rules: CompactOnDeletionCollectorFactory,
    /// Entries of a bucket; 0 without a window.
    bucket_size: usize,
    /// Deletions of each bucket, in a ring.
    buckets: [usize; BUCKET_COUNT],
    current: usize,
    entries_in_current: usize,
    in_window: usize,
    most_in_window: usize,
    entries: u64,
    deletions: u64,
    file_size: u64,
    need_compact: bool,
}

impl CompactOnDeletionCollector {
    fn new(rules: CompactOnDeletionCollectorFactory) -> Self {
        Self {
            rules,
            bucket_size: rules.window_size.div_ceil(BUCKET_COUNT),
            buckets: [0; BUCKET_COUNT],
            current: 0,
            entries_in_current: 0,
            in_window: 0,
            most_in_window: 0,
            entries: 0,
            deletions: 0,
            file_size: 0,
            need_compact: false,
        }
    }

    fn counts_ratio(&self) -> bool {
        self.rules.deletion_ratio > 0.0 && self.rules.deletion_ratio <= 1.0
    }

    fn is_enabled(&self) -> bool {
        self.bucket_size > 0 || self.counts_ratio()
    }

    fn move_window(&mut self, is_deletion: bool) {
        if self.entries_in_current == self.bucket_size {
            self.current = (self.current + 1) % BUCKET_COUNT;
            self.in_window -= std::mem::take(&mut self.buckets[self.current]);
            self.entries_in_current = 0;
        }
        self.entries_in_current += 1;
        if is_deletion {
            self.in_window += 1;
            self.buckets[self.current] += 1;
            self.most_in_window = self.most_in_window.max(self.in_window);
        }
    }
}

impl TablePropertiesCollector for CompactOnDeletionCollector {
    fn add(&mut self, key: &ParsedInternalKey<'_>, _value: &[u8], file_size: u64) {
        if self.need_compact {
            return;
        }
        let is_deletion = key.value_type.is_point_deletion();
        self.entries += 1;
        self.deletions += u64::from(is_deletion);
        self.file_size = file_size;
        if self.bucket_size > 0 {
            self.move_window(is_deletion);
            self.need_compact = self.most_in_window >= self.rules.deletion_trigger
                && file_size >= self.rules.min_file_size;
        }
    }

    fn finish(&mut self) -> CollectedProperties {
        if self.counts_ratio() && self.entries > 0 && self.file_size >= self.rules.min_file_size {
            let ratio = self.deletions as f64 / self.entries as f64;
            self.need_compact |= ratio >= self.rules.deletion_ratio;
        }
        CollectedProperties::new()
    }

    fn need_compact(&self) -> bool {
        self.need_compact
    }

    fn name(&self) -> &str {
        CompactOnDeletionCollectorFactory::NAME
    }
}
