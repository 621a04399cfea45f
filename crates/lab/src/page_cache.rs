//! What of a database is in the page cache when a benchmark begins.

use crate::plan::Cache;
use rustix::fs::Advice;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// What is said where there is no file yet.
pub const EMPTY: &str = "nothing, the database was new";

/// Brings the files below `directory` into the state that is wanted and says in a few words how.
///
/// Warm: they are read from front to back. Cold: they are written to the device if they were not yet,
/// and dropped with `posix_fadvise(DONTNEED)`, which needs no privileges and leaves other programs
/// alone. A file that somebody has mapped keeps its pages.
///
/// # Errors
/// A file cannot be read or dropped.
pub fn prepare(directory: &Path, cache: Cache) -> Result<&'static str, String> {
    for path in files_below(directory)? {
        let done = match cache {
            Cache::Warm => warm(&path),
            Cache::Cold => drop_pages(&path),
        };
        done.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(match cache {
        Cache::Warm => "warm, all files were read first",
        Cache::Cold => "cold, all files were dropped with posix_fadvise first",
    })
}

fn warm(path: &Path) -> io::Result<()> {
    let (mut file, mut buffer) = (File::open(path)?, vec![0; 1 << 20]);
    while file.read(&mut buffer)? > 0 {}
    Ok(())
}

fn drop_pages(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    // Pages that are not on the device yet would stay.
    file.sync_all()?;
    Ok(rustix::fs::fadvise(&file, 0, None, Advice::DontNeed)?)
}

/// All plain files below a directory, in order.
pub(crate) fn files_below(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |error: io::Error| format!("{}: {error}", directory.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(told)? {
        let entry = entry.map_err(told)?;
        let kind = entry.file_type().map_err(told)?;
        if kind.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Names of files that nothing changes once they are written, so that a link to one is a copy.
const WRITTEN_ONCE: &[&str] = &["blob", "sst"];

/// Copies a directory with all that is in it. Files that are written once are linked where the file system
/// can, so that the device has nothing to write meanwhile.
///
/// # Errors
/// Something cannot be read or written; the copy is then not complete.
pub(crate) fn copy_directory(from: &Path, to: &Path) -> Result<(), String> {
    // What is copied may be empty: not every engine keeps something.
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for file in files_below(from)? {
        let inside = file.strip_prefix(from).map_err(|error| error.to_string())?;
        let target = to.join(inside);
        let told = |error: io::Error| format!("copying {}: {error}", file.display());
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(told)?;
        }
        let is_written_once = file
            .extension()
            .is_some_and(|extension| WRITTEN_ONCE.iter().any(|known| extension == *known));
        if is_written_once && fs::hard_link(&file, &target).is_ok() {
            continue;
        }
        fs::copy(&file, &target).map_err(told)?;
    }
    Ok(())
}
