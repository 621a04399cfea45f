//! Compactions and their parts.

use super::Events;
use super::files::{blob_additions, blob_garbages, table_path};
use super::flushes::blob_compression;
use crate::column_family::ColumnFamilyData;
use crate::event_listener::{
    CompactionFileInfo, CompactionJobInfo, CompactionJobStats, SubcompactionJobInfo,
    TablePropertiesCollection,
};
use crate::job_io::JobIo;
use base::Status;
use base::status::Code;
use compaction::{Compaction, CompactionStats};
use env::thread_status::thread_id;
use std::time::Duration;
use version::VersionEdit;

/// Bytes of a key that statistics show.
const KEY_PREFIX_MAX: usize = 8;

/// A compaction, as far as it has come.
#[derive(Clone, Copy)]
pub(crate) struct CompactionFacts<'f> {
    pub(crate) job_id: u64,
    pub(crate) family: &'f ColumnFamilyData,
    pub(crate) compaction: &'f Compaction,
    /// What it does to the version; none before that is known.
    pub(crate) edit: Option<&'f VersionEdit>,
    /// None if no file was merged.
    pub(crate) stats: Option<&'f CompactionStats>,
    /// How long it was busy with files, if that is wanted.
    pub(crate) io: Option<JobIo>,
    pub(crate) took: Duration,
    pub(crate) status: Option<&'f Status>,
}

impl CompactionFacts<'_> {
    fn info(&self, num_l0_files: usize) -> CompactionJobInfo {
        let (family, compaction) = (self.family, self.compaction);
        let mut properties = TablePropertiesCollection::new();
        let (mut input_files, mut input_file_infos) = (Vec::new(), Vec::new());
        let mut note = |path: &std::path::Path, file: &version::FileMetaData, level: usize| {
            // A table that cannot be opened is the job's to report.
            if let Ok(table) = family.tables.open(file, level) {
                properties.insert(path.to_owned(), table.properties().clone());
            }
            CompactionFileInfo {
                level,
                file_number: file.number,
                oldest_blob_file_number: file.oldest_blob_file_number,
            }
        };
        for (level, file) in compaction.input_files() {
            let path = table_path(family, file.path_id, file.number);
            input_file_infos.push(note(&path, file, level));
            input_files.push(path);
        }
        let (mut output_files, mut output_file_infos) = (Vec::new(), Vec::new());
        for new in self.edit.iter().flat_map(|edit| &edit.new_files) {
            let path = table_path(family, new.file.path_id, new.file.number);
            output_file_infos.push(note(&path, &new.file, new.level as usize));
            output_files.push(path);
        }
        let additions = self.edit.map_or(&[][..], |edit| &edit.blob_file_additions);
        let garbages = self.edit.map_or(&[][..], |edit| &edit.blob_file_garbages);
        CompactionJobInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            status: self.status.cloned(),
            thread_id: thread_id(),
            job_id: self.job_id,
            num_l0_files,
            base_input_level: compaction.start_level,
            output_level: compaction.output_level,
            input_files,
            input_file_infos,
            output_files,
            output_file_infos,
            table_properties: properties,
            compaction_reason: compaction.reason,
            compression: compaction.output_compression,
            stats: self.job_stats(),
            blob_compression_type: blob_compression(&family.super_version.load().options),
            blob_file_addition_infos: blob_additions(family, additions),
            blob_file_garbage_infos: blob_garbages(family, garbages),
            aborted: compaction.is_manual()
                && self.status.is_some_and(|status| status.code() == Code::Incomplete),
        }
    }

    fn job_stats(&self) -> CompactionJobStats {
        let compaction = self.compaction;
        let num_input_files = compaction.input_files().count();
        let output_level = compaction.output_level;
        let mut stats = match self.stats {
            Some(stats) => stats_of(stats),
            None => CompactionJobStats::default(),
        };
        self.io.unwrap_or_default().add_to(&mut stats);
        stats.elapsed_micros = micros(self.took);
        stats.num_input_files = num_input_files;
        if compaction.is_trivial_move && self.edit.is_some() {
            stats.num_input_files_trivially_moved = num_input_files;
        }
        stats.num_input_files_at_output_level = compaction
            .inputs
            .iter()
            .filter(|input| input.level == output_level)
            .map(|input| input.files.len())
            .sum();
        stats.total_input_bytes = compaction.total_input_size();
        stats.is_full_compaction = compaction.is_full_compaction;
        stats.is_manual_compaction = compaction.is_manual();
        let outputs = self.edit.map_or(&[][..], |edit| &edit.new_files);
        let prefix = |key: &[u8]| key[..key.len().min(KEY_PREFIX_MAX)].to_vec();
        if let (Some(first), Some(last)) = (outputs.first(), outputs.last()) {
            stats.smallest_output_key_prefix = prefix(first.file.smallest.user_key());
            stats.largest_output_key_prefix = prefix(last.file.largest.user_key());
        }
        stats
    }

    fn part_info(&self, part: usize) -> SubcompactionJobInfo {
        let (family, compaction) = (self.family, self.compaction);
        let mut stats = self.stats.map_or_else(CompactionJobStats::default, stats_of);
        self.io.unwrap_or_default().add_to(&mut stats);
        stats.elapsed_micros = micros(self.took);
        stats.is_full_compaction = compaction.is_full_compaction;
        stats.is_manual_compaction = compaction.is_manual();
        SubcompactionJobInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            status: self.status.cloned(),
            thread_id: thread_id(),
            job_id: self.job_id,
            subcompaction_job_id: part,
            base_input_level: compaction.start_level,
            output_level: compaction.output_level,
            compaction_reason: compaction.reason,
            compression: compaction.output_compression,
            stats,
            blob_compression_type: blob_compression(&family.super_version.load().options),
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl JobIo {
    fn add_to(self, stats: &mut CompactionJobStats) {
        stats.file_write_nanos = self.write_nanos;
        stats.file_range_sync_nanos = self.range_sync_nanos;
        stats.file_fsync_nanos = self.fsync_nanos;
        stats.file_prepare_write_nanos = self.prepare_write_nanos;
    }
}

fn stats_of(stats: &CompactionStats) -> CompactionJobStats {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let iteration = &stats.iteration;
    CompactionJobStats {
        cpu_micros: stats.cpu_micros,
        num_input_records: stats.num_input_records,
        num_blobs_read: iteration.blobs_read,
        num_output_records: stats.num_output_records,
        num_output_files: count(stats.num_output_files),
        num_output_files_blob: count(stats.num_output_files_blob),
        total_blob_bytes_read: stats.bytes_read_blob,
        total_output_bytes: stats.bytes_written,
        total_output_bytes_blob: stats.bytes_written_blob,
        num_records_replaced: iteration.dropped_hidden,
        total_input_raw_key_bytes: iteration.input_raw_key_bytes,
        total_input_raw_value_bytes: iteration.input_raw_value_bytes,
        num_input_deletion_records: iteration.input_deletion_records,
        num_expired_deletion_records: iteration.dropped_obsolete,
        num_single_del_fallthru: iteration.single_deletion_fallthrough,
        num_single_del_mismatch: iteration.single_deletion_mismatch,
        ..CompactionJobStats::default()
    }
}

impl Events {
    /// A compaction is about to run. `oldest_snapshot` is the sequence number of the oldest
    /// snapshot, if there is any.
    pub(crate) fn compaction_started(
        &self,
        facts: &CompactionFacts<'_>,
        oldest_snapshot: Option<u64>,
    ) {
        let CompactionFacts { job_id, family, compaction, .. } = *facts;
        if !compaction.is_trivial_move && !compaction.is_deletion_only {
            self.log.compaction_started(job_id, family, compaction, oldest_snapshot);
        }
        tracing::info!(
            target: "touchstone::compaction",
            job = job_id,
            cf = %family.name,
            reason = compaction.reason.name(),
            input_files = compaction.input_files().count(),
            input_bytes = compaction.total_input_size(),
            base_input_level = compaction.start_level,
            output_level = compaction.output_level,
            score = compaction.score,
            "compaction started"
        );
        if self.has_listeners() {
            let info = facts.info(compaction.input_version.level_files(0).len());
            self.tell_with_db("on_compaction_begin", move |listener, db| {
                listener.on_compaction_begin(db, &info);
            });
        }
    }

    /// Its outputs are there.
    pub(crate) fn compaction_before_commit(&self, facts: &CompactionFacts<'_>) {
        if self.has_listeners() {
            let info = facts.info(facts.compaction.input_version.level_files(0).len());
            self.tell_with_db("on_compaction_pre_commit", move |listener, db| {
                listener.on_compaction_pre_commit(db, &info);
            });
        }
    }

    /// It ended. `levels` is what it made of the levels, if it is installed.
    pub(crate) fn compaction_finished(&self, facts: &CompactionFacts<'_>, levels: &str) {
        let CompactionFacts { job_id, family, compaction, stats, took, status, .. } = *facts;
        match (status, stats) {
            (Some(status), _) => self.log.compaction_failed(facts, status),
            (None, None) => {
                let name = &family.name.to_string();
                self.log.files_moved_or_deleted(job_id, name, compaction, levels);
            }
            (None, Some(stats)) => {
                self.log.compaction_finished(facts, stats, levels);
            }
        }
        tracing::info!(
            target: "touchstone::compaction",
            job = job_id,
            cf = %family.name,
            output_files = stats.map_or(0, |stats| stats.num_output_files),
            output_bytes = stats.map_or(0, |stats| stats.bytes_written),
            output_blob_bytes = stats.map_or(0, |stats| stats.bytes_written_blob),
            input_records = stats.map_or(0, |stats| stats.num_input_records),
            output_records = stats.map_or(0, |stats| stats.num_output_records),
            micros = micros(took),
            error = status.map(tracing::field::display),
            "compaction finished"
        );
        if self.has_listeners() {
            let info = facts.info(family.super_version.load().version.level_files(0).len());
            self.tell_with_db("on_compaction_completed", move |listener, db| {
                listener.on_compaction_completed(db, &info);
            });
        }
    }

    /// A part begins.
    pub(crate) fn part_started(&self, facts: &CompactionFacts<'_>, part: usize) {
        if self.has_listeners() {
            let info = facts.part_info(part);
            self.tell("on_subcompaction_begin", move |listener| {
                listener.on_subcompaction_begin(&info);
            });
        }
    }

    /// A part ended.
    pub(crate) fn part_finished(&self, facts: &CompactionFacts<'_>, part: usize) {
        tracing::debug!(
            target: "touchstone::compaction",
            job = facts.job_id,
            part,
            input_records = facts.stats.map_or(0, |stats| stats.num_input_records),
            output_bytes = facts.stats.map_or(0, |stats| stats.bytes_written),
            micros = micros(facts.took),
            error = facts.status.map(tracing::field::display),
            "part of a compaction finished"
        );
        if self.has_listeners() {
            let info = facts.part_info(part);
            self.tell("on_subcompaction_completed", move |listener| {
                listener.on_subcompaction_completed(&info);
            });
        }
    }
}
