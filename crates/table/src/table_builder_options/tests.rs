use super::*;
use base::comparator::{ReverseBytewiseComparator, U64TimestampComparator};

fn error(change: impl FnOnce(&mut TableBuilderOptions)) -> String {
    let mut options = TableBuilderOptions::default();
    change(&mut options);
    options.sanitized().unwrap_err().to_string()
}

#[test]
fn old_format_versions_are_written_as_the_oldest_there_is() {
    for format_version in 0..=7 {
        let options = TableBuilderOptions { format_version, ..Default::default() };
        assert_eq!(options.sanitized().unwrap().format_version, format_version.max(2));
    }
    assert!(error(|options| options.format_version = 8).contains("Unsupported"));
}

#[test]
fn what_contradicts_itself_is_refused() {
    assert!(error(|options| options.index_type = IndexType::HashSearch).contains("Hash index"));
    assert!(
        error(|options| {
            options.block_align = true;
            options.compression = CompressionType::Snappy;
        })
        .contains("Enable block_align, but compression enabled")
    );
    assert!(
        error(|options| {
            options.block_align = true;
            options.block_size = 1000;
        })
        .contains("power of 2")
    );
    assert!(error(|options| options.super_block_alignment_size = 3000).contains("power of 2"));
    assert!(
        error(|options| options.super_block_alignment_space_overhead_ratio = 3)
            .contains("overhead is too high")
    );
    assert!(
        error(|options| options.data_block_hash_table_util_ratio = Some(0.0)).contains("greater")
    );
}

#[test]
fn what_does_not_fit_together_is_corrected() {
    let options = TableBuilderOptions {
        partition_filters: true,
        block_size_deviation: 101,
        block_restart_interval: 0,
        index_block_restart_interval: 0,
        ..Default::default()
    };
    let sanitized = options.sanitized().unwrap();
    assert!(!sanitized.partition_filters);
    assert_eq!(sanitized.block_size_deviation, 0);
    assert_eq!((sanitized.block_restart_interval, sanitized.index_block_restart_interval), (1, 1));
}

#[test]
fn hash_indexes_in_data_blocks_need_keys_that_are_equal_only_if_their_bytes_are() {
    let has_hash_index = |comparator: Arc<dyn base::Comparator>| {
        let comparator = InternalKeyComparator::new(comparator);
        let data_block_hash_table_util_ratio = Some(0.75);
        let options = TableBuilderOptions {
            comparator,
            data_block_hash_table_util_ratio,
            ..Default::default()
        };
        options.sanitized().unwrap().data_block_hash_table_util_ratio.is_some()
    };
    assert!(has_hash_index(Arc::new(base::comparator::BytewiseComparator)));
    assert!(has_hash_index(Arc::new(ReverseBytewiseComparator)));
    assert!(!has_hash_index(Arc::new(U64TimestampComparator::BYTEWISE)));
}
