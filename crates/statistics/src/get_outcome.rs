//! How lookups of one key end.
//!
//! To which tickers a lookup adds follows from that:
//!
//! ```text
//!                  NUMBER_KEYS_READ   MEMTABLE_HIT   MEMTABLE_MISS   GET_HIT_L0 / L1 / L2_AND_UP
//! Unknown                 x                                x
//! InMemTables             x                 x
//! DeletedInTable          x                                x
//! FoundAtL0 / …           x                                x                x / x / x
//! ```

use crate::Ticker;

/// How a lookup of one key ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GetOutcome {
    /// No source knows the key.
    Unknown,
    /// A memtable decided, be it by a value or a deletion.
    InMemTables,
    /// A table decided that there is no value.
    DeletedInTable,
    /// A table of level 0 has the value.
    FoundAtL0,
    /// A table of level 1 has the value.
    FoundAtL1,
    /// A table of a deeper level has the value.
    FoundAtL2AndUp,
}

impl GetOutcome {
    /// How many there are.
    pub(crate) const COUNT: usize = Self::ALL.len();

    const ALL: [Self; 6] = [
        Self::Unknown,
        Self::InMemTables,
        Self::DeletedInTable,
        Self::FoundAtL0,
        Self::FoundAtL1,
        Self::FoundAtL2AndUp,
    ];

    /// A table of this level has the value.
    #[inline]
    pub fn found_at(level: usize) -> Self {
        match level {
            0 => Self::FoundAtL0,
            1 => Self::FoundAtL1,
            _ => Self::FoundAtL2AndUp,
        }
    }

    /// Those that count in a ticker, beside what is added to it.
    pub(crate) const fn of_ticker(ticker: Ticker) -> &'static [Self] {
        match ticker {
            Ticker::NumberKeysRead => &Self::ALL,
            Ticker::MemtableHit => &[Self::InMemTables],
            Ticker::MemtableMiss => &[
                Self::Unknown,
                Self::DeletedInTable,
                Self::FoundAtL0,
                Self::FoundAtL1,
                Self::FoundAtL2AndUp,
            ],
            Ticker::GetHitL0 => &[Self::FoundAtL0],
            Ticker::GetHitL1 => &[Self::FoundAtL1],
            Ticker::GetHitL2AndUp => &[Self::FoundAtL2AndUp],
            _ => &[],
        }
    }
}
