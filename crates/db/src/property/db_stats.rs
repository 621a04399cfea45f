//! `rocksdb.dbstats`: writes, WAL and stalls of the whole database.

use crate::property::compaction_stats::write_stall_line;
use crate::property::text::{GB, MB, micros_to_clock, number_to_human};
use std::collections::BTreeMap;

const WRITE_BUFFER_MANAGER_STOPS: &str = "write-buffer-manager-limit-stops";

/// What was written since the database was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WriteActivity {
    pub(crate) uptime_secs: f64,
    pub(crate) bytes_written: u64,
    pub(crate) keys_written: u64,
    /// Write groups.
    pub(crate) writes_by_self: u64,
    /// Writes that another's group took along.
    pub(crate) writes_by_other: u64,
    pub(crate) writes_with_wal: u64,
    pub(crate) wal_bytes: u64,
    pub(crate) wal_syncs: u64,
    pub(crate) stall_micros: u64,
    /// Times that writes were stopped for the memory of all memtables.
    pub(crate) write_buffer_manager_stops: u64,
}

impl WriteActivity {
    fn since(&self, before: &Self) -> Self {
        Self {
            uptime_secs: self.uptime_secs - before.uptime_secs,
            bytes_written: self.bytes_written.wrapping_sub(before.bytes_written),
            keys_written: self.keys_written.wrapping_sub(before.keys_written),
            writes_by_self: self.writes_by_self.wrapping_sub(before.writes_by_self),
            writes_by_other: self.writes_by_other.wrapping_sub(before.writes_by_other),
            writes_with_wal: self.writes_with_wal.wrapping_sub(before.writes_with_wal),
            wal_bytes: self.wal_bytes.wrapping_sub(before.wal_bytes),
            wal_syncs: self.wal_syncs.wrapping_sub(before.wal_syncs),
            stall_micros: self.stall_micros.wrapping_sub(before.stall_micros),
            write_buffer_manager_stops: self
                .write_buffer_manager_stops
                .wrapping_sub(before.write_buffer_manager_stops),
        }
    }

    /// `rocksdb.dbstats` as a map.
    pub(crate) fn to_map(self) -> BTreeMap<String, String> {
        let counts = [
            ("db.user_bytes_written", self.bytes_written),
            ("db.user_keys_written", self.keys_written),
            ("db.user_write_stall_micros", self.stall_micros),
            ("db.user_writes_by_other", self.writes_by_other),
            ("db.user_writes_by_self", self.writes_by_self),
            ("db.user_writes_with_wal", self.writes_with_wal),
            ("db.wal_bytes_written", self.wal_bytes),
            ("db.wal_syncs", self.wal_syncs),
            (WRITE_BUFFER_MANAGER_STOPS, self.write_buffer_manager_stops),
        ];
        let uptime = ("db.uptime".to_owned(), format!("{:.6}", self.uptime_secs));
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), count.to_string()));
        counts.chain([uptime]).collect()
    }

    /// Three lines: writes, WAL, stall. Ingest is counted in `unit`.
    fn lines(&self, what: &str, unit: (&str, f64)) -> String {
        let secs = self.uptime_secs.max(0.001);
        let writes = self.writes_by_self.wrapping_add(self.writes_by_other);
        let per = |count: u64, base: u64| count as f64 / (base as f64).max(1.0);
        let (bytes, wal_bytes) = (self.bytes_written as f64, self.wal_bytes as f64);
        format!(
            "{what} writes: {} writes, {} keys, {} commit groups, {:.1} writes per commit group, \
             ingest: {:.2} {}, {:.2} MB/s\n\
             {what} WAL: {} writes, {} syncs, {:.2} writes per sync, written: {:.2} GB, \
             {:.2} MB/s\n\
             {what} stall: {}, {:.1} percent\n",
            number_to_human(writes),
            number_to_human(self.keys_written),
            number_to_human(self.writes_by_self),
            per(writes, self.writes_by_self),
            bytes / unit.1,
            unit.0,
            bytes / MB / secs,
            number_to_human(self.writes_with_wal),
            number_to_human(self.wal_syncs),
            per(self.writes_with_wal, self.wal_syncs),
            wal_bytes / GB,
            wal_bytes / MB / secs,
            micros_to_clock(self.stall_micros),
            self.stall_micros as f64 / 10_000.0 / secs
        )
    }
}

/// `rocksdb.dbstats` as text. Intervals begin at `before`.
pub(crate) fn db_stats(now: &WriteActivity, before: &WriteActivity) -> String {
    let interval = now.since(before);
    format!(
        "\n** DB Stats **\nUptime(secs): {:.1} total, {:.1} interval\n{}{}{}",
        now.uptime_secs,
        interval.uptime_secs,
        now.lines("Cumulative", ("GB", GB)),
        interval.lines("Interval", ("MB", MB)),
        write_stall_line(&write_stall_map(now.write_buffer_manager_stops))
    )
}

/// `rocksdb.db-write-stall-stats` as a map.
pub(crate) fn write_stall_map(write_buffer_manager_stops: u64) -> BTreeMap<String, String> {
    BTreeMap::from([(
        WRITE_BUFFER_MANAGER_STOPS.to_owned(),
        write_buffer_manager_stops.to_string(),
    )])
}

#[cfg(test)]
mod tests;
