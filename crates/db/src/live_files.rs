//! The table files that a database is made of.

use crate::column_family::ColumnFamilyData;
use crate::db::Db;
use base::{ColumnFamilyName, SequenceNumber};
use std::path::PathBuf;
use version::table_files::directory_of;
use version::{FileChecksum, FileMetaData, Temperature};

/// What is known of a table file without opening it (`rocksdb::LiveFileMetaData`). Sizes are
/// bytes, times seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveFileMetaData {
    /// The column family it belongs to.
    pub column_family: ColumnFamilyName,
    /// Its level.
    pub level: usize,
    /// The directory it is in.
    pub directory: PathBuf,
    /// Its name there, for instance `000012.sst`.
    pub name: String,
    /// The number in its name.
    pub number: u64,
    /// Its size.
    pub size_bytes: u64,
    /// Smallest user key, with its timestamp where the column family has them.
    pub smallest_key: Vec<u8>,
    /// Largest user key. Exclusive if it is the end of a range tombstone.
    pub largest_key: Vec<u8>,
    /// Smallest sequence number.
    pub smallest_seqno: SequenceNumber,
    /// Largest sequence number.
    pub largest_seqno: SequenceNumber,
    /// Smallest number of the blob files that its entries refer to.
    pub oldest_blob_file_number: Option<u64>,
    /// Where it should be stored.
    pub temperature: Temperature,
    /// When the oldest data in it was written; 0 if unknown.
    pub oldest_ancester_time: u64,
    /// When it was made; 0 if unknown.
    pub file_creation_time: u64,
    /// Order among files of L0, larger is newer.
    pub epoch_number: u64,
    /// Checksum of the whole file, if it has one.
    pub checksum: Option<FileChecksum>,
}

impl Db {
    /// The table files of all open column families (`GetLiveFilesMetaData`): by family, then by
    /// level, in L0 newest first and below by key.
    pub fn live_files(&self) -> Vec<LiveFileMetaData> {
        let families = self.column_families();
        families.flat_map(|family| live_files_of(&family.0)).collect()
    }
}

fn live_files_of(family: &ColumnFamilyData) -> Vec<LiveFileMetaData> {
    let super_version = family.super_version.load();
    let files = super_version.version.files();
    files.map(|(level, file)| live_file(family, level, file)).collect()
}

fn live_file(family: &ColumnFamilyData, level: usize, file: &FileMetaData) -> LiveFileMetaData {
    LiveFileMetaData {
        column_family: family.name.clone(),
        level,
        directory: directory_of(&family.tables.paths, file).to_owned(),
        name: format!("{:06}.sst", file.number),
        number: file.number,
        size_bytes: file.file_size,
        smallest_key: file.smallest.user_key().to_vec(),
        largest_key: file.largest.user_key().to_vec(),
        smallest_seqno: file.smallest_seqno,
        largest_seqno: file.largest_seqno,
        oldest_blob_file_number: file.oldest_blob_file_number,
        temperature: file.temperature,
        oldest_ancester_time: file.oldest_ancester_time,
        file_creation_time: file.file_creation_time,
        epoch_number: file.epoch_number,
        checksum: file.checksum().cloned(),
    }
}
