//! RocksDB's `RemoveEmptyValueCompactionFilter`.

use super::{CompactionFilter, Decision, FilterValue};

/// Removes keys whose value is empty. Entities and merge operands stay.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoveEmptyValueCompactionFilter;

impl RemoveEmptyValueCompactionFilter {
    /// The name of the filter.
    pub const NAME: &'static str = "RemoveEmptyValueCompactionFilter";
}

impl CompactionFilter for RemoveEmptyValueCompactionFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn filter(&self, _level: usize, _user_key: &[u8], value: FilterValue<'_>) -> Decision {
        match value {
            FilterValue::Value([]) => Decision::Remove,
            _ => Decision::Keep,
        }
    }
}
