//! Creating and dropping column families.

use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor, ColumnFamilyHandle};
use crate::db::Db;
use crate::db_impl::{DbImpl, WriteStage, Writing};
use crate::event_listener::BackgroundErrorReason;
use crate::events::Hold;
use crate::open::family_state;
use crate::recovery::{open_family, table_paths, version_options};
use crate::sanitize::with_memtable_size_in_range;
use crate::switch_memtable::wal_size_share_bytes;
use crate::validate_options::validate_family;
use crate::write::memtable_stage::ActiveFamily;
use base::status::Code;
use base::{ColumnFamilyName, Result, Status};
use env::create_dir_all;
use options::ColumnFamilyOptions;
use std::collections::BTreeSet;
use std::sync::Arc;
use version::{NewColumnFamily, VersionSet};

impl Db {
    /// Creates a column family.
    ///
    /// # Errors
    /// `InvalidArgument` if the name is taken; `NotSupported` for options that this engine refuses;
    /// `IoError`.
    pub fn create_column_family(
        &self,
        options: &ColumnFamilyOptions,
        name: impl Into<ColumnFamilyName>,
    ) -> Result<ColumnFamilyHandle> {
        let descriptor = ColumnFamilyDescriptor::new(name, options.clone());
        let mut created = self.inner.create_column_families(&[descriptor])?;
        created.pop().ok_or_else(|| Status::aborted("no column family was created"))
    }

    /// Creates column families, all of them or none: far cheaper than one by one. After a crash
    /// meanwhile there may be the first few.
    ///
    /// # Errors
    /// As [`Db::create_column_family`].
    pub fn create_column_families(
        &self,
        descriptors: &[ColumnFamilyDescriptor],
    ) -> Result<Vec<ColumnFamilyHandle>> {
        self.inner.create_column_families(descriptors)
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
    pub(crate) fn create_column_families(
        self: &Arc<Self>,
        descriptors: &[ColumnFamilyDescriptor],
    ) -> Result<Vec<ColumnFamilyHandle>> {
        let writing = self.writing()?;
        if descriptors.is_empty() {
            return Ok(Vec::new());
        }
        let descriptors: Vec<_> = descriptors.iter().map(with_memtable_size_in_range).collect();
        let descriptors = &*descriptors;
        let mut version_options_of = Vec::with_capacity(descriptors.len());
        let mut directories = BTreeSet::new();
        for descriptor in descriptors {
            validate_family(&self.options(), descriptor)?;
            version_options_of.push(version_options(&self.options(), descriptor)?);
            directories.extend(table_paths(&self.options(), &self.path, descriptor));
        }
        for directory in directories {
            create_dir_all(&*self.context.file_system, &directory)?;
        }
        let new = descriptors.iter().zip(&version_options_of);
        let new: Vec<_> = new
            .map(|(descriptor, options)| NewColumnFamily { name: &descriptor.name, options })
            .collect();
        // No write is under way, so that the WAL's number is that of the next one.
        let hold = Hold::begin();
        let lead = writing.write_thread.enter_exclusively();
        let mut stage = writing.stage.lock();
        let mut versions = writing.versions.lock();
        let log_number = stage.wal.current_number();
        let ids = versions.create_column_families(&new, log_number).inspect_err(|status| {
            if status.code() == Code::IoError {
                self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
            }
        })?;
        let opened = self.open_created(&mut versions, &ids, descriptors)?;
        drop(versions);
        let handles = self.admit(writing, &mut stage, opened);
        // What is written to them is younger than this.
        self.sample_sequence_times();
        drop(stage);
        drop(lead);
        drop(hold);
        for (handle, descriptor) in handles.iter().zip(descriptors) {
            let (name, id) = (handle.name(), handle.id());
            writing.info_log.info(format_args!("Created column family [{name}] (ID {id})"));
            writing.info_log.describe_family(descriptor);
        }
        self.schedule_by_families();
        self.column_families_changed()?;
        Ok(handles)
    }

    /// Opens column families that the MANIFEST has since just now. If one cannot be opened, all are
    /// dropped again: nobody could write to it, nor use its name.
    fn open_created(
        &self,
        versions: &mut VersionSet,
        ids: &[u32],
        descriptors: &[ColumnFamilyDescriptor],
    ) -> Result<Vec<ColumnFamilyData>> {
        let (path, context) = (&self.path, &self.context);
        let writing = self.writing()?;
        let (memory, open_files) = (writing.memtable_memory.clone(), &writing.open_files);
        let open = |(id, descriptor): (&u32, &ColumnFamilyDescriptor)| {
            let name = &descriptor.name;
            let entry = versions
                .column_family(*id)
                .ok_or_else(|| Status::aborted(format!("column family {name} was not created")))?;
            let (options, state) = (&self.options(), entry.state());
            let opened = open_family(options, path, descriptor, context, state, None, open_files);
            opened.map(|mut data| {
                data.epoch_numbers = entry.epoch_numbers().clone();
                data.memtable_memory = Some(memory.clone());
                data
            })
        };
        let opened: Result<Vec<_>> = ids.iter().zip(descriptors).map(open).collect();
        opened.or_else(|status| {
            for id in ids {
                versions.drop_column_family(*id).inspect_err(|status| {
                    self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
                })?;
            }
            Err(status)
        })
    }

    /// From now on they take reads and writes.
    fn admit(
        &self,
        writing: &Writing,
        stage: &mut WriteStage,
        opened: Vec<ColumnFamilyData>,
    ) -> Vec<ColumnFamilyHandle> {
        let mut families = self.families.load().to_vec();
        let mut handles = Vec::with_capacity(opened.len());
        let mut state = writing.state.lock();
        for data in opened {
            let (data, family) =
                family_state(&self.options(), &self.context, data, self.visibility.last_sequence());
            stage.memtables.set(ActiveFamily::new(data.clone(), family.active.clone()));
            let share = wal_size_share_bytes(&self.options(), &data);
            let sum = stage.max_total_wal_size_bytes.saturating_add(share);
            stage.max_total_wal_size_bytes = sum;
            state.families.insert(data.id, family);
            // Ids ascend.
            families.push(data.clone());
            handles.push(ColumnFamilyHandle(data));
        }
        drop(state);
        self.families.store(Arc::new(families));
        handles
    }

    pub(crate) fn drop_column_family(self: &Arc<Self>, handle: &ColumnFamilyHandle) -> Result<()> {
        let writing = self.writing()?;
        let id = handle.id();
        if id == 0 {
            return Err(Status::invalid_argument("Can't drop default column family"));
        }
        let hold = Hold::begin();
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
        drop(hold);
        self.schedule_by_families();
        self.release_wals(writing);
        writing.events.column_family_dropped(handle);
        self.delete_obsolete_files(writing.info_log.next_job_id());
        self.column_families_changed()
    }
}
