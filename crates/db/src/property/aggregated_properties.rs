//! `rocksdb.aggregated-table-properties`: sums over the properties of tables.

use std::collections::BTreeMap;
use std::sync::Arc;
use table::TableProperties;

/// A property that is summed.
struct Summed {
    name: &'static str,
    /// Sums over flags mean something only as text.
    is_in_map: bool,
    get: fn(&TableProperties) -> u64,
    get_mut: fn(&mut TableProperties) -> &mut u64,
}

macro_rules! summed {
    ($($name:ident $is_in_map:literal),* $(,)?) => {
        &[$(Summed {
            name: stringify!($name),
            is_in_map: $is_in_map,
            get: |table| table.$name,
            get_mut: |table| &mut table.$name,
        }),*]
    };
}

/// RocksDB 7.8 sums these, and later releases those at the end.
const SUMMED: &[Summed] = summed!(
    data_size true,
    index_size true,
    index_partitions true,
    top_level_index_size true,
    index_key_is_user_key false,
    index_value_is_delta_encoded false,
    filter_size true,
    raw_key_size true,
    raw_value_size true,
    num_data_blocks true,
    num_entries true,
    num_filter_entries true,
    num_deletions true,
    num_merge_operands true,
    num_range_deletions true,
    slow_compression_estimated_data_size true,
    fast_compression_estimated_data_size true,
    num_data_blocks_compression_rejected true,
    num_data_blocks_compression_bypassed true,
    num_uniform_blocks true,
);

/// The sums; everything else is as in a table without properties.
pub(crate) fn sum(tables: &[Arc<TableProperties>]) -> TableProperties {
    let mut sum = TableProperties::default();
    for table in tables {
        for summed in SUMMED {
            let total = (summed.get_mut)(&mut sum);
            *total = total.saturating_add((summed.get)(table));
        }
    }
    sum
}

/// The sums by name.
pub(crate) fn to_map(sum: &TableProperties) -> BTreeMap<String, String> {
    let in_map = SUMMED.iter().filter(|summed| summed.is_in_map);
    let sums = in_map.map(|summed| (summed.name.to_owned(), (summed.get)(sum).to_string()));
    // Tables do not keep it.
    sums.chain([("uncompressed_data_size".to_owned(), "0".to_owned())]).collect()
}
