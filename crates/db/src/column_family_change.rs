//! Creating and dropping column families.

use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor, ColumnFamilyHandle};
use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::error_handler::BackgroundErrorReason;
use crate::open::family_state;
use crate::recovery::{open_family, table_paths, version_options};
use crate::validate_options::validate_family;
use crate::write::memtable_stage::ActiveFamily;
use base::status::Code;
use base::{Result, Status};
use env::create_dir_all;
use options::ColumnFamilyOptions;
use std::sync::Arc;
use version::VersionSet;

impl Db {
    /// Creates a column family.
    ///
    /// # Errors
    /// `InvalidArgument` if the name is taken; `NotSupported` for options that this engine refuses;
    /// `IoError`.
    pub fn create_column_family(
        &self,
        options: &ColumnFamilyOptions,
        name: &str,
    ) -> Result<ColumnFamilyHandle> {
        self.inner.create_column_family(options, name)
    }

    /// Drops a column family. What has its handle can go on reading; its files go when nobody does.
    ///
    /// # Errors
    /// `InvalidArgument` for the default family; `ColumnFamilyDropped` if it is dropped already;
    /// `IoError`.
    pub fn drop_column_family(&self, family: &ColumnFamilyHandle) -> Result<()> {
        self.inner.drop_column_family(family)
    }
}

impl DbImpl {
    fn create_column_family(
        self: &Arc<Self>,
        options: &ColumnFamilyOptions,
        name: &str,
    ) -> Result<ColumnFamilyHandle> {
        let writing = self.writing()?;
        let descriptor = ColumnFamilyDescriptor::new(name, options.clone());
        validate_family(&self.options, &descriptor)?;
        let version_options = version_options(&descriptor)?;
        for directory in table_paths(&self.options, &self.path, &descriptor) {
            create_dir_all(&*self.context.file_system, &directory)?;
        }
        // No write is under way, so that the WAL's number is that of the next one.
        let lead = writing.write_thread.enter_exclusively();
        let mut stage = writing.stage.lock();
        let mut versions = writing.versions.lock();
        let log_number = stage.wal.current_number();
        let created = versions.create_column_family(name.as_bytes(), &version_options, log_number);
        let id = created.inspect_err(|status| {
            if status.code() == Code::IoError {
                self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
            }
        })?;
        let data = self.open_created(&mut versions, id, &descriptor)?;
        let (data, family) =
            family_state(&self.options, &self.context, data, self.visibility.last_sequence());
        drop(versions);
        stage.memtables.set(ActiveFamily::new(data.clone(), family.active.clone()));
        writing.state.lock().families.insert(id, family);
        let mut families = self.families.load().to_vec();
        families.push(data.clone());
        families.sort_by_key(|family| family.id);
        self.families.store(Arc::new(families));
        stage.max_total_wal_size_bytes = self.max_total_wal_size_bytes();
        drop(stage);
        drop(lead);
        writing.info_log.info(format_args!("Created column family [{name}] (ID {id})"));
        writing.info_log.describe_family(&descriptor);
        self.schedule_compaction_trigger();
        self.write_options_file()?;
        Ok(ColumnFamilyHandle(data))
    }

    /// Opens a column family that the MANIFEST has since just now. One that cannot be opened is
    /// dropped again: nobody could write to it, nor use its name.
    fn open_created(
        &self,
        versions: &mut VersionSet,
        id: u32,
        descriptor: &ColumnFamilyDescriptor,
    ) -> Result<ColumnFamilyData> {
        let name = &descriptor.name;
        let entry = versions
            .column_family(id)
            .ok_or_else(|| Status::aborted(format!("column family {name} was not created")))?;
        let (path, context) = (&self.path, &self.context);
        match open_family(&self.options, path, descriptor, context, entry.state(), None) {
            Ok(mut data) => {
                data.epoch_numbers = entry.epoch_numbers().clone();
                data.memtable_memory = Some(self.writing()?.memtable_memory.clone());
                Ok(data)
            }
            Err(status) => {
                versions.drop_column_family(id).inspect_err(|status| {
                    self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
                })?;
                Err(status)
            }
        }
    }

    fn drop_column_family(self: &Arc<Self>, handle: &ColumnFamilyHandle) -> Result<()> {
        let writing = self.writing()?;
        let id = handle.id();
        if id == 0 {
            return Err(Status::invalid_argument("Can't drop default column family"));
        }
        let lead = writing.write_thread.enter_exclusively();
        let mut stage = writing.stage.lock();
        let mut versions = writing.versions.lock();
        if versions.column_family(id).is_none() {
            return Err(Status::column_family_dropped(format!(
                "Column family already dropped! {}",
                handle.name()
            )));
        }
        versions.drop_column_family(id).inspect_err(|status| {
            self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
        })?;
        writing.dropped.lock().insert(id, handle.0.tables.clone());
        drop(versions);
        stage.memtables.remove(id);
        let mut state = writing.state.lock();
        let removed = state.remove_family(writing, id);
        drop(state);
        drop(removed);
        let mut families = self.families.load().to_vec();
        families.retain(|family| family.id != id);
        self.families.store(Arc::new(families));
        stage.max_total_wal_size_bytes = self.max_total_wal_size_bytes();
        drop(stage);
        drop(lead);
        self.release_wals(writing);
        writing.info_log.info(format_args!("Dropped column family with id {id}"));
        self.delete_obsolete_files(writing.info_log.next_job_id());
        self.write_options_file()
    }
}
