//! What decides about the compactions of a column family, beside its version.

use crate::column_family::ColumnFamilyData;
use crate::picker_options::picker_options;
use crate::property::table_stats::{FileStats, TableStats};
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
use table::TableProperties;
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
    /// What the tables say of themselves: those that were asked at the open, and all that were made
    /// since.
    pub(crate) tables: Arc<TableStats>,
    /// What follows from it, as of when each table was asked or made.
    facts: HashMap<u64, TableFacts>,
    /// Tells how old files are.
    clock: Arc<dyn SystemClock>,
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
            tables: Arc::default(),
            facts: HashMap::new(),
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

    /// Takes in what the tables of a version said of themselves when the database was opened.
    pub(crate) fn note_tables_found(&mut self, version: &Version, tables: TableStats) {
        let average = tables.average_value_bytes();
        self.facts.reserve(tables.len());
        for (_, file) in version.files() {
            if let Some(stats) = tables.file(file.number) {
                self.facts.insert(file.number, table_facts(file, stats, average));
            }
        }
        self.tables = Arc::new(tables);
    }

    /// Takes in what a table says of itself that came from elsewhere.
    pub(crate) fn note_table(&mut self, file: &FileMetaData, properties: &TableProperties) {
        let tables = Arc::make_mut(&mut self.tables);
        tables.add(file, properties);
        let average = tables.average_value_bytes();
        if let Some(stats) = tables.file(file.number) {
            self.facts.insert(file.number, table_facts(file, stats, average));
        }
    }

    /// Takes in what a job wrote, and forgets what `edit` deletes.
    pub(crate) fn note_outputs(&mut self, edit: &VersionEdit, files: &[OutputFile]) {
        let tables = Arc::make_mut(&mut self.tables);
        let stays = |number: u64| edit.new_files.iter().any(|new| new.file.number == number);
        for (_, number) in &edit.deleted_files {
            if !stays(*number) {
                self.facts.remove(number);
                tables.remove(*number);
            }
        }
        for file in files {
            tables.add(&file.metadata, &file.properties);
        }
        let average = tables.average_value_bytes();
        for file in files {
            if let Some(stats) = tables.file(file.metadata.number) {
                let facts = table_facts(&file.metadata, stats, average);
                self.facts.insert(file.metadata.number, facts);
            }
        }
    }
}

fn table_facts(file: &FileMetaData, stats: &FileStats, average_value_size: u64) -> TableFacts {
    let counts = FileEntryCounts {
        entries: stats.entries,
        deletions: stats.deletions,
        range_deletions: stats.range_deletions,
    };
    TableFacts {
        compensated_file_size: compensated_file_size(file, counts, average_value_size),
        newest_key_time: Some(stats.newest_key_time).filter(|time| *time > 0),
    }
}
