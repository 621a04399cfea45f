//! What became of an error in the background: how bad it is, and what it stops.
//!
//! The severities are those of RocksDB's `ErrorHandler`: they depend on what failed and on the kind
//! of error. Too many open files count as a full disk does: neither leaves anything half done that is
//! not known, and both end without a repair. A soft error stops nothing. A database with a hard error takes no writes until it is
//! resumed, by itself or on request; one with a fatal error must be opened again.

use base::Status;
use base::status::{Code, Severity, SubCode};

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackgroundErrorReason {
    Flush,
    /// The flush of what no WAL has.
    FlushNoWal,
    /// An append to the WAL, or its sync.
    Write,
    ManifestWrite,
    /// The change of the MANIFEST by the flush of what no WAL has.
    ManifestWriteNoWal,
    Compaction,
    /// A panic of a job or a write.
    Panic,
}

impl BackgroundErrorReason {
    /// A flush.
    pub(crate) fn flush(has_no_wal: bool) -> Self {
        if has_no_wal { Self::FlushNoWal } else { Self::Flush }
    }

    /// The change of the MANIFEST by a flush.
    pub(crate) fn manifest_write(has_no_wal: bool) -> Self {
        if has_no_wal { Self::ManifestWriteNoWal } else { Self::ManifestWrite }
    }
}

/// Whether the cause may go away by itself.
fn may_pass(status: &Status) -> bool {
    status.subcode() == SubCode::NoSpace || status.is_retryable()
}

/// How bad an error is, by RocksDB's tables. `paranoid` is `paranoid_checks`.
pub(crate) fn severity(reason: BackgroundErrorReason, status: &Status, paranoid: bool) -> Severity {
    use BackgroundErrorReason::{Compaction, ManifestWrite, ManifestWriteNoWal, Write};
    let unless_lenient = |severity| if paranoid { severity } else { Severity::None };
    let is_manifest = matches!(reason, ManifestWrite | ManifestWriteNoWal);
    if reason == BackgroundErrorReason::Panic {
        return Severity::Fatal;
    }
    match status.code() {
        Code::IoError if may_pass(status) && reason == Compaction => unless_lenient(Severity::Soft),
        Code::IoError if may_pass(status) => Severity::Hard,
        // What the file then holds at its end is unknown.
        Code::IoError if is_manifest || reason == Write => Severity::Fatal,
        Code::IoError => unless_lenient(Severity::Fatal),
        Code::Corruption => unless_lenient(Severity::Unrecoverable),
        _ if reason == Write => Severity::Fatal,
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
    /// Takes in an error. The worst one so far stands. Whether it may go away by itself.
    pub(crate) fn set(
        &mut self,
        reason: BackgroundErrorReason,
        status: &Status,
        paranoid: bool,
    ) -> bool {
        self.count += u64::from(reason != BackgroundErrorReason::Write);
        let severity = severity(reason, status, paranoid);
        let is_worse = self.error.as_ref().is_none_or(|standing| standing.severity() < severity);
        if severity != Severity::None && is_worse {
            self.error = Some(status.clone().with_severity(severity));
        }
        may_pass(status) && self.is_recoverable()
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

    fn is_recoverable(&self) -> bool {
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
