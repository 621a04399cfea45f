//! Being told to end: SIGINT and SIGTERM.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may take to notice.
const STEP: Duration = Duration::from_millis(50);

/// Whether the process was told to end.
#[derive(Clone, Debug)]
pub(crate) struct Ending(Arc<AtomicBool>);

impl Ending {
    /// From now on the signals are noted instead of ending the process.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn watch() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, flag.clone())?;
        }
        Ok(Self(flag))
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Waits for so long, or until it is asked; whether it is.
    pub(crate) fn wait(&self, duration: Duration) -> bool {
        let end = Instant::now() + duration;
        while !self.is_asked() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(STEP));
        }
        self.is_asked()
    }
}
