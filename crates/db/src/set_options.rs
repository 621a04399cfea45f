//! Changing the options of column families while the database is open (`SetOptions`).
//!
//! ```text
//! check every family's changes ─▶ replace the options, all at once ─▶ schedule what is due now
//!   ─▶ OPTIONS file
//! ```
//!
//! The options belong to the super version, so that a read sees one state of them. What they decide
//! about compactions and stalls is held beside the other state of a column family, and what writes
//! look at in the write stage; all of that is replaced under both locks. A job goes on by the options
//! that it began with, and a table that is open stays as it was opened.

use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor, ColumnFamilyHandle};
use crate::db::Db;
use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::db_state::{DbState, RetiredSuperVersion};
use crate::recovery::read_setup::changed_table_options;
use crate::switch_memtable::memtable_options;
use crate::validate_options::validate_family;
use crate::write::memtable_stage::ActiveFamily;
use base::{Result, Status};
use options::{ColumnFamilyOptions, DbOptions, Diagnostic};
use std::sync::Arc;
use table::{ClosingTable, TableOptions};

/// New options of a column family: names and values.
type Changes<'c> = &'c [(&'c str, &'c str)];

impl Db {
    /// Changes options of a column family, by RocksDB's names (`SetOptions`). They take effect at
    /// once, as far as nothing has begun by the old ones: jobs that run, tables that are open and,
    /// but for `write_buffer_size`, the memtable that takes writes stay as they are. Struct options
    /// are changed in parts: `compaction_options_fifo={max_table_files_size=1G}`,
    /// `block_based_table_factory={block_size=8K}`.
    ///
    /// Returns what there is to say of them, such as that one is accepted and not honoured yet.
    ///
    /// # Errors
    /// `InvalidArgument` that names the option if it is not known, cannot be changed in an open
    /// database, or has a bad value, also if it does not go with others: nothing is changed then.
    /// `NotSupported` in a database open for reading only; `ColumnFamilyDropped`. An `IoError` says
    /// that the options were changed, but no OPTIONS file could be written.
    pub fn set_options(
        &self,
        family: &ColumnFamilyHandle,
        changes: &[(&str, &str)],
    ) -> Result<Vec<Diagnostic>> {
        self.inner.set_options(&[(family, changes)])
    }

    /// As [`Db::set_options`] for several column families, all of them or none.
    ///
    /// # Errors
    /// As [`Db::set_options`].
    pub fn set_options_of_families(
        &self,
        changes: &[(&ColumnFamilyHandle, &[(&str, &str)])],
    ) -> Result<Vec<Diagnostic>> {
        self.inner.set_options(changes)
    }

    /// The options of a column family as they are now (`GetOptions`).
    pub fn get_options(&self, family: &ColumnFamilyHandle) -> Arc<ColumnFamilyOptions> {
        family.options()
    }
}

/// What becomes of a column family, once nothing can fail any more.
struct FamilyChange {
    data: Arc<ColumnFamilyData>,
    options: Arc<ColumnFamilyOptions>,
    tables: TableOptions,
    /// Tables are to be opened anew: their filters may be of use now, or not any more.
    closes_tables: bool,
}

impl DbImpl {
    fn set_options(
        self: &Arc<Self>,
        changes: &[(&ColumnFamilyHandle, Changes<'_>)],
    ) -> Result<Vec<Diagnostic>> {
        let writing = self.writing()?;
        if let Some((family, _)) = changes.iter().find(|(_, changes)| changes.is_empty()) {
            let name = family.name();
            writing
                .info_log
                .warn(format_args!("SetOptions() on column family [{name}], empty input"));
            return Err(Status::invalid_argument(format!("empty input for column family {name}")));
        }
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let _changing = writing.options_change.lock();
        let result = self.check_family_changes(changes).and_then(|(planned, said)| {
            self.replace_family_options(writing, planned)?;
            Ok(said)
        });
        let written = result.as_ref().map_or(Ok(()), |_| {
            self.sample_sequence_times();
            self.schedule_by_families();
            self.write_options_file()
        });
        writing.info_log.family_options_set(changes, result.as_deref().map_err(Clone::clone));
        writing.info_log.flush();
        written?;
        result
    }

    /// The changes as they can be made, and what there is to say of them.
    fn check_family_changes(
        &self,
        changes: &[(&ColumnFamilyHandle, Changes<'_>)],
    ) -> Result<(Vec<FamilyChange>, Vec<Diagnostic>)> {
        let (db, config) = (self.options(), self.context.config());
        let (mut planned, mut said) = <(Vec<FamilyChange>, Vec<Diagnostic>)>::default();
        for (family, changes) in changes {
            let data = &family.0;
            let before = planned.iter().rev().find(|change| change.data.id == data.id);
            let before = before.map_or_else(|| data.options(), |change| change.options.clone());
            let (options, remarks) = before.changed(changes, &config)?;
            let descriptor = ColumnFamilyDescriptor::new(data.name.clone(), options);
            validate_family(&db, &descriptor)?;
            said.extend(remarks);
            planned.push(self.planned_change(data.clone(), descriptor.options)?);
        }
        Ok((planned, said))
    }

    fn planned_change(
        &self,
        data: Arc<ColumnFamilyData>,
        options: ColumnFamilyOptions,
    ) -> Result<FamilyChange> {
        let before = data.options();
        let present = data.tables.options.load();
        let tables = changed_table_options(&present, &before, &options, &self.context)?;
        let extractor_name = |options: &ColumnFamilyOptions| {
            options.prefix_extractor.as_ref().map(|extractor| extractor.name().to_owned())
        };
        let closes_tables = extractor_name(&before) != extractor_name(&options);
        Ok(FamilyChange { data, options: Arc::new(options), tables, closes_tables })
    }

    /// All of them, or none if a column family is dropped or the database closed.
    fn replace_family_options(
        self: &Arc<Self>,
        writing: &Writing,
        planned: Vec<FamilyChange>,
    ) -> Result<()> {
        let db = self.options();
        let mut stage = writing.stage.lock();
        let mut state = writing.state.lock();
        state.check_open()?;
        for FamilyChange { data, .. } in &planned {
            if !state.families.contains_key(&data.id) {
                return Err(Status::column_family_dropped(format!(
                    "column family {} is dropped",
                    data.name
                )));
            }
        }
        let mut retired = Vec::new();
        for change in planned {
            let id = change.data.id;
            retired.extend(replace(&mut stage, &mut state, &db, change));
            state.update_stall_of_version(writing, id);
            self.queue_if_needed(writing, &mut state, id);
        }
        stage.max_total_wal_size_bytes = self.max_total_wal_size_bytes();
        self.schedule_work(writing, &mut state);
        drop(state);
        drop(stage);
        drop(retired);
        Ok(())
    }
}

/// What went by the old options, to be dropped without the state's lock.
type Old = (RetiredSuperVersion, Vec<ClosingTable>);

/// Has a column family go by other options.
fn replace(
    stage: &mut WriteStage,
    state: &mut DbState,
    db: &DbOptions,
    change: FamilyChange,
) -> Option<Old> {
    let FamilyChange { data, options, tables, closes_tables } = change;
    let family = state.family_mut(data.id)?;
    let num_levels = data.super_version.load().version.num_levels();
    family.compaction.set_options(db, &options, num_levels);
    family.active.set_write_buffer_size(memtable_options(&options).write_buffer_size);
    data.tables.options.store(Arc::new(tables));
    let version = data.super_version.load().version.clone();
    let files = version.files().filter(|_| closes_tables);
    let closing = files.filter_map(|(_, file)| data.tables.cache.take(file.number)).collect();
    let retired = family.install_options(options, closes_tables);
    stage.memtables.set(ActiveFamily::new(data, family.active.clone()));
    Some((retired, closing))
}

#[cfg(test)]
pub(crate) mod tests;
