//! The LOG of a database that another process is writing, followed for the statistics that are dumped
//! into it.

use crate::dump::{Dump, DumpParser};
use base::Result;
use base::filename::{info_log_file_name, parse_old_info_log_file_name};
use env::{FileOptions, FileSystem, RandomAccessFile};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many bytes at the end are searched first for dumps; then four times that, and so on.
const WINDOW_SIZE: u64 = 1 << 20;
/// So many bytes at the end are searched at most.
const WINDOW_SIZE_MAX: u64 = 64 << 20;
/// A dump, and the one before it to tell rates.
const WANTED_DUMPS: usize = 2;
/// A file begins with so many bytes that no other file begins with, as they tell when it was begun.
const START_SIZE: usize = 64;

/// Follows a LOG. Whatever cannot be read is not known: the primary may have no statistics, may not have
/// dumped them yet, or may have its LOG elsewhere.
pub(crate) struct PrimaryLog {
    fs: Arc<dyn FileSystem>,
    db_path: PathBuf,
    log_directory: Option<PathBuf>,
    /// What the file that is followed begins with.
    start: Vec<u8>,
    /// So far it was read.
    offset: u64,
    /// The beginning of a line that was not complete.
    rest: Vec<u8>,
    parser: DumpParser,
}

impl fmt::Debug for PrimaryLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrimaryLog").field("db_path", &self.db_path).finish_non_exhaustive()
    }
}

impl PrimaryLog {
    /// The LOG of the database at `db_path`; `db_log_dir` as the option of the primary, empty for the
    /// same directory.
    pub(crate) fn new(fs: Arc<dyn FileSystem>, db_path: &Path, db_log_dir: &str) -> Self {
        Self {
            fs,
            db_path: db_path.to_owned(),
            log_directory: Some(PathBuf::from(db_log_dir)).filter(|_| !db_log_dir.is_empty()),
            start: Vec::new(),
            offset: 0,
            rest: Vec::new(),
            parser: DumpParser::default(),
        }
    }

    /// Reads what was written since.
    pub(crate) fn refresh(&mut self) {
        // What cannot be read now may be there the next time.
        let _ = self.try_refresh();
    }

    /// The newest dump.
    pub(crate) fn newest(&self) -> Option<&Dump> {
        self.parser.newest()
    }

    /// The dump before that, if it is known.
    pub(crate) fn before_newest(&self) -> Option<&Dump> {
        self.parser.before_newest()
    }

    /// The last line that tells of writes held back.
    pub(crate) fn last_stall(&self) -> Option<&str> {
        self.parser.last_stall()
    }

    fn try_refresh(&mut self) -> Result<()> {
        let path = info_log_file_name(&self.db_path, self.log_directory.as_deref());
        let file = self.fs.new_random_access_file(&path, &FileOptions::DEFAULT)?;
        let start = read_range(&*file, 0, START_SIZE as u64)?;
        let size = file.size()?;
        let is_first = self.start.is_empty();
        if is_first || size < self.offset || !start.starts_with(&self.start) {
            self.rest.clear();
            self.offset = if is_first { self.first_offset(&*file, size)? } else { 0 };
        }
        self.start = start;
        self.read_on(&*file, size)
    }

    /// From where on the newest dumps are in the file. If there are not enough of them, what the file
    /// before it has was read.
    fn first_offset(&mut self, file: &dyn RandomAccessFile, size: u64) -> Result<u64> {
        let (offset, found) = last_dumps(file, size)?;
        if offset == 0
            && found < WANTED_DUMPS
            && let Some(old) = self.newest_old_log()?
        {
            let file = self.fs.new_random_access_file(&old, &FileOptions::DEFAULT)?;
            let size = file.size()?;
            self.offset = last_dumps(&*file, size)?.0;
            self.read_on(&*file, size)?;
            self.rest.clear();
        }
        Ok(offset)
    }

    fn newest_old_log(&self) -> Result<Option<PathBuf>> {
        let log_directory = self.log_directory.as_deref();
        let directory = log_directory.unwrap_or(&self.db_path);
        let names = self.fs.get_children(directory)?;
        let time = |name: &String| parse_old_info_log_file_name(name, &self.db_path, log_directory);
        let newest =
            names.iter().filter_map(|name| Some((time(name)?, name))).max_by_key(|(time, _)| *time);
        Ok(newest.map(|(_, name)| directory.join(name)))
    }

    /// Takes the lines that are complete.
    fn read_on(&mut self, file: &dyn RandomAccessFile, size: u64) -> Result<()> {
        while self.offset < size {
            let bytes = read_range(file, self.offset, (size - self.offset).min(WINDOW_SIZE))?;
            if bytes.is_empty() {
                break;
            }
            self.offset += bytes.len() as u64;
            self.rest.extend_from_slice(&bytes);
            let complete =
                self.rest.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            for line in String::from_utf8_lossy(&self.rest[..complete]).lines() {
                self.parser.line(line);
            }
            self.rest.drain(..complete);
        }
        Ok(())
    }
}

/// Where to begin to read so that the newest dumps are read, and how many of them are there.
fn last_dumps(file: &dyn RandomAccessFile, size: u64) -> Result<(u64, usize)> {
    let mut window = WINDOW_SIZE;
    loop {
        let from = size.saturating_sub(window);
        let found = dumps_in(&read_range(file, from, size - from)?);
        // One more than are wanted: the newest may not be complete yet.
        if let Some(first) = found.len().checked_sub(WANTED_DUMPS + 1) {
            return Ok((from + found[first] as u64, found.len()));
        }
        if from == 0 || window >= WINDOW_SIZE_MAX {
            return Ok((from, found.len()));
        }
        window *= 4;
    }
}

/// Where the lines are that begin a dump.
fn dumps_in(bytes: &[u8]) -> Vec<usize> {
    const TITLE: &[u8] = b"DUMPING STATS";
    /// A time, a thread and a place stand before it.
    const LINE_SIZE_MAX: usize = 200;
    let mut found = Vec::new();
    let mut position = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.len() <= LINE_SIZE_MAX && line.windows(TITLE.len()).any(|part| part == TITLE) {
            found.push(position);
        }
        position += line.len();
    }
    found
}

fn read_range(file: &dyn RandomAccessFile, offset: u64, count: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(count).unwrap_or(usize::MAX)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(offset + filled as u64, &mut bytes[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests;
