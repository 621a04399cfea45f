//! The files that make up a column family's data at one moment.

use crate::blob_file_metadata::BlobFileMetaData;
use crate::file_metadata::FileMetaData;
use base::{InternalKey, InternalKeyComparator};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The files of a column family; never changed once built.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// L0 newest first; deeper levels by key, without overlap. Shared by the versions in which a
    /// level is the same.
    pub(crate) levels: Vec<Arc<Vec<Arc<FileMetaData>>>>,
    /// By number.
    pub(crate) blob_files: Vec<Arc<BlobFileMetaData>>,
    pub(crate) compact_cursors: BTreeMap<u32, InternalKey>,
    pub(crate) next_epoch_number: u64,
}

impl Version {
    /// A version without files.
    pub fn new(num_levels: usize) -> Self {
        Self { levels: vec![Arc::default(); num_levels], next_epoch_number: 1, ..Self::default() }
    }

    /// Levels, empty ones included (`num_levels`).
    pub fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// The table files of a level; none beyond the last. L0 newest first, deeper levels by key.
    #[inline]
    pub fn level_files(&self, level: usize) -> &[Arc<FileMetaData>] {
        self.levels.get(level).map_or(&[], |files| files.as_slice())
    }

    /// About how many bytes of memory take what is known of its table files.
    pub fn metadata_bytes(&self) -> usize {
        self.files().map(|(_, file)| file.memory_usage_bytes()).sum()
    }

    /// Bytes of the table files of a level.
    pub fn level_size_bytes(&self, level: usize) -> u64 {
        self.level_files(level).iter().fold(0, |sum, file| sum.saturating_add(file.file_size))
    }

    /// All table files with their levels.
    pub fn files(&self) -> impl Iterator<Item = (usize, &Arc<FileMetaData>)> {
        self.levels
            .iter()
            .enumerate()
            .flat_map(|(level, files)| files.iter().map(move |f| (level, f)))
    }

    /// The first file of a level below L0 whose largest key is at or after `internal_key`: the only
    /// one that may hold it. The number of files if there is none.
    #[inline]
    pub fn find_file(
        &self,
        comparator: &InternalKeyComparator,
        level: usize,
        internal_key: &[u8],
    ) -> usize {
        self.level_files(level).partition_point(|file| {
            comparator.compare(file.largest.as_bytes(), internal_key).is_lt()
        })
    }

    /// Blob files by number.
    pub fn blob_files(&self) -> &[Arc<BlobFileMetaData>] {
        &self.blob_files
    }

    /// The blob file of this number.
    pub fn blob_file(&self, number: u64) -> Option<&Arc<BlobFileMetaData>> {
        let position = self.blob_files.binary_search_by_key(&number, |file| file.number()).ok()?;
        self.blob_files.get(position)
    }

    /// Where round-robin compaction goes on, by level.
    pub fn compact_cursors(&self) -> &BTreeMap<u32, InternalKey> {
        &self.compact_cursors
    }

    /// The epoch number that the next L0 file gets.
    pub fn next_epoch_number(&self) -> u64 {
        self.next_epoch_number
    }

    /// Largest number of a table or blob file; 0 without files.
    pub fn max_file_number(&self) -> u64 {
        let tables = self.files().map(|(_, file)| file.number);
        tables.chain(self.blob_files.iter().map(|file| file.number())).max().unwrap_or(0)
    }
}
