//! The file of `--report_file`: how many operations ended in each interval.
//!
//! ```text
//! secs_elapsed,interval_qps
//! 1,183204
//! 2,190010
//! ```
//!
//! The second column is a count, not a rate, and what runs in the background counts too. Each timed
//! benchmark begins the file anew; there is no row for what is left when it ends.

use base::{Result, Status};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What a row has beside its two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallClockColumn {
    /// Nothing, as in RocksDB's tool.
    Absent,
    /// Seconds since 1970 (`--report_wallclock`), to be laid beside the times of a `LOG`.
    Present,
}

/// Writes rows until it is dropped.
#[derive(Debug)]
pub struct ReportFile {
    operations: Arc<AtomicU64>,
    stop: Option<mpsc::Sender<()>>,
    writer: Option<JoinHandle<()>>,
}

impl ReportFile {
    /// Makes the file and begins with its first interval.
    ///
    /// # Errors
    /// `IoError` if the file cannot be written.
    pub fn start(path: &Path, interval: Duration, column: WallClockColumn) -> Result<Self> {
        let failed = |error| Status::io_error(format!("--report_file={}: {error}", path.display()));
        let mut file = File::create(path).map_err(failed)?;
        writeln!(file, "{}", header(column)).map_err(failed)?;
        let operations = Arc::new(AtomicU64::new(0));
        let (stop, stopped) = mpsc::channel();
        let rows = Rows {
            file,
            path: path.to_owned(),
            operations: operations.clone(),
            operations_before: 0,
            started: Instant::now(),
            column,
        };
        let writer = thread::spawn(move || rows.write_all(interval, &stopped));
        Ok(Self { operations, stop: Some(stop), writer: Some(writer) })
    }

    /// Where threads count the operations that they have done.
    pub fn operations(&self) -> Arc<AtomicU64> {
        self.operations.clone()
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(writer) = self.writer.take() {
            // It has nothing to say, and told of errors itself.
            let _ = writer.join();
        }
    }
}

struct Rows {
    file: File,
    path: PathBuf,
    operations: Arc<AtomicU64>,
    operations_before: u64,
    started: Instant,
    column: WallClockColumn,
}

impl Rows {
    fn write_all(mut self, interval: Duration, stopped: &mpsc::Receiver<()>) {
        while stopped.recv_timeout(interval) == Err(mpsc::RecvTimeoutError::Timeout) {
            if let Err(error) = self.write_one() {
                let path = self.path.display();
                eprintln!("Can't write to report file {path} ({error}), stopping the reporting");
                return;
            }
        }
    }

    fn write_one(&mut self) -> io::Result<()> {
        // Relaxed: the count is all that is read.
        let operations = self.operations.load(Ordering::Relaxed);
        let count = operations - self.operations_before;
        self.operations_before = operations;
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        writeln!(self.file, "{}", row(self.started.elapsed(), count, self.column, since_1970))
    }
}

fn header(column: WallClockColumn) -> &'static str {
    match column {
        WallClockColumn::Absent => "secs_elapsed,interval_qps",
        WallClockColumn::Present => "secs_elapsed,interval_qps,unix_secs",
    }
}

fn row(elapsed: Duration, count: u64, column: WallClockColumn, since_1970: Duration) -> String {
    let seconds = (elapsed.as_micros() + 500_000) / 1_000_000;
    match column {
        WallClockColumn::Absent => format!("{seconds},{count}"),
        WallClockColumn::Present => format!("{seconds},{count},{}", since_1970.as_secs()),
    }
}

#[cfg(test)]
mod tests;
