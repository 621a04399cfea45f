//! The options that a table of a fixture was made with, from the fixture's record and from what the
//! table says of itself.

use super::parts::Parts;
use crate::filter::FilterPolicy;
use crate::properties::{TableProperties, names};
use crate::table_builder_options::{IndexShortening, TableBuilderOptions};
use crate::test_files::comparator_of;
use base::compaction_filter::TableFileCreationReason;
use base::table_properties_collector::{
    CollectedProperties, TablePropertiesCollector, TablePropertiesCollectorContext,
    TablePropertiesCollectorFactory,
};
use base::{ParsedInternalKey, slice_transform};
use compression::{CompressionOptions, CompressionType};
use std::sync::Arc;
use testing::fixtures::{self, Fixture, OptionMap};

/// Gives a new table the properties that a database's own collectors gave the old one.
#[derive(Debug)]
struct Replayed(CollectedProperties);

impl TablePropertiesCollector for Replayed {
    fn add(&mut self, _key: &ParsedInternalKey<'_>, _value: &[u8], _file_size: u64) {}

    fn finish(&mut self) -> CollectedProperties {
        self.0.clone()
    }

    fn name(&self) -> &str {
        "Replayed"
    }
}

impl TablePropertiesCollectorFactory for Replayed {
    fn create(
        &self,
        _context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>> {
        Some(Box::new(Self(self.0.clone())))
    }

    fn name(&self) -> &str {
        "Replayed"
    }
}

fn text<'o>(options: &'o OptionMap, name: &str) -> Option<&'o str> {
    options.get(name)?.as_str()
}

/// The options that a table of a fixture was made with.
pub(super) fn options_of(fixture: &Fixture, parts: &Parts) -> TableBuilderOptions {
    let properties = parts.table.properties();
    let families = &fixture.case.options.cf;
    let family = match properties.column_family_name.as_str() {
        "" => families.values().next(),
        name => families.get(name),
    };
    let family = family.cloned().unwrap_or_default();
    let major = fixtures::version_numbers(&fixture.release)[0];
    let is_ribbon = parts.has_ribbon().expect("a filter");
    TableBuilderOptions {
        comparator: comparator_of(&parts.tail, parts.table.comparator()),
        format_version: parts.tail.footer.format_version,
        checksum: parts.tail.footer.checksum_type,
        index_type: properties.index_type().expect("a known index"),
        decouple_partitioned_filters: properties
            .user_collected(names::DECOUPLED_PARTITIONED_FILTERS)
            .is_some(),
        filter_policy: filter_policy_of(&family, is_ribbon),
        skip_filters: parts.tail.metaindex.filter().is_none(),
        prefix_extractor: text(&family, "prefix_extractor").and_then(slice_transform::builtin),
        optimize_filters_for_memory: major >= 9,
        compression: compression_of(properties, &family),
        compression_options: compression_options_of(properties, &family),
        ..origin_of(properties, shape_of(&family, major))
    }
}

fn table_options(family: &OptionMap) -> OptionMap {
    let table = family.get("block_based_table_factory").and_then(|value| value.as_object());
    let pairs = table.into_iter().flatten();
    pairs.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// What strings of options cannot say: kind, bits per key, block size.
fn special_block_size(family: &OptionMap) -> Option<u64> {
    family.get("@bloom")?.as_array()?.get(2)?.as_u64()
}

fn filter_policy_of(family: &OptionMap, is_ribbon: bool) -> Option<FilterPolicy> {
    let table = table_options(family);
    let Some(policy) = text(&table, "filter_policy") else {
        return special_block_size(family).map(|_| FilterPolicy::Bloom { bits_per_key: 10.0 });
    };
    let mut words = policy.split(':');
    let name = words.next();
    let bits_per_key = words.next().and_then(|bits| bits.parse().ok()).expect("bits");
    Some(match name {
        Some("ribbonfilter") => FilterPolicy::Ribbon {
            bloom_equivalent_bits_per_key: bits_per_key,
            bloom_before_level: if is_ribbon { -1 } else { i32::MAX },
        },
        _ => FilterPolicy::Bloom { bits_per_key },
    })
}

/// What the family's options say.
fn shape_of(family: &OptionMap, major: u32) -> TableBuilderOptions {
    let table = table_options(family);
    let number = |name: &str, default: u64| {
        text(&table, name).map_or(default, |value| value.parse().expect("a number"))
    };
    let is_set = |name: &str, default: bool| text(&table, name).map_or(default, |it| it == "true");
    TableBuilderOptions {
        block_size: number("block_size", special_block_size(family).unwrap_or(4096)),
        block_align: is_set("block_align", false),
        super_block_alignment_size: number("super_block_alignment_size", 0),
        super_block_alignment_space_overhead_ratio: number(
            "super_block_alignment_space_overhead_ratio",
            128,
        ),
        block_restart_interval: number("block_restart_interval", 16) as usize,
        index_block_restart_interval: number("index_block_restart_interval", 1) as usize,
        use_delta_encoding: is_set("use_delta_encoding", true),
        data_block_hash_table_util_ratio: text(&table, "data_block_index_type").map(|_| 0.75),
        separate_key_value_in_data_block: is_set("separate_key_value_in_data_block", false),
        index_shortening: match text(&table, "index_shortening") {
            Some("kShortenSeparatorsAndSuccessor") => IndexShortening::SeparatorsAndSuccessor,
            // Before 6.0 there was no such option, and the last separator was a successor.
            _ if major < 6 => IndexShortening::SeparatorsAndSuccessor,
            _ => IndexShortening::Separators,
        },
        enable_index_compression: is_set("enable_index_compression", true),
        partition_filters: is_set("partition_filters", false),
        metadata_block_size: number("metadata_block_size", 4096),
        whole_key_filtering: is_set("whole_key_filtering", true),
        ..Default::default()
    }
}

/// What the table says of where it comes from.
fn origin_of(properties: &TableProperties, shape: TableBuilderOptions) -> TableBuilderOptions {
    let own = [
        names::INDEX_TYPE,
        names::WHOLE_KEY_FILTERING,
        names::PREFIX_FILTERING,
        names::DECOUPLED_PARTITIONED_FILTERS,
        names::DELETED_KEYS,
        names::MERGE_OPERANDS,
        names::TIMESTAMP_MIN,
        names::TIMESTAMP_MAX,
    ];
    let mut replayed = properties.user_collected_properties.clone();
    replayed.retain(|name, _| !own.iter().any(|own| own.as_bytes() == &name[..]));
    let collector_factories: Vec<Arc<dyn TablePropertiesCollectorFactory>> =
        if replayed.is_empty() { Vec::new() } else { vec![Arc::new(Replayed(replayed))] };
    TableBuilderOptions {
        user_defined_timestamps_persisted: properties.user_defined_timestamps_persisted != 0,
        collector_factories,
        merge_operator_name: Some(properties.merge_operator_name.clone()),
        column_family_id: properties.column_family_id,
        column_family_name: properties.column_family_name.clone(),
        db_id: properties.db_id.clone(),
        db_session_id: properties.db_session_id.clone(),
        db_host_id: properties.db_host_id.clone(),
        file_number: properties.original_file_number,
        creation_time: properties.creation_time,
        oldest_key_time: properties.oldest_key_time,
        newest_key_time: properties.newest_key_time,
        file_creation_time: properties.file_creation_time,
        seqno_to_time_mapping: properties.seqno_to_time_mapping.clone(),
        reason: TableFileCreationReason::Compaction,
        ..shape
    }
}

fn compression_of(properties: &TableProperties, family: &OptionMap) -> CompressionType {
    let name = properties.compression_name.as_str();
    if let Some((manager, rest)) = name.split_once(';') {
        return match u8::from_str_radix(rest.trim_end_matches(';'), 16) {
            Ok(number) => CompressionType::from_u8(number).expect("a known type"),
            Err(_) if manager.is_empty() => CompressionType::None,
            // It made no block smaller.
            Err(_) => text(family, "compression")
                .and_then(CompressionType::from_option_name)
                .unwrap_or(CompressionType::Snappy),
        };
    }
    CompressionType::from_property_name(name).unwrap_or_default()
}

fn compression_options_of(properties: &TableProperties, family: &OptionMap) -> CompressionOptions {
    let mut options = CompressionOptions::default();
    for assignment in properties.compression_options.split("; ") {
        let Some((name, value)) = assignment.split_once('=') else { continue };
        // Names that begin so are remarks.
        if name.starts_with('_') {
            continue;
        }
        let number: i64 = value.parse().expect("a number");
        match name {
            "window_bits" => options.window_bits = number as i32,
            "level" => options.level = number as i32,
            "strategy" => options.strategy = number as i32,
            "max_dict_bytes" => options.max_dict_bytes = number as u32,
            "zstd_max_train_bytes" => options.zstd_max_train_bytes = number as u32,
            "parallel_threads" => {}
            "enabled" => options.enabled = number != 0,
            "max_dict_buffer_bytes" => options.max_dict_buffer_bytes = number as u64,
            "use_zstd_dict_trainer" => options.use_zstd_dict_trainer = number != 0,
            "max_compressed_bytes_per_kb" => options.max_compressed_bytes_per_kb = number as i32,
            "checksum" => options.checksum = number != 0,
            other => panic!("compression option {other}"),
        }
    }
    if properties.compression_options.is_empty()
        && let Some(words) = text(family, "compression_opts")
    {
        let mut words = words.split(':').map(|word| word.parse::<i32>().expect("a number"));
        options.window_bits = words.next().unwrap_or(-14);
        options.level = words.next().unwrap_or(CompressionOptions::DEFAULT_LEVEL);
    }
    options
}
