//! The one error type: RocksDB's code, subcode and severity, and a sentence for the user.
//!
//! `Corruption` means that bytes on disk are not what they must be; its message names the file, the
//! offset where known, what was expected and what was found. A broken invariant of our own is a
//! panic, never a status.

use std::fmt;
use std::path::Path;

/// The result of every fallible operation.
pub type Result<T> = std::result::Result<T, Status>;

/// What kind of failure it was. Numbers are those of `rocksdb::Status::Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    /// The thing asked for does not exist.
    NotFound = 1,
    /// Stored bytes are not what they must be.
    Corruption = 2,
    /// The operation or the format is known and not supported.
    NotSupported = 3,
    /// The caller's request is wrong.
    InvalidArgument = 4,
    /// The file system failed.
    IoError = 5,
    /// A merge operand was met where a value was needed.
    MergeInProgress = 6,
    /// The answer needs more than the request allowed (for instance a block not in the cache).
    Incomplete = 7,
    /// The database is closing.
    ShutdownInProgress = 8,
    /// A deadline passed.
    TimedOut = 9,
    /// The operation was given up.
    Aborted = 10,
    /// A resource is held by somebody else.
    Busy = 11,
    /// The data or the transaction is past its time to live.
    Expired = 12,
    /// Try again later.
    TryAgain = 13,
    /// A compaction is larger than allowed.
    CompactionTooLarge = 14,
    /// The column family was dropped.
    ColumnFamilyDropped = 15,
}

/// A finer cause. Numbers are those of `rocksdb::Status::SubCode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SubCode {
    /// No finer cause.
    #[default]
    None = 0,
    /// No space left on the device.
    NoSpace = 4,
    /// A memory limit, such as that of a block cache, was reached.
    MemoryLimit = 7,
    /// A file or directory is missing.
    PathNotFound = 9,
    /// A merge operand exists and no merge operator was given, or it failed.
    MergeOperatorFailed = 15,
    /// All compactions were aborted.
    CompactionAborted = 19,
}

/// How bad a background error is. Numbers are those of `rocksdb::Status::Severity`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Severity {
    /// Not classified.
    #[default]
    None = 0,
    /// Writes go on.
    Soft = 1,
    /// Writes stop until the error is resolved.
    Hard = 2,
    /// The database must be reopened.
    Fatal = 3,
    /// Data may be lost.
    Unrecoverable = 4,
}

/// Too many open files in the whole system, and in this process; the numbers are the same on every
/// Unix.
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// An error. One pointer wide, so that results stay in registers.
#[derive(Clone, PartialEq, Eq)]
pub struct Status(Box<Repr>);

#[derive(Clone, PartialEq, Eq)]
struct Repr {
    code: Code,
    subcode: SubCode,
    severity: Severity,
    is_retryable: bool,
    message: String,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $code:ident),* $(,)?) => {
        $($(#[$doc])*
        #[cold]
        pub fn $name(message: impl Into<String>) -> Self {
            Self::new(Code::$code, message)
        })*
    };
}

impl Status {
    /// An error of kind `code`.
    #[cold]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let (subcode, severity) = Default::default();
        let message = message.into();
        Self(Box::new(Repr { code, subcode, severity, is_retryable: false, message }))
    }

    constructors! {
        /// The thing asked for does not exist.
        not_found => NotFound,
        /// Stored bytes are not what they must be. Prefer [`Status::corruption_at`].
        corruption => Corruption,
        /// Known and not supported; the message names the feature.
        not_supported => NotSupported,
        /// The caller's request is wrong.
        invalid_argument => InvalidArgument,
        /// The file system failed. Prefer [`Status::from_io`].
        io_error => IoError,
        /// The answer needs more than the request allowed.
        incomplete => Incomplete,
        /// The operation was given up.
        aborted => Aborted,
        /// A resource is held by somebody else.
        busy => Busy,
        /// The database is being closed.
        shutdown_in_progress => ShutdownInProgress,
        /// The column family was dropped.
        column_family_dropped => ColumnFamilyDropped,
        /// Try again later.
        try_again => TryAgain,
    }

    /// `Corruption` that names the file and the byte offset in it.
    #[cold]
    pub fn corruption_at(path: &Path, offset: u64, what: impl fmt::Display) -> Self {
        Self::corruption(format!("{} at offset {offset}: {what}", path.display()))
    }

    /// Wraps an operating system error; `doing` and `path` say what was being done to which file.
    #[cold]
    pub fn from_io(error: &std::io::Error, doing: &str, path: &Path) -> Self {
        use std::io::ErrorKind;
        let subcode = match error.kind() {
            ErrorKind::NotFound => SubCode::PathNotFound,
            ErrorKind::StorageFull => SubCode::NoSpace,
            _ => SubCode::None,
        };
        let mut status =
            Self::io_error(format!("{doing} {}: {error}", path.display())).with_subcode(subcode);
        status.0.is_retryable = matches!(error.raw_os_error(), Some(ENFILE | EMFILE));
        status
    }

    /// The same error with a subcode.
    #[must_use]
    pub fn with_subcode(mut self, subcode: SubCode) -> Self {
        self.0.subcode = subcode;
        self
    }

    /// The same error with a severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// The same error with `context` and a colon put before its message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// The kind.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The finer cause.
    pub fn subcode(&self) -> SubCode {
        self.0.subcode
    }

    /// The severity.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// Whether the same may succeed later with nothing repaired, as where too many files were open:
    /// nothing was done (`rocksdb::IOStatus::GetRetryable`).
    pub fn is_retryable(&self) -> bool {
        self.0.is_retryable
    }

    /// The sentence without the kind.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether the kind is `Corruption`.
    pub fn is_corruption(&self) -> bool {
        self.0.code == Code::Corruption
    }

    /// Whether a file or directory was missing.
    pub fn is_path_not_found(&self) -> bool {
        self.0.subcode == SubCode::PathNotFound
    }
}

impl Code {
    /// The words before the colon in `rocksdb::Status::ToString`.
    pub fn label(self) -> &'static str {
        match self {
            Code::NotFound => "NotFound",
            Code::Corruption => "Corruption",
            Code::NotSupported => "Not implemented",
            Code::InvalidArgument => "Invalid argument",
            Code::IoError => "IO error",
            Code::MergeInProgress => "Merge in progress",
            Code::Incomplete => "Result incomplete",
            Code::ShutdownInProgress => "Shutdown in progress",
            Code::TimedOut => "Operation timed out",
            Code::Aborted => "Operation aborted",
            Code::Busy => "Resource busy",
            Code::Expired => "Operation expired",
            Code::TryAgain => "Operation failed. Try again.",
            Code::CompactionTooLarge => "Compaction too large",
            Code::ColumnFamilyDropped => "Column family dropped",
        }
    }
}

/// As `rocksdb::Status::ToString`: the kind, a colon and the sentence.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.label(), self.0.message)
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Status {}

#[cfg(test)]
mod tests;
