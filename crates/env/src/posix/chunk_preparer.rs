//! The thread that prepares windows on files before their writers need them, so that those neither
//! allocate nor fault in pages themselves. One for all files of the process.
//!
//! It works where a processor has nothing else to do. Where none has, an order waits until its writer needs
//! the window, takes the order back ([`Pending::wait`]), and does the work itself: neither do readers pay for
//! what is done for writers, nor do writers wait for a thread that others keep from running.

use super::mapping::Window;
use parking_lot::{Condvar, Mutex};
use rustix::process::setpriority_process;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

enum Job {
    Prepare(Arc<Order>),
    /// Unmapping takes a while too.
    Drop(Vec<Window>),
}

/// A window that is to be prepared.
#[derive(Debug)]
struct Order {
    file: Arc<File>,
    range: Range<u64>,
    /// See [`Window::prepare`].
    piece_size: usize,
    state: Mutex<OrderState>,
    changed: Condvar,
}

#[derive(Debug)]
enum OrderState {
    /// Nobody has begun. Windows that are done with are unmapped on the occasion.
    Waiting(Vec<Window>),
    Begun,
    Done(io::Result<Window>),
    /// Nobody prepares it, or has what was prepared.
    Over,
}

impl Order {
    fn new(passed: Vec<Window>, file: &Arc<File>, range: Range<u64>, piece_size: usize) -> Self {
        let state = Mutex::new(OrderState::Waiting(passed));
        Self { file: file.clone(), range, piece_size, state, changed: Condvar::new() }
    }

    /// Prepares it, unless its writer has taken it back.
    fn work(&self) {
        let mut state = self.state.lock();
        let OrderState::Waiting(passed) = &mut *state else { return };
        let passed = std::mem::take(passed);
        *state = OrderState::Begun;
        drop(state);
        let on_unwind = OnUnwind(self);
        drop(passed);
        let window = Window::prepare(&self.file, &self.range, self.piece_size);
        std::mem::forget(on_unwind);
        self.end(OrderState::Done(window));
    }

    fn end(&self, state: OrderState) {
        *self.state.lock() = state;
        self.changed.notify_all();
    }
}

/// Whoever waits is to hear of it, whatever happens.
struct OnUnwind<'a>(&'a Order);

impl Drop for OnUnwind<'_> {
    fn drop(&mut self) {
        self.0.end(OrderState::Over);
    }
}

/// An order that was given.
#[derive(Debug)]
pub(super) struct Pending(Arc<Order>);

impl Pending {
    /// Waits for the window; none if nobody prepares it: then whoever asked may do so.
    pub(super) fn wait(self) -> Option<io::Result<Window>> {
        let mut state = self.0.state.lock();
        while let OrderState::Begun = *state {
            self.0.changed.wait(&mut state);
        }
        match std::mem::replace(&mut *state, OrderState::Over) {
            OrderState::Done(window) => Some(window),
            // `passed` is unmapped here.
            OrderState::Waiting(_passed) => None,
            OrderState::Begun | OrderState::Over => None,
        }
    }
}

/// Has the thread unmap windows that are done with, and prepare `range` of `file` ([`Window::prepare`]).
pub(super) fn prepare(
    passed: Vec<Window>,
    file: &Arc<File>,
    range: Range<u64>,
    piece_size: usize,
) -> Pending {
    let order = Arc::new(Order::new(passed, file, range, piece_size));
    submit(Job::Prepare(order.clone()));
    Pending(order)
}

/// Has the thread unmap windows that are done with.
pub(super) fn drop_windows(passed: Vec<Window>) {
    submit(Job::Drop(passed));
}

/// What cannot be handed over is dropped: its writer then does it.
fn submit(job: Job) {
    static QUEUE: OnceLock<Option<Mutex<Sender<Job>>>> = OnceLock::new();
    let start = || {
        let (sender, jobs) = channel();
        let thread = thread::Builder::new().name("ts-wal-prepare".to_owned());
        thread.spawn(move || work(&jobs)).ok().map(|_| Mutex::new(sender))
    };
    if let Some(queue) = QUEUE.get_or_init(start) {
        let _ = queue.lock().send(job);
    }
}

/// As nice to others as a thread can be: it is to take no processor from who reads.
const NICENESS: i32 = 19;

fn work(jobs: &Receiver<Job>) {
    // It may be refused, and is nothing that work depends on.
    let _ = setpriority_process(None, NICENESS);
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Prepare(order) => order.work(),
            Job::Drop(passed) => drop(passed),
        }
    }
}

#[cfg(test)]
mod tests;
