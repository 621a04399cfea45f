//! `rocksdb.cfstats`: a table of levels and what was done to them, then totals.
//!
//! Dashboards and scripts parse these texts, so widths, spaces and words are RocksDB 7.8's.

pub(crate) use crate::flow_control::write_controller::StallCounts;
use crate::internal_stats::JobPriority;
use crate::property::text::{GB, MB, bytes_to_human, number_to_human};
use base::histogram::Histogram;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What compactions, and flushes for L0, did to a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CompactionStats {
    pub(crate) micros: u64,
    pub(crate) cpu_micros: u64,
    /// Jobs that wrote to the level.
    pub(crate) count: u64,
    pub(crate) bytes_read_non_output_levels: u64,
    pub(crate) bytes_read_output_level: u64,
    pub(crate) bytes_read_blob: u64,
    pub(crate) bytes_written: u64,
    /// Before compression.
    pub(crate) bytes_written_pre_comp: u64,
    pub(crate) bytes_written_blob: u64,
    pub(crate) bytes_moved: u64,
    pub(crate) num_input_records: u64,
    pub(crate) num_dropped_records: u64,
}

impl CompactionStats {
    fn combined(&self, other: &Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            micros: combine(self.micros, other.micros),
            cpu_micros: combine(self.cpu_micros, other.cpu_micros),
            count: combine(self.count, other.count),
            bytes_read_non_output_levels: combine(
                self.bytes_read_non_output_levels,
                other.bytes_read_non_output_levels,
            ),
            bytes_read_output_level: combine(
                self.bytes_read_output_level,
                other.bytes_read_output_level,
            ),
            bytes_read_blob: combine(self.bytes_read_blob, other.bytes_read_blob),
            bytes_written: combine(self.bytes_written, other.bytes_written),
            bytes_written_pre_comp: combine(
                self.bytes_written_pre_comp,
                other.bytes_written_pre_comp,
            ),
            bytes_written_blob: combine(self.bytes_written_blob, other.bytes_written_blob),
            bytes_moved: combine(self.bytes_moved, other.bytes_moved),
            num_input_records: combine(self.num_input_records, other.num_input_records),
            num_dropped_records: combine(self.num_dropped_records, other.num_dropped_records),
        }
    }

    /// The sums of both.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.combined(other, u64::wrapping_add)
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read_non_output_levels + self.bytes_read_output_level + self.bytes_read_blob
    }

    fn bytes_written_in_all(&self) -> u64 {
        self.bytes_written + self.bytes_written_blob
    }

    fn seconds(&self) -> f64 {
        self.micros as f64 / 1e6
    }

    /// For rates; never 0.
    fn elapsed_seconds(&self) -> f64 {
        (self.micros + 1) as f64 / 1e6
    }
}

impl StallCounts {
    fn delays(&self) -> u64 {
        self.l0_delays + self.pending_compaction_bytes_delays + self.memtable_delays
    }

    fn stops(&self) -> u64 {
        self.l0_stops + self.pending_compaction_bytes_stops + self.memtable_stops
    }

    /// By the names of RocksDB up to 8.0.
    fn io_stalls(&self) -> [(&'static str, u64); 10] {
        [
            ("level0_slowdown", self.l0_delays),
            ("level0_slowdown_with_compaction", self.l0_delays_with_compaction),
            ("level0_numfiles", self.l0_stops),
            ("level0_numfiles_with_compaction", self.l0_stops_with_compaction),
            ("stop_for_pending_compaction_bytes", self.pending_compaction_bytes_stops),
            ("slowdown_for_pending_compaction_bytes", self.pending_compaction_bytes_delays),
            ("memtable_compaction", self.memtable_stops),
            ("memtable_slowdown", self.memtable_delays),
            ("total_stop", self.stops()),
            ("total_slowdown", self.delays()),
        ]
    }

    /// `rocksdb.cf-write-stall-stats`, by the names of RocksDB from 8.1 on.
    pub(crate) fn to_map(self) -> BTreeMap<String, String> {
        let counts = [
            (
                "cf-l0-file-count-limit-delays-with-ongoing-compaction",
                self.l0_delays_with_compaction,
            ),
            ("cf-l0-file-count-limit-stops-with-ongoing-compaction", self.l0_stops_with_compaction),
            ("l0-file-count-limit-delays", self.l0_delays),
            ("l0-file-count-limit-stops", self.l0_stops),
            ("memtable-limit-delays", self.memtable_delays),
            ("memtable-limit-stops", self.memtable_stops),
            ("pending-compaction-bytes-delays", self.pending_compaction_bytes_delays),
            ("pending-compaction-bytes-stops", self.pending_compaction_bytes_stops),
            ("total-delays", self.delays()),
            ("total-stops", self.stops()),
        ];
        counts.into_iter().map(|(name, count)| (name.to_owned(), count.to_string())).collect()
    }
}

/// One line of the counts of stalls, as RocksDB from 8.1 on prints them.
pub(crate) fn write_stall_line(counts: &BTreeMap<String, String>) -> String {
    let counts: Vec<_> = counts.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    format!("Write Stall (count): {}\n", counts.join(", "))
}

/// A level as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LevelFiles {
    pub(crate) files: usize,
    pub(crate) files_being_compacted: usize,
    pub(crate) bytes: u64,
    pub(crate) score: f64,
}

/// Blob files as they are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlobStats {
    pub(crate) files: usize,
    /// Headers and footers included.
    pub(crate) bytes: u64,
    pub(crate) garbage_bytes: u64,
}

impl BlobStats {
    /// Bytes of files to bytes in use; 0 without files.
    pub(crate) fn space_amplification(&self) -> f64 {
        match self.bytes.checked_sub(self.garbage_bytes) {
            Some(in_use) if in_use > 0 => self.bytes as f64 / in_use as f64,
            _ => 0.0,
        }
    }
}

/// What a column family went through since it was opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Activity {
    pub(crate) uptime_secs: f64,
    /// By level; levels beyond the end saw nothing.
    pub(crate) compaction: Vec<CompactionStats>,
    /// By [`JobPriority`].
    pub(crate) by_priority: [CompactionStats; JobPriority::ALL.len()],
    pub(crate) bytes_flushed: u64,
    pub(crate) bytes_ingested: u64,
    pub(crate) files_ingested: u64,
    pub(crate) l0_files_ingested: u64,
    pub(crate) keys_ingested: u64,
    pub(crate) stalls: StallCounts,
}

impl Activity {
    fn compaction_of(&self, level: usize) -> CompactionStats {
        self.compaction.get(level).copied().unwrap_or_default()
    }

    fn compaction_sum(&self) -> CompactionStats {
        self.compaction.iter().fold(CompactionStats::default(), |sum, level| sum.plus(level))
    }

    fn stall_count(&self) -> u64 {
        self.stalls.delays() + self.stalls.stops()
    }
}

/// A column family for `rocksdb.cfstats`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnFamilyReport {
    pub(crate) name: String,
    pub(crate) levels: Vec<LevelFiles>,
    pub(crate) blobs: BlobStats,
    pub(crate) pending_compaction_bytes: u64,
    pub(crate) now: Activity,
    /// As it was at the last report; intervals begin there.
    pub(crate) before: Activity,
}

/// One line of the table.
struct Row {
    level: LevelFiles,
    write_amplification: f64,
    stats: CompactionStats,
}

/// How a value stands in a line.
enum Cell {
    /// Only in the map.
    Hidden,
    /// With the files being compacted.
    Files,
    Bytes(usize),
    Human(usize),
    Integer(usize),
    Decimals(usize, usize),
}

struct Column {
    key: &'static str,
    header: &'static str,
    /// Spaces before the header.
    gap: usize,
    cell: Cell,
    value: fn(&Row) -> f64,
}

const fn column(
    key: &'static str,
    header: &'static str,
    gap: usize,
    cell: Cell,
    value: fn(&Row) -> f64,
) -> Column {
    Column { key, header, gap, cell, value }
}

const COLUMNS: &[Column] = {
    use Cell::{Bytes, Decimals, Files, Hidden, Human, Integer};
    &[
        column("NumFiles", "Files", 4, Files, |row| row.level.files as f64),
        column("CompactedFiles", "", 0, Hidden, |row| row.level.files_being_compacted as f64),
        column("SizeBytes", "Size", 3, Bytes(8), |row| row.level.bytes as f64),
        column("Score", "Score", 5, Decimals(5, 1), |row| row.level.score),
        column("ReadGB", "Read(GB)", 1, Decimals(8, 1), |row| row.stats.bytes_read() as f64 / GB),
        column("RnGB", "Rn(GB)", 2, Decimals(7, 1), |row| {
            row.stats.bytes_read_non_output_levels as f64 / GB
        }),
        column("Rnp1GB", "Rnp1(GB)", 1, Decimals(8, 1), |row| {
            row.stats.bytes_read_output_level as f64 / GB
        }),
        column("WriteGB", "Write(GB)", 1, Decimals(9, 1), |row| {
            row.stats.bytes_written as f64 / GB
        }),
        // Since 9.x a column; scripts count columns, so that it is none here.
        column("WPreCompGB", "", 0, Hidden, |row| row.stats.bytes_written_pre_comp as f64 / GB),
        column("WnewGB", "Wnew(GB)", 1, Decimals(8, 1), |row| {
            let CompactionStats { bytes_written, bytes_read_output_level, .. } = row.stats;
            bytes_written.wrapping_sub(bytes_read_output_level) as i64 as f64 / GB
        }),
        column("MovedGB", "Moved(GB)", 1, Decimals(9, 1), |row| row.stats.bytes_moved as f64 / GB),
        column("WriteAmp", "W-Amp", 1, Decimals(5, 1), |row| row.write_amplification),
        column("ReadMBps", "Rd(MB/s)", 1, Decimals(8, 1), |row| {
            row.stats.bytes_read() as f64 / MB / row.stats.elapsed_seconds()
        }),
        column("WriteMBps", "Wr(MB/s)", 1, Decimals(8, 1), |row| {
            row.stats.bytes_written_in_all() as f64 / MB / row.stats.elapsed_seconds()
        }),
        column("CompSec", "Comp(sec)", 1, Decimals(9, 2), |row| row.stats.seconds()),
        column("CompMergeCPU", "CompMergeCPU(sec)", 1, Decimals(17, 2), |row| {
            row.stats.cpu_micros as f64 / 1e6
        }),
        column("CompCount", "Comp(cnt)", 1, Integer(9), |row| row.stats.count as f64),
        column("AvgSec", "Avg(sec)", 1, Decimals(8, 3), |row| match row.stats.count {
            0 => 0.0,
            count => row.stats.seconds() / count as f64,
        }),
        column("KeyIn", "KeyIn", 1, Human(7), |row| row.stats.num_input_records as f64),
        column("KeyDrop", "KeyDrop", 1, Human(6), |row| row.stats.num_dropped_records as f64),
        column("RblobGB", "Rblob(GB)", 1, Decimals(9, 1), |row| {
            row.stats.bytes_read_blob as f64 / GB
        }),
        column("WblobGB", "Wblob(GB)", 1, Decimals(9, 1), |row| {
            row.stats.bytes_written_blob as f64 / GB
        }),
    ]
};

impl Row {
    fn line(&self, name: &str) -> String {
        let mut line = format!("{name:>4}");
        for column in COLUMNS {
            let value = (column.value)(self);
            // Writing to a string cannot fail.
            let _ = match column.cell {
                Cell::Hidden => Ok(()),
                Cell::Files => {
                    write!(line, " {:6}/{:<3}", value as u64, self.level.files_being_compacted)
                }
                Cell::Bytes(width) => write!(line, " {:>width$}", bytes_to_human(value as u64)),
                Cell::Human(width) => write!(line, " {:>width$}", number_to_human(value as u64)),
                Cell::Integer(width) => write!(line, " {:width$}", value as i64),
                Cell::Decimals(width, decimals) => write!(line, " {value:width$.decimals$}"),
            };
        }
        line.push('\n');
        line
    }

    fn add_to_map(&self, name: &str, map: &mut BTreeMap<String, String>) {
        for column in COLUMNS {
            let value = (column.value)(self);
            map.insert(format!("compaction.{name}.{}", column.key), format!("{value:.6}"));
        }
    }
}

/// Title, names of the columns, and dashes below them.
fn header(family: &str, group_by: &str) -> String {
    let mut names = group_by.to_owned();
    for column in COLUMNS.iter().filter(|column| !matches!(column.cell, Cell::Hidden)) {
        let _ = write!(names, "{:gap$}{}", "", column.header, gap = column.gap);
    }
    let dashes = "-".repeat(names.len() + 1);
    format!("\n** Compaction Stats [{family}] **\n{names}\n{dashes}\n")
}

fn ratio(amount: u64, base: u64) -> f64 {
    if base == 0 { 0.0 } else { amount as f64 / base as f64 }
}

impl ColumnFamilyReport {
    /// The rows of levels that hold something or saw something, then the sum.
    fn rows(&self) -> Vec<(String, Row)> {
        let ingested = self.now.bytes_flushed + self.now.bytes_ingested;
        let mut rows = Vec::new();
        let mut sum = LevelFiles::default();
        for (number, &level) in self.levels.iter().enumerate() {
            sum.files += level.files;
            sum.files_being_compacted += level.files_being_compacted;
            let stats = self.now.compaction_of(number);
            if stats.micros == 0 && stats.cpu_micros == 0 && level.files == 0 {
                continue;
            }
            sum.bytes = sum.bytes.saturating_add(level.bytes);
            let input = match number {
                0 => ingested,
                _ => stats.bytes_read_non_output_levels + stats.bytes_read_blob,
            };
            let write_amplification = ratio(stats.bytes_written_in_all(), input);
            rows.push((format!("L{number}"), Row { level, write_amplification, stats }));
        }
        let stats = self.now.compaction_sum();
        let write_amplification = ratio(stats.bytes_written_in_all(), ingested);
        rows.push(("Sum".to_owned(), Row { level: sum, write_amplification, stats }));
        rows
    }

    /// `rocksdb.cfstats` as a map.
    pub(crate) fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = BTreeMap::new();
        for (name, row) in self.rows() {
            row.add_to_map(&name, &mut map);
        }
        for (name, count) in self.now.stalls.io_stalls() {
            map.insert(format!("io_stalls.{name}"), count.to_string());
        }
        map.extend(self.now.stalls.to_map());
        map
    }

    /// `rocksdb.cfstats-no-file-histogram`.
    pub(crate) fn to_text(&self) -> String {
        let mut text = header(&self.name, "Level");
        for (name, row) in self.rows() {
            text += &row.line(&name);
        }
        text += &self.interval_row().line("Int");
        text += &header(&self.name, "Priority");
        for (priority, stats) in JobPriority::ALL.iter().zip(self.now.by_priority) {
            if stats.micros > 0 {
                let level = LevelFiles::default();
                text += &Row { level, write_amplification: 0.0, stats }.line(priority.name());
            }
        }
        let _ = writeln!(
            text,
            "\nBlob file count: {}, total size: {:.1} GB, garbage size: {:.1} GB, space amp: {:.1}\n",
            self.blobs.files,
            self.blobs.bytes as f64 / GB,
            self.blobs.garbage_bytes as f64 / GB,
            self.blobs.space_amplification()
        );
        self.write_ingest(&mut text);
        self.write_compaction(&mut text);
        self.write_stalls(&mut text);
        text
    }

    fn interval_row(&self) -> Row {
        let (now, before) = (&self.now, &self.before);
        let stats = now.compaction_sum().combined(&before.compaction_sum(), u64::wrapping_sub);
        let ingested = (now.bytes_flushed + now.bytes_ingested)
            .wrapping_sub(before.bytes_flushed + before.bytes_ingested);
        let write_amplification = ratio(stats.bytes_written_in_all(), ingested.wrapping_add(1));
        Row { level: LevelFiles::default(), write_amplification, stats }
    }

    fn write_ingest(&self, text: &mut String) {
        let (now, before) = (&self.now, &self.before);
        let uptime = now.uptime_secs;
        let interval = uptime - before.uptime_secs;
        let _ = writeln!(text, "Uptime(secs): {uptime:.1} total, {interval:.1} interval");
        for (what, now, before) in [
            ("Flush(GB)", now.bytes_flushed, before.bytes_flushed),
            ("AddFile(GB)", now.bytes_ingested, before.bytes_ingested),
        ] {
            let (total, interval) = (now as f64 / GB, now.wrapping_sub(before) as f64 / GB);
            let _ = writeln!(text, "{what}: cumulative {total:.3}, interval {interval:.3}");
        }
        for (what, now, before) in [
            ("Total Files", now.files_ingested, before.files_ingested),
            ("L0 Files", now.l0_files_ingested, before.l0_files_ingested),
            ("Keys", now.keys_ingested, before.keys_ingested),
        ] {
            let interval = now.wrapping_sub(before);
            let _ = writeln!(text, "AddFile({what}): cumulative {now}, interval {interval}");
        }
    }

    fn write_compaction(&self, text: &mut String) {
        let (now, before) = (self.now.compaction_sum(), self.before.compaction_sum());
        let uptime = self.now.uptime_secs;
        for (what, stats, secs) in [
            ("Cumulative", now, uptime),
            (
                "Interval",
                now.combined(&before, u64::wrapping_sub),
                uptime - self.before.uptime_secs,
            ),
        ] {
            let secs = secs.max(0.001);
            let (written, read) = (stats.bytes_written_in_all() as f64, stats.bytes_read() as f64);
            let _ = writeln!(
                text,
                "{what} compaction: {:.2} GB write, {:.2} MB/s write, {:.2} GB read, \
                 {:.2} MB/s read, {:.1} seconds",
                written / GB,
                written / MB / secs,
                read / GB,
                read / MB / secs,
                stats.seconds()
            );
        }
        let bytes = self.pending_compaction_bytes;
        let _ = writeln!(text, "Estimated pending compaction bytes: {bytes}");
    }

    /// As releases before 8.1 say it, then as later ones do.
    fn write_stalls(&self, text: &mut String) {
        let stalls = &self.now.stalls;
        let interval = self.now.stall_count().wrapping_sub(self.before.stall_count());
        let _ = writeln!(
            text,
            "Stalls(count): {} level0_slowdown, {} level0_slowdown_with_compaction, \
             {} level0_numfiles, {} level0_numfiles_with_compaction, \
             {} stop for pending_compaction_bytes, {} slowdown for pending_compaction_bytes, \
             {} memtable_compaction, {} memtable_slowdown, interval {} total count",
            stalls.l0_delays,
            stalls.l0_delays_with_compaction,
            stalls.l0_stops,
            stalls.l0_stops_with_compaction,
            stalls.pending_compaction_bytes_stops,
            stalls.pending_compaction_bytes_delays,
            stalls.memtable_stops,
            stalls.memtable_delays,
            interval
        );
        text.push_str(&write_stall_line(&stalls.to_map()));
        if self.now.stall_count() > 0 {
            let _ = writeln!(text, "interval: {interval} total count");
        }
    }
}

/// `rocksdb.cf-file-histogram`: how long reads of each level's tables took, and of blob files. Those
/// without any are left out.
pub(crate) fn file_histogram(family: &str, levels: &[Histogram], blobs: &Histogram) -> String {
    let mut text = format!("\n** File Read Latency Histogram By Level [{family}] **\n");
    for (level, histogram) in levels.iter().enumerate().filter(|(_, times)| times.count() > 0) {
        let _ = writeln!(text, "** Level {level} read latency histogram (micros):\n{histogram}");
    }
    if blobs.count() > 0 {
        let _ = writeln!(text, "** Blob file read latency histogram (micros):\n{blobs}");
    }
    text
}

#[cfg(test)]
mod tests;
