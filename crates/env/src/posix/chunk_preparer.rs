//! The thread that prepares windows on files before their writers need them, so that those neither
//! allocate nor fault in pages themselves. One for all files of the process.

use super::mapping::Window;
use rustix::process::{getpriority_process, setpriority_process};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

enum Job {
    Prepare {
        file: Arc<File>,
        range: Range<u64>,
        piece_size: usize,
        reply: SyncSender<io::Result<Window>>,
    },
    /// Unmapping takes a while too.
    Drop(Window),
}

/// A window that is being prepared.
#[derive(Debug)]
pub(super) struct Pending(Receiver<io::Result<Window>>);

impl Pending {
    /// Waits for it; none if nobody prepares it.
    pub(super) fn wait(self) -> Option<io::Result<Window>> {
        self.0.recv().ok()
    }
}

/// Has the thread prepare `range` of `file` ([`Window::prepare`]).
pub(super) fn prepare(file: &Arc<File>, range: Range<u64>, piece_size: usize) -> Pending {
    let (reply, receiver) = sync_channel(1);
    submit(Job::Prepare { file: file.clone(), range, piece_size, reply });
    Pending(receiver)
}

/// Has the thread unmap a window that is done with.
pub(super) fn drop_window(window: Window) {
    submit(Job::Drop(window));
}

/// What cannot be handed over is dropped, which whoever waits notices.
fn submit(job: Job) {
    static QUEUE: OnceLock<Option<Mutex<Sender<Job>>>> = OnceLock::new();
    let start = || {
        let (sender, jobs) = channel();
        let thread = thread::Builder::new().name("ts-wal-prepare".to_owned());
        thread.spawn(move || work(&jobs)).ok().map(|_| Mutex::new(sender))
    };
    if let Some(queue) = QUEUE.get_or_init(start)
        && let Ok(queue) = queue.lock()
    {
        let _ = queue.send(job);
    }
}

/// So much nicer to others the thread is than who starts it. Where readers and writers keep all processors
/// busy, writers wait a little for what is done for them, which otherwise readers pay.
const ADDED_NICENESS: i32 = 5;

fn work(jobs: &Receiver<Job>) {
    // It may be refused, and is nothing that work depends on.
    let _ =
        getpriority_process(None).and_then(|own| setpriority_process(None, own + ADDED_NICENESS));
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Prepare { file, range, piece_size, reply } => {
                // Nobody waits any more for that of a file that was closed.
                let _ = reply.send(Window::prepare(&file, &range, piece_size));
            }
            Job::Drop(window) => drop(window),
        }
    }
}

#[cfg(test)]
mod tests;
