//! Files that come and go.

use super::{InfoLog, outcome};
use crate::events::NO_CHECKSUM_FUNCTION;
use base::{Result, Status};
use compaction::OutputFile;
use env::JsonObject;
use table::TableProperties;
use version::BlobFileAddition;

impl InfoLog {
    /// A compaction has completed one of its tables.
    pub(crate) fn table_generated(&self, job: u64, family: &str, file: &OutputFile) {
        self.info(format_args!(
            "[{family}] [JOB {job}] Generated table #{}: {} keys, {} bytes",
            file.metadata.number, file.entry_count, file.metadata.file_size
        ));
    }

    /// A job made a table.
    pub(crate) fn table_file_created(&self, job: u64, family: &str, file: &OutputFile) {
        self.event(|event| table_file_creation(event, job, family, file));
    }

    /// A job gave a table up.
    pub(crate) fn table_file_given_up(&self, job: u64, family: &str, number: u64, status: &Status) {
        self.event(|event| {
            event.field("cf_name", family).field("job", job).field("event", "table_file_creation");
            event.field("file_number", number).field("file_size", 0_u64);
            event.field("status", status.to_string());
        });
    }

    /// A job made a blob file, or gave it up.
    pub(crate) fn blob_file_created(
        &self,
        job: u64,
        family: &str,
        file: &BlobFileAddition,
        status: Option<&Status>,
    ) {
        self.event(|event| blob_file_creation(event, job, family, file, status));
    }

    /// A table was to be deleted.
    pub(crate) fn table_file_deleted(&self, job: u64, number: u64, result: &Result<()>) {
        self.event(|event| deletion(event, job, "table_file_deletion", number, result.as_ref()));
    }

    /// A blob file was to be deleted.
    pub(crate) fn blob_file_deleted(&self, job: u64, number: u64, result: &Result<()>) {
        self.event(|event| deletion(event, job, "blob_file_deletion", number, result.as_ref()));
    }
}

fn table_file_creation(event: &mut JsonObject, job: u64, family: &str, file: &OutputFile) {
    let metadata = &file.metadata;
    let (checksum, function) = match metadata.checksum() {
        Some(checksum) => (
            upper_hex(&checksum.value),
            String::from_utf8_lossy(&checksum.function_name).into_owned(),
        ),
        None => (String::new(), NO_CHECKSUM_FUNCTION.to_owned()),
    };
    event.field("cf_name", family).field("job", job).field("event", "table_file_creation");
    event.field("file_number", metadata.number).field("file_size", metadata.file_size);
    event.field("file_checksum", checksum).field("file_checksum_func_name", function);
    event.field("smallest_seqno", metadata.smallest_seqno);
    event.field("largest_seqno", metadata.largest_seqno);
    event.object("table_properties", |object| table_properties(object, &file.properties));
    if let Some(number) = metadata.oldest_blob_file_number {
        event.field("oldest_blob_file_number", number);
    }
    event.field("status", "OK");
}

fn table_properties(object: &mut JsonObject, table: &TableProperties) {
    let average = |sum: u64| sum.checked_div(table.num_entries).unwrap_or(0);
    object.field("data_size", table.data_size).field("index_size", table.index_size);
    object.field("index_partitions", table.index_partitions);
    object.field("top_level_index_size", table.top_level_index_size);
    object.field("index_key_is_user_key", table.index_key_is_user_key);
    object.field("index_value_is_delta_encoded", table.index_value_is_delta_encoded);
    object.field("filter_size", table.filter_size).field("raw_key_size", table.raw_key_size);
    object.field("raw_average_key_size", average(table.raw_key_size));
    object.field("raw_value_size", table.raw_value_size);
    object.field("raw_average_value_size", average(table.raw_value_size));
    object.field("num_data_blocks", table.num_data_blocks);
    object.field("num_entries", table.num_entries);
    object.field("num_filter_entries", table.num_filter_entries);
    object.field("num_deletions", table.num_deletions);
    object.field("num_merge_operands", table.num_merge_operands);
    object.field("num_range_deletions", table.num_range_deletions);
    object.field("format_version", table.format_version);
    object.field("fixed_key_len", table.fixed_key_len);
    object.field("filter_policy", &table.filter_policy_name);
    object.field("column_family_name", &table.column_family_name);
    object.field("column_family_id", table.column_family_id);
    object.field("comparator", &table.comparator_name);
    object.field("user_defined_timestamps_persisted", table.user_defined_timestamps_persisted);
    object.field("key_largest_seqno", table.key_largest_seqno);
    object.field("key_smallest_seqno", table.key_smallest_seqno);
    object.field("merge_operator", &table.merge_operator_name);
    object.field("prefix_extractor_name", &table.prefix_extractor_name);
    object.field("property_collectors", &table.property_collectors_names);
    object.field("compression", &table.compression_name);
    object.field("compression_options", &table.compression_options);
    object.field("creation_time", table.creation_time);
    object.field("oldest_key_time", table.oldest_key_time);
    object.field("newest_key_time", table.newest_key_time);
    object.field("file_creation_time", table.file_creation_time);
    object
        .field("slow_compression_estimated_data_size", table.slow_compression_estimated_data_size);
    object
        .field("fast_compression_estimated_data_size", table.fast_compression_estimated_data_size);
    object.field("db_id", &table.db_id).field("db_session_id", &table.db_session_id);
    object.field("orig_file_number", table.original_file_number);
    object.field("seqno_to_time_mapping", times(table));
    for (name, value) in &table.readable_properties {
        object.field(name, value);
    }
}

/// `1->1700000000,20->1700000060,`: from which sequence number on which time.
fn times(table: &TableProperties) -> String {
    match table.seqno_to_time_mapping() {
        _ if table.seqno_to_time_mapping.is_empty() => "N/A".to_owned(),
        Ok(times) => {
            let pairs = times.pairs().iter();
            pairs.map(|(sequence, time)| format!("{sequence}->{time},")).collect()
        }
        Err(_) => "Invalid".to_owned(),
    }
}

fn blob_file_creation(
    event: &mut JsonObject,
    job: u64,
    family: &str,
    file: &BlobFileAddition,
    status: Option<&Status>,
) {
    event.field("cf_name", family).field("job", job).field("event", "blob_file_creation");
    event.field("file_number", file.number).field("total_blob_count", file.total_blob_count);
    event.field("total_blob_bytes", file.total_blob_bytes);
    let function = match file.checksum_method.as_slice() {
        [] => NO_CHECKSUM_FUNCTION.to_owned(),
        method => String::from_utf8_lossy(method).into_owned(),
    };
    event.field("file_checksum", upper_hex(&file.checksum_value));
    event.field("file_checksum_func_name", function);
    event.field("status", outcome(status.map_or(Ok(&()), Err)));
}

fn deletion(
    event: &mut JsonObject,
    job: u64,
    name: &str,
    number: u64,
    result: std::result::Result<&(), &Status>,
) {
    event.field("job", job).field("event", name).field("file_number", number);
    event.field("status", outcome(result));
}

fn upper_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
