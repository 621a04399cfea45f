use super::*;
use crate::config::ConfigOptions;

/// An option string for each rule, and the one for which it says nothing.
const DB_CASES: &[(&str, &str)] = &[
    ("paranoid_checks", "paranoid_checks=false"),
    ("wal_recovery_mode", "wal_recovery_mode=kSkipAnyCorruptedRecords"),
    ("wal_recovery_mode", "wal_recovery_mode=kTolerateCorruptedTailRecords"),
    ("best_efforts_recovery", "best_efforts_recovery=true"),
    ("manual_wal_flush", "manual_wal_flush=true"),
    ("avoid_flush_during_shutdown", "avoid_flush_during_shutdown=true"),
    ("unordered_write", "unordered_write=true"),
    ("allow_mmap_writes", "allow_mmap_writes=true"),
    ("verify_sst_unique_id_in_manifest", "verify_sst_unique_id_in_manifest=false"),
    ("max_background_jobs", "max_background_jobs=2"),
    ("max_open_files", "max_open_files=50"),
    ("compaction_readahead_size", "compaction_readahead_size=0"),
    (
        "use_direct_io_for_flush_and_compaction",
        "use_direct_io_for_flush_and_compaction=true;writable_file_max_buffer_size=4K",
    ),
    ("max_total_wal_size", "max_total_wal_size=100G"),
    ("keep_log_file_num", "keep_log_file_num=1000;max_log_file_size=0"),
    ("skip_stats_update_on_db_open", "skip_stats_update_on_db_open=true"),
    ("enforce_single_del_contracts", "enforce_single_del_contracts=false"),
];
const SAFE_DB: &str = "max_background_jobs=8;keep_log_file_num=10;max_log_file_size=16M";

const FAMILY_CASES: &[(&str, &str)] = &[
    ("disable_auto_compactions", "disable_auto_compactions=true"),
    ("compaction_style", "compaction_style=kCompactionStyleFIFO"),
    ("compaction_style", "compaction_style=kCompactionStyleNone"),
    (
        "compaction_options_universal",
        "compaction_style=kCompactionStyleUniversal;\
         compaction_options_universal={max_size_amplification_percent=200}",
    ),
    ("level_compaction_dynamic_level_bytes", "level_compaction_dynamic_level_bytes=false"),
    ("max_write_buffer_number", "max_write_buffer_number=2"),
    ("min_write_buffer_number_to_merge", "min_write_buffer_number_to_merge=3"),
    ("write_buffer_size", "write_buffer_size=64K"),
    ("max_bytes_for_level_base", "max_bytes_for_level_base=16M"),
    ("target_file_size_base", "target_file_size_base=100K"),
    ("level0_slowdown_writes_trigger", "level0_stop_writes_trigger=20"),
    ("level0_stop_writes_trigger", "level0_stop_writes_trigger=100000"),
    (
        "hard_pending_compaction_bytes_limit",
        "level0_stop_writes_trigger=100000;soft_pending_compaction_bytes_limit=0;\
         hard_pending_compaction_bytes_limit=0",
    ),
    ("inplace_update_support", "inplace_update_support=true"),
    ("force_consistency_checks", "force_consistency_checks=false"),
    ("enable_blob_files", "enable_blob_files=true;min_blob_size=1K"),
    ("min_blob_size", "enable_blob_files=true;enable_blob_garbage_collection=true"),
    ("optimize_filters_for_hits", "optimize_filters_for_hits=true"),
    ("ttl", "ttl=60"),
    ("periodic_compaction_seconds", "periodic_compaction_seconds=60"),
    ("num_levels", "num_levels=2"),
    ("checksum", "table_factory.checksum=kNoChecksum"),
    ("no_block_cache", "table_factory.no_block_cache=true"),
    ("block_cache", "table_factory.block_cache=1M"),
    ("block_cache", "table_factory.block_cache=nullptr"),
    ("cache_index_and_filter_blocks", "table_factory.cache_index_and_filter_blocks=false"),
    ("filter_policy", "table_factory.filter_policy=nullptr"),
    ("whole_key_filtering", "table_factory.whole_key_filtering=false"),
    ("block_size", "table_factory.block_size=1M"),
    ("format_version", "table_factory.format_version=2"),
];
const SAFE_FAMILY: &str = "max_write_buffer_number=4;table_factory.block_cache=1G;\
    table_factory.cache_index_and_filter_blocks=true;table_factory.filter_policy=bloomfilter:10";

fn options_of(dangers: Vec<Danger>) -> Vec<&'static str> {
    dangers.into_iter().map(|danger| danger.option).collect()
}

fn db(text: &str) -> Vec<&'static str> {
    let mut options = DbOptions::from_string(SAFE_DB).unwrap();
    options.apply_string(text, &ConfigOptions::default()).unwrap();
    options_of(db_dangers(&options))
}

fn family(text: &str) -> Vec<&'static str> {
    let mut options = ColumnFamilyOptions::from_string(SAFE_FAMILY).unwrap();
    options.apply_string(text, &ConfigOptions::default()).unwrap();
    options_of(column_family_dangers(&options))
}

#[test]
fn nothing_is_said_of_what_is_safe() {
    assert_eq!(db(""), [""; 0]);
    assert_eq!(family(""), [""; 0]);
}

#[test]
fn each_rule_speaks_of_its_option() {
    for (option, text) in DB_CASES {
        assert_eq!(db(text), [*option], "{text}");
    }
    for (option, text) in FAMILY_CASES {
        assert!(family(text).contains(option), "{text}: {:?}", family(text));
    }
}

#[test]
fn every_rule_has_a_case() {
    let rules = DB_RULES.iter().map(|(option, ..)| *option);
    let rules = rules.chain(FAMILY_RULES.iter().map(|(option, ..)| *option));
    for option in rules.chain(TABLE_RULES.iter().map(|(option, ..)| *option)) {
        let mut cases = DB_CASES.iter().chain(FAMILY_CASES);
        assert!(cases.any(|(case, _)| *case == option), "{option} has none");
    }
}

#[test]
fn a_danger_has_the_value_and_a_sentence() {
    let options = ColumnFamilyOptions::from_string(&format!("{SAFE_FAMILY};ttl=60")).unwrap();
    let dangers = column_family_dangers(&options);
    let expected = Danger {
        option: "ttl",
        harm: Harm::Speed,
        value: "60".to_owned(),
        sentence: "every table is rewritten all 60 seconds; use a day or more".to_owned(),
    };
    assert_eq!(dangers, [expected]);
}
