//! Panics of what users bring along (merge operators, comparators, compaction filters) in the
//! threads that write, flush and compact.
//!
//! Nobody hears a background thread panic, and those who wait for its job would wait for ever. So a
//! panic becomes an error there. The error is fatal: what the job had half done in memory is
//! abandoned, what is on the disk is as sound as after a crash.

use crate::db_impl::DbImpl;
use crate::event_listener::BackgroundErrorReason;
use base::{Result, Status};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl DbImpl {
    /// Runs a `job`. If it panics, the fatal error that it gives names it and says what the panic
    /// said, and stands as background error. No lock may be held that the background error needs.
    pub(crate) fn catch_panic<T>(
        &self,
        job: impl FnOnce() -> String,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        // After a fatal error nothing writes, and what reads look at is changed in single steps.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = format!("{} panicked: {}", job(), text_of(&*panic));
            let status = Status::aborted(text).with_severity(base::status::Severity::Fatal);
            self.set_background_error(BackgroundErrorReason::Panic, &status);
            Err(status)
        })
    }
}

/// What a panic said.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    match panic.downcast_ref::<&'static str>() {
        Some(text) => text,
        None => panic.downcast_ref::<String>().map_or("without a message", String::as_str),
    }
}
