//! Which blocks are in the block caches of a database, kept for when it is opened again, so that it
//! need not get warm by being slow.
//!
//! A dump names blocks, it does not hold them: they are in the tables, which do not change. So it is
//! small, and cannot be out of date but for tables that are gone, which are passed over. RocksDB's
//! dumps (`rocksdb::CacheDumper`) hold the blocks themselves, and go into a secondary cache.
//!
//! ```text
//! magic: "tschdump"
//! file*: varint64 number, which is not 0
//!        varint64 size in bytes
//!        unique id by the MANIFEST, 16 bytes, zeros where it has none
//!        varint64 count of blocks
//!        varint64 * count: offset of a block less that of the one before it
//! varint64 0
//! fixed32 CRC-32C of all before
//! ```

use crate::column_family::ColumnFamilyData;
use crate::db::Db;
use base::coding::{get_bytes, get_fixed32, get_varint64, put_fixed32, put_varint64};
use base::{Result, Status, crc32c};
use env::{read_file_to_vec, write_file_atomically};
use std::collections::HashMap;
use std::path::Path;
use table::LoadedBlocks;

const MAGIC: &[u8] = b"tschdump";

/// Larger files are none of ours: blocks of a terabyte take about half a GiB.
const DUMP_BYTES_MAX: u64 = 4 << 30;

/// A dump may name this many blocks of a file at most; it keeps damage from asking for memory.
const BLOCKS_MAX: u64 = 1 << 32;

/// What a block may take of a cache, about, so that one more can be told to fit.
const ROOM_FOR_A_BLOCK_BYTES: usize = 64 << 10;

/// What [`Db::dump_block_cache`] wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheDumpInfo {
    /// Tables of which a block is in a cache.
    pub files: u64,
    /// Blocks.
    pub blocks: u64,
}

/// What [`Db::load_block_cache`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheLoadInfo {
    /// Blocks that were read.
    pub blocks: u64,
    /// As they are in files, in bytes.
    pub bytes: u64,
    /// Tables of the dump that are gone or others.
    pub files_gone: u64,
    /// Whether a cache was full before all was read.
    pub is_full: bool,
}

/// Blocks of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DumpedFile {
    number: u64,
    size: u64,
    unique_id: [u8; 16],
    /// Ascending.
    offsets: Vec<u64>,
}

impl Db {
    /// Writes to `path` which data blocks of tables are in the block caches. A file that is there is
    /// replaced. What is read meanwhile may be in it or not.
    ///
    /// # Errors
    /// `IoError` that names the file; what opening tables gives.
    pub fn dump_block_cache(&self, path: &Path) -> Result<CacheDumpInfo> {
        let (mut files, mut info) = (Vec::new(), CacheDumpInfo::default());
        for family in self.column_families() {
            files.extend(dumped_files(&family.0)?);
        }
        for file in &files {
            info.files += 1;
            info.blocks += file.offsets.len() as u64;
        }
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".dbtmp");
        let fs = &*self.inner.context.file_system;
        write_file_atomically(fs, path, Path::new(&temporary), &encode(&files))?;
        Ok(info)
    }

    /// Reads the data blocks into the block caches that [`Self::dump_block_cache`] found there, and indexes
    /// and filters of their tables, until a cache is full. To be called after the database was opened; it may be used meanwhile.
    ///
    /// # Errors
    /// `IoError` or `Corruption` that names the file; `Corruption` or `IoError` of a table.
    pub fn load_block_cache(&self, path: &Path) -> Result<CacheLoadInfo> {
        let fs = &*self.inner.context.file_system;
        let bytes = read_file_to_vec(fs, path, DUMP_BYTES_MAX)?;
        let dumped = decode(&bytes)
            .map_err(|(offset, what)| Status::corruption_at(path, offset as u64, what))?;
        let mut dumped: HashMap<u64, DumpedFile> =
            dumped.into_iter().map(|file| (file.number, file)).collect();
        let mut info = CacheLoadInfo::default();
        for family in self.column_families() {
            load_family(&family.0, &mut dumped, &mut info)?;
        }
        info.files_gone += dumped.len() as u64;
        Ok(info)
    }
}

fn dumped_files(family: &ColumnFamilyData) -> Result<Vec<DumpedFile>> {
    if family.tables.options.load().block_cache.is_none() {
        return Ok(Vec::new());
    }
    let version = family.super_version.load().version.clone();
    let mut dumped = Vec::new();
    for (_, file) in version.files() {
        // Of a table that is not open nothing was read.
        let Some(table) = family.tables.cache.get(file.number) else { continue };
        let offsets = table.cached_block_offsets()?;
        if !offsets.is_empty() {
            let unique_id = file.unique_id.unwrap_or_default();
            let (number, size) = (file.number, file.file_size);
            dumped.push(DumpedFile { number, size, unique_id, offsets });
        }
    }
    Ok(dumped)
}

/// Loads what `dumped` has of the family's tables, and takes it out.
fn load_family(
    family: &ColumnFamilyData,
    dumped: &mut HashMap<u64, DumpedFile>,
    info: &mut CacheLoadInfo,
) -> Result<()> {
    let Some(cache) = family.tables.options.load().block_cache.clone() else { return Ok(()) };
    let version = family.super_version.load().version.clone();
    for (level, file) in version.files() {
        let Some(found) = dumped.remove(&file.number) else { continue };
        let unique_id = file.unique_id.unwrap_or_default();
        if (found.size, found.unique_id) != (file.file_size, unique_id) {
            info.files_gone += 1;
            continue;
        }
        let mut has_room = || {
            let fits = cache.usage_bytes() + ROOM_FOR_A_BLOCK_BYTES <= cache.capacity_bytes();
            info.is_full |= !fits;
            fits
        };
        let table = family.tables.open(file, level)?;
        if has_room() {
            // Without its filter a table would be asked for blocks that nobody has read.
            table.load_metadata()?;
        }
        let LoadedBlocks { count, bytes } = table.load_blocks(&found.offsets, &mut has_room)?;
        info.blocks += count;
        info.bytes += bytes;
    }
    Ok(())
}

fn encode(files: &[DumpedFile]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for file in files {
        put_varint64(&mut bytes, file.number);
        put_varint64(&mut bytes, file.size);
        bytes.extend_from_slice(&file.unique_id);
        put_varint64(&mut bytes, file.offsets.len() as u64);
        let mut last = 0;
        for offset in &file.offsets {
            put_varint64(&mut bytes, offset - last);
            last = *offset;
        }
    }
    put_varint64(&mut bytes, 0);
    let crc = crc32c::value(&bytes);
    put_fixed32(&mut bytes, crc);
    bytes
}

/// The files of a dump; or at which offset what was expected.
fn decode(bytes: &[u8]) -> std::result::Result<Vec<DumpedFile>, (usize, String)> {
    let (body, mut crc) = bytes.split_at(bytes.len().saturating_sub(size_of::<u32>()));
    let found = crc32c::value(body);
    if get_fixed32(&mut crc) != Some(found) {
        let what = format!("not a dump of a block cache: expected the checksum {found:#010x}");
        return Err((body.len(), what));
    }
    let mut rest = body;
    if get_bytes(&mut rest, MAGIC.len()) != Some(MAGIC) {
        return Err((0, format!("expected \"{}\"", MAGIC.escape_ascii())));
    }
    let mut files = Vec::new();
    loop {
        let offset = body.len() - rest.len();
        match get_file(&mut rest) {
            Some(file) if file.number == 0 && rest.is_empty() => return Ok(files),
            Some(file) if file.number != 0 => files.push(file),
            _ => return Err((offset, "expected a file, or the end".to_owned())),
        }
    }
}

/// A file; the end is one of number 0.
fn get_file(input: &mut &[u8]) -> Option<DumpedFile> {
    let number = get_varint64(input)?;
    if number == 0 {
        return Some(DumpedFile::default());
    }
    let size = get_varint64(input)?;
    let unique_id = get_bytes(input, 16)?.try_into().ok()?;
    let count = get_varint64(input).filter(|count| *count <= BLOCKS_MAX)?;
    let (mut offsets, mut last) = (Vec::new(), 0_u64);
    for _ in 0..count {
        last = last.checked_add(get_varint64(input)?)?;
        offsets.push(last);
    }
    Some(DumpedFile { number, size, unique_id, offsets })
}

#[cfg(test)]
mod tests;
