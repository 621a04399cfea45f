//! Panics of what users bring along (merge operators, compaction filters, rate limiters, file systems)
//! in the threads that write, flush and compact.
//!
//! Nobody hears a background thread panic, and those who wait for its job would wait for ever. So a
//! panic becomes an error there. While a job makes files that nobody else knows of, the error is a hard
//! one: the files are gone, and `resume` has the job done again. Anywhere else it is fatal: what was
//! half done in memory is abandoned, what is on the disk is as sound as after a crash.

use crate::db_impl::DbImpl;
use crate::event_listener::BackgroundErrorReason;
use base::status::{Code, Severity};
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
            let status = status_of(&job(), &*panic, Severity::Fatal);
            self.set_background_error(BackgroundErrorReason::Panic, &status);
            Err(status)
        })
    }
}

/// Runs the part of a `job` whose results nobody but the job has. If it panics, the error has the
/// severity that it is to have as background error; that of any other error is for others to say.
pub(crate) fn contain_panic<T>(
    job: impl FnOnce() -> String,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    // Inputs do not change, and outputs and what is known of them are dropped.
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(status_of(&job(), &*panic, Severity::Hard)))
}

fn status_of(job: &str, panic: &(dyn Any + Send), severity: Severity) -> Status {
    Status::aborted(format!("{job} panicked: {}", text_of(panic))).with_severity(severity)
}

/// Why there is an error of a job: a panic, or `otherwise`.
pub(crate) fn reason_of(
    status: &Status,
    otherwise: BackgroundErrorReason,
) -> BackgroundErrorReason {
    if is_contained_panic(status) { BackgroundErrorReason::Panic } else { otherwise }
}

/// Whether an error is that of [`contain_panic`].
pub(crate) fn is_contained_panic(status: &Status) -> bool {
    status.code() == Code::Aborted && status.severity() == Severity::Hard
}

/// What a panic said.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    match panic.downcast_ref::<&'static str>() {
        Some(text) => text,
        None => panic.downcast_ref::<String>().map_or("without a message", String::as_str),
    }
}
