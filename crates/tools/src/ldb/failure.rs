//! How a command ends before its end.

use base::Status;
use std::io;

/// What a command, or a part of one, comes to.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a command failed: what is printed after `Failed: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure for this reason.
    #[cold]
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The reason.
    pub(crate) fn reason(&self) -> &str {
        &self.0
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::new(status.to_string())
    }
}

/// The only files written are those that text goes to.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(format!("IO error: writing the output: {error}"))
    }
}
