//! `touchstone.memory`: how much memory each part of the database takes.
//!
//! Parts are what they hold, in bytes as they were asked of the allocator, over all column families.
//! What the allocator keeps of what was freed is a part of its own. What threads need for a moment is not
//! among them.

use crate::db_impl::DbImpl;
use crate::property::text::bytes_to_human;
use cache::Cache;
use compression::context_memory_bytes;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use table::block_memory::idle_block_memory_bytes;
use version::Version;

/// Bytes by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryReport {
    /// Blocks of memtables, spare room included: of those that take writes, those that wait for their
    /// flush, and what is kept of flushed ones for a moment.
    pub(crate) memtables: usize,
    /// Block caches, each once. One that is shared with other databases counts in each of them.
    pub(crate) block_cache: usize,
    /// Of these, in use by reads and iterators.
    pub(crate) block_cache_pinned: usize,
    pub(crate) blob_cache: usize,
    /// Of these, in use by reads and iterators.
    pub(crate) blob_cache_pinned: usize,
    /// Open tables: index, filter, dictionary and properties, where these are not in the block cache.
    pub(crate) table_readers: usize,
    /// Open blob files.
    pub(crate) blob_readers: usize,
    /// What the MANIFEST says of files, of all versions that something reads.
    pub(crate) table_metadata: usize,
    /// What waits to be written to WALs.
    pub(crate) wal_buffers: usize,
    /// Pieces of logs that are mapped to be written to, of the whole process.
    pub(crate) mapped_files: usize,
    /// Buffers of files that are written, and those for reads around the page cache, of the whole process.
    pub(crate) file_buffers: usize,
    /// Buffers that closed files have left for others, of the whole process.
    pub(crate) file_buffers_idle: usize,
    /// What flushes have gathered out of memtables, of the whole process.
    pub(crate) flush_slices: usize,
    /// Contexts of codecs, of all threads of the process.
    pub(crate) compression_contexts: usize,
    /// Tickers and histograms, of all threads.
    pub(crate) statistics: usize,
    /// What dropped data blocks have left for others, of the whole process.
    pub(crate) block_memory_idle: usize,
    /// What the allocator has of the system and nobody uses, of the whole process. 0 where it does not
    /// say.
    pub(crate) allocator_idle: usize,
    /// Of all these, what has been brought together in huge pages, of the whole process.
    pub(crate) huge_pages: usize,
}

/// The caches, each once, and what they hold and have pinned.
fn cache_bytes(caches: impl Iterator<Item = Arc<dyn Cache>>) -> (usize, usize) {
    let mut seen = HashSet::new();
    let (mut usage, mut pinned) = (0, 0);
    for cache in caches {
        if seen.insert(Arc::as_ptr(&cache).cast::<()>()) {
            usage += cache.usage_bytes();
            pinned += cache.pinned_usage_bytes();
        }
    }
    (usage, pinned)
}

fn metadata_bytes(versions: &[Arc<Version>], seen: &mut HashSet<u64>) -> usize {
    let mut bytes = 0;
    for (_, file) in versions.iter().flat_map(|version| version.files()) {
        if seen.insert(file.number) {
            bytes += file.memory_usage_bytes();
        }
    }
    bytes
}

impl MemoryReport {
    /// Asks every part.
    pub(crate) fn new(db: &DbImpl) -> Self {
        let families = db.families.load_full();
        let states: Vec<_> =
            families.iter().map(|family| (family, family.super_version.load_full())).collect();
        let memtables = states.iter().flat_map(|(_, state)| &state.memtables);
        let block_caches =
            families.iter().filter_map(|f| f.tables.options.load().block_cache.clone());
        let (block_cache, block_cache_pinned) = cache_bytes(block_caches);
        let blob_caches =
            states.iter().filter_map(|(_, state)| state.resolver.blobs.source.cache().cloned());
        let (blob_cache, blob_cache_pinned) = cache_bytes(blob_caches);
        let mut seen = HashSet::new();
        let table_metadata = states
            .iter()
            .map(|(family, state)| match &db.writing {
                Some(writing) => {
                    let versions = writing.versions.lock().live_versions(family.id);
                    metadata_bytes(&versions, &mut seen)
                }
                None => metadata_bytes(std::slice::from_ref(&state.version), &mut seen),
            })
            .sum();
        let table_readers = states
            .iter()
            .flat_map(|(family, state)| {
                let tables = &family.tables.cache;
                state.version.files().filter_map(|(_, file)| tables.get(file.number))
            })
            .map(|table| table.approximate_memory_usage_bytes())
            .sum();
        let writing = db.writing.as_ref();
        Self {
            memtables: memtables.map(|table| table.allocated_bytes()).sum::<usize>()
                + writing.map_or(0, |writing| writing.memtable_memory.kept_bytes()),
            block_cache,
            block_cache_pinned,
            blob_cache,
            blob_cache_pinned,
            table_readers,
            blob_readers: states.first().map_or(0, |(_, state)| {
                state.resolver.blobs.source.files().open_files().memory_bytes()
            }),
            table_metadata,
            wal_buffers: writing.map_or(0, |writing| writing.stage.lock().wal.buffer_bytes()),
            mapped_files: env::mapped_file_bytes(),
            file_buffers: env::file_buffer_bytes(),
            file_buffers_idle: env::kept_buffer_bytes(),
            flush_slices: compaction::gathered_bytes(),
            compression_contexts: context_memory_bytes(),
            statistics: db.context.statistics.as_ref().map_or(0, |s| s.memory_bytes()),
            block_memory_idle: idle_block_memory_bytes(),
            allocator_idle: env::allocator_idle_bytes().unwrap_or(0),
            huge_pages: env::huge_pages::joined_bytes(),
        }
    }

    /// The parts, then what is pinned of caches and what is in huge pages, which is part of these.
    fn rows(&self) -> [(&'static str, usize); 18] {
        [
            ("memtables", self.memtables),
            ("block-cache", self.block_cache),
            ("blob-cache", self.blob_cache),
            ("table-readers", self.table_readers),
            ("blob-readers", self.blob_readers),
            ("table-metadata", self.table_metadata),
            ("wal-buffers", self.wal_buffers),
            ("mapped-files", self.mapped_files),
            ("file-buffers", self.file_buffers),
            ("file-buffers-idle", self.file_buffers_idle),
            ("flush-slices", self.flush_slices),
            ("compression-contexts", self.compression_contexts),
            ("statistics", self.statistics),
            ("block-memory-idle", self.block_memory_idle),
            ("allocator-idle", self.allocator_idle),
            ("block-cache-pinned", self.block_cache_pinned),
            ("blob-cache-pinned", self.blob_cache_pinned),
            ("huge-pages", self.huge_pages),
        ]
    }

    /// The sum of all parts.
    pub(crate) fn total(&self) -> usize {
        let (rows, twice) =
            (self.rows(), [self.block_cache_pinned, self.blob_cache_pinned, self.huge_pages]);
        rows.iter().map(|(_, bytes)| bytes).sum::<usize>() - twice.iter().sum::<usize>()
    }

    /// As a map.
    pub(crate) fn to_map(self) -> BTreeMap<String, String> {
        let rows = self.rows().into_iter().chain([("total", self.total())]);
        rows.map(|(name, bytes)| (name.to_owned(), bytes.to_string())).collect()
    }

    /// As text.
    pub(crate) fn to_text(self) -> String {
        let mut text = String::new();
        for (name, bytes) in self.rows().into_iter().chain([("total", self.total())]) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<22}{bytes:>14}  {}", bytes_to_human(bytes as u64));
        }
        text
    }
}

#[cfg(test)]
mod tests;
