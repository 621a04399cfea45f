//! Files that nothing needs any more.
//!
//! A file goes as soon as no version has it and nothing reads it. Flushes and compactions in the
//! background leave that to another thread, as memtables wait for the next flush meanwhile: unlinking
//! a file takes as long as it has pages in memory. What a process left that died is
//! found when the database is opened for writing: whatever has a name of RocksDB's and is neither
//! in the MANIFEST nor one of the files that every database has.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use crate::open::found_files::{FoundFile, FoundFiles};
use crate::options_file_writer::OptionsFiles;
use crate::table_set::TableSet;
use crate::work_stats::count_deletion;
use base::Result;
use base::filename::{
    FileType, blob_file_name, descriptor_file_name, options_file_name, table_file_name,
};
use env::thread_pool::Priority;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use version::live_versions::{LiveFiles, ObsoleteFile};

/// What is needed of a directory.
#[derive(Debug, Default)]
struct Needed {
    live: LiveFiles,
    manifests: BTreeSet<u64>,
    wal_number_min: u64,
    options_number_min: u64,
}

impl Needed {
    /// Whether the file of this name may go.
    fn is_leftover(&self, number: u64, kind: FileType) -> bool {
        match kind {
            FileType::Table => !self.live.tables.contains(&number),
            FileType::Blob => !self.live.blob_files.contains(&number),
            FileType::Wal => number < self.wal_number_min,
            FileType::Descriptor => !self.manifests.contains(&number),
            FileType::Options => number < self.options_number_min,
            FileType::Temp => true,
            _ => false,
        }
    }
}

/// A file that is to go.
#[derive(Debug)]
pub(crate) enum Deletion {
    Manifest(u64),
    Table { job: u64, tables: Arc<TableSet>, number: u64, path_id: u32 },
    Blob { job: u64, tables: Arc<TableSet>, number: u64, family: Option<Arc<ColumnFamilyData>> },
    Wal(u64),
}

impl DbImpl {
    /// Deletes what became obsolete since the last call, as the end of a job.
    pub(crate) fn delete_obsolete_files(&self, job: u64) {
        self.delete(self.take_obsolete_files(job));
    }

    /// What became obsolete since the last call, to be deleted as the end of a job.
    pub(crate) fn take_obsolete_files(&self, job: u64) -> Vec<Deletion> {
        let Ok(writing) = self.writing() else { return Vec::new() };
        if writing.file_deletions.lock().is_disabled() {
            return Vec::new();
        }
        let mut versions = writing.versions.lock();
        let manifests = versions.take_obsolete_manifests();
        let obsolete = versions.take_obsolete_files();
        let dropped = {
            let mut dropped = writing.dropped.lock();
            let before = dropped.clone();
            dropped.retain(|id, _| versions.awaits_obsolete_files_of(*id));
            before
        };
        drop(versions);
        let files = obsolete.into_iter().filter_map(|file| {
            let id = file.column_family();
            let family = self.family(id).ok();
            let tables = family.as_ref().map(|family| &family.tables).or(dropped.get(&id))?.clone();
            Some(match file {
                ObsoleteFile::Table { number, path_id, .. } => {
                    Deletion::Table { job, tables, number, path_id }
                }
                ObsoleteFile::Blob { number, .. } => Deletion::Blob { job, tables, number, family },
            })
        });
        manifests.into_iter().map(Deletion::Manifest).chain(files).collect()
    }

    /// Has files deleted by a thread that nobody waits for.
    pub(crate) fn delete_later(self: &Arc<Self>, writing: &Writing, deletions: Vec<Deletion>) {
        if deletions.is_empty() {
            return;
        }
        writing.due_deletions.lock().extend(deletions);
        let mut state = writing.state.lock();
        // The one that runs sees them before it ends.
        if state.scheduled.deletions > 0 {
            return;
        }
        let db = self.clone();
        match writing.pool.schedule(Priority::Bottom, move || db.background_deletions()) {
            Ok(()) => state.scheduled.deletions += 1,
            Err(_) => {
                drop(state);
                self.delete_what_is_due(writing);
            }
        }
    }

    fn background_deletions(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        loop {
            self.delete_what_is_due(writing);
            let mut state = writing.state.lock();
            if writing.due_deletions.lock().is_empty() {
                state.scheduled.deletions -= 1;
                writing.changed.notify_all();
                break;
            }
        }
        writing.events.deliver_waiting();
    }

    /// Deletes what other threads left to be deleted.
    pub(crate) fn delete_what_is_due(&self, writing: &Writing) {
        let due = std::mem::take(&mut *writing.due_deletions.lock());
        self.delete(due);
    }

    /// Deletes files. What cannot be deleted now is found at the next open.
    pub(crate) fn delete(&self, deletions: Vec<Deletion>) {
        let Ok(writing) = self.writing() else { return };
        let mut has_wals = false;
        for deletion in deletions {
            match deletion {
                Deletion::Manifest(number) => {
                    let path = descriptor_file_name(&self.path, number);
                    let _ = self.context.file_system.delete_file(&path);
                }
                Deletion::Table { job, tables, number, path_id } => {
                    let TableSet { paths, cache, .. } = &*tables;
                    if let Some(table) = cache.get(number) {
                        table.erase_from_cache();
                    }
                    cache.evict(number);
                    let directory = paths.get(path_id as usize).or(paths.last());
                    let Some(directory) = directory else { continue };
                    let path = table_file_name(directory, number);
                    let result = self.delete_counted(&path);
                    writing.events.table_file_deleted(job, number, &path, &result);
                }
                Deletion::Blob { job, tables, number, family } => {
                    // Its space is free only when it is closed too.
                    if let Some(family) = &family {
                        family.super_version.load().resolver.blobs.source.evict(number);
                    }
                    writing.open_files.blob_files.evict(number);
                    let Some(directory) = tables.paths.first() else { continue };
                    let path = blob_file_name(directory, number);
                    let result = self.delete_counted(&path);
                    writing.events.blob_file_deleted(job, number, &path, &result);
                }
                Deletion::Wal(number) => {
                    self.remove_wal(number);
                    has_wals = true;
                }
            }
        }
        if has_wals {
            self.purge_wal_archive();
        }
    }

    /// Deletes a file that was part of a version.
    fn delete_counted(&self, path: &Path) -> Result<()> {
        let result = self.context.file_system.delete_file(path);
        if let Some(statistics) = &self.context.statistics {
            count_deletion(statistics, result.is_ok());
        }
        result
    }

    /// Deletes what an earlier process left, of what was `found` when the database was opened. To be
    /// called before there is background work.
    pub(crate) fn delete_leftover_files(&self, found: &FoundFiles) -> Result<()> {
        let writing = self.writing()?;
        let stage = writing.stage.lock();
        let wal_number_min = stage.wal.live_numbers().next().unwrap_or(stage.wal.current_number());
        drop(stage);
        let options_number_min = {
            let mut files = writing.options_file.lock();
            files.take_old();
            files.oldest_kept()
        };
        let mut versions = writing.versions.lock();
        // The first one of a new database was not there to be found.
        let replaced = versions.take_obsolete_manifests();
        let needed = Needed {
            live: versions.live_files(),
            manifests: BTreeSet::from([versions.manifest_number()]),
            wal_number_min,
            options_number_min,
        };
        drop(versions);
        self.delete(replaced.into_iter().map(Deletion::Manifest).collect());
        for (directory, file) in found.all() {
            if needed.is_leftover(file.number, file.kind) {
                self.delete_leftover(directory, file);
            }
        }
        self.purge_wal_archive();
        Ok(())
    }

    fn delete_leftover(&self, directory: &Path, file: &FoundFile) {
        if file.kind == FileType::Wal && directory == self.wal_directory() {
            self.remove_wal(file.number);
            return;
        }
        // It does no harm; the next open tries again.
        let _ = self.context.file_system.delete_file(&directory.join(&file.name));
    }

    /// Deletes OPTIONS files but the one in use and the one before it, of those that `files` knows.
    pub(crate) fn delete_old_options_files(&self, files: &mut OptionsFiles) -> Result<()> {
        if self.writing()?.file_deletions.lock().is_disabled() {
            return Ok(());
        }
        for number in files.take_old() {
            // It does no harm; the next open tries again.
            let _ = self.context.file_system.delete_file(&options_file_name(&self.path, number));
        }
        Ok(())
    }
}
