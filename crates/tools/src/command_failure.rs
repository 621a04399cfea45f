//! How commands of ours end before their end.

use base::Status;
use std::io::{self, Write};

/// Why nothing, or not all, was printed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// For this reason.
    Refused(String),
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Says it in a line that begins with the name of the command.
    pub(crate) fn write(&self, command: &str, err: &mut dyn Write) {
        // There is nobody to tell that standard error is closed.
        let _ = match self {
            Self::Refused(message) => writeln!(err, "{command}: {message}"),
            Self::Output(error) => writeln!(err, "{command}: writing the output: {error}"),
        };
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Refused(status.to_string())
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Refused(message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
