//! Follows the process that writes what is read here as its secondary.

use crate::flags::Flags;
use crate::workload::Target;
use engines::Engine;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A thread that catches up every now and then, until it is told to end.
#[derive(Debug)]
pub(super) struct CatchingUp {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<u64>,
}

impl CatchingUp {
    /// One for databases that are opened as secondaries; none for others, and where nothing is caught
    /// up with (`--secondary_update_interval=0`).
    pub(super) fn from_flags<E: Engine>(
        flags: &Flags,
        targets: &Arc<Vec<Target<E>>>,
    ) -> Option<Self> {
        let seconds = flags.uint("secondary_update_interval");
        if !flags.bool("use_secondary_db") || seconds == 0 {
            return None;
        }
        let (stop, stopped) = mpsc::channel();
        let targets = Arc::clone(targets);
        let interval = Duration::from_secs(seconds);
        let thread = thread::spawn(move || catch_up(&targets, interval, &stopped));
        Some(Self { stop, thread })
    }

    /// Ends it: how often it has caught up.
    pub(super) fn finish(self) -> u64 {
        drop(self.stop);
        self.thread.join().unwrap_or(0)
    }
}

fn catch_up<E: Engine>(
    targets: &[Target<E>],
    interval: Duration,
    stopped: &mpsc::Receiver<()>,
) -> u64 {
    let mut count = 0;
    loop {
        if let Err(status) = targets.iter().try_for_each(|target| target.db.catch_up()) {
            eprintln!("Failed to catch up with primary: {status}");
            return count;
        }
        count += 1;
        if stopped.recv_timeout(interval) != Err(mpsc::RecvTimeoutError::Timeout) {
            return count;
        }
    }
}
