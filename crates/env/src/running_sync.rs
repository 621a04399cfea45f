//! A file that is complete: synced and closed, beside what else there is to do.

use crate::clock::thread_cpu_micros;
use crate::file_system::WritableFile;
use base::{Result, Status};
use parking_lot::Mutex;
use perf_context::{IoStatsContext, WorkForAnother, add_io_stats};
use statistics::Activity;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Syncs `file`, with all metadata if `use_fsync`, and closes it.
///
/// # Errors
/// What the file gives.
pub fn sync_and_close(mut file: Box<dyn WritableFile>, use_fsync: bool) -> Result<()> {
    match use_fsync {
        true => file.fsync(),
        false => file.sync(),
    }?;
    file.close()
}

/// A sync that has been begun, in a thread of its own where there is something to wait for.
///
/// The thread counts as the one that began it: the same activity, and what it reads and writes is
/// added to that one's I/O statistics when that one waits. Dropped, it is waited for too, and what it
/// gives is lost.
#[derive(Debug)]
pub struct RunningSync(State);

#[derive(Debug)]
enum State {
    Running(JoinHandle<Ended>),
    Ended(Result<()>),
}

#[derive(Debug)]
struct Ended {
    result: Result<()>,
    io: IoStatsContext,
    cpu_micros: u64,
}

fn sync_what_is_left(left: &Mutex<Option<Box<dyn WritableFile>>>, use_fsync: bool) -> Result<()> {
    let file = left.lock().take();
    let file = file.ok_or_else(|| Status::aborted("a file to be synced was closed"))?;
    sync_and_close(file, use_fsync)
}

impl RunningSync {
    /// Begins to sync and close, as [`sync_and_close`] does. Where the file's syncs take no time, or
    /// the system has no thread to give, it is done when this returns.
    pub fn begin(file: Box<dyn WritableFile>, use_fsync: bool) -> Self {
        if !file.sync_takes_time() {
            return Self(State::Ended(sync_and_close(file, use_fsync)));
        }
        // A thread that does not begin leaves the file to this one.
        let left = Arc::new(Mutex::new(Some(file)));
        let file = Arc::clone(&left);
        let (activity, measured) = (Activity::current(), WorkForAnother::new());
        let sync = move || {
            let _activity = activity.begin();
            let (result, io) = measured.run(|| sync_what_is_left(&file, use_fsync));
            Ended { result, io, cpu_micros: thread_cpu_micros() }
        };
        match Builder::new().name("tstone:sync".to_owned()).spawn(sync) {
            Ok(thread) => Self(State::Running(thread)),
            Err(_) => Self(State::Ended(sync_what_is_left(&left, use_fsync))),
        }
    }

    /// Waits until it has ended. Returns what it gave, and the processor time that it took of another
    /// thread, in microseconds. A panic of it goes on here.
    pub fn wait(mut self) -> (Result<()>, u64) {
        let state = std::mem::replace(&mut self.0, State::Ended(Ok(())));
        match state {
            State::Ended(result) => (result, 0),
            State::Running(thread) => {
                let ended = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                add_io_stats(&ended.io);
                (ended.result, ended.cpu_micros)
            }
        }
    }
}

impl Drop for RunningSync {
    fn drop(&mut self) {
        if let State::Running(thread) = std::mem::replace(&mut self.0, State::Ended(Ok(()))) {
            // Nobody is left to hear of an error; `wait` is the way to learn of it.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
