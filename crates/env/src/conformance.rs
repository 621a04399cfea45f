//! What every [`FileSystem`] must do, as tests that run over any of them.
//!
//! A file system's own tests call [`run`] with an instance of it, a directory that exists and the
//! way its files are to be opened. A broken promise is a panic that names the case.

// Only tests use this module; a failed expectation is its report.
#![allow(clippy::unwrap_used)]

mod directories;
mod files;
mod locks;
mod mapped;
mod names;
mod writing;

use crate::file_system::{FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile};
use base::Status;
use base::status::{Code, SubCode};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One file system under test, with a directory of its own for each case.
struct Subject<'a> {
    fs: &'a dyn FileSystem,
    root: PathBuf,
    options: FileOptions,
}

type Case = (&'static str, fn(&Subject<'_>));

/// Runs every case below `root`, an existing directory, opening files with `options`.
///
/// # Panics
///
/// If the file system breaks a promise.
pub fn run(fs: &dyn FileSystem, root: &Path, options: &FileOptions) {
    for (name, case) in all_cases() {
        let subject = Subject { fs, root: root.join(name), options: *options };
        fs.create_dir(&subject.root).unwrap();
        // Shown only if the case fails.
        println!("conformance: {name}");
        case(&subject);
    }
}

fn all_cases() -> Vec<Case> {
    let of_contents = [files::CASES, writing::CASES, mapped::CASES].concat();
    [&of_contents, names::CASES, directories::CASES, locks::CASES].concat()
}

impl Subject<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn writer(&self, name: &str) -> Box<dyn WritableFile> {
        self.fs.new_writable_file(&self.path(name), &self.options).unwrap()
    }

    fn reopen(&self, name: &str) -> Box<dyn WritableFile> {
        self.fs.reopen_writable_file(&self.path(name), &self.options).unwrap()
    }

    fn write(&self, name: &str, content: &[u8]) {
        let mut file = self.writer(name);
        file.append(content).unwrap();
        file.close().unwrap();
    }

    fn reader(&self, name: &str) -> Arc<dyn RandomAccessFile> {
        self.fs.new_random_access_file(&self.path(name), &self.options).unwrap()
    }

    fn sequential(&self, name: &str) -> Box<dyn SequentialFile> {
        self.fs.new_sequential_file(&self.path(name), &self.options).unwrap()
    }

    /// Reads the whole file both ways and compares the two.
    fn read(&self, name: &str) -> Vec<u8> {
        let reader = self.reader(name);
        let size = reader.size().unwrap();
        assert_eq!(self.fs.get_file_size(&self.path(name)).unwrap(), size);
        let mut content = vec![0; size as usize];
        assert_eq!(reader.read_at(0, &mut content).unwrap(), content.len());
        let mut sequential = self.sequential(name);
        let mut again = vec![0; content.len() + 1];
        assert_eq!(sequential.read(&mut again).unwrap(), content.len());
        assert!(again[..content.len()] == content, "sequential and random reads differ");
        content
    }

    fn exists(&self, name: &str) -> bool {
        self.fs.file_exists(&self.path(name)).unwrap()
    }

    fn children(&self, name: &str) -> Vec<String> {
        let mut names = self.fs.get_children(&self.path(name)).unwrap();
        names.sort();
        names
    }
}

/// Bytes that differ from page to page.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 31 + i / 4096 * 7) as u8).collect()
}

#[track_caller]
fn expect_io_error<T>(result: base::Result<T>, path: &Path) -> Status {
    let status = result.err().expect("an error");
    assert_eq!(status.code(), Code::IoError, "{status}");
    let path = path.to_str().unwrap();
    assert!(status.message().contains(path), "{status}: must name {path}");
    status
}

#[track_caller]
fn expect_not_found<T>(result: base::Result<T>, path: &Path) {
    let status = expect_io_error(result, path);
    assert_eq!(status.subcode(), SubCode::PathNotFound, "{status}");
}

/// An error that is not about something missing.
#[track_caller]
fn expect_refused<T>(result: base::Result<T>, path: &Path) {
    let status = expect_io_error(result, path);
    assert_eq!(status.subcode(), SubCode::None, "{status}");
}

#[cfg(test)]
mod tests;
