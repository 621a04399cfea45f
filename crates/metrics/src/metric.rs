//! What is known of a metric without asking a database.

use std::borrow::Cow;

/// What a metric's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows while the database is open.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Quantiles of a distribution, with its sum and its count.
    Summary,
}

impl Kind {
    /// As the text format has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Summary => "summary",
        }
    }
}

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name; that of a counter ends in `_total`.
    pub name: Cow<'static, str>,
    /// What it says.
    pub help: Cow<'static, str>,
    /// What its values are.
    pub kind: Kind,
}

impl Metric {
    /// One that a row of a table names.
    pub(crate) const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), help: Cow::Borrowed(help), kind }
    }
}
