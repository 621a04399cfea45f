//! A bar on standard error with the time that is left, where standard error is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// Progress of a campaign.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of so many processes to run.
    pub(crate) fn new(processes: usize) -> Self {
        let target = match stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(processes as u64), target);
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {eta} left  {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar }
    }

    /// Says what runs now.
    pub(crate) fn begin(&self, what: String) {
        self.bar.set_message(what);
    }

    /// So many processes have ended, or need not be run.
    pub(crate) fn end(&self, processes: usize) {
        self.bar.inc(processes as u64);
    }

    /// More than was thought.
    pub(crate) fn add(&self, processes: usize) {
        self.bar.inc_length(processes as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
