//! Writing: from a batch to the WAL and the memtables.
//!
//! ```text
//! join the queue ─▶ wait where writes are held back ─▶ change full memtables
//!   ─▶ number the group's entries ─▶ WAL ─▶ memtables ─▶ publish the last number
//! ```

pub(crate) mod adaptive_yield;
pub(crate) mod memtable_stage;
mod merge_at_write;
mod sync_primitives;
pub(crate) mod wal_stage;
pub(crate) mod wal_sync;
pub(crate) mod write_options;
pub(crate) mod write_thread;

use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::event_listener::BackgroundErrorReason;
use crate::events::Hold;
use crate::wal_tracking::WalsToSync;
use crate::work_stats::{count_lock_wait, count_written_group};
use crate::write::memtable_stage::CheckedBatch;
use crate::write::wal_stage::WalStage;
use crate::write::write_options::WriteOptions;
use crate::write::write_thread::{Lead, Request, Turn, Writer};
use crate::write_stats::WrittenGroup;
use base::{Result, SequenceNumber, Status};
use env::IoPriority;
use env::rate_limited_file::wait_for;
use env::rate_limiter::IoOperation;
use parking_lot::MutexGuard;
use perf_context::{PerfMetric, Timer};
use statistics::{HistogramType, Statistics};
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
        let Some(recorder) = self.context.statistics.as_deref().and_then(Statistics::recorder)
        else {
            return self.join_and_write(options, batch);
        };
        let timer = recorder.start_operation(HistogramType::DbWrite);
        let result = self.join_and_write(options, batch);
        recorder.end_operation(HistogramType::DbWrite, timer);
        result
    }

    /// Leads, or waits until a leader has written the batch.
    fn join_and_write(
        self: &Arc<Self>,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let writing = self.writing()?;
        check_options(options)?;
        self.check_call(options)?;
        self.check_before_queue(writing, options)?;
        if options.low_pri {
            self.wait_as_low_priority(options, batch.data().len() as u64)?;
        }
        if options.rate_limiter_priority.is_some() {
            self.wait_for_rate_limiter(writing, options, batch.data().len() as u64)?;
        }
        let waits = Timer::start(PerfMetric::WriteThreadWaitNanos);
        let turn = writing.write_thread.join(options, batch);
        drop(waits);
        let mut lead = match turn {
            Turn::Done(result) => return result,
            Turn::Leads(lead) => lead,
        };
        let hold = Hold::begin();
        self.wait_for_permission(options)?;
        if let Some(manager) = &self.context.write_buffer_manager
            && manager.should_stall()
        {
            self.wait_for_memory(writing, manager, options)?;
        }
        // What a panic leaves in the WAL and the memtables, nothing may be written after.
        let job = || "a write".to_owned();
        let result =
            self.catch_panic(job, || self.write_as_leader(writing, &mut lead, options, batch));
        lead.finish(&result);
        drop(hold);
        writing.events.deliver_waiting();
        result
    }

    /// Waits until the rate limiter grants the bytes that a write hands to the WAL. Before the queue,
    /// where nobody waits behind it.
    #[cold]
    fn wait_for_rate_limiter(
        &self,
        writing: &Writing,
        options: &WriteOptions,
        bytes: u64,
    ) -> Result<()> {
        if options.rate_limiter_priority != Some(IoPriority::User) {
            return Err(Status::invalid_argument(
                "rate_limiter_priority of WriteOptions can only be that of users: \
                 use IoPriority::User, or leave it out",
            ));
        }
        if options.disable_wal || self.options().manual_wal_flush {
            return Err(Status::invalid_argument(
                "rate_limiter_priority of WriteOptions limits what writes hand to the WAL: leave it \
                 out with disableWAL or manual_wal_flush",
            ));
        }
        let Some(limiter) = &writing.rate_limiter else { return Ok(()) };
        wait_for(&**limiter, bytes, IoPriority::User, IoOperation::Write);
        Ok(())
    }

    fn write_as_leader(
        self: &Arc<Self>,
        writing: &Writing,
        lead: &mut Lead<'_>,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let mut stage = self.lock_stage(writing);
        let scheduling = Timer::start(PerfMetric::WriteSchedulingFlushesCompactionsTime);
        self.make_room_for_write(&mut stage)?;
        drop(scheduling);
        let preparing = Timer::start(PerfMetric::WritePreAndPostProcessTime);
        let ignores_missing = options.ignore_missing_column_families;
        let own = stage.memtables.check(batch, ignores_missing)?;
        let mut group = Group::new(self.visibility.last_sequence() + 1, batch, own);
        for follower in lead.gather(options, group.own, stage.group_bytes_max) {
            group.add_follower(&stage, follower, ignores_missing);
        }
        drop(preparing);
        self.log_and_insert(writing, &mut stage, options, &group)
    }

    /// Waits for the lock that flushes, option changes and the like may hold.
    fn lock_stage<'w>(&self, writing: &'w Writing) -> MutexGuard<'w, WriteStage> {
        let _timer = Timer::start(PerfMetric::DbMutexLockNanos);
        let statistics = self.context.statistics.as_deref();
        let start = statistics.and_then(Statistics::start_lock_timer);
        let stage = writing.stage.lock();
        if let (Some(statistics), Some(_)) = (statistics, start) {
            count_lock_wait(statistics, start);
        }
        stage
    }

    /// The log, the memtables, the number: in this order, so that whatever a read sees is logged.
    fn log_and_insert(
        self: &Arc<Self>,
        writing: &Writing,
        stage: &mut MutexGuard<'_, WriteStage>,
        options: &WriteOptions,
        group: &Group<'_>,
    ) -> Result<()> {
        if options.disable_wal {
            stage.has_unlogged_writes = true;
        } else {
            let _timer = Timer::start(PerfMetric::WriteWalTime);
            group.append_to(&mut stage.wal).inspect_err(|status| {
                self.set_background_error(BackgroundErrorReason::WriteCallback, status);
            })?;
            if options.sync {
                // Nobody else appends: only who leads does.
                let statistics = self.context.statistics.as_deref();
                let start = statistics.and_then(Statistics::start_timer);
                MutexGuard::unlocked(stage, || self.sync_wals(writing, WalsToSync::AllAsLeader))?;
                if let Some(statistics) = statistics {
                    statistics.stop_timer(HistogramType::WalFileSyncMicros, start);
                }
            }
        }
        let sequence = {
            let _timer = Timer::start(PerfMetric::WriteMemtableTime);
            let WriteStage { memtables, found, .. } = &mut **stage;
            let insert =
                |sequence, batch: &WriteBatch| memtables.insert(batch.data(), sequence, found);
            group.batches().try_fold(group.first_sequence, insert)?
        };
        let _timer = Timer::start(PerfMetric::WritePreAndPostProcessTime);
        let written = WrittenGroup {
            batches: group.batches().count() as u64,
            entries: group.entries,
            bytes: group.size_bytes(),
            is_logged: !options.disable_wal,
            is_synced: options.sync,
        };
        writing.stats.count(&written);
        if let Some(statistics) = &self.context.statistics {
            count_written_group(statistics, &written);
        }
        if group.entries > 0 {
            self.visibility.publish(sequence - 1);
        }
        if !stage.found.deleted.is_empty() {
            self.request_deletion_passes(writing, &mut stage.found.deleted);
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

/// Batches that are logged as one. Those of followers stay where they are, locked.
struct Group<'g> {
    first_sequence: SequenceNumber,
    own: &'g mut WriteBatch,
    followers: Vec<MutexGuard<'g, Option<Request>>>,
    /// Entries of all batches.
    entries: u64,
    /// Of all batches.
    timestamp_sizes: Vec<(u32, u16)>,
}

impl<'g> Group<'g> {
    fn new(first_sequence: SequenceNumber, own: &'g mut WriteBatch, checked: CheckedBatch) -> Self {
        own.set_sequence(first_sequence);
        let CheckedBatch { entries, timestamp_sizes } = checked;
        Self { first_sequence, own, followers: Vec::new(), entries, timestamp_sizes }
    }

    /// A follower whose batch is bad fails alone.
    fn add_follower(&mut self, stage: &WriteStage, follower: &'g Writer, ignores_missing: bool) {
        let mut request = follower.request();
        let Some(batch) = request.as_mut().map(|request| &mut request.batch) else { return };
        match stage.memtables.check(batch, ignores_missing) {
            Ok(checked) => {
                batch.set_sequence(self.first_sequence + self.entries);
                self.entries += checked.entries;
                for size in checked.timestamp_sizes {
                    if !self.timestamp_sizes.contains(&size) {
                        self.timestamp_sizes.push(size);
                    }
                }
                self.followers.push(request);
            }
            Err(status) => follower.fail(status),
        }
    }

    fn batches(&self) -> impl Iterator<Item = &WriteBatch> {
        let followers = self.followers.iter().filter_map(|request| request.as_ref());
        std::iter::once(&*self.own).chain(followers.map(|request| &request.batch))
    }

    /// Bytes of the record that holds all batches.
    fn size_bytes(&self) -> u64 {
        let records = self.batches().map(|batch| (batch.data().len() - HEADER_SIZE) as u64);
        HEADER_SIZE as u64 + records.sum::<u64>()
    }

    /// Appends one record to the WAL: the entries of all batches under one header.
    fn append_to(&self, wal: &mut WalStage) -> Result<()> {
        if self.followers.is_empty() {
            return wal.append(&[self.own.data()], self.first_sequence, &self.timestamp_sizes);
        }
        // Whoever gathered them made sure that it is no more.
        let count = u32::try_from(self.entries)
            .map_err(|_| Status::aborted(format!("{} entries in a group", self.entries)))?;
        let mut header = [0; HEADER_SIZE];
        header[..8].copy_from_slice(&self.first_sequence.to_le_bytes());
        header[8..].copy_from_slice(&count.to_le_bytes());
        let records = self.batches().map(|batch| &batch.data()[HEADER_SIZE..]);
        let parts: Vec<&[u8]> = std::iter::once(&header[..]).chain(records).collect();
        wal.append(&parts, self.first_sequence, &self.timestamp_sizes)
    }
}
