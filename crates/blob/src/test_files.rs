//! Blob files in memory, for this crate's tests.

use crate::blob_index::BlobReference;
use crate::blob_log_writer::BlobLogWriter;
use compression::{CompressionOptions, CompressionType};
use env::{FileOptions, FileSystem, MemFileSystem, RandomAccessFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const FILE_NUMBER: u64 = 10;
pub(crate) const COLUMN_FAMILY_ID: u32 = 3;

/// The path of a blob file.
pub(crate) fn path(file_number: u64) -> PathBuf {
    base::filename::blob_file_name(Path::new("/db"), file_number)
}

/// A file system with an empty directory `/db`.
pub(crate) fn file_system() -> Arc<MemFileSystem> {
    let file_system = MemFileSystem::new();
    file_system.create_dir(Path::new("/db")).unwrap();
    Arc::new(file_system)
}

/// Writes a blob file and returns where each value is.
pub(crate) fn write_blobs(
    file_system: &MemFileSystem,
    file_number: u64,
    compression: CompressionType,
    blobs: &[(&[u8], &[u8])],
) -> Vec<BlobReference> {
    let file = file_system.new_writable_file(&path(file_number), &FileOptions::default()).unwrap();
    let options = CompressionOptions::default();
    let mut writer =
        BlobLogWriter::new(file, file_number, COLUMN_FAMILY_ID, compression, options).unwrap();
    let references =
        blobs.iter().map(|(key, value)| writer.add_record(key, value).unwrap()).collect();
    writer.finish().unwrap();
    references
}

/// The bytes of a file.
pub(crate) fn read_file(file_system: &MemFileSystem, path: &Path) -> Vec<u8> {
    env::read_file_to_vec(file_system, path, u64::MAX).unwrap()
}

/// `bytes` as an open blob file of number [`FILE_NUMBER`].
pub(crate) fn open_bytes(bytes: &[u8]) -> Arc<dyn RandomAccessFile> {
    let file_system = file_system();
    let path = path(FILE_NUMBER);
    let mut file = file_system.new_writable_file(&path, &FileOptions::default()).unwrap();
    file.append(bytes).unwrap();
    file.close().unwrap();
    file_system.new_random_access_file(&path, &FileOptions::default()).unwrap()
}

/// Compression types that this build can write.
pub(crate) const COMPRESSIONS: [CompressionType; 7] = [
    CompressionType::None,
    CompressionType::Snappy,
    CompressionType::Zlib,
    CompressionType::Bzip2,
    CompressionType::Lz4,
    CompressionType::Lz4hc,
    CompressionType::Zstd,
];
