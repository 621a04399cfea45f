//! What the tables of a directory say of themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use table::{TableProperties, TableTail};

use base::filename::{FileType, parse_file_name};
use env::{FileOptions, FileSystem, PosixFileSystem};

/// The properties of all tables, by number.
pub(crate) fn properties(directory: &Path) -> BTreeMap<u64, TableProperties> {
    let fs = PosixFileSystem;
    let names = fs.get_children(directory).unwrap();
    let tables = names.iter().filter_map(|name| match parse_file_name(name) {
        Some((number, FileType::Table)) => Some((number, directory.join(name))),
        _ => None,
    });
    let read = |(number, path): (u64, PathBuf)| {
        let file = fs.new_random_access_file(&path, &FileOptions::default()).unwrap();
        let tail = TableTail::read(&*file, file.size().unwrap()).unwrap();
        (number, tail.properties.unwrap())
    };
    tables.map(read).collect()
}
