//! Tables of metrics: a row each, of which everything else is made.
//!
//! ```
//! mod idle_reasons {
//!     pub const NO_TRANSACTIONS: &str = "there are no transactions yet";
//! }
//! use idle_reasons::NO_TRANSACTIONS;
//!
//! metric::metrics! {
//!     /// A counter.
//!     pub enum Ticker: u16;
//!     rows {
//!         /// What it counts, for people: the documentation, and a line of the reference.
//!         KeysRead = "rocksdb.number.keys.read", 0, counted;
//!         /// Writes undone.
//!         Rollbacks = "rocksdb.rollbacks", 1, idle(NO_TRANSACTIONS);
//!     }
//! }
//!
//! assert_eq!(Ticker::from_name("rocksdb.rollbacks"), Some(Ticker::Rollbacks));
//! assert_eq!(Ticker::Rollbacks.info().idle, Some(NO_TRANSACTIONS));
//! assert!(Ticker::KeysRead.info().is_counted());
//! ```
//!
//! `counted` stands where the engine adds to it, `idle` with the reason where it never does. What
//! stands between name and state is for the table to say: its type is behind the enumeration's name.
//! This crate knows no metric.

#![forbid(unsafe_code)]

/// What is known of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricInfo<D> {
    /// RocksDB's name of it.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// What its table says of it beside.
    pub detail: D,
    /// Why this engine never adds to it; none where it does.
    pub idle: Option<&'static str>,
}

impl<D> MetricInfo<D> {
    /// Whether this engine adds to it.
    pub const fn is_counted(&self) -> bool {
        self.idle.is_none()
    }

    /// Whether it is counted, for the reference: yes, or why not.
    pub fn counted_text(&self) -> String {
        self.idle.map_or_else(|| "yes".to_owned(), |reason| format!("no: {reason}"))
    }
}

/// Whether rows whose detail is a number are numbered from 0 on, without a gap.
pub const fn is_numbered(rows: &[MetricInfo<u16>]) -> bool {
    let mut place = 0;
    while place < rows.len() {
        if rows[place].detail as usize != place {
            return false;
        }
        place += 1;
    }
    true
}

/// Makes an enumeration of metrics of its rows; see the documentation of the crate.
#[macro_export]
macro_rules! metrics {
    (
        $(#[$attribute:meta])*
        pub enum $kind:ident: $detail_type:ty;
        rows { $(#[doc = $doc:literal] $variant:ident = $name:literal, $detail:expr, $state:ident $(($reason:ident))?;)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum $kind {
            $(#[doc = $doc] $variant,)*
        }

        impl $kind {
            /// All of them, by number.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            const INFO: [$crate::MetricInfo<$detail_type>; Self::COUNT] = [$($crate::MetricInfo {
                name: $name,
                doc: $doc,
                detail: $detail,
                idle: $crate::idle!($state $(($reason))?),
            }),*];

            /// What is known of it.
            #[inline]
            pub const fn info(self) -> &'static $crate::MetricInfo<$detail_type> {
                &Self::INFO[self.number()]
            }

            /// RocksDB's name of it, which dashboards know.
            pub const fn name(self) -> &'static str {
                self.info().name
            }

            /// Its place in the table.
            #[inline]
            pub const fn number(self) -> usize {
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

/// Why a row's metric is not counted, of its state.
#[doc(hidden)]
#[macro_export]
macro_rules! idle {
    (counted) => {
        None
    };
    (idle($reason:ident)) => {
        Some($reason)
    };
}

#[cfg(test)]
mod tests;
