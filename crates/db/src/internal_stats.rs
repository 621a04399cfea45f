//! What a column family knows of its own past, for properties.

use crate::level0_table::Level0Table;
use crate::property::cache_entry_stats::CacheEntryCollector;
use crate::property::compaction_stats::{Activity, CompactionStats};
use crate::property::db_stats::WriteActivity;
use compaction::Compaction;
use env::{SystemClock, WallClock};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Counters and times of a column family since it was opened.
#[derive(Debug)]
pub(crate) struct InternalStats {
    /// When it was opened, or its stats were last reset.
    counts_since: Mutex<Instant>,
    opened_at_secs: u64,
    /// As they were when last reported; the next report's interval begins there.
    last_family_report: Mutex<Activity>,
    last_db_report: Mutex<WriteActivity>,
    pub(crate) cache_entries: CacheEntryCollector,
    jobs: Mutex<JobCounts>,
}

/// Which threads did a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobPriority {
    /// Those for compactions.
    Low,
    /// Those for flushes.
    High,
    /// The user's.
    User,
}

impl JobPriority {
    /// All, in RocksDB's order.
    pub(crate) const ALL: [Self; 3] = [Self::Low, Self::High, Self::User];

    /// RocksDB's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::High => "High",
            Self::User => "User",
        }
    }
}

/// What flushes and compactions of a column family did.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobCounts {
    /// By the level written to; levels beyond the end saw nothing.
    pub(crate) compaction: Vec<CompactionStats>,
    /// By [`JobPriority`].
    pub(crate) by_priority: [CompactionStats; JobPriority::ALL.len()],
    pub(crate) bytes_flushed: u64,
    pub(crate) ingested: IngestedCounts,
}

/// What was taken in of files that others made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IngestedCounts {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
    pub(crate) l0_files: u64,
    pub(crate) keys: u64,
}

impl JobCounts {
    fn level(&mut self, level: usize) -> &mut CompactionStats {
        if self.compaction.len() <= level {
            self.compaction.resize(level + 1, CompactionStats::default());
        }
        &mut self.compaction[level]
    }

    fn add(&mut self, level: usize, priority: JobPriority, stats: &CompactionStats) {
        *self.level(level) = self.level(level).plus(stats);
        let by_priority = &mut self.by_priority[priority as usize];
        *by_priority = by_priority.plus(stats);
    }
}

impl InternalStats {
    /// The column family is opened now.
    pub(crate) fn new() -> Self {
        Self {
            counts_since: Mutex::new(Instant::now()),
            opened_at_secs: WallClock.now_seconds(),
            last_family_report: Mutex::default(),
            last_db_report: Mutex::default(),
            cache_entries: CacheEntryCollector::default(),
            jobs: Mutex::default(),
        }
    }

    /// Seconds since it was opened, or its stats were last reset.
    pub(crate) fn uptime_secs(&self) -> f64 {
        self.counts_since.lock().elapsed().as_secs_f64()
    }

    /// Begins anew, as if it was opened now; what it knows of the block cache stays.
    pub(crate) fn reset(&self) {
        *self.jobs.lock() = JobCounts::default();
        *self.last_family_report.lock() = Activity::default();
        *self.last_db_report.lock() = WriteActivity::default();
        *self.counts_since.lock() = Instant::now();
    }

    /// When it was opened, in seconds since 1970.
    pub(crate) fn opened_at_secs(&self) -> u64 {
        self.opened_at_secs
    }

    /// Notes a report and returns what the one before was about.
    pub(crate) fn report_family(&self, now: Activity) -> Activity {
        std::mem::replace(&mut *self.last_family_report.lock(), now)
    }

    /// Notes a report and returns what the one before was about.
    pub(crate) fn report_db(&self, now: WriteActivity) -> WriteActivity {
        std::mem::replace(&mut *self.last_db_report.lock(), now)
    }

    /// A flush is installed, or a table made out of what was recovered.
    pub(crate) fn count_flush(&self, built: &Level0Table, priority: JobPriority) {
        let bytes = built.table.as_ref().map_or(0, |table| table.metadata.file_size);
        let stats = CompactionStats {
            micros: built.micros,
            cpu_micros: built.cpu_micros,
            count: 1,
            bytes_written: bytes,
            bytes_written_pre_comp: built.table.as_ref().map_or(0, |t| t.pre_compression_size),
            bytes_written_blob: built.blob_bytes,
            ..CompactionStats::default()
        };
        let mut jobs = self.jobs.lock();
        jobs.bytes_flushed += bytes + built.blob_bytes;
        jobs.add(0, priority, &stats);
    }

    /// A compaction is installed. Without `stats` it only moved or deleted files.
    pub(crate) fn count_compaction(
        &self,
        compaction: &Compaction,
        stats: Option<&compaction::CompactionStats>,
        took: Duration,
    ) {
        let mut jobs = self.jobs.lock();
        let Some(stats) = stats else {
            if compaction.is_trivial_move {
                jobs.level(compaction.output_level).bytes_moved += compaction.total_input_size();
            }
            return;
        };
        let stats = CompactionStats {
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            cpu_micros: stats.cpu_micros,
            count: 1,
            bytes_read_non_output_levels: stats.bytes_read_non_output_levels,
            bytes_read_output_level: stats.bytes_read_output_level,
            bytes_read_blob: stats.bytes_read_blob,
            bytes_written: stats.bytes_written,
            bytes_written_pre_comp: stats.bytes_written_pre_comp,
            bytes_written_blob: stats.bytes_written_blob,
            bytes_moved: 0,
            num_input_records: stats.num_input_records,
            num_dropped_records: stats.num_dropped_records,
        };
        jobs.add(compaction.output_level, JobPriority::Low, &stats);
    }

    /// A file of others is installed, its bytes copied or only given another name.
    pub(crate) fn count_ingestion(&self, level: usize, bytes: u64, keys: u64, is_copy: bool) {
        let stats = CompactionStats {
            count: 1,
            bytes_written: if is_copy { bytes } else { 0 },
            bytes_moved: if is_copy { 0 } else { bytes },
            ..CompactionStats::default()
        };
        let mut jobs = self.jobs.lock();
        let ingested = &mut jobs.ingested;
        ingested.bytes += bytes;
        ingested.files += 1;
        ingested.l0_files += u64::from(level == 0);
        ingested.keys += keys;
        jobs.add(level, JobPriority::User, &stats);
    }

    /// What flushes and compactions did since it was opened, or its stats were last reset.
    pub(crate) fn jobs(&self) -> JobCounts {
        self.jobs.lock().clone()
    }
}
