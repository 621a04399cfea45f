//! What is in the directories of a database when it is opened.
//!
//! They are listed once, by who holds the lock: from then on nobody else adds files. Listing ten
//! thousand tables takes as long as reading a MANIFEST that has them.

use base::Result;
use base::filename::{FileType, parse_file_name};
use env::FileSystem;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file with a name of RocksDB's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundFile {
    pub(crate) name: String,
    /// 0 where the name has none.
    pub(crate) number: u64,
    pub(crate) kind: FileType,
}

/// The files of a database, by directory.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles(BTreeMap<PathBuf, Vec<FoundFile>>);

impl FoundFiles {
    /// Lists directories.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn list(fs: &dyn FileSystem, directories: BTreeSet<PathBuf>) -> Result<Self> {
        let listed = directories.into_iter().map(|directory| {
            let names = fs.get_children(&directory)?.into_iter();
            let files = names.filter_map(|name| {
                let (number, kind) = parse_file_name(&name)?;
                Some(FoundFile { name, number, kind })
            });
            Ok((directory, files.collect()))
        });
        listed.collect::<Result<_>>().map(Self)
    }

    /// Those in a directory, in no order; none if it was not listed.
    pub(crate) fn within(&self, directory: &Path) -> &[FoundFile] {
        self.0.get(directory).map_or(&[], Vec::as_slice)
    }

    /// The numbers of those in a directory that are of this kind, ascending.
    pub(crate) fn numbers(&self, directory: &Path, kind: FileType) -> Vec<u64> {
        let of_kind = self.within(directory).iter().filter(|file| file.kind == kind);
        let mut numbers: Vec<u64> = of_kind.map(|file| file.number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// All with their directories.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Path, &FoundFile)> {
        self.0
            .iter()
            .flat_map(|(directory, files)| files.iter().map(|file| (directory.as_path(), file)))
    }
}

#[cfg(test)]
mod tests;
