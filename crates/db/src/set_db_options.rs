//! Changing the options of the database while it is open (`SetDBOptions`).

use crate::column_family::ColumnFamilyDescriptor;
use crate::db::Db;
use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::db_state::{DbState, RetiredSuperVersion};
use crate::open::{manifest_limits, set_job_threads, validate_with, wal_file_options};
use crate::sanitize::delayed_write_rate;
use base::{Result, Status};
use options::{DbOptions, Diagnostic};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Db {
    /// Changes options of the database, by RocksDB's names (`SetDBOptions`). They take effect at
    /// once; jobs that run go on by the old ones, and so does a WAL until the next write turns to a
    /// new one.
    ///
    /// Returns what there is to say of them, such as that one is accepted and not honoured yet.
    ///
    /// # Errors
    /// Each names the option, and nothing is changed: `NotFound` for one that is not known or
    /// cannot be changed in an open database, `InvalidArgument` for a bad value,
    /// `InvalidArgument` or `NotSupported` for values that do not go with others. `NotSupported` in
    /// a database open for reading only. An `IoError` says that the options were changed, but no
    /// OPTIONS file could be written.
    pub fn set_db_options(&self, changes: &[(&str, &str)]) -> Result<Vec<Diagnostic>> {
        self.inner.set_db_options(changes)
    }
}

impl DbImpl {
    fn set_db_options(self: &Arc<Self>, changes: &[(&str, &str)]) -> Result<Vec<Diagnostic>> {
        let writing = self.writing()?;
        if changes.is_empty() {
            writing.info_log.warn(format_args!("SetDBOptions(), empty input."));
            return Err(Status::invalid_argument("empty input"));
        }
        let _changing = writing.options_change.lock();
        let result = self.check_db_changes(changes);
        if let Ok((options, said)) = &result
            && options.to_option_string() == self.options().to_option_string()
        {
            writing.info_log.info(format_args!(
                "SetDBOptions(), input option value is not changed, skipping updating."
            ));
            return Ok(said.clone());
        }
        let result = result.and_then(|(options, said)| {
            self.replace_db_options(writing, options)?;
            Ok(said)
        });
        let written = result.as_ref().map_or(Ok(()), |_| {
            self.schedule_stats();
            self.schedule_by_families();
            self.write_options_file()
        });
        writing.info_log.db_options_set(changes, result.as_deref(), &self.options());
        writing.info_log.flush();
        written.map_err(|status| {
            Status::io_error(format!(
                "SetDBOptions() succeeded, but unable to persist options: {status}"
            ))
        })?;
        result
    }

    fn check_db_changes(&self, changes: &[(&str, &str)]) -> Result<(DbOptions, Vec<Diagnostic>)> {
        let (changed, said) = self.options().changed(changes, &self.context.config())?;
        let families = self.families.load();
        let descriptors: Vec<ColumnFamilyDescriptor> = families
            .iter()
            .map(|family| {
                ColumnFamilyDescriptor::new(family.name.clone(), family.options().as_ref().clone())
            })
            .collect();
        validate_with(&self.context, &changed, &descriptors)?;
        Ok((changed, said))
    }

    fn replace_db_options(self: &Arc<Self>, writing: &Writing, options: DbOptions) -> Result<()> {
        let options = Arc::new(options);
        let before = self.current_options.load_full();
        let mut stage = writing.stage.lock();
        let mut state = writing.state.lock();
        state.check_open()?;
        self.current_options.store(options.clone());
        set_job_threads(&writing.pool, &options);
        if before.delayed_write_rate != options.delayed_write_rate {
            state.write_controller.set_rate_max(delayed_write_rate(&options));
            writing.refresh_obstacle(&state);
        }
        self.replace_wal_options(&mut stage, &before, &options);
        let retired = match before.max_open_files == options.max_open_files {
            true => Vec::new(),
            false => replace_open_files(&mut state, &options),
        };
        let ids: Vec<u32> = state.families.keys().copied().collect();
        for id in ids {
            if let Some(family) = state.family_mut(id) {
                let num_levels = family.data.super_version.load().version.num_levels();
                let family_options = family.data.options();
                family.compaction.set_options(&options, &family_options, num_levels);
            }
        }
        self.schedule_work(writing, &mut state);
        writing.changed.notify_all();
        drop(state);
        drop(stage);
        drop(retired);
        let (max_file_size, max_space_amp_pct) = manifest_limits(&options);
        writing.versions.lock().set_manifest_limits(max_file_size, max_space_amp_pct);
        // Closes files.
        writing.open_files.set_limits(&options);
        Ok(())
    }

    /// A WAL is written as it was begun. Where other options or a lower limit of all WALs ask for a
    /// new one, the next write turns to it.
    fn replace_wal_options(&self, stage: &mut WriteStage, before: &DbOptions, now: &DbOptions) {
        stage.wal.set_file_options(wal_file_options(now));
        stage.max_total_wal_size_bytes = self.max_total_wal_size_bytes();
        if before.wal_bytes_per_sync != now.wal_bytes_per_sync {
            let families = stage.memtables.families().iter();
            let with_entries = families.filter(|family| !family.memtable.is_empty());
            let ids: Vec<u32> = with_entries.map(|family| family.data.id).collect();
            stage.found.full.extend(ids);
        }
    }
}

/// Has all column families go by another `max_open_files`. Returns what reads saw before, with the
/// tables that were open.
fn replace_open_files(state: &mut DbState, options: &DbOptions) -> Vec<RetiredSuperVersion> {
    let keeps_all = options.max_open_files == -1;
    let mut retired = Vec::new();
    for family in state.families.values() {
        let tables = &family.data.tables;
        let kept_all = tables.keeps_all_open.swap(keeps_all, Ordering::Relaxed);
        if kept_all && !keeps_all {
            retired.push(family.install_options(family.data.options(), true));
        }
    }
    retired
}

#[cfg(test)]
mod tests;
