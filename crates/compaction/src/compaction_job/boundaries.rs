//! Where a job is divided into parts.

use super::CompactionJob;
use crate::subcompaction::{KeyAnchor, generate_subcompaction_boundaries};
use base::dbformat::{TRAILER_SIZE, extract_user_key};
use base::{Result, Status};
use version::FileMetaData;

/// Anchors taken from one file, about.
const ANCHORS: usize = 128;

impl CompactionJob {
    /// User keys that divide the job into parts of about equal size, by the indexes of its inputs;
    /// none where it must not be divided or is too small. For [`CompactionJob::run`];
    /// `spare_threads` may be used beyond `max_subcompactions`.
    ///
    /// # Errors
    /// What opening an input and reading its index gives.
    pub fn boundaries(&self, spare_threads: usize) -> Result<Vec<Vec<u8>>> {
        let level_of = |file: &FileMetaData| {
            let mut files = self.compaction.input_files();
            files.find(|(_, input)| input.number == file.number).map_or(0, |(level, _)| level)
        };
        let anchors = |file: &FileMetaData| self.anchors(file, level_of(file));
        generate_subcompaction_boundaries(
            &self.compaction,
            &self.comparator,
            spare_threads,
            anchors,
        )
    }

    fn anchors(&self, file: &FileMetaData, level: usize) -> Result<Vec<KeyAnchor>> {
        let table = self.environment.open_table(file, level)?;
        let separators_are_user_keys = table.index_keys_are_user_keys();
        let blocks = table.data_blocks()?;
        let blocks_per_anchor = (blocks.len() / ANCHORS).max(1);
        let (mut anchors, mut end) = (Vec::new(), 0);
        for group in blocks.chunks(blocks_per_anchor) {
            let Some(last) = group.last() else { continue };
            let user_key = match &last.key[..] {
                key if separators_are_user_keys => key,
                key if key.len() >= TRAILER_SIZE => extract_user_key(key),
                key => {
                    return Err(Status::corruption(format!(
                        "table {:06}: separator of {} bytes in the index",
                        file.number,
                        key.len()
                    )));
                }
            };
            let start = end;
            // The last one's trailer counts with the next group, as in RocksDB.
            end = last.handle.offset + last.handle.size;
            let range_size = end.saturating_sub(start);
            anchors.push(KeyAnchor { user_key: user_key.to_vec(), range_size });
        }
        Ok(anchors)
    }
}
