//! Tables and blob files that come and go.

use super::Events;
use crate::column_family::ColumnFamilyData;
use crate::event_listener::{
    BlobFileAdditionInfo, BlobFileCreationBriefInfo, BlobFileCreationInfo, BlobFileCreationReason,
    BlobFileDeletionInfo, BlobFileGarbageInfo, TableFileCreationBriefInfo, TableFileCreationInfo,
    TableFileDeletionInfo,
};
use base::compaction_filter::TableFileCreationReason;
use base::filename::{blob_file_name, table_file_name};
use base::{Result, Status};
use compaction::OutputFile;
use std::path::{Path, PathBuf};
use table::TableProperties;
use version::{BlobFileAddition, BlobFileGarbage};

/// What stands for a checksum function where files have no checksum.
pub(crate) const NO_CHECKSUM_FUNCTION: &str = "Unknown";

/// A file that a job makes.
#[derive(Clone, Copy)]
pub(crate) struct FileFacts<'f> {
    pub(crate) job_id: u64,
    pub(crate) family: &'f ColumnFamilyData,
    pub(crate) reason: TableFileCreationReason,
    pub(crate) number: u64,
    pub(crate) path: &'f Path,
}

impl FileFacts<'_> {
    fn blob_reason(&self) -> BlobFileCreationReason {
        match self.reason {
            TableFileCreationReason::Compaction => BlobFileCreationReason::Compaction,
            TableFileCreationReason::Recovery => BlobFileCreationReason::Recovery,
            TableFileCreationReason::Flush | TableFileCreationReason::Misc => {
                BlobFileCreationReason::Flush
            }
        }
    }
}

/// Path of a table.
pub(super) fn table_path(family: &ColumnFamilyData, path_id: u32, number: u64) -> PathBuf {
    let paths = &family.tables.paths;
    let directory = paths.get(path_id as usize).or(paths.last());
    table_file_name(directory.map_or(Path::new("."), PathBuf::as_path), number)
}

fn blob_path(family: &ColumnFamilyData, number: u64) -> PathBuf {
    let directory = family.tables.paths.first();
    blob_file_name(directory.map_or(Path::new("."), PathBuf::as_path), number)
}

pub(super) fn blob_additions(
    family: &ColumnFamilyData,
    additions: &[BlobFileAddition],
) -> Vec<BlobFileAdditionInfo> {
    let info = |file: &BlobFileAddition| BlobFileAdditionInfo {
        blob_file_path: blob_path(family, file.number),
        blob_file_number: file.number,
        total_blob_count: file.total_blob_count,
        total_blob_bytes: file.total_blob_bytes,
    };
    additions.iter().map(info).collect()
}

pub(super) fn blob_garbages(
    family: &ColumnFamilyData,
    garbages: &[BlobFileGarbage],
) -> Vec<BlobFileGarbageInfo> {
    let info = |garbage: &BlobFileGarbage| BlobFileGarbageInfo {
        blob_file_path: blob_path(family, garbage.number),
        blob_file_number: garbage.number,
        garbage_blob_count: garbage.garbage_blob_count,
        garbage_blob_bytes: garbage.garbage_blob_bytes,
    };
    garbages.iter().map(info).collect()
}

impl Events {
    /// A table is about to be written.
    pub(crate) fn table_file_creation_started(&self, facts: &FileFacts<'_>) {
        if !self.has_listeners() {
            return;
        }
        let info = TableFileCreationBriefInfo {
            db_name: self.db_name.clone(),
            cf_name: facts.family.name.clone(),
            file_path: facts.path.to_owned(),
            job_id: facts.job_id,
            reason: facts.reason,
        };
        self.tell("on_table_file_creation_started", move |listener| {
            listener.on_table_file_creation_started(&info);
        });
    }

    /// It is complete.
    pub(crate) fn table_file_created(&self, facts: &FileFacts<'_>, file: &OutputFile) {
        let cf_name = facts.family.name.to_string();
        if facts.reason == TableFileCreationReason::Compaction {
            self.log.table_generated(facts.job_id, &cf_name, file);
        }
        self.log.table_file_created(facts.job_id, &cf_name, file);
        self.trace_created(facts, file.metadata.file_size, None);
        if self.has_listeners() {
            let info = self.table_file_creation_info(facts, Ok(file));
            self.tell("on_table_file_created", move |listener| {
                listener.on_table_file_created(&info);
            });
        }
    }

    /// It is given up.
    pub(crate) fn table_file_given_up(&self, facts: &FileFacts<'_>, status: &Status) {
        let cf_name = facts.family.name.to_string();
        self.log.table_file_given_up(facts.job_id, &cf_name, facts.number, status);
        self.trace_created(facts, 0, Some(status));
        if self.has_listeners() {
            let info = self.table_file_creation_info(facts, Err(status));
            self.tell("on_table_file_created", move |listener| {
                listener.on_table_file_created(&info);
            });
        }
    }

    fn trace_created(&self, facts: &FileFacts<'_>, bytes: u64, status: Option<&Status>) {
        tracing::debug!(
            target: "touchstone::file",
            job = facts.job_id,
            cf = %facts.family.name,
            file_number = facts.number,
            bytes,
            error = status.map(tracing::field::display),
            "file created"
        );
    }

    fn table_file_creation_info(
        &self,
        facts: &FileFacts<'_>,
        file: std::result::Result<&OutputFile, &Status>,
    ) -> TableFileCreationInfo {
        let checksum = file.ok().and_then(|file| file.metadata.checksum());
        TableFileCreationInfo {
            db_name: self.db_name.clone(),
            cf_name: facts.family.name.clone(),
            file_path: facts.path.to_owned(),
            job_id: facts.job_id,
            reason: facts.reason,
            file_size: file.map_or(0, |file| file.metadata.file_size),
            table_properties: file
                .map_or_else(|_| TableProperties::default(), |file| file.properties.clone()),
            status: file.err().cloned(),
            file_checksum: checksum.map_or_else(Vec::new, |checksum| checksum.value.clone()),
            file_checksum_func_name: match checksum {
                Some(checksum) => String::from_utf8_lossy(&checksum.function_name).into_owned(),
                None => NO_CHECKSUM_FUNCTION.to_owned(),
            },
        }
    }

    /// A blob file is about to be written.
    pub(crate) fn blob_file_creation_started(&self, facts: &FileFacts<'_>) {
        if !self.has_listeners() {
            return;
        }
        let info = BlobFileCreationBriefInfo {
            db_name: self.db_name.clone(),
            cf_name: facts.family.name.clone(),
            file_path: facts.path.to_owned(),
            job_id: facts.job_id,
            reason: facts.blob_reason(),
        };
        self.tell("on_blob_file_creation_started", move |listener| {
            listener.on_blob_file_creation_started(&info);
        });
    }

    /// It is complete, or given up.
    pub(crate) fn blob_file_created(
        &self,
        facts: &FileFacts<'_>,
        result: std::result::Result<&BlobFileAddition, &Status>,
    ) {
        let cf_name = facts.family.name.to_string();
        let absent = BlobFileAddition { number: facts.number, ..BlobFileAddition::default() };
        let (file, status) = (result.unwrap_or(&absent), result.err());
        self.log.blob_file_created(facts.job_id, &cf_name, file, status);
        self.trace_created(facts, file.total_blob_bytes, status);
        if !self.has_listeners() {
            return;
        }
        let function = match file.checksum_method.as_slice() {
            [] => NO_CHECKSUM_FUNCTION.to_owned(),
            method => String::from_utf8_lossy(method).into_owned(),
        };
        let info = BlobFileCreationInfo {
            db_name: self.db_name.clone(),
            cf_name: facts.family.name.clone(),
            file_path: facts.path.to_owned(),
            job_id: facts.job_id,
            reason: facts.blob_reason(),
            total_blob_count: file.total_blob_count,
            total_blob_bytes: file.total_blob_bytes,
            status: status.cloned(),
            file_checksum: file.checksum_value.clone(),
            file_checksum_func_name: function,
        };
        self.tell("on_blob_file_created", move |listener| listener.on_blob_file_created(&info));
    }

    /// A table that was complete was to be deleted.
    pub(crate) fn table_file_deleted(
        &self,
        job_id: u64,
        number: u64,
        path: &Path,
        result: &Result<()>,
    ) {
        self.log.table_file_deleted(job_id, number, result);
        trace_deleted(job_id, number, result);
        if self.has_listeners() {
            let info = TableFileDeletionInfo {
                db_name: self.db_name.clone(),
                file_path: path.to_owned(),
                job_id,
                status: result.as_ref().err().cloned(),
            };
            self.tell("on_table_file_deleted", move |listener| {
                listener.on_table_file_deleted(&info);
            });
        }
    }

    /// A blob file that was complete was to be deleted.
    pub(crate) fn blob_file_deleted(
        &self,
        job_id: u64,
        number: u64,
        path: &Path,
        result: &Result<()>,
    ) {
        self.log.blob_file_deleted(job_id, number, result);
        trace_deleted(job_id, number, result);
        if self.has_listeners() {
            let info = BlobFileDeletionInfo {
                db_name: self.db_name.clone(),
                file_path: path.to_owned(),
                job_id,
                status: result.as_ref().err().cloned(),
            };
            self.tell("on_blob_file_deleted", move |listener| {
                listener.on_blob_file_deleted(&info);
            });
        }
    }
}

fn trace_deleted(job_id: u64, number: u64, result: &Result<()>) {
    tracing::debug!(
        target: "touchstone::file",
        job = job_id,
        file_number = number,
        error = result.as_ref().err().map(tracing::field::display),
        "file deleted"
    );
}
