//! The most that the files of a run take of their disk, which is looked at again and again.
//!
//! A compaction has its inputs and its outputs at once, so that a database takes more while it works
//! than before and after.

use env::thread_cpu_micros;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How long to wait until it is looked at again. A directory of a hundred files takes a tenth of a
/// millisecond.
const INTERVAL: Duration = Duration::from_millis(50);

/// Looking may take one part in so many of a processor, however many files there are: those of 10,000
/// tables take ten milliseconds.
const SHARE: u32 = 100;

/// What [`MetadataExt::blocks`] counts in.
const BLOCK_SIZE: u64 = 512;

/// Watches directories from a thread of its own.
#[derive(Debug)]
pub(crate) struct PeakSpace {
    /// Ends the thread when it is dropped.
    until: Sender<()>,
    watcher: Option<JoinHandle<u64>>,
    directories: Vec<PathBuf>,
}

impl PeakSpace {
    /// Begins to watch. Where there is no thread to have, [`Self::finish`] looks alone.
    pub(crate) fn watch(directories: Vec<PathBuf>) -> Self {
        let (until, ended) = channel();
        let watched = directories.clone();
        let watcher = Builder::new()
            .name("peak-space".to_owned())
            .spawn(move || most_until(&watched, &ended))
            .ok();
        Self { until, watcher, directories }
    }

    /// The most bytes of the disk that the files took, as they are now included.
    pub(crate) fn finish(self) -> u64 {
        drop(self.until);
        let most = self.watcher.and_then(|watcher| watcher.join().ok()).unwrap_or(0);
        most.max(taken(&self.directories))
    }
}

fn most_until(directories: &[PathBuf], ended: &Receiver<()>) -> u64 {
    let mut most = 0;
    loop {
        let before = thread_cpu_micros();
        most = most.max(taken(directories));
        let took = Duration::from_micros(thread_cpu_micros().saturating_sub(before));
        match ended.recv_timeout(INTERVAL.max(took * SHARE)) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return most,
        }
    }
}

fn taken(directories: &[PathBuf]) -> u64 {
    directories.iter().map(|directory| taken_below(directory).unwrap_or(0)).sum()
}

/// Bytes of the disk that the files below a directory take. What is not there any more when it is
/// looked at takes none.
fn taken_below(directory: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else { continue };
        bytes += match metadata.is_dir() {
            true => taken_below(&entry.path()).unwrap_or(0),
            false => metadata.blocks() * BLOCK_SIZE,
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
