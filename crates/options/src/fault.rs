//! What is wrong with options, a sentence each: the option, its value, and what to do about it.

use crate::range::{Outside, Range};
use base::Status;
use base::status::Code;
use std::fmt;

/// One thing that is wrong with a set of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The option; `a.b` is the field `b` of the option `a`.
    pub option: String,
    /// Its value.
    pub value: String,
    /// What is wrong and what to do about it, after `option=value `.
    pub remedy: String,
    /// The code of the error an open fails with; none if the engine uses another value instead.
    pub code: Option<Code>,
    /// Whose option it is, for instance `column family default`; empty for the database's.
    pub owner: String,
}

impl Fault {
    pub(crate) fn new(option: &str, value: impl Into<String>, remedy: &str, code: Code) -> Self {
        Self {
            option: option.to_owned(),
            value: value.into(),
            remedy: remedy.to_owned(),
            code: Some(code),
            owner: String::new(),
        }
    }

    pub(crate) fn outside(option: &str, value: String, range: Range) -> Self {
        let (code, remedy) = match range.outside() {
            Outside::Refused(code) => {
                (Some(code), format!("is outside its range: set it to {range}"))
            }
            Outside::Corrected => (
                None,
                format!(
                    "is outside its range, so that the nearest value is used: set it to {range}"
                ),
            ),
        };
        Self { code, ..Self::new(option, value, &remedy, Code::InvalidArgument) }
    }

    pub(crate) fn refused(option: &str, value: String, default: &str) -> Self {
        let remedy = format!("is not offered by this engine: leave it at {default}");
        Self::new(option, value, &remedy, Code::NotSupported)
    }

    /// The same of a struct that is the value of `option`.
    pub(crate) fn within(mut self, option: &str) -> Self {
        self.option = format!("{option}.{}", self.option);
        self
    }

    pub(crate) fn of(mut self, owner: &str) -> Self {
        self.owner = owner.to_owned();
        self
    }

    /// The error that an open fails with; none if it does not fail.
    pub fn status(&self) -> Option<Status> {
        self.code.map(|code| Status::new(code, self.to_string()))
    }
}

/// The sentence.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, value, remedy, owner, .. } = self;
        write!(f, "{option}={value} {remedy}")?;
        if owner.is_empty() { Ok(()) } else { write!(f, " ({owner})") }
    }
}
