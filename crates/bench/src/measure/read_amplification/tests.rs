use super::*;

#[test]
fn lookups_search_tables_whose_filters_pass() {
    let report = "user_key_comparison_count = 900, block_cache_hit_count = 150, \
                  block_read_count = 50, block_cache_filter_hit_count = 100, \
                  get_from_memtable_count = 100, bloom_sst_hit_count = 100, \
                  bloom_sst_miss_count = 600, bloom_filter_useful = 600@level0, 0@level6, \
                  block_cache_hit_count = 150@level0";
    let expected = ReadAmplification {
        runs_per_query: 8.0,
        filters_checked_per_query: 7.0,
        filters_useful_per_query: 6.0,
        keys_compared_per_query: Some(9.0),
        blocks_per_query: 2.0,
    };
    assert_eq!(PerfCounts::parse(report).per_query(100), Some(expected));
}

#[test]
fn without_filters_data_blocks_tell_the_tables() {
    let report = "block_cache_hit_count = 17, block_read_count = 3, index_block_read_count = 1, \
                  block_cache_index_hit_count = 9, get_from_memtable_count = 5";
    let expected = ReadAmplification {
        runs_per_query: 3.0,
        filters_checked_per_query: 0.0,
        filters_useful_per_query: 0.0,
        keys_compared_per_query: None,
        blocks_per_query: 4.0,
    };
    assert_eq!(PerfCounts::parse(report).per_query(5), Some(expected));
}

#[test]
fn seeks_count_their_runs() {
    let mut counts = PerfCounts::parse("seek_child_seek_count = 12, seek_on_memtable_count = 2");
    counts.add(&PerfCounts::parse("seek_child_seek_count = 4, block_read_count = 2,"));
    let amplification = counts.per_query(4).unwrap();
    assert_eq!(amplification.runs_per_query, 4.0);
    assert_eq!(amplification.blocks_per_query, 0.5);
}

#[test]
fn nothing_counted_is_nothing_known() {
    assert_eq!(PerfCounts::parse("").per_query(10), None);
    assert_eq!(PerfCounts::parse("block_read_count = 0").per_query(10), None);
    assert_eq!(PerfCounts::parse("block_read_count = 5").per_query(0), None);
    assert_eq!(PerfCounts::parse("nonsense, = 5, a = b, c = -1").per_query(1), None);
}
