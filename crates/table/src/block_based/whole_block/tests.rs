use super::{BlockForm, BlockTerms};
use compression::CompressionOptions;
use std::path::Path;
use testing::datadriven::{self, Directive};

/// A block of a table that makes the same ones, full; arguments say what is different.
fn fit(directive: &Directive) -> String {
    let options = options_of(directive.value("options"));
    let wanted = options_of(directive.value("wanted-options"));
    let form = BlockForm {
        format_version: directive.parse_or("format", 6),
        compression_type: directive.parse_or("compression", 4),
        compression_options: &options,
        has_dictionary: directive.has("dictionary"),
        has_hash_index: directive.has("hash-index"),
        size: directive.parse_or("size", 1000),
        size_before_last: directive.parse_or("before-last", 950),
        entry_count: directive.parse_or("entries", 33),
        restart_count: directive.parse_or("restarts", 3),
        is_delta_encoded: !directive.has("whole-keys"),
    };
    let terms = BlockTerms {
        wants_entries: directive.has("wants-entries"),
        compression_type: directive.parse_or("wanted-compression", 4),
        compression_options: &wanted,
        block_size: directive.parse_or("block-size", 1000),
        restart_interval: directive.parse_or("interval", 16),
        pending_size: directive.parse_or("pending", 0),
    };
    format!("{:?}\n", form.fit(&terms))
}

#[test]
fn what_a_block_must_be_to_be_copied() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/block_fit.txt");
    datadriven::run(&path, fit);
}

/// What tables say of their compression, with one setting as `change` has it; of an old release, or none.
fn options_of(change: Option<&str>) -> String {
    const OF_OLD_RELEASE: &str = "window_bits=-14; level=32767; strategy=0; max_dict_bytes=0; \
                                  zstd_max_train_bytes=0; enabled=0; ";
    let options = CompressionOptions::default().to_property();
    match change {
        None => options,
        Some("none") => String::new(),
        Some("old-release") => OF_OLD_RELEASE.to_owned(),
        Some(change) => {
            let (name, value) = change.split_once(':').expect("name:value");
            let (before, rest) = options.split_once(&format!("{name}=")).expect("a setting");
            let (_, after) = rest.split_once("; ").expect("a value");
            format!("{before}{name}={value}; {after}")
        }
    }
}
