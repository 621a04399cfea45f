//! Flushes and memtables.

use super::Events;
use super::files::{blob_additions, table_path};
use crate::column_family::ColumnFamilyData;
use crate::event_listener::{FlushJobInfo, ManualFlushInfo, MemTableInfo};
use crate::flush_job::FlushPick;
use crate::level0_table::Level0Table;
use crate::table_builder_options::compression_type;
use base::Status;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use env::thread_status::thread_id;
use options::ColumnFamilyOptions;
use table::TableProperties;

/// A flush of one column family.
pub(crate) struct FlushFacts<'f> {
    pub(crate) job_id: u64,
    pub(crate) pick: &'f FlushPick,
    /// The number of the table.
    pub(crate) file_number: u64,
}

impl FlushFacts<'_> {
    fn family(&self) -> &ColumnFamilyData {
        &self.pick.family
    }

    fn info(&self, built: Option<&Level0Table>) -> FlushJobInfo {
        let family = self.family();
        let super_version = family.super_version.load();
        let options = &super_version.options;
        let l0_files = super_version.version.level_files(0).len();
        let reaches = |trigger: i32| usize::try_from(trigger).map_or(true, |most| l0_files >= most);
        let file = built.and_then(|built| built.table.as_ref());
        let metadata = file.map(|file| &file.metadata);
        let additions = built.map_or(&[][..], |built| &built.edit.blob_file_additions);
        FlushJobInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            file_path: table_path(family, 0, self.file_number),
            file_number: self.file_number,
            oldest_blob_file_number: metadata.and_then(|file| file.oldest_blob_file_number),
            thread_id: thread_id(),
            job_id: self.job_id,
            triggered_writes_slowdown: reaches(options.level0_slowdown_writes_trigger),
            triggered_writes_stop: reaches(options.level0_stop_writes_trigger),
            smallest_seqno: metadata.map_or(MAX_SEQUENCE_NUMBER, |file| file.smallest_seqno),
            largest_seqno: metadata.map_or(0, |file| file.largest_seqno),
            table_properties: file
                .map_or_else(TableProperties::default, |file| file.properties.clone()),
            flush_reason: self.pick.reason,
            blob_compression_type: blob_compression(options),
            blob_file_addition_infos: blob_additions(family, additions),
        }
    }
}

pub(super) fn blob_compression(options: &ColumnFamilyOptions) -> compression::CompressionType {
    compression_type(options.blob_compression_type)
}

impl Events {
    /// Memtables are about to become a table.
    pub(crate) fn flush_started(&self, facts: &FlushFacts<'_>) {
        let FlushFacts { job_id, pick, file_number } = *facts;
        self.log.flush_started(job_id, pick, file_number);
        tracing::info!(
            target: "touchstone::flush",
            job = job_id,
            cf = %pick.family.name,
            memtables = pick.memtables.len(),
            reason = pick.reason.name(),
            "flush started"
        );
        if self.has_listeners() {
            let info = facts.info(None);
            self.tell_with_db("on_flush_begin", move |listener, db| {
                listener.on_flush_begin(db, &info);
            });
        }
    }

    /// They are one, which the MANIFEST does not have yet. `job` may be a recovery.
    pub(crate) fn level0_table_built(
        &self,
        job: u64,
        family: &ColumnFamilyData,
        built: &Level0Table,
    ) {
        self.log.level0_table_built(job, &family.name.to_string(), built);
    }

    /// A flush is installed; `levels` is what it made of the levels.
    pub(crate) fn flush_finished(&self, facts: &FlushFacts<'_>, built: &Level0Table, levels: &str) {
        let family = facts.family();
        self.log.flush_finished(facts.job_id, family, built, levels);
        let metadata = built.table.as_ref().map(|file| &file.metadata);
        tracing::info!(
            target: "touchstone::flush",
            job = facts.job_id,
            cf = %family.name,
            file_number = metadata.map(|file| file.number),
            bytes = metadata.map_or(0, |file| file.file_size),
            blob_bytes = built.blob_bytes,
            micros = built.micros,
            "flush finished"
        );
        if self.has_listeners() && metadata.is_some() {
            let info = facts.info(Some(built));
            self.tell_with_db("on_flush_completed", move |listener, db| {
                listener.on_flush_completed(db, &info);
            });
        }
    }

    /// A flush that began failed; its memtables wait again. Listeners hear of the error alone.
    pub(crate) fn flush_failed(&self, job: u64, family: &ColumnFamilyData, status: &Status) {
        self.log.flush_failed(job, family);
        tracing::info!(
            target: "touchstone::flush", job, cf = %family.name, error = %status, "flush failed"
        );
    }

    /// A flush that a user asked for, or a manual compaction, is scheduled.
    pub(crate) fn manual_flush_scheduled(&self, info: Vec<ManualFlushInfo>) {
        for ManualFlushInfo { cf_name, flush_reason, .. } in &info {
            let reason = flush_reason.name();
            tracing::debug!(
                target: "touchstone::flush", cf = %cf_name, reason, "manual flush scheduled"
            );
        }
        self.tell_with_db("on_manual_flush_scheduled", move |listener, db| {
            listener.on_manual_flush_scheduled(db, &info);
        });
    }

    /// A memtable takes no more writes. Said under the state's lock.
    pub(crate) fn memtable_sealed(&self, info: MemTableInfo) {
        if !self.has_listeners()
            && !tracing::enabled!(target: "touchstone::flush", tracing::Level::DEBUG)
        {
            return;
        }
        self.tell_later(move |events| {
            tracing::debug!(
                target: "touchstone::flush",
                cf = %info.cf_name,
                entries = info.num_entries,
                deletes = info.num_deletes,
                "memtable sealed"
            );
            events.call_each("on_memtable_sealed", |listener| listener.on_memtable_sealed(&info));
        });
    }
}
