//! What properties are computed from.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::DbImpl;
use crate::db_state::{DbState, FamilyState};
use crate::flow_control::stall_condition::StallState;
use crate::flow_control::write_controller::WriteController;
use crate::property::compaction_need::FileAges;
use crate::property::compaction_stats::{
    Activity, BlobStats, ColumnFamilyReport, LevelFiles, StallCounts,
};
use crate::property::db_stats::WriteActivity;
use crate::property::level_state::LevelState;
use crate::property::stall::StallReport;
use crate::property::table_stats::TableStats;
use crate::sanitize::{delayed_write_rate, sanitize_column_family};
use crate::super_version::SuperVersion;
use ::table::TableProperties;
use base::Result;
use blob::{BlobLogFooter, BlobLogHeader};
use memtable::MemTable;
use options::ColumnFamilyOptions;
use std::sync::Arc;
use version::{FileMetaData, LevelTargetRule, Version, find_table_file};

/// The release whose targets and scores properties show: that of the names and texts.
pub(crate) const LEVEL_TARGET_RULE: LevelTargetRule = LevelTargetRule::Steady;

/// Bytes of a blob file, header and footer included.
pub(crate) fn blob_file_size(file: &version::BlobFileMetaData) -> u64 {
    const FRAME: u64 = (BlobLogHeader::SIZE + BlobLogFooter::SIZE) as u64;
    file.addition.total_blob_bytes.saturating_add(FRAME)
}

/// A column family of a database, asked for one property.
pub(crate) struct Source<'a> {
    pub(crate) db: &'a DbImpl,
    pub(crate) family: &'a ColumnFamilyData,
    /// The state that is asked about.
    pub(crate) super_version: Arc<SuperVersion>,
    pub(crate) options: ColumnFamilyOptions,
}

impl<'a> Source<'a> {
    pub(crate) fn new(db: &'a DbImpl, family: &'a ColumnFamilyData) -> Self {
        let options = sanitize_column_family(&db.options(), &family.options());
        Self { db, family, super_version: family.super_version.load_full(), options }
    }

    pub(crate) fn version(&self) -> &Version {
        &self.super_version.version
    }

    /// All versions of it that something reads, the current one among them.
    pub(crate) fn live_versions(&self) -> Vec<Arc<Version>> {
        match &self.db.writing {
            Some(writing) => writing.versions.lock().live_versions(self.family.id),
            None => vec![self.super_version.version.clone()],
        }
    }

    /// The memtable that takes writes, and the others.
    pub(crate) fn memtables(&self) -> (Option<&MemTable>, &[Arc<MemTable>]) {
        match self.super_version.memtables.split_first() {
            Some((active, immutable)) => (Some(active), immutable),
            None => (None, &[]),
        }
    }

    /// What tables say of themselves; where a database is only read, that is when it is first asked
    /// for.
    pub(crate) fn table_stats(&self) -> Arc<TableStats> {
        if let Some(stats) = self.live(|family| family.compaction.tables.clone()) {
            return stats;
        }
        let collect = || Arc::new(self.collect_table_stats());
        self.super_version.table_stats.get_or_init(collect).clone()
    }

    /// Asks the tables.
    pub(crate) fn collect_table_stats(&self) -> TableStats {
        if self.db.options().skip_stats_update_on_db_open {
            return TableStats::default();
        }
        let tables = &self.family.tables;
        let may_ask_all = tables.keeps_all_open();
        TableStats::collect(self.version(), may_ask_all, |_, file| tables.properties(file))
    }

    /// The levels by `rule`.
    pub(crate) fn level_state(&self, rule: LevelTargetRule) -> LevelState {
        self.with_ages(|ages| LevelState::new(self.version(), &self.options, ages, rule))
    }

    /// The levels as compactions see them now; where only reads are done, by RocksDB 7.8's rule.
    pub(crate) fn current_levels(&self) -> LevelState {
        let oldest_snapshot = self.live_state(|state| state.oldest_snapshot).unwrap_or(0);
        let live = self.live(|family| {
            let version = &self.super_version.version;
            let input = family.compaction.picker_input(&family.data, version, oldest_snapshot);
            LevelState::live(&input, self.options.compaction_style)
        });
        live.unwrap_or_else(|| self.level_state(LEVEL_TARGET_RULE))
    }

    /// Gives `use_ages` what tells how old files are.
    pub(crate) fn with_ages<T>(&self, use_ages: impl FnOnce(&FileAges<'_>) -> T) -> T {
        let tables = &self.family.tables;
        let modification_time = |file: &FileMetaData| {
            let (path, _) = find_table_file(&*tables.file_system, &tables.paths, file)?;
            tables.file_system.get_file_modification_time(&path)
        };
        use_ages(&FileAges {
            tables: &self.table_stats(),
            modification_time: &modification_time,
            now: self.db.context.clock.now_seconds(),
        })
    }

    /// The properties of all tables, or of those of one level.
    pub(crate) fn table_properties(
        &self,
        level: Option<usize>,
    ) -> Result<Vec<Arc<TableProperties>>> {
        let wanted = |&(at, _): &(usize, _)| level.is_none_or(|level| level == at);
        let files = self.version().files().filter(wanted);
        files.map(|(_, file)| self.family.tables.properties(file)).collect()
    }

    pub(crate) fn blobs(&self) -> BlobStats {
        let files = self.version().blob_files();
        let sum = |bytes: fn(&version::BlobFileMetaData) -> u64| {
            files.iter().fold(0_u64, |sum, file| sum.saturating_add(bytes(file)))
        };
        BlobStats {
            files: files.len(),
            bytes: sum(blob_file_size),
            garbage_bytes: sum(|file| file.garbage_blob_bytes),
        }
    }

    pub(crate) fn stall_state(&self, levels: &LevelState) -> StallState {
        StallState {
            immutable_memtables: self.memtables().1.len(),
            l0_runs: levels.delaying_runs(),
            pending_compaction_bytes: levels.pending_compaction_bytes,
            bottommost_bytes: 0,
        }
    }

    /// What all column families make of writes, as they were opened one after another.
    pub(crate) fn write_controller(&self) -> WriteController {
        if let Some(controller) = self.live_state(|state| state.write_controller) {
            return controller;
        }
        let mut controller = WriteController::new(delayed_write_rate(&self.db.options()));
        for family in self.db.families.load_full().iter() {
            let source = Source::new(self.db, family);
            let levels = source.level_state(LEVEL_TARGET_RULE);
            controller.add(&source.stall_state(&levels), &source.options);
        }
        controller
    }

    /// How often writes were stalled. Where only reads are done that is as the column family was
    /// opened; nothing changed since.
    pub(crate) fn stall_counts(&self, levels: &LevelState) -> StallCounts {
        if let Some(counts) = self.live(|family| family.stall.counts) {
            return counts;
        }
        let mut counts = StallCounts::default();
        counts.count(self.stall_state(levels).condition(&self.options), false);
        counts
    }

    /// What holds writes back, and what did.
    pub(crate) fn stall_report(&self) -> StallReport {
        let levels = self.current_levels();
        let live = self.live(|family| family.stall.state);
        let state = live.unwrap_or_else(|| self.stall_state(&levels));
        let controller = self.write_controller();
        StallReport {
            condition: controller.condition(),
            rate: controller.actual_delayed_write_rate(),
            rate_max: controller.rate_max(),
            family_condition: state.condition(&self.options),
            family_counts: self.stall_counts(&levels),
            times: self.live_state(|state| state.stall_times).unwrap_or_default(),
        }
    }

    /// What the state of a database that is open for writing says of the column family.
    pub(crate) fn live<T>(&self, ask: impl FnOnce(&FamilyState) -> T) -> Option<T> {
        let state = self.db.writing.as_ref()?.state.lock();
        state.families.get(&self.family.id).map(ask)
    }

    /// What the state of a database that is open for writing says.
    pub(crate) fn live_state<T>(&self, ask: impl FnOnce(&DbState) -> T) -> Option<T> {
        let state = self.db.writing.as_ref()?.state.lock();
        Some(ask(&state))
    }

    /// `rocksdb.cfstats`, its interval not begun.
    pub(crate) fn family_report(&self) -> ColumnFamilyReport {
        let state = self.current_levels();
        let version = self.version();
        let compacted: Option<Vec<usize>> = self.live(|family| {
            let is_taken =
                |file: &&Arc<FileMetaData>| family.compaction.in_progress.has_file(file.number);
            let in_level = |level| version.level_files(level).iter().filter(is_taken).count();
            (0..version.num_levels()).map(in_level).collect()
        });
        let levels = state.sizes.iter().enumerate().map(|(level, size)| LevelFiles {
            files: size.files,
            files_being_compacted: match compacted.as_ref() {
                Some(compacted) => compacted[level],
                None => size.files.saturating_sub(size.idle_files),
            },
            bytes: size.size_bytes,
            score: state.shown_score(level),
        });
        let jobs = self.family.stats.jobs();
        let now = Activity {
            uptime_secs: self.family.stats.uptime_secs(),
            compaction: jobs.compaction,
            by_priority: jobs.by_priority,
            bytes_flushed: jobs.bytes_flushed,
            bytes_ingested: jobs.ingested.bytes,
            files_ingested: jobs.ingested.files,
            l0_files_ingested: jobs.ingested.l0_files,
            keys_ingested: jobs.ingested.keys,
            stalls: self.stall_counts(&state),
        };
        let before = Activity::default();
        let levels = levels.collect();
        ColumnFamilyReport {
            name: self.family.name.to_string(),
            levels,
            blobs: self.blobs(),
            pending_compaction_bytes: state.pending_compaction_bytes,
            now,
            before,
        }
    }

    /// What was written since the database was opened.
    pub(crate) fn write_activity(&self) -> WriteActivity {
        let writing = self.db.writing.as_ref();
        let counts = writing.map(|writing| writing.stats.counts()).unwrap_or_default();
        WriteActivity {
            uptime_secs: self.family.stats.uptime_secs(),
            bytes_written: counts.bytes,
            keys_written: counts.entries,
            writes_by_self: counts.groups,
            writes_by_other: counts.batches.saturating_sub(counts.groups),
            writes_with_wal: counts.logged_batches,
            wal_bytes: counts.wal_bytes,
            wal_syncs: counts.wal_syncs,
            stall_micros: self.live_state(|state| state.stall_times.micros()).unwrap_or(0),
            write_buffer_manager_stops: self
                .live_state(|state| state.stall_times.memory.count)
                .unwrap_or(0),
        }
    }

    /// Versions that RocksDB would have made before this one: an empty one of each column family,
    /// then theirs.
    pub(crate) fn version_number(&self) -> u64 {
        let families = self.db.families.load_full();
        let position = families.iter().position(|family| family.id == self.family.id);
        (families.len() + position.unwrap_or(0)) as u64
    }
}
