//! What a column family knows of its own past, for properties.

use crate::property::compaction_stats::Activity;
use crate::property::db_stats::WriteActivity;
use env::{SystemClock, WallClock};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Counters and times of a column family since it was opened.
#[derive(Debug)]
pub(crate) struct InternalStats {
    opened_at: Instant,
    opened_at_secs: u64,
    /// As they were when last reported; the next report's interval begins there.
    last_family_report: Mutex<Activity>,
    last_db_report: Mutex<WriteActivity>,
    cache_collections: AtomicU64,
}

impl InternalStats {
    /// The column family is opened now.
    pub(crate) fn new() -> Self {
        Self {
            opened_at: Instant::now(),
            opened_at_secs: WallClock.now_seconds(),
            last_family_report: Mutex::default(),
            last_db_report: Mutex::default(),
            cache_collections: AtomicU64::new(0),
        }
    }

    /// Seconds since it was opened.
    pub(crate) fn uptime_secs(&self) -> f64 {
        self.opened_at.elapsed().as_secs_f64()
    }

    /// When it was opened, in seconds since 1970.
    pub(crate) fn opened_at_secs(&self) -> u64 {
        self.opened_at_secs
    }

    /// Counts how often the block cache was gone through, this time included.
    pub(crate) fn next_cache_collection(&self) -> u64 {
        self.cache_collections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Notes a report and returns what the one before was about.
    pub(crate) fn report_family(&self, now: Activity) -> Activity {
        std::mem::replace(&mut *self.last_family_report.lock(), now)
    }

    /// Notes a report and returns what the one before was about.
    pub(crate) fn report_db(&self, now: WriteActivity) -> WriteActivity {
        std::mem::replace(&mut *self.last_db_report.lock(), now)
    }
}
