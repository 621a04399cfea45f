//! What the tables of a version hold by their own account, and what follows from it.
//!
//! As RocksDB does, an open for writing reads this, and jobs add what they make; where a database is
//! only read, this is read when a property first needs it.

use base::Result;
use std::collections::HashMap;
use std::sync::Arc;
use table::TableProperties;
use version::{FileMetaData, LevelSize, Version};

/// Tables sampled where not all of them may stay open (`max_open_files`).
const SAMPLED_FILES_MAX: usize = 20;
/// A deletion counts for this many average values, once deletions prevail in a file.
const DELETION_WEIGHT: u64 = 2;

/// What a table says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileStats {
    pub(crate) entries: u64,
    /// Deletions among the entries, those of ranges included.
    pub(crate) deletions: u64,
    pub(crate) range_deletions: u64,
    pub(crate) raw_key_bytes: u64,
    pub(crate) raw_value_bytes: u64,
    /// Seconds since 1970; 0 if unknown.
    pub(crate) creation_time: u64,
    /// Seconds since 1970; 0 if unknown.
    pub(crate) file_creation_time: u64,
    /// When the newest entry was written, in seconds since 1970; 0 if unknown.
    pub(crate) newest_key_time: u64,
}

impl From<&TableProperties> for FileStats {
    fn from(properties: &TableProperties) -> Self {
        Self {
            entries: properties.num_entries,
            deletions: properties.num_deletions,
            range_deletions: properties.num_range_deletions,
            raw_key_bytes: properties.raw_key_size,
            raw_value_bytes: properties.raw_value_size,
            creation_time: properties.creation_time,
            file_creation_time: properties.file_creation_time,
            newest_key_time: properties.newest_key_time,
        }
    }
}

/// Sums over the tables that were asked or made, those that are gone again among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TableTotals {
    file_bytes: u64,
    raw_key_bytes: u64,
    raw_value_bytes: u64,
    non_deletions: u64,
}

impl TableTotals {
    fn add(&mut self, file_bytes: u64, stats: &FileStats) {
        let add = |sum: &mut u64, value: u64| *sum = sum.saturating_add(value);
        add(&mut self.file_bytes, file_bytes);
        add(&mut self.raw_key_bytes, stats.raw_key_bytes);
        add(&mut self.raw_value_bytes, stats.raw_value_bytes);
        add(&mut self.non_deletions, stats.entries.saturating_sub(stats.deletions));
    }

    /// Bytes that a value takes in a file, on average; 0 if there is none.
    fn average_value_bytes(&self) -> u64 {
        let raw_bytes = self.raw_key_bytes.saturating_add(self.raw_value_bytes);
        if self.non_deletions == 0 || raw_bytes == 0 {
            return 0;
        }
        // In this order, with this rounding, for the same scores as RocksDB's.
        (self.raw_value_bytes / self.non_deletions).saturating_mul(self.file_bytes) / raw_bytes
    }
}

/// The tables of a version that were asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableStats {
    files: HashMap<u64, FileStats>,
    totals: TableTotals,
}

impl TableStats {
    /// Of what all tables of a version said.
    pub(crate) fn of_tables<'f>(
        tables: impl ExactSizeIterator<Item = (&'f FileMetaData, FileStats)>,
    ) -> Self {
        let mut all = Self::default();
        all.files.reserve(tables.len());
        for (file, stats) in tables {
            all.add_stats(file, stats);
        }
        all
    }

    /// Asks the tables through `properties`: all, or the first few from L0 on, as RocksDB does
    /// where not all may stay open. Tables that cannot be read count as empty.
    pub(crate) fn collect(
        version: &Version,
        may_ask_all: bool,
        properties: impl Fn(usize, &FileMetaData) -> Result<Arc<TableProperties>>,
    ) -> Self {
        let mut stats = Self::default();
        let files_max = if may_ask_all { usize::MAX } else { SAMPLED_FILES_MAX };
        for (level, file) in version.files() {
            if stats.files.len() >= files_max {
                break;
            }
            stats.ask(level, file, &properties);
        }
        // Values, on which deletions are weighed, may all be in deeper levels.
        for level in (0..version.num_levels()).rev() {
            for file in version.level_files(level).iter().rev() {
                if stats.totals.raw_value_bytes > 0 {
                    return stats;
                }
                stats.ask(level, file, &properties);
            }
        }
        stats
    }

    fn ask(
        &mut self,
        level: usize,
        file: &FileMetaData,
        properties: &impl Fn(usize, &FileMetaData) -> Result<Arc<TableProperties>>,
    ) {
        if self.files.contains_key(&file.number) {
            return;
        }
        if let Ok(properties) = properties(level, file) {
            self.add(file, &properties);
        }
    }

    /// Takes in a table.
    pub(crate) fn add(&mut self, file: &FileMetaData, properties: &TableProperties) {
        self.add_stats(file, FileStats::from(properties));
    }

    fn add_stats(&mut self, file: &FileMetaData, stats: FileStats) {
        self.totals.add(file.file_size, &stats);
        self.files.insert(file.number, stats);
    }

    /// How many tables were asked or made, less those that are gone.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Forgets a table that is gone. What values take on average is known better with it.
    pub(crate) fn remove(&mut self, number: u64) {
        self.files.remove(&number);
    }

    /// Bytes that a value takes in a file, on average; 0 if there is none.
    pub(crate) fn average_value_bytes(&self) -> u64 {
        self.totals.average_value_bytes()
    }

    /// What a table says of itself, if it was asked.
    pub(crate) fn file(&self, number: u64) -> Option<&FileStats> {
        self.files.get(&number)
    }

    /// Keys in all tables: entries without deletions and what these delete. From a sample the
    /// number for all is extrapolated.
    pub(crate) fn estimated_keys(&self, files: usize) -> u64 {
        let sum =
            |of: fn(&FileStats) -> u64| self.files.values().map(of).fold(0, u64::saturating_add);
        let (entries, deletions) = (sum(|file| file.entries), sum(|file| file.deletions));
        let estimate = entries.saturating_sub(deletions.saturating_mul(2));
        match self.files.len() {
            0 => 0,
            asked if asked < files => (estimate as f64 * files as f64 / asked as f64) as u64,
            _ => estimate,
        }
    }

    /// The size of a file with what its deletions will free counted in, so that files full of
    /// deletions are compacted early.
    pub(crate) fn compensated_size(&self, file: &FileMetaData) -> u64 {
        let FileStats { entries, deletions, .. } =
            self.file(file.number).copied().unwrap_or_default();
        let surplus = deletions.saturating_mul(2).saturating_sub(entries);
        let weight = self.totals.average_value_bytes().saturating_mul(DELETION_WEIGHT);
        file.file_size.saturating_add(surplus.saturating_mul(weight))
    }

    /// The levels of a version that no compaction works on.
    pub(crate) fn level_sizes(&self, version: &Version) -> Vec<LevelSize> {
        let compensated = |level: usize| {
            let files = version.level_files(level).iter();
            files.fold(0, |sum: u64, file| sum.saturating_add(self.compensated_size(file)))
        };
        LevelSize::of_version(version)
            .into_iter()
            .enumerate()
            .map(|(level, size)| {
                let bytes = compensated(level);
                LevelSize { compensated_bytes: bytes, idle_compensated_bytes: bytes, ..size }
            })
            .collect()
    }

    /// Bytes of keys and values to bytes of files; -1 without files.
    pub(crate) fn compression_ratio(&self, version: &Version, level: usize) -> f64 {
        let files = version.level_files(level);
        let file_bytes = version.level_size_bytes(level);
        if file_bytes == 0 {
            return -1.0;
        }
        let raw_bytes = files.iter().filter_map(|file| self.file(file.number)).fold(0, sum_raw);
        raw_bytes as f64 / file_bytes as f64
    }
}

fn sum_raw(sum: u64, stats: &FileStats) -> u64 {
    sum.saturating_add(stats.raw_key_bytes).saturating_add(stats.raw_value_bytes)
}
