use super::*;
use options::ConfigOptions;
use table::PinnedTables::{All, FlushedAndSimilar, None};

#[test]
fn tiers_of_pinning_go_before_the_switches_that_are_older() {
    for (text, top_level, partitions, unpartitioned) in [
        ("", All, None, None),
        ("pin_top_level_index_and_filter=false", None, None, None),
        ("pin_l0_filter_and_index_blocks_in_cache=true", All, FlushedAndSimilar, FlushedAndSimilar),
        (
            "pin_l0_filter_and_index_blocks_in_cache=true;metadata_cache_options={\
             top_level_index_pinning=kNone;partition_pinning=kAll;\
             unpartitioned_pinning=kFallback}",
            None,
            All,
            FlushedAndSimilar,
        ),
        (
            "metadata_cache_options={top_level_index_pinning=kFlushedAndSimilar;\
             unpartitioned_pinning=kFlushedAndSimilar}",
            FlushedAndSimilar,
            None,
            FlushedAndSimilar,
        ),
    ] {
        let mut table = BlockBasedTableOptions::default();
        table.apply_string(text, &ConfigOptions::default()).unwrap();
        let expected = MetadataPinning { top_level, partitions, unpartitioned };
        assert_eq!(metadata_pinning(&table), expected, "{text}");
    }
}
