//! Writing: from a batch to the WAL and the memtables.
//!
//! ```text
//! join the queue ─▶ wait where writes are held back ─▶ change full memtables
//!   ─▶ number the group's entries ─▶ WAL ─▶ memtables ─▶ publish the last number
//! ```

pub(crate) mod memtable_stage;
pub(crate) mod wal_stage;
pub(crate) mod write_options;
pub(crate) mod write_thread;

use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::error_handler::BackgroundErrorReason;
use crate::write::memtable_stage::CheckedBatch;
use crate::write::write_options::WriteOptions;
use crate::write::write_thread::{Lead, Turn, Writer};
use crate::write_stats::WrittenGroup;
use base::{Result, SequenceNumber, Status};
use std::sync::Arc;
use wal::WriteBatch;
use wal::write_batch_reader::HEADER_SIZE;

impl DbImpl {
    /// Writes a batch: all of it or nothing, also after a crash. The batch gets its sequence
    /// number.
    pub(crate) fn write(
        self: &Arc<Self>,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let writing = self.writing()?;
        check_options(options)?;
        if options.no_slowdown {
            self.check_no_slowdown()?;
        }
        if options.low_pri {
            self.wait_as_low_priority(options, batch.data().len() as u64)?;
        }
        let mut lead = match writing.write_thread.join(options, batch) {
            Turn::Done(result) => return result,
            Turn::Leads(lead) => lead,
        };
        self.wait_for_permission(options, batch.data().len() as u64)?;
        // What a panic leaves in the WAL and the memtables, nothing may be written after.
        let job = || "a write".to_owned();
        let result =
            self.catch_panic(job, || self.write_as_leader(writing, &mut lead, options, batch));
        lead.finish(&result);
        result
    }

    fn write_as_leader(
        self: &Arc<Self>,
        writing: &Writing,
        lead: &mut Lead<'_>,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let mut stage = writing.stage.lock();
        self.make_room_for_write(&mut stage)?;
        let ignores_missing = options.ignore_missing_column_families;
        let own = stage.memtables.check(batch, ignores_missing)?;
        let group_size_max = usize::try_from(self.options.max_write_batch_group_size_bytes);
        let followers =
            lead.gather(options, batch.data().len(), group_size_max.unwrap_or(usize::MAX));
        match followers {
            [] => self.write_alone(writing, &mut stage, options, batch, &own),
            _ => {
                let mut group = Group::new(self.visibility.last_sequence() + 1);
                group.add(batch, &own);
                for follower in followers {
                    group.add_follower(&stage, follower, ignores_missing);
                }
                self.write_group(writing, &mut stage, options, &group)
            }
        }
    }

    fn write_alone(
        &self,
        writing: &Writing,
        stage: &mut WriteStage,
        options: &WriteOptions,
        batch: &mut WriteBatch,
        checked: &CheckedBatch,
    ) -> Result<()> {
        let first = self.visibility.last_sequence() + 1;
        batch.set_sequence(first);
        let batches = [(first, &*batch)];
        self.log_and_insert(writing, stage, options, batch.data(), checked, &batches)
    }

    fn write_group(
        &self,
        writing: &Writing,
        stage: &mut WriteStage,
        options: &WriteOptions,
        group: &Group,
    ) -> Result<()> {
        let batches: Vec<_> = group.batches.iter().map(|(first, batch)| (*first, batch)).collect();
        let record = group.record();
        self.log_and_insert(writing, stage, options, &record, &group.checked, &batches)
    }

    /// The log, the memtables, the number: in this order, so that whatever a read sees is logged.
    fn log_and_insert(
        &self,
        writing: &Writing,
        stage: &mut WriteStage,
        options: &WriteOptions,
        record: &[u8],
        checked: &CheckedBatch,
        batches: &[(SequenceNumber, &WriteBatch)],
    ) -> Result<()> {
        if options.disable_wal {
            stage.has_unlogged_writes = true;
        } else {
            let logged = stage.wal.append(record, &checked.timestamp_sizes);
            let logged = logged.and_then(|()| if options.sync { stage.wal.sync() } else { Ok(()) });
            if let Err(status) = logged {
                self.set_background_error(BackgroundErrorReason::Write, &status);
                return Err(status);
            }
            if options.sync {
                self.track_synced_wals(writing, stage)?;
            }
        }
        let WriteStage { memtables, full, .. } = stage;
        for (first, batch) in batches {
            memtables.insert(batch.data(), *first, full)?;
        }
        writing.stats.count(&WrittenGroup {
            batches: batches.len() as u64,
            entries: checked.entries,
            bytes: record.len() as u64,
            is_logged: !options.disable_wal,
            is_synced: options.sync,
        });
        if checked.entries > 0 {
            let first = batches.first().map_or(0, |(first, _)| *first);
            self.visibility.publish(first + checked.entries - 1);
        }
        Ok(())
    }
}

/// RocksDB refuses the same.
fn check_options(options: &WriteOptions) -> Result<()> {
    if options.sync && options.disable_wal {
        return Err(Status::invalid_argument("Sync writes has to enable WAL."));
    }
    Ok(())
}

/// Batches that are logged as one.
struct Group {
    next_sequence: SequenceNumber,
    batches: Vec<(SequenceNumber, WriteBatch)>,
    checked: CheckedBatch,
}

impl Group {
    fn new(next_sequence: SequenceNumber) -> Self {
        Self { next_sequence, batches: Vec::new(), checked: CheckedBatch::default() }
    }

    fn add(&mut self, batch: &mut WriteBatch, checked: &CheckedBatch) {
        batch.set_sequence(self.next_sequence);
        self.batches.push((self.next_sequence, batch.clone()));
        self.next_sequence += checked.entries;
        self.checked.entries += checked.entries;
        for size in &checked.timestamp_sizes {
            if !self.checked.timestamp_sizes.contains(size) {
                self.checked.timestamp_sizes.push(*size);
            }
        }
    }

    /// A follower whose batch is bad fails alone.
    fn add_follower(&mut self, stage: &WriteStage, follower: &Writer, ignores_missing: bool) {
        let added = follower.with_batch(|batch| {
            let checked = stage.memtables.check(batch, ignores_missing)?;
            self.add(batch, &checked);
            Ok(())
        });
        if let Some(Err(status)) = added {
            follower.fail(status);
        }
    }

    /// The log record: the entries of all batches under one header.
    fn record(&self) -> Vec<u8> {
        let size: usize = self.batches.iter().map(|(_, batch)| batch.data().len()).sum();
        let mut record = Vec::with_capacity(size);
        let first = self.batches.first().map_or(0, |(first, _)| *first);
        record.extend_from_slice(&first.to_le_bytes());
        record.extend_from_slice(&(self.checked.entries as u32).to_le_bytes());
        for (_, batch) in &self.batches {
            record.extend_from_slice(&batch.data()[HEADER_SIZE..]);
        }
        record
    }
}
