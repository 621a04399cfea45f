//! Compactions.

use super::InfoLog;
use super::level_summary::lsm_state;
use crate::column_family::ColumnFamilyData;
use crate::events::CompactionFacts;
use crate::property::text::MB;
use base::Status;
use base::dbformat::hex;
use base::status::Code;
use compaction::{Compaction, CompactionOutcome, CompactionStats};
use env::InfoLogLevel;

impl InfoLog {
    /// Files are about to be merged. `oldest_snapshot` is the sequence number of the oldest
    /// snapshot, if there is any.
    pub(crate) fn compaction_started(
        &self,
        job: u64,
        family: &ColumnFamilyData,
        compaction: &Compaction,
        oldest_snapshot: Option<u64>,
    ) {
        let name = &family.name;
        self.info(format_args!(
            "[{name}] [JOB {job}] Compacting {} files to L{}, score {:.2}",
            counts_by_level(compaction),
            compaction.output_level,
            compaction.score
        ));
        self.info(format_args!(
            "[{name}]: Compaction start summary: Base version {} Base level {}, inputs: {}",
            family.super_version.load().number,
            compaction.start_level,
            inputs(compaction)
        ));
        self.event(|event| {
            event.field("job", job).field("event", "compaction_started");
            event
                .field("cf_name", name.to_string().as_str())
                .field("compaction_reason", compaction.reason.name());
            for input in &compaction.inputs {
                let numbers = input.files.iter().map(|file| file.number);
                event.array(&format!("files_L{}", input.level), numbers);
            }
            event.field("score", compaction.score);
            event.field("input_data_size", compaction.total_input_size());
            // RocksDB's "none" is -1.
            match oldest_snapshot {
                Some(number) => event.field("oldest_snapshot_seqno", number),
                None => event.field("oldest_snapshot_seqno", -1),
            };
        });
    }

    /// Files were merged into others, which the MANIFEST does not have yet.
    pub(crate) fn compaction_outputs_built(
        &self,
        job: u64,
        family: &str,
        compaction: &Compaction,
        outcome: &CompactionOutcome,
    ) {
        self.info(format_args!(
            "[{family}] [JOB {job}] Compacted {} files to L{} => {} bytes",
            counts_by_level(compaction),
            compaction.output_level,
            outcome.stats.bytes_written
        ));
    }

    /// A compaction is installed; `levels` is what it made of the levels.
    pub(crate) fn compaction_finished(
        &self,
        facts: &CompactionFacts<'_>,
        stats: &CompactionStats,
        levels: &str,
    ) {
        let CompactionFacts { family, compaction, took, .. } = *facts;
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.info(format_args!(
            "[{}] compacted to: {levels}, {}",
            family.name,
            what_it_took(compaction, stats, micros)
        ));
        self.compaction_ended(facts, stats);
    }

    fn compaction_ended(&self, facts: &CompactionFacts<'_>, stats: &CompactionStats) {
        let CompactionFacts { job_id: job, family, compaction, io, took, .. } = *facts;
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let version = family.super_version.load().version.clone();
        self.event(|event| {
            event.field("job", job).field("event", "compaction_finished");
            event.field("compaction_time_micros", micros);
            event.field("compaction_time_cpu_micros", stats.cpu_micros);
            event.field("output_level", compaction.output_level);
            event.field("num_output_files", stats.num_output_files);
            event.field("total_output_size", stats.bytes_written);
            if stats.num_output_files_blob > 0 {
                event.field("num_blob_output_files", stats.num_output_files_blob);
                event.field("total_blob_output_size", stats.bytes_written_blob);
            }
            event.field("num_input_records", stats.num_input_records);
            event.field("num_output_records", stats.num_output_records);
            event.field("num_subcompactions", stats.num_parts);
            event.field("output_compression", compaction.output_compression.to_string());
            let iteration = &stats.iteration;
            event.field("num_single_delete_mismatches", iteration.single_deletion_mismatch);
            event.field("num_single_delete_fallthrough", iteration.single_deletion_fallthrough);
            if let Some(io) = &io {
                event.field("file_write_nanos", io.write_nanos);
                event.field("file_range_sync_nanos", io.range_sync_nanos);
                event.field("file_fsync_nanos", io.fsync_nanos);
                event.field("file_prepare_write_nanos", io.prepare_write_nanos);
            }
            lsm_state(event, &version);
        });
    }

    /// A compaction ended without a result. What it read is then what its inputs have.
    pub(crate) fn compaction_failed(&self, facts: &CompactionFacts<'_>, status: &Status) {
        let CompactionFacts { job_id: job, family, compaction, .. } = *facts;
        let is_ended = matches!(
            status.code(),
            Code::ShutdownInProgress | Code::ColumnFamilyDropped | Code::Incomplete
        );
        let level = if is_ended { InfoLogLevel::Info } else { InfoLogLevel::Warn };
        self.say(
            level,
            format_args!(
                "[{}] [JOB {job}] Compaction error: {status}: {}",
                family.name,
                compaction.summary()
            ),
        );
        if compaction.is_deletion_only || compaction.is_trivial_move {
            return;
        }
        let entries = compaction.input_files().filter_map(|(level, file)| {
            family.tables.open(file, level).ok().map(|table| table.properties().num_entries)
        });
        let num_input_records = entries.sum();
        self.compaction_ended(
            facts,
            &CompactionStats { num_input_records, num_parts: 1, ..Default::default() },
        );
    }

    /// Files have another level, or are gone, and none was read.
    pub(crate) fn files_moved_or_deleted(
        &self,
        job: u64,
        family: &str,
        compaction: &Compaction,
        levels: &str,
    ) {
        let (files, bytes) = (compaction.input_files().count(), compaction.total_input_size());
        if compaction.is_deletion_only {
            self.info(format_args!(
                "[{family}] [JOB {job}] Deleted {files} files, {bytes} bytes ({}): {levels}",
                compaction.reason.name()
            ));
            return;
        }
        let level = compaction.output_level;
        for (_, file) in compaction.input_files() {
            self.info(format_args!(
                "[{family}] Moving #{} to level-{level} {} bytes",
                file.number, file.file_size
            ));
        }
        self.event(|event| {
            event.field("job", job).field("event", "trivial_move");
            event.field("destination_level", level).field("files", files);
            event.field("total_files_size", bytes);
        });
        self.info(format_args!(
            "[{family}] Moved #{files} files to level-{level} {bytes} bytes OK: {levels}"
        ));
    }
}

/// `(begin) .. 6B6579`: keys in hexadecimal digits.
pub(crate) fn key_range((begin, end): (Option<&[u8]>, Option<&[u8]>)) -> String {
    let text = |key: Option<&[u8]>, none: &str| match key {
        None => none.to_owned(),
        Some(key) => hex(key).to_string(),
    };
    format!("{} .. {}", text(begin, "(begin)"), text(end, "(end)"))
}

/// `4@0 + 2@1`.
fn counts_by_level(compaction: &Compaction) -> String {
    let inputs = compaction.inputs.iter();
    let counts: Vec<String> =
        inputs.map(|input| format!("{}@{}", input.files.len(), input.level)).collect();
    counts.join(" + ")
}

/// `[15(878KB) 13(882KB)], [9(1024KB)]`.
fn inputs(compaction: &Compaction) -> String {
    let levels = compaction.inputs.iter().map(|input| {
        let files = input.files.iter();
        let files: Vec<String> =
            files.map(|file| format!("{}({})", file.number, size(file.file_size))).collect();
        format!("[{}]", files.join(" "))
    });
    levels.collect::<Vec<_>>().join(", ")
}

/// In the largest unit of which there are ten.
fn size(bytes: u64) -> String {
    let units = [(40, "TB"), (30, "GB"), (20, "MB"), (10, "KB"), (0, "B")];
    let fits = |&&(shift, _): &&(u32, &str)| bytes >= 10 << shift;
    let &(shift, unit) = units.iter().find(fits).unwrap_or(&(0, "B"));
    format!("{}{unit}", bytes >> shift)
}

/// Rates, sizes and counts of a compaction.
fn what_it_took(compaction: &Compaction, stats: &CompactionStats, micros: u64) -> String {
    let read =
        stats.bytes_read_non_output_levels + stats.bytes_read_output_level + stats.bytes_read_blob;
    let written = stats.bytes_written + stats.bytes_written_blob;
    let rate = |bytes: u64| bytes as f64 / micros.max(1) as f64;
    let mb = |bytes: u64| bytes as f64 / MB;
    let amplification = |bytes: u64| match stats.bytes_read_non_output_levels {
        0 => 0.0,
        base => bytes as f64 / base as f64,
    };
    format!(
        "MB/sec: {:.1} rd, {:.1} wr, level {}, files in({}, {}) out({} +{} blob) MB in({:.1}, \
         {:.1} +{:.1} blob) out({:.1} +{:.1} blob), read-write-amplify({:.1}) \
         write-amplify({:.1}) OK, records in: {}, records dropped: {} output_compression: {}",
        rate(read),
        rate(written),
        compaction.output_level,
        stats.num_input_files_in_non_output_levels,
        stats.num_input_files_in_output_level,
        stats.num_output_files,
        stats.num_output_files_blob,
        mb(stats.bytes_read_non_output_levels),
        mb(stats.bytes_read_output_level),
        mb(stats.bytes_read_blob),
        mb(stats.bytes_written),
        mb(stats.bytes_written_blob),
        amplification(read + written),
        amplification(written),
        stats.num_input_records,
        stats.num_dropped_records,
        compaction.output_compression
    )
}
