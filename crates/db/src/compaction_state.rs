//! What decides about the compactions of a column family, beside its version.

use crate::column_family::ColumnFamilyData;
use crate::picker_options::picker_options;
use crate::sanitize::sanitize_column_family;
use base::SequenceNumber;
use compaction::picker::tree::TreeState;
use compaction::picker::{FileEntryCounts, TableFacts, compensated_file_size};
use compaction::{CompactionsInProgress, OutputFile, PickerInput, PickerOptions, needs_compaction};
use env::SystemClock;
use options::{ColumnFamilyOptions, CompactionStyle, DbOptions};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use version::level_targets::estimated_compaction_needed_bytes;
use version::{FileMetaData, Version, VersionEdit};

/// Under the state's lock.
#[derive(Debug)]
pub(crate) struct CompactionState {
    /// The options as RocksDB corrects them.
    pub(crate) options: ColumnFamilyOptions,
    pub(crate) picker_options: PickerOptions,
    pub(crate) in_progress: CompactionsInProgress,
    /// The column family is in the queue of those that need compaction.
    pub(crate) is_queued: bool,
    /// Jobs see here that the column family was dropped.
    pub(crate) dropped: Arc<AtomicBool>,
    facts: HashMap<u64, TableFacts>,
    totals: TableTotals,
    /// Tells how old files are.
    clock: Arc<dyn SystemClock>,
}

/// Sums over the tables that this process made.
#[derive(Clone, Copy, Debug, Default)]
struct TableTotals {
    file_bytes: u64,
    raw_key_bytes: u64,
    raw_value_bytes: u64,
    values: u64,
}

impl TableTotals {
    fn add(&mut self, file: &OutputFile) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        let properties = &file.properties;
        add(&mut self.file_bytes, file.metadata.file_size);
        add(&mut self.raw_key_bytes, properties.raw_key_size);
        add(&mut self.raw_value_bytes, properties.raw_value_size);
        add(&mut self.values, properties.num_entries.saturating_sub(properties.num_deletions));
    }

    /// Bytes that a value takes in a file, on average; 0 if there is none.
    fn average_value_bytes(&self) -> u64 {
        let raw_bytes = self.raw_key_bytes.saturating_add(self.raw_value_bytes);
        if self.values == 0 || raw_bytes == 0 {
            return 0;
        }
        (self.raw_value_bytes / self.values).saturating_mul(self.file_bytes) / raw_bytes
    }
}

impl CompactionState {
    pub(crate) fn new(
        db: &DbOptions,
        family: &ColumnFamilyData,
        clock: Arc<dyn SystemClock>,
    ) -> Self {
        let options = sanitize_column_family(db, &family.options());
        let num_levels = family.super_version.load().version.num_levels();
        Self {
            picker_options: picker_options(db, &options, num_levels),
            options,
            in_progress: CompactionsInProgress::new(),
            is_queued: false,
            dropped: Arc::default(),
            facts: HashMap::new(),
            totals: TableTotals::default(),
            clock,
        }
    }

    /// Goes by other options from now on; what runs goes on by those that it began with. `family` is
    /// not sanitized.
    pub(crate) fn set_options(
        &mut self,
        db: &DbOptions,
        family: &ColumnFamilyOptions,
        num_levels: usize,
    ) {
        self.options = sanitize_column_family(db, family);
        self.picker_options = picker_options(db, &self.options, num_levels);
    }

    /// What a picker looks at.
    pub(crate) fn picker_input<'a>(
        &'a self,
        family: &'a ColumnFamilyData,
        version: &'a Arc<Version>,
        oldest_snapshot: SequenceNumber,
    ) -> PickerInput<'a> {
        PickerInput {
            version,
            comparator: &family.comparator,
            options: &self.picker_options,
            in_progress: &self.in_progress,
            table_facts: &self.facts,
            oldest_snapshot,
            now_seconds: self.clock.now_seconds(),
        }
    }

    /// Whether something wants compaction by itself.
    pub(crate) fn needs_compaction(&self, input: &PickerInput<'_>) -> bool {
        !self.options.disable_auto_compactions && needs_compaction(input)
    }

    /// Runs that slow writes down, and bytes that compactions would rewrite until every level is
    /// within its target.
    pub(crate) fn pressure(&self, input: &PickerInput<'_>) -> (usize, u64) {
        let tree = TreeState::new(input);
        let deeper = match self.options.compaction_style {
            CompactionStyle::Universal => {
                tree.sizes.iter().skip(1).filter(|level| level.files > 0).count()
            }
            _ => 0,
        };
        let l0_runs = tree.sizes.first().map_or(0, |level| level.files) + deeper;
        let levels = &self.picker_options.levels;
        (l0_runs, estimated_compaction_needed_bytes(levels, &tree.sizes, &tree.targets))
    }

    /// Takes in what a job wrote, and forgets what `edit` deletes.
    pub(crate) fn note_outputs(&mut self, edit: &VersionEdit, files: &[OutputFile]) {
        let stays = |number: u64| edit.new_files.iter().any(|new| new.file.number == number);
        for (_, number) in &edit.deleted_files {
            if !stays(*number) {
                self.facts.remove(number);
            }
        }
        files.iter().for_each(|file| self.totals.add(file));
        let average = self.totals.average_value_bytes();
        for file in files {
            self.facts.insert(file.metadata.number, table_facts(&file.metadata, file, average));
        }
    }
}

fn table_facts(metadata: &FileMetaData, file: &OutputFile, average_value_size: u64) -> TableFacts {
    let properties = &file.properties;
    let counts = FileEntryCounts {
        entries: properties.num_entries,
        deletions: properties.num_deletions,
        range_deletions: properties.num_range_deletions,
    };
    TableFacts {
        compensated_file_size: compensated_file_size(metadata, counts, average_value_size),
        newest_key_time: Some(properties.newest_key_time).filter(|time| *time > 0),
    }
}
