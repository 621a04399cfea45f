//! Whether what a job writes goes to the block cache at once (`keep_blocks_warm`).
//!
//! Blocks of files that are gone are read no more, and those that take their place would each be read
//! from its file by whoever wants it first. Where readers had much of what is replaced in the cache,
//! they find the new blocks there. Where nobody reads, nothing is put there.

use crate::column_family::ColumnFamilyData;
use cache::Cache;
use compaction::Compaction;
use table::BlocksInCache;

/// New blocks are kept warm where one block of so many that they replace was read from the cache.
const SHARE_READ: usize = 4;

/// Fewer than these in the cache are not worth it.
const BLOCKS_READ_MIN: usize = 64;

/// So many files tell of all of a flush's level.
const FILES_ASKED: usize = 16;

/// Blocks of files in the cache, and bytes of these files.
#[derive(Debug, Default)]
struct Warmth {
    blocks: BlocksInCache,
    bytes: u64,
}

impl Warmth {
    /// Of files whose tables are open.
    fn of(family: &ColumnFamilyData, files: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut warmth = Self::default();
        for (number, bytes) in files {
            let Some(table) = family.tables.cache.get(number) else { continue };
            let BlocksInCache { read, total } = table.blocks_in_cache();
            warmth.blocks.read += read;
            warmth.blocks.total += total;
            warmth.bytes += bytes;
        }
        warmth
    }

    fn is_enough(&self) -> bool {
        let BlocksInCache { read, total } = self.blocks;
        read >= BLOCKS_READ_MIN && read.saturating_mul(SHARE_READ) >= total
    }

    /// Bytes that were read from the cache, which have no readers once the files are gone.
    fn bytes_in_cache(&self) -> u64 {
        let BlocksInCache { read, total } = self.blocks;
        self.bytes / total.max(1) as u64 * read as u64
    }
}

fn free_bytes(cache: &dyn Cache) -> u64 {
    cache.capacity_bytes().saturating_sub(cache.usage_bytes()) as u64
}

/// Whether the outputs of a compaction are kept warm: its inputs were, and nothing else has to leave
/// for them.
pub(crate) fn is_kept_warm(
    family: &ColumnFamilyData,
    compaction: &Compaction,
    cache: &dyn Cache,
) -> bool {
    let files = compaction.input_files().map(|(_, file)| (file.number, file.file_size));
    let warmth = Warmth::of(family, files);
    warmth.is_enough()
        && compaction.total_input_size() <= free_bytes(cache) + warmth.bytes_in_cache()
}

/// Whether the table that a flush makes of so many bytes is: those of level 0 before it were, or of
/// the first level with files if it has none, and there is room.
pub(crate) fn is_flush_kept_warm(family: &ColumnFamilyData, bytes: u64, cache: &dyn Cache) -> bool {
    let super_version = family.super_version.load();
    let version = &super_version.version;
    let mut levels = (0..version.num_levels()).map(|level| version.level_files(level));
    let Some(files) = levels.find(|files| !files.is_empty()) else { return false };
    let files = files.iter().take(FILES_ASKED).map(|file| (file.number, file.file_size));
    bytes <= free_bytes(cache) && Warmth::of(family, files).is_enough()
}
