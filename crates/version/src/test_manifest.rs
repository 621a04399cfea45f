//! A MANIFEST in memory, for this crate's tests.

use crate::version_edit::VersionEdit;
use env::{FileOptions, FileSystem, MemFileSystem, read_file_to_vec};
use std::path::{Path, PathBuf};
use testing::hexes::unhex;
use wal::LogWriter;

/// The edit that hexadecimal digits encode.
pub(crate) fn edit(digits: &str) -> VersionEdit {
    VersionEdit::decode(&unhex(digits)).unwrap()
}

/// The directory `/db` with `MANIFEST-000005`.
#[derive(Debug)]
pub(crate) struct Manifest {
    fs: MemFileSystem,
}

impl Manifest {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        let fs = MemFileSystem::new();
        env::create_dir_all(&fs, Path::new("/db")).unwrap();
        Self { fs }
    }

    /// A directory with CURRENT and a MANIFEST of these edits.
    pub(crate) fn with(edits: &[VersionEdit]) -> Self {
        let manifest = Self::new();
        manifest.write_file("CURRENT", b"MANIFEST-000005\n");
        manifest.write(edits);
        manifest
    }

    pub(crate) fn fs(&self) -> &dyn FileSystem {
        &self.fs
    }

    pub(crate) fn db_path(&self) -> &Path {
        Path::new("/db")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.db_path().join("MANIFEST-000005")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        read_file_to_vec(&self.fs, &self.path(), u64::MAX).unwrap()
    }

    pub(crate) fn write_file(&self, name: &str, bytes: &[u8]) {
        let path = self.db_path().join(name);
        let mut file = self.fs.new_writable_file(&path, &FileOptions::default()).unwrap();
        file.append(bytes).unwrap();
        file.close().unwrap();
    }

    pub(crate) fn write_bytes(&self, bytes: &[u8]) {
        self.write_file("MANIFEST-000005", bytes);
    }

    pub(crate) fn append_bytes(&self, bytes: &[u8]) {
        let mut all = self.bytes();
        all.extend_from_slice(bytes);
        // In place: whoever has the file open sees it grow.
        let options = FileOptions::default();
        let mut file = self.fs.reopen_writable_file(&self.path(), &options).unwrap();
        file.append(bytes).unwrap();
        file.close().unwrap();
    }

    pub(crate) fn write_payloads(&self, payloads: &[&[u8]]) {
        let file = self.fs.new_writable_file(&self.path(), &FileOptions::default()).unwrap();
        let mut log = LogWriter::new(file);
        for payload in payloads {
            log.add_record(payload).unwrap();
        }
        log.close().unwrap();
    }

    pub(crate) fn write(&self, edits: &[VersionEdit]) {
        let payloads: Vec<_> = edits.iter().map(VersionEdit::encode).collect();
        self.write_payloads(&payloads.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}
