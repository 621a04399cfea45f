//! The properties as text, word for word as RocksDB's tools and `GetProperty` print them.

use super::{TableProperties, UNKNOWN_COLUMN_FAMILY_ID};
use std::fmt::Write;

const NOT_KNOWN: &str = "N/A";

/// Gathers properties.
struct Text<'a> {
    output: String,
    property_delimiter: &'a str,
    value_delimiter: &'a str,
}

impl Text<'_> {
    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        // Writing to memory cannot fail.
        let _ =
            write!(self.output, "{name}{}{value}{}", self.value_delimiter, self.property_delimiter);
    }

    fn add_text(&mut self, name: &str, value: &str) {
        self.add(name, if value.is_empty() { NOT_KNOWN } else { value });
    }
}

impl TableProperties {
    /// The properties that RocksDB shows to people, with `property_delimiter` behind each and
    /// `value_delimiter` between its name and its value.
    pub fn to_text(&self, property_delimiter: &str, value_delimiter: &str) -> String {
        let mut text = Text { output: String::new(), property_delimiter, value_delimiter };
        self.add_sizes(&mut text);
        self.add_names(&mut text);
        self.add_origin(&mut text);
        text.output
    }

    fn add_sizes(&self, text: &mut Text<'_>) {
        text.add("# data blocks", self.num_data_blocks);
        text.add("# entries", self.num_entries);
        text.add("# deletions", self.num_deletions);
        text.add("# merge operands", self.num_merge_operands);
        text.add("# range deletions", self.num_range_deletions);
        text.add("raw key size", self.raw_key_size);
        text.add("raw average key size", self.average(self.raw_key_size));
        text.add("raw value size", self.raw_value_size);
        text.add("raw average value size", self.average(self.raw_value_size));
        text.add("data block size", self.data_size);
        let index_size = format!(
            "index block size (user-key? {}, delta-value? {})",
            self.index_key_is_user_key, self.index_value_is_delta_encoded
        );
        text.add(&index_size, self.index_size);
        if self.index_partitions != 0 {
            text.add("# index partitions", self.index_partitions);
            text.add("top-level index size", self.top_level_index_size);
        }
        text.add("filter block size", self.filter_size);
        text.add("# entries for filter", self.num_filter_entries);
        let table_size =
            self.data_size.wrapping_add(self.index_size).wrapping_add(self.filter_size);
        text.add("(estimated) table size", table_size);
    }

    fn average(&self, total: u64) -> String {
        let average = match self.num_entries {
            0 => 0.0,
            count => total as f64 / count as f64,
        };
        format!("{average:.6}")
    }

    fn add_names(&self, text: &mut Text<'_>) {
        text.add_text("filter policy name", &self.filter_policy_name);
        text.add_text("prefix extractor name", &self.prefix_extractor_name);
        match self.column_family_id {
            UNKNOWN_COLUMN_FAMILY_ID => text.add("column family ID", NOT_KNOWN),
            id => text.add("column family ID", id),
        }
        text.add_text("column family name", &self.column_family_name);
        text.add_text("comparator name", &self.comparator_name);
        text.add_text("merge operator name", &self.merge_operator_name);
        text.add_text("property collectors names", &self.property_collectors_names);
        text.add_text("SST file compression algo", &self.compression_name);
        text.add_text("SST file compression options", &self.compression_options);
    }

    fn add_origin(&self, text: &mut Text<'_>) {
        text.add("creation time", self.creation_time);
        text.add("time stamp of earliest key", self.oldest_key_time);
        text.add("file creation time", self.file_creation_time);
        text.add("slow compression estimated data size", self.slow_compression_estimated_data_size);
        text.add("fast compression estimated data size", self.fast_compression_estimated_data_size);
        text.add("DB identity", &self.db_id);
        text.add("DB session identity", &self.db_session_id);
        text.add("DB host id", &self.db_host_id);
        text.add("original file number", self.original_file_number);
        let unique_id = match self.origin().external_id() {
            Some([first, second]) => {
                format!("{:016X}-{:016X}", first.swap_bytes(), second.swap_bytes())
            }
            None => NOT_KNOWN.to_owned(),
        };
        text.add("unique ID", unique_id);
        let mapping = match self.seqno_to_time_mapping() {
            Ok(mapping) => {
                mapping.pairs().iter().map(|(seqno, time)| format!("{seqno}->{time},")).collect()
            }
            Err(_) => NOT_KNOWN.to_owned(),
        };
        text.add("Sequence number to time mapping", mapping);
    }
}

#[cfg(test)]
mod tests;
