//! From WALs to a database that can be written to: what they hold goes into memtables, and from
//! there into tables of L0.
//!
//! The edits of all tables made are applied at once at the end, together with the numbers that say
//! that the WALs are not needed any more: an open that fails before is as if it had not been.

use crate::column_family::ColumnFamilyDescriptor;
use crate::db_impl::DbImpl;
use crate::family_files::Job;
use crate::flush_job::Edits;
use crate::internal_stats::JobPriority;
use crate::open::found_files::FoundFiles;
use crate::read::read_view::Visibility;
use crate::recovery::prepared_scan::check_none_would_be_dropped;
use crate::recovery::{
    ManifestState, MemTableInserter, Replayed, recovering_families, replay_wals,
};
use crate::switch_memtable::{memtable_options, new_memtable};
use crate::write::memtable_stage::ActiveFamily;
use base::Result;
use base::compaction_filter::TableFileCreationReason;
use base::filename::{FileType, wal_file_name};
use compaction::GivesWay;
use memtable::{MemTable, MemTableMemory, MemTableOptions};
use options::WalIo;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use version::ColumnFamilyState;

impl DbImpl {
    /// Replays the WALs, then begins a new one and a new MANIFEST. A database that `is_new` has none.
    pub(super) fn replay_wals(
        &mut self,
        descriptors: &[ColumnFamilyDescriptor],
        is_new: bool,
        found: &FoundFiles,
    ) -> Result<()> {
        let info_log = self.writing()?.info_log.clone();
        let job = info_log.next_job_id();
        let wals = found.numbers(&self.wal_directory(), FileType::Wal);
        let number_min = self.writing()?.versions.lock().min_log_number_to_keep();
        let needed = &wals[wals.partition_point(|number| *number < number_min)..];
        if needed.is_empty() {
            return self.replay_into_tables(descriptors, is_new, &wals, job);
        }
        info_log.recovery_started(job, needed);
        let result = self.replay_into_tables(descriptors, is_new, &wals, job);
        info_log.recovery_finished(job, result.as_ref());
        result
    }

    fn replay_into_tables(
        &mut self,
        descriptors: &[ColumnFamilyDescriptor],
        is_new: bool,
        wals: &[u64],
        job: u64,
    ) -> Result<()> {
        let mut edits = Edits::new();
        let (replayed, inserter) =
            self.fill_memtables(descriptors, is_new, wals, &mut edits, job)?;
        let last_replayed = replayed.next_sequence.map_or(0, |next| next.saturating_sub(1));
        let last_sequence = self.visibility.last_sequence().max(last_replayed);
        let MemTableInserter { families, transactions, .. } = inserter;
        let memtables: BTreeMap<u32, Arc<MemTable>> = families
            .into_iter()
            .filter_map(|(id, family)| Some((id, family.memtable?)))
            .filter(|(_, memtable)| !memtable.is_empty())
            .collect();
        let uncommitted: Arc<[_]> = transactions.uncommitted_sequences().into();
        let prepared = transactions.into_prepared();
        let oldest_prepared = prepared.values().map(|transaction| transaction.wal_number).min();
        self.visibility = Arc::new(Visibility::new(last_sequence, uncommitted.clone()));
        // What follows damage must not be replayed another time, so it goes into tables.
        let is_whole = replayed.stopped.is_none() && replayed.ignored.is_empty();
        let keeps_wals = self.options().avoid_flush_during_recovery && edits.is_empty() && is_whole;
        if keeps_wals {
            self.keep_memtables(memtables)?;
        } else {
            for (id, memtable) in memtables {
                self.build_recovered(id, memtable, &mut edits, job)?;
            }
        }
        self.recovered.wal_numbers = replayed.wal_numbers;
        self.recovered.stopped = replayed.stopped;
        self.recovered.ignored = replayed.ignored;
        self.recovered.prepared = prepared;
        self.recovered.uncommitted = uncommitted;
        self.recovered.last_sequence = last_sequence;
        self.begin_wal(edits, keeps_wals, oldest_prepared)
    }

    fn fill_memtables(
        &self,
        descriptors: &[ColumnFamilyDescriptor],
        is_new: bool,
        wals: &[u64],
        edits: &mut Edits,
        job: u64,
    ) -> Result<(Replayed, MemTableInserter)> {
        let versions = self.writing()?.versions.lock();
        let tracked = versions.wals().wals().clone();
        let states: Vec<ColumnFamilyState> =
            versions.column_families().map(|family| family.state().clone()).collect();
        let min_log_number_to_keep = versions.min_log_number_to_keep();
        drop(versions);
        let state = ManifestState {
            path: &self.recovered.manifest_path,
            families: states.iter().collect(),
            min_log_number_to_keep,
            tracked_wals: &tracked,
            wals,
            is_new,
        };
        let (options, context) = (&self.options(), &self.context);
        if !options.allow_2pc && !options.best_efforts_recovery {
            check_none_would_be_dropped(&*context.file_system, self.wal_directory(), &state)?;
        }
        let own_memory = self.writing()?.memtable_memory.clone();
        let memory = Some(own_memory.clone());
        let options_of = |family: &ColumnFamilyDescriptor| MemTableOptions {
            memory: memory.clone(),
            ..memtable_options(&family.options)
        };
        let families = recovering_families(&state, descriptors, options_of)?;
        let policy = self.context.transaction_write_policy;
        let mut inserter = MemTableInserter::new(families, self.options().allow_2pc, policy);
        let mut take_full = |inserter: &mut MemTableInserter| {
            if self.recovers_too_much(&own_memory) {
                inserter.note_all_full();
            }
            while let Some(id) = inserter.full.pop_first() {
                if let Some(family) = inserter.families.get_mut(&id)
                    && let Some(full) = family.memtable.take()
                {
                    family.memtable = Some(Arc::new(self.empty_memtable(id)?));
                    self.build_recovered(id, full, edits, job)?;
                }
            }
            Ok(())
        };
        let replayed =
            replay_wals(options, &self.path, context, &state, &mut inserter, &mut take_full)?;
        Ok((replayed, inserter))
    }

    /// Whether what is in memory has to go into tables before replay goes on, so that memtables of all
    /// databases stay within their limit.
    fn recovers_too_much(&self, own: &MemTableMemory) -> bool {
        let options = self.options();
        if !options.enforce_write_buffer_manager_during_recovery {
            return false;
        }
        match &self.context.write_buffer_manager {
            Some(manager) => {
                manager.should_flush() && manager.relieve_more_than(own.active_bytes())
            }
            None => {
                let limit = usize::try_from(options.db_write_buffer_size).unwrap_or(usize::MAX);
                limit > 0 && own.should_flush(limit)
            }
        }
    }

    fn empty_memtable(&self, id: u32) -> Result<MemTable> {
        let family = self.family(id)?;
        Ok(new_memtable(&family, 1, self.visibility.last_sequence()))
    }

    /// Writes what was recovered into a table of L0.
    fn build_recovered(
        &self,
        id: u32,
        memtable: Arc<MemTable>,
        edits: &mut Edits,
        job_id: u64,
    ) -> Result<()> {
        memtable.mark_immutable();
        let family = self.family(id)?;
        let writing = self.writing()?;
        let job = Job {
            id: job_id,
            reason: TableFileCreationReason::Recovery,
            events: writing.events.clone(),
            compaction: None,
            operation: None,
        };
        let number = writing.file_numbers.next();
        let built = self
            .build_level0_table(&family, &[memtable], job, number, &GivesWay::default())
            .map_err(|error| error.context(format!("column family {}", family.name)))?;
        writing.events.level0_table_built(job_id, &family, &built);
        family.stats.count_flush(&built, JobPriority::User);
        if let Some(state) = self.writing()?.state.lock().family_mut(id) {
            state.compaction.note_outputs(&built.edit, built.table.as_slice());
        }
        let built = built.edit;
        let edit = edits.entry(id).or_default();
        edit.new_files.extend(built.new_files);
        edit.blob_file_additions.extend(built.blob_file_additions);
        Ok(())
    }

    /// Lets recovered memtables take writes, and their WALs be needed for longer.
    fn keep_memtables(&mut self, memtables: BTreeMap<u32, Arc<MemTable>>) -> Result<()> {
        let writing = self.writing()?;
        let mut stage = writing.stage.lock();
        let mut retired = Vec::new();
        let mut state = writing.state.lock();
        for (id, memtable) in memtables {
            let Some(family) = state.family_mut(id) else { continue };
            family.active = memtable;
            retired.push(family.install_memtables());
            stage.memtables.set(ActiveFamily::new(family.data.clone(), family.active.clone()));
            if family.active.should_flush() {
                stage.found.full.push(id);
            }
        }
        Ok(())
    }

    /// Begins the WAL that writes go to, and makes what was recovered permanent.
    fn begin_wal(
        &self,
        mut edits: Edits,
        keeps_wals: bool,
        oldest_prepared: Option<u64>,
    ) -> Result<()> {
        let writing = self.writing()?;
        let mut stage = writing.stage.lock();
        let kept = self.wals_still_needed(keeps_wals, oldest_prepared)?;
        self.sync_kept_wals(&kept)?;
        kept.into_iter().for_each(|(number, size)| stage.wal.keep(number, size));
        let number = writing.file_numbers.next();
        stage.wal.start(number)?;
        if self.options().wal_io == WalIo::Mapped && !stage.wal.is_current_mapped() {
            writing.info_log.warn(format_args!(
                "WAL {number} is written by system calls in spite of wal_io=mapped: the options or \
                 the file system of {} do not let it be mapped",
                self.wal_directory().display()
            ));
        }
        if self.options().track_and_verify_wals {
            // An open without any WAL fails, so that one must be there when the MANIFEST is.
            self.context.file_system.new_directory(&self.wal_directory())?.fsync()?;
        }
        let mut state = writing.state.lock();
        state.oldest_prepared_log = oldest_prepared;
        for (id, family) in &state.families {
            if !family.is_in_memory() {
                edits.entry(*id).or_default().log_number = Some(number);
            }
        }
        drop(state);
        self.untrack_wals_if_disabled(writing)?;
        self.log_and_install(writing, edits, |state| {
            for family in state.families.values().filter(|family| !family.is_in_memory()) {
                family.data.log_number.store(number, Ordering::Release);
            }
        })
    }

    /// Makes WALs that go on being needed safe from a power loss: nobody writes to them any more, so
    /// that no later sync would, and what is synced after them must not survive them.
    fn sync_kept_wals(&self, kept: &[(u64, u64)]) -> Result<()> {
        let (file_system, directory) = (&self.context.file_system, self.wal_directory());
        for (number, _) in kept {
            file_system.sync_file(&wal_file_name(&directory, *number))?;
        }
        match kept {
            [] => Ok(()),
            _ => file_system.new_directory(&directory)?.fsync(),
        }
    }

    /// WALs that hold what is in no table, with their sizes.
    fn wals_still_needed(
        &self,
        keeps_wals: bool,
        oldest_prepared: Option<u64>,
    ) -> Result<Vec<(u64, u64)>> {
        let directory = self.wal_directory();
        let needed = self.recovered.wal_numbers.iter().copied();
        needed
            .filter(|number| keeps_wals || oldest_prepared.is_some_and(|oldest| *number >= oldest))
            .map(|number| {
                let path = wal_file_name(&directory, number);
                Ok((number, self.context.file_system.get_file_size(&path)?))
            })
            .collect()
    }
}
