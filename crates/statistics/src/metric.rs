//! What all metrics of one kind have: a row in a table.
//!
//! ```text
//! /// What it counts, for people: the documentation, and the text of docs/statistics.md.
//! Name = number, "rocksdb.name", counted;
//! Other = number, "rocksdb.other", idle(NO_TRANSACTIONS);
//! ```
//!
//! `counted` stands where the engine adds to it, `idle` with the reason where it never does.

/// What is known of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// What dashboards call it.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// Whether this engine adds to it.
    pub state: MetricState,
}

/// Whether the engine adds to a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricState {
    /// It does.
    Counted,
    /// It never does, for this reason.
    Idle(&'static str),
}

impl MetricInfo {
    /// Whether this engine adds to it.
    pub fn is_counted(&self) -> bool {
        self.state == MetricState::Counted
    }
}

/// Makes an enumeration of metrics from its rows.
macro_rules! metrics {
    (
        $(#[$attribute:meta])*
        pub enum $kind:ident;
        rows { $(#[doc = $doc:literal] $variant:ident = $number:literal, $name:literal, $state:ident $(($reason:ident))?;)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum $kind {
            $(#[doc = $doc] $variant = $number,)*
        }

        impl $kind {
            /// All of them, by number.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            const INFO: &[$crate::metric::MetricInfo] = &[$($crate::metric::MetricInfo {
                name: $name,
                doc: $doc,
                state: $crate::metric::state!($state $(($reason))?),
            }),*];

            /// What is known of it.
            pub fn info(self) -> &'static $crate::metric::MetricInfo {
                &Self::INFO[self.number()]
            }

            /// What dashboards call it, for instance `rocksdb.bytes.written`.
            pub fn name(self) -> &'static str {
                self.info().name
            }

            /// Its number in RocksDB 11.9.
            pub fn number(self) -> usize {
                self as usize
            }

            /// The one of this number.
            pub fn from_number(number: usize) -> Option<Self> {
                Self::ALL.get(number).copied()
            }

            /// The one of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|metric| metric.name() == name)
            }
        }
    };
}

macro_rules! state {
    (counted) => {
        $crate::metric::MetricState::Counted
    };
    (idle($reason:ident)) => {
        $crate::metric::MetricState::Idle($crate::idle_reasons::$reason)
    };
}

pub(crate) use {metrics, state};
