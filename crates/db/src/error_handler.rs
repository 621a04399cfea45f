//! What became of an error in the background: how bad it is, and what it stops.
//!
//! The severities are those of RocksDB's `ErrorHandler`: they depend on what failed and on the kind
//! of error. Too many open files count as a full disk does: neither leaves anything half done that is
//! not known, and both end without a repair. A soft error stops nothing. A database with a hard error takes no writes until it is
//! resumed, by itself or on request; one with a fatal error must be opened again.

use crate::caught_panic::is_contained_panic;
use crate::event_listener::BackgroundErrorReason;
use base::Status;
use base::status::{Code, Severity, SubCode};

/// Whether the cause may go away by itself.
pub(crate) fn may_pass(status: &Status) -> bool {
    status.subcode() == SubCode::NoSpace || status.is_retryable()
}

/// How bad an error is, by RocksDB's tables. `paranoid` is `paranoid_checks`.
pub(crate) fn severity(reason: BackgroundErrorReason, status: &Status, paranoid: bool) -> Severity {
    use BackgroundErrorReason::{Compaction, ManifestWrite, ManifestWriteNoWal, WriteCallback};
    let unless_lenient = |severity| if paranoid { severity } else { Severity::None };
    let is_manifest = matches!(reason, ManifestWrite | ManifestWriteNoWal);
    if reason == BackgroundErrorReason::Panic {
        return if is_contained_panic(status) { Severity::Hard } else { Severity::Fatal };
    }
    match status.code() {
        Code::IoError if may_pass(status) && reason == Compaction => unless_lenient(Severity::Soft),
        Code::IoError if may_pass(status) => Severity::Hard,
        // What the file then holds at its end is unknown.
        Code::IoError if is_manifest || reason == WriteCallback => Severity::Fatal,
        Code::IoError => unless_lenient(Severity::Fatal),
        Code::Corruption => unless_lenient(Severity::Unrecoverable),
        _ if reason == WriteCallback => Severity::Fatal,
        _ => unless_lenient(Severity::Fatal),
    }
}

/// The error that stands.
#[derive(Debug, Default)]
pub(crate) struct ErrorHandler {
    error: Option<Status>,
    is_recovering: bool,
    /// Errors of background work since the open.
    pub(crate) count: u64,
}

impl ErrorHandler {
    /// Takes in an error, which has a severity. The worst one so far stands.
    pub(crate) fn set(&mut self, reason: BackgroundErrorReason, error: Status) {
        self.count += u64::from(reason != BackgroundErrorReason::WriteCallback);
        let is_worse =
            self.error.as_ref().is_none_or(|standing| standing.severity() < error.severity());
        if error.severity() != Severity::None && is_worse {
            self.error = Some(error);
        }
    }

    /// What a user made of an error that was taken in; none if it is not to stand.
    pub(crate) fn replace(&mut self, error: &Status, by: Option<Status>) {
        if self.error.as_ref() == Some(error) {
            self.error = by.filter(|error| error.severity() != Severity::None);
        }
    }

    /// Whether somebody tries to get over the error.
    pub(crate) fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    /// The error that stands, be it a soft one.
    pub(crate) fn error(&self) -> Option<&Status> {
        self.error.as_ref()
    }

    /// The error that stops writes, if one does.
    pub(crate) fn write_error(&self) -> Option<&Status> {
        self.error.as_ref().filter(|status| status.severity() >= Severity::Hard)
    }

    /// Whether no flush and no compaction may begin.
    pub(crate) fn stops_background_work(&self) -> bool {
        self.write_error().is_some()
    }

    /// Whether an error stands that can be got over.
    pub(crate) fn is_recoverable(&self) -> bool {
        self.error.as_ref().is_some_and(|status| status.severity() <= Severity::Hard)
    }

    /// Begins to recover from the error that stands.
    ///
    /// # Errors
    /// That error if it is too bad; `Busy` if somebody else recovers from it.
    pub(crate) fn begin_recovery(&mut self) -> base::Result<()> {
        if self.is_recovering {
            return Err(Status::new(Code::Busy, "Recovery in progress"));
        }
        if let Some(error) = self.error.as_ref().filter(|_| !self.is_recoverable()) {
            return Err(error.clone());
        }
        self.is_recovering = true;
        Ok(())
    }

    /// Ends it. Unless it succeeded, the error stands.
    pub(crate) fn end_recovery(&mut self, succeeded: bool) {
        self.is_recovering = false;
        // A worse error may have come meanwhile.
        if succeeded && self.is_recoverable() {
            self.error = None;
        }
    }
}

#[cfg(test)]
mod tests;
