//! Lines that wait: what is to be said under a lock that nobody may hold while a file is written.

use super::{InfoLogLevel, Logger, place, time_text};
use parking_lot::Mutex;
use std::fmt;
use std::panic::Location;

/// Takes lines without touching a file, until somebody has the time to write them.
#[derive(Debug, Default)]
pub struct LogBuffer {
    lines: Mutex<Vec<(InfoLogLevel, String)>>,
}

impl LogBuffer {
    /// Keeps a line that is said at `now_micros`. As it may be written after later ones, it says
    /// itself when that was.
    #[track_caller]
    pub fn push(&self, level: InfoLogLevel, now_micros: u64, text: fmt::Arguments<'_>) {
        let (time, place) = (time_text(now_micros), place(Location::caller()));
        let line = format!("(Original Log Time {time}) [{place}] {text}");
        self.lines.lock().push((level, line));
    }

    /// Writes what waits, in the order it came. To be called with no lock held.
    pub fn write_to(&self, logger: &dyn Logger) {
        let lines = std::mem::take(&mut *self.lines.lock());
        for (level, line) in lines {
            logger.log(level, format_args!("{line}"));
        }
    }
}
