//! What became of an error in the background: how bad it is, and what it stops.
//!
//! The severities are those of RocksDB's `ErrorHandler`: they depend on what failed and on the kind
//! of error. A database with a hard error takes no writes; one with a fatal error must be opened
//! again.

use base::Status;
use base::status::{Code, Severity, SubCode};

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackgroundErrorReason {
    Flush,
    /// An append to the WAL, or its sync.
    Write,
    ManifestWrite,
}

/// How bad an error is, by RocksDB's tables. `paranoid` is `paranoid_checks`.
pub(crate) fn severity(reason: BackgroundErrorReason, status: &Status, paranoid: bool) -> Severity {
    use BackgroundErrorReason::{Flush, ManifestWrite, Write};
    let is_no_space = status.subcode() == SubCode::NoSpace;
    match (reason, status.code()) {
        (Flush | Write | ManifestWrite, Code::IoError) if is_no_space => Severity::Hard,
        (Flush | ManifestWrite, Code::IoError) => Severity::Hard,
        (Write, Code::IoError) => Severity::Fatal,
        (_, Code::Corruption) if paranoid => Severity::Unrecoverable,
        (_, Code::Corruption) => Severity::None,
        (Write, _) => Severity::Fatal,
        _ if paranoid => Severity::Fatal,
        _ => Severity::None,
    }
}

/// The error that stands.
#[derive(Debug, Default)]
pub(crate) struct ErrorHandler {
    error: Option<(BackgroundErrorReason, Status)>,
}

impl ErrorHandler {
    /// Takes in an error. The worst one so far stands.
    pub(crate) fn set(&mut self, reason: BackgroundErrorReason, status: &Status, paranoid: bool) {
        let severity = severity(reason, status, paranoid);
        let is_worse =
            self.error.as_ref().is_none_or(|(_, standing)| standing.severity() < severity);
        if severity != Severity::None && is_worse {
            self.error = Some((reason, status.clone().with_severity(severity)));
        }
    }

    /// The error that stops writes, if one does.
    pub(crate) fn write_error(&self) -> Option<&Status> {
        self.error.as_ref().map(|(_, status)| status).filter(|s| s.severity() >= Severity::Hard)
    }
}
