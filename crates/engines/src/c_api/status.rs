//! Failures of a library as our statuses.

use base::Status;
use base::status::Code;
use librocksdb::Failure;

/// Kinds of statuses that begin with their name and a colon.
const CODES: [Code; 12] = [
    Code::NotFound,
    Code::Corruption,
    Code::NotSupported,
    Code::InvalidArgument,
    Code::IoError,
    Code::MergeInProgress,
    Code::Incomplete,
    Code::ShutdownInProgress,
    Code::TimedOut,
    Code::Aborted,
    Code::Busy,
    Code::Expired,
];

/// What a library said, as a status.
#[cold]
pub(super) fn status_of(failure: Failure) -> Status {
    let Failure::Refused(text) = failure else {
        return Status::not_supported(failure.to_string());
    };
    let code = CODES.into_iter().find_map(|code| {
        text.strip_prefix(code.label())?.strip_prefix(": ").map(|message| (code, message))
    });
    match code {
        Some((code, message)) => Status::new(code, message),
        None => Status::aborted(text),
    }
}

#[cfg(test)]
mod tests;
