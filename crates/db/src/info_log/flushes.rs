//! Flushes.

use super::InfoLog;
use super::level_summary::lsm_state;
use crate::column_family::ColumnFamilyData;
use crate::flush_job::FlushPick;
use crate::job_io::JobIo;
use crate::level0_table::{Level0Table, flush_compression};
use crate::table_builder_options::compression_type;
use compression::CompressionType;
use memtable::MemTable;

impl InfoLog {
    /// Memtables are about to become a table.
    pub(crate) fn flush_started(&self, job: u64, pick: &FlushPick, file_number: u64) {
        let reason = pick.reason;
        for immutable in &pick.memtables {
            self.info(format_args!(
                "[{}] [JOB {job}] Flushing memtable with next log file: {}",
                pick.family.name, immutable.next_log_number
            ));
        }
        let sum = |of: fn(&MemTable) -> u64| -> u64 {
            pick.memtables.iter().map(|immutable| of(&immutable.memtable)).sum()
        };
        self.event(|event| {
            event.field("job", job).field("event", "flush_started");
            event.field("num_memtables", pick.memtables.len());
            event.field("num_entries", sum(MemTable::num_entries));
            event.field("num_deletes", sum(MemTable::num_deletes));
            event.field("total_data_size", sum(MemTable::data_size_bytes));
            event.field("memory_usage", sum(|table| table.approximate_memory_usage() as u64));
            event.field("flush_reason", reason.name());
        });
        self.info(format_args!(
            "[{}] [JOB {job}] Level-0 flush table #{file_number}: started",
            pick.family.name
        ));
    }

    /// They are one, which the MANIFEST does not have yet. `job` may be a recovery.
    pub(crate) fn level0_table_built(&self, job: u64, family: &str, built: &Level0Table) {
        match &built.table {
            Some(file) => {
                self.info(format_args!(
                    "[{family}] [JOB {job}] Level-0 flush table #{}: {} bytes OK",
                    file.metadata.number, file.metadata.file_size
                ));
            }
            None => self.info(format_args!(
                "[{family}] [JOB {job}] Level-0 flush: nothing was left to write"
            )),
        }
        self.info(format_args!(
            "[{family}] [JOB {job}] Flush lasted {} microseconds",
            built.micros
        ));
    }

    /// A flush is installed; `levels` is what it made of the levels.
    pub(crate) fn flush_finished(
        &self,
        job: u64,
        family: &ColumnFamilyData,
        built: &Level0Table,
        levels: &str,
    ) {
        self.info(format_args!("[{}] Level summary: {levels}", family.name));
        self.flush_ended(job, family, built.compression, built.io.as_ref());
    }

    /// A flush failed. As in RocksDB the event does not say so: it is told after one that does.
    pub(crate) fn flush_failed(&self, job: u64, family: &ColumnFamilyData) {
        let compression = compression_type(flush_compression(&family.options()));
        self.flush_ended(job, family, compression, None);
    }

    fn flush_ended(
        &self,
        job: u64,
        family: &ColumnFamilyData,
        compression: CompressionType,
        io: Option<&JobIo>,
    ) {
        let super_version = family.super_version.load();
        self.event(|event| {
            event.field("job", job).field("event", "flush_finished");
            event.field("output_compression", compression.to_string());
            lsm_state(event, &super_version.version);
            let immutable = super_version.memtables.len().saturating_sub(1);
            event.field("immutable_memtables", immutable);
            if let Some(io) = io {
                event.field("file_write_nanos", io.write_nanos);
                event.field("file_range_sync_nanos", io.range_sync_nanos);
                event.field("file_fsync_nanos", io.fsync_nanos);
                event.field("file_prepare_write_nanos", io.prepare_write_nanos);
                event.field("file_cpu_write_nanos", io.cpu_write_nanos);
                event.field("file_cpu_read_nanos", io.cpu_read_nanos);
            }
        });
    }
}
