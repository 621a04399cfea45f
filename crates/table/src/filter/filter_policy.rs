//! Which filter a table gets (`filter_policy`).

use super::FilterBitsBuilder;
use super::bloom::FastLocalBloomBuilder;
use super::legacy_bloom::LegacyBloomBuilder;
use super::ribbon::RibbonBuilder;

/// First format version whose filters are new Bloom and Ribbon filters.
const FORMAT_VERSION_WITH_NEW_FILTERS: u32 = 5;

/// A builtin filter policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterPolicy {
    /// `bloomfilter:BITS`.
    Bloom {
        /// Bits per key. Less than 0.5 means no filter.
        bits_per_key: f64,
    },
    /// `ribbonfilter:BITS:LEVEL`.
    Ribbon {
        /// Bits per key of a Bloom filter that is as exact. Less than 0.5 means no filter.
        bloom_equivalent_bits_per_key: f64,
        /// Tables of levels below this get a Bloom filter, which is faster to build; flushed ones
        /// count as level -1. RocksDB's default: 0.
        bloom_before_level: i32,
    },
}

/// What counts when a table's filter is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterContext {
    /// Format version of the table.
    pub format_version: u32,
    /// -1 for a flush, else the level, [`FilterContext::LEVEL_UNKNOWN`] if it is not known or levels
    /// say nothing, as under FIFO compaction.
    pub level: i32,
    /// `optimize_filters_for_memory`.
    pub optimize_filters_for_memory: bool,
}

impl FilterContext {
    /// Counts as the bottommost level.
    pub const LEVEL_UNKNOWN: i32 = i32::MAX - 1;
}

impl FilterPolicy {
    /// The name that tables store as `rocksdb.filter.policy`.
    pub fn property_name(&self) -> &'static str {
        match self {
            Self::Bloom { .. } => "bloomfilter",
            Self::Ribbon { .. } => "ribbonfilter",
        }
    }

    /// Thousandths of a bit per key after RocksDB's limits: 0, or 1000 to 100,000.
    pub fn millibits_per_key(&self) -> u32 {
        let (Self::Bloom { bits_per_key: bits }
        | Self::Ribbon { bloom_equivalent_bits_per_key: bits, .. }) = *self;
        let bits = match bits {
            ..0.5 => 0.0,
            0.5..1.0 => 1.0,
            1.0..100.0 => bits,
            // Numbers that are none, too.
            _ => 100.0,
        };
        (bits * 1000.0 + 0.500_001) as u32
    }

    /// A builder of the filter, or of each partition of it; none if there is to be no filter.
    pub fn new_bits_builder(&self, context: &FilterContext) -> Option<Box<dyn FilterBitsBuilder>> {
        let millibits = self.millibits_per_key();
        if millibits == 0 {
            return None;
        }
        let for_memory = context.optimize_filters_for_memory;
        Some(match *self {
            Self::Bloom { .. } if context.format_version < FORMAT_VERSION_WITH_NEW_FILTERS => {
                Box::new(LegacyBloomBuilder::new((millibits + 500) / 1000))
            }
            Self::Ribbon { bloom_before_level, .. } if context.level >= bloom_before_level => {
                Box::new(RibbonBuilder::new(millibits, for_memory))
            }
            Self::Bloom { .. } | Self::Ribbon { .. } => {
                Box::new(FastLocalBloomBuilder::new(millibits, for_memory))
            }
        })
    }
}

#[cfg(test)]
mod tests;
