//! Which test proves the effect of which option.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const CACHE_CHARGES: &str = "crates/db/tests/cache_charges.rs";
const MAPPED_WALS: &str = "crates/db/tests/writing/mapped_wals.rs";
const WRITING_ERRORS: &str = "crates/db/tests/writing/errors.rs";
const RECOVERY: &str = "crates/db/tests/writing/recovery.rs";
const FAMILIES: &str = "crates/db/tests/writing/column_families.rs";
const INGESTION: &str = "crates/db/tests/writing/ingestion.rs";
const ERROR_RECOVERY: &str = "crates/db/tests/writing/recovery_from_errors.rs";
const BUSY_WITH_FILES: &str = "how_long_jobs_are_busy_with_files_is_told_if_that_is_wanted";
const HOOKS_MANAGERS: &str = "crates/db/tests/hooks/write_buffer_managers.rs";
const INFO_LOG: &str = "crates/db/tests/writing/info_log.rs";
const PERIODIC_WORK: &str = "crates/db/src/periodic_work/tests.rs";
const STATS_HISTORY: &str = "crates/db/src/stats_history/tests.rs";
const MERGES_AT_WRITE: &str = "crates/db/tests/writing/successive_merges.rs";
const TEMPERATURES: &str = "crates/db/tests/carried_over/temperatures.rs";
const ADAPTIVE_YIELD: &str = "crates/db/src/write/adaptive_yield/tests.rs";
const HOOKS_FILTERS: &str = "crates/db/tests/hooks/compaction_filters.rs";
const BY_OBJECTS: &str = "crates/db/tests/option_effects/by_objects.rs";
const BACKGROUND_JOBS: &str = "crates/db/tests/option_effects/background_jobs.rs";
const HUGE_PAGES: &str = "crates/db/tests/limits/huge_pages.rs";
const WITHOUT_HUGE_PAGES: &str =
    "memtables_without_huge_pages_have_ordinary_ones_and_the_log_says_so";
const PARALLEL_THREADS: &str = "so_many_threads_compress_a_table";

/// Options whose effect is proven by a test that is no file of `testdata`: the option, the file
/// from the root of the project, the test.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    (
        "deletion_pass_trigger",
        "crates/db/src/deletion_passes/tests.rs",
        "no_scan_has_to_pass_what_the_background_has_passed",
    ),
    (
        "keep_blocks_warm",
        "crates/db/tests/writing/warm_blocks.rs",
        "what_replaces_blocks_that_were_read_is_in_the_cache",
    ),
    ("cache_usage_options", CACHE_CHARGES, "open_tables_count_and_are_refused_without_room"),
    (
        "CacheUsageOptions.block_based_table_reader",
        CACHE_CHARGES,
        "open_tables_count_and_are_refused_without_room",
    ),
    ("CacheUsageOptions.file_metadata", CACHE_CHARGES, "what_is_known_of_files_counts"),
    ("CacheUsageOptions.blob_cache", CACHE_CHARGES, "what_the_blob_cache_holds_counts"),
    ("CacheUsageOptions.filter_construction", CACHE_CHARGES, "filters_count_while_they_are_made"),
    (
        "CacheUsageOptions.compression_dictionary_building_buffer",
        CACHE_CHARGES,
        "blocks_held_back_for_a_dictionary_count_and_are_fewer_without_room",
    ),
    ("memtable_huge_page_size", HUGE_PAGES, WITHOUT_HUGE_PAGES),
    ("wal_io", MAPPED_WALS, "a_wal_that_is_mapped_ends_in_zeros_until_it_is_closed"),
    ("create_if_missing", WRITING_ERRORS, "a_database_that_is_not_there_or_should_not_be_is_named"),
    (
        "create_missing_column_families",
        WRITING_ERRORS,
        "a_database_that_is_not_there_or_should_not_be_is_named",
    ),
    ("error_if_exists", WRITING_ERRORS, "a_database_that_is_not_there_or_should_not_be_is_named"),
    ("merge_operator", WRITING_ERRORS, "operands_wait_for_their_merge_operator"),
    ("comparator", WRITING_ERRORS, "another_comparator_is_refused"),
    (
        "table_factory",
        "crates/options/src/rules/tests.rs",
        "a_fault_is_one_sentence_with_option_value_and_remedy",
    ),
    (
        "track_and_verify_wals_in_manifest",
        RECOVERY,
        "a_wal_that_is_missing_or_cut_off_is_noticed_if_wals_are_tracked",
    ),
    ("wal_dir", RECOVERY, "tables_and_wals_are_where_the_paths_say"),
    ("db_paths", RECOVERY, "tables_and_wals_are_where_the_paths_say"),
    ("DbPath.path", RECOVERY, "tables_and_wals_are_where_the_paths_say"),
    ("wal_recovery_mode", RECOVERY, "damage_in_the_middle_is_treated_by_the_mode"),
    (
        "best_efforts_recovery",
        RECOVERY,
        "with_best_efforts_a_missing_table_takes_back_no_more_than_it_must",
    ),
    ("cf_paths", FAMILIES, "directories_of_a_new_column_family_are_made"),
    ("allow_ingest_behind", INGESTION, "files_go_behind_all_data_where_that_is_allowed"),
    ("cf_allow_ingest_behind", INGESTION, "files_go_behind_all_data_where_that_is_allowed"),
    ("max_total_wal_size", FAMILIES, "a_small_memtable_does_not_keep_old_wals_for_ever"),
    (
        "max_bgerror_resume_count",
        ERROR_RECOVERY,
        "resuming_is_refused_while_the_disk_is_full_and_done_afterwards",
    ),
    (
        "verify_sst_unique_id_in_manifest",
        "crates/db/tests/reading/places.rs",
        "tables_of_another_database_are_found_out",
    ),
    (
        "prefix_seek_opt_in_only",
        "crates/db/tests/reading/iterators.rs",
        "prefix_filters_hide_nothing_where_all_keys_are_wanted",
    ),
    (
        "file_checksum_gen_factory",
        "crates/db/tests/read_write_open/features.rs",
        "checksums_of_files_are_kept_and_go_on",
    ),
    (
        "allow_2pc",
        "crates/db/tests/carried_over/prepared_transactions.rs",
        "without_two_phase_commit_what_is_prepared_is_not_dropped_but_refused",
    ),
    (
        "preserve_internal_time_seconds",
        "crates/db/tests/carried_over/sequence_times.rs",
        "maps_of_rocksdb_go_through_flushes_and_compactions_and_back",
    ),
    ("atomic_flush", "crates/db/tests/writing/leftovers.rs", "a_part_of_an_atomic_flush"),
    (
        "skip_stats_update_on_db_open",
        "crates/db/src/property/tests.rs",
        "statistics_of_tables_can_be_left_out",
    ),
    (
        "max_write_batch_group_size_bytes",
        "crates/db/src/write/write_thread/tests.rs",
        "small_batches_do_not_wait_for_large_groups",
    ),
    (
        "force_consistency_checks",
        "crates/version/tests/replay/main.rs",
        "edits_give_the_state_that_the_text_files_say",
    ),
    (
        "track_and_verify_wals",
        "crates/db/tests/writing/wals.rs",
        "a_wal_that_was_cut_off_between_two_records_is_noticed",
    ),
    (
        "enable_thread_tracking",
        "crates/db/tests/writing/thread_status.rs",
        "a_slow_flush_and_a_slow_compaction_are_seen",
    ),
    ("info_log_level", INFO_LOG, "what_is_not_important_enough_is_left_out"),
    ("db_log_dir", INFO_LOG, "a_log_may_be_elsewhere_and_of_limited_size"),
    ("max_log_file_size", INFO_LOG, "a_log_may_be_elsewhere_and_of_limited_size"),
    ("keep_log_file_num", INFO_LOG, "each_open_begins_a_log"),
    ("stats_dump_period_sec", PERIODIC_WORK, "statistics_are_dumped_and_lines_reach_the_file"),
    (
        "stats_persist_period_sec",
        STATS_HISTORY,
        "slices_have_what_was_counted_since_the_one_before",
    ),
    ("persist_stats_to_disk", STATS_HISTORY, "slices_on_the_disk_outlive_the_process"),
    ("stats_history_buffer_size", STATS_HISTORY, "the_oldest_slices_go_when_the_buffer_is_full"),
    (
        "max_compaction_trigger_wakeup_seconds",
        PERIODIC_WORK,
        "compactions_are_looked_for_as_often_as_their_times_want",
    ),
    ("ttl", PERIODIC_WORK, "files_go_when_their_time_is_over_though_nothing_else_happens"),
    (
        "periodic_compaction_seconds",
        PERIODIC_WORK,
        "files_are_rewritten_when_they_are_old_though_nothing_else_happens",
    ),
    ("max_successive_merges", MERGES_AT_WRITE, "an_operand_after_as_many_becomes_a_value"),
    (
        "strict_max_successive_merges",
        MERGES_AT_WRITE,
        "a_base_in_a_file_is_read_only_by_the_strict_form",
    ),
    (
        "last_level_temperature",
        TEMPERATURES,
        "temperatures_go_through_flushes_and_compactions_and_back",
    ),
    (
        "default_write_temperature",
        TEMPERATURES,
        "temperatures_go_through_flushes_and_compactions_and_back",
    ),
    ("enable_write_thread_adaptive_yield", ADAPTIVE_YIELD, "without_the_option_nobody_yields"),
    ("write_thread_max_yield_usec", ADAPTIVE_YIELD, "what_comes_soon_is_found"),
    (
        "write_thread_slow_yield_usec",
        ADAPTIVE_YIELD,
        "waits_that_found_nothing_are_not_repeated_each_time",
    ),
    ("max_background_jobs", BACKGROUND_JOBS, "so_many_flushes_run_at_once_as_may"),
    ("max_background_flushes", BACKGROUND_JOBS, "so_many_flushes_run_at_once_as_may"),
    ("max_background_compactions", BACKGROUND_JOBS, "so_many_compactions_run_at_once_as_may"),
    ("CompressionOptions.parallel_threads", BACKGROUND_JOBS, PARALLEL_THREADS),
    (
        "compaction_niceness",
        BACKGROUND_JOBS,
        "compactions_are_as_nice_as_asked_and_flushes_are_not",
    ),
    ("report_bg_io_stats", INFO_LOG, BUSY_WITH_FILES),
    (
        "enforce_write_buffer_manager_during_recovery",
        HOOKS_MANAGERS,
        "a_recovery_keeps_to_the_limit",
    ),
    ("rate_limiter_bytes_per_sec", BACKGROUND_JOBS, "background_work_writes_no_faster_than_it_may"),
    ("compaction_filter", HOOKS_FILTERS, "compactions_do_what_the_filter_decides"),
    ("compaction_filter_factory", HOOKS_FILTERS, "a_factory_is_asked_for_what_it_wants"),
    (
        "sst_partitioner_factory",
        "crates/db/tests/hooks/partitioners.rs",
        "compactions_divide_tables_and_flushes_do_not",
    ),
    (
        "table_properties_collectors",
        "crates/db/tests/hooks/collectors.rs",
        "tables_of_many_deletions_are_compacted_soon",
    ),
    (
        "memtable_insert_with_hint_prefix_extractor",
        BY_OBJECTS,
        "insertions_are_remembered_by_the_prefix_of_the_extractor",
    ),
    ("log_file_time_to_roll", BY_OBJECTS, "a_log_that_is_old_enough_goes_on_in_another_file"),
    (
        "flush_verify_memtable_count",
        BY_OBJECTS,
        "a_memtable_of_another_count_is_noticed_if_that_is_verified",
    ),
    (
        "bgerror_resume_retry_interval",
        BY_OBJECTS,
        "recovery_is_tried_as_often_as_the_interval_says",
    ),
    (
        "persist_user_defined_timestamps",
        BY_OBJECTS,
        "timestamps_are_in_tables_only_if_they_are_to_persist",
    ),
    (
        "verify_compression",
        "crates/db/src/table_builder_options/tests.rs",
        "what_cannot_be_seen_from_outside_is_passed_on",
    ),
];

/// Honoured options that no test would miss if a database ignored them, and what there is instead.
/// The list shrinks.
const UNPROVEN: &[(&str, &str)] = &[
    // There is one way to write here, which keeps what each of them promises.
    ("enable_pipelined_write", "validation, and models under every way to write"),
    ("unordered_write", "validation, and models under every way to write"),
    ("allow_concurrent_memtable_write", "validation, and models under every way to write"),
    ("two_write_queues", "snapshots and batches are the same in every way to write"),
    // A table would have to lie about itself.
    ("compaction_verify_record_count", "a job that loses entries fails, in `compaction`"),
    // What stays longer than what shows only in a cache with pools of both kinds.
    ("LruCacheOptions.low_pri_pool_ratio", "tests of the cache itself"),
];

const SET_OPTIONS: &str = "crates/db/src/set_options/tests.rs";
const SET_DB_OPTIONS: &str = "crates/db/src/set_db_options/tests.rs";

/// Options that can be changed in an open database and that no file of `testdata` tries, which
/// `changed.rs` would change: the option, the file, the test that changes it.
const CHANGED_ELSEWHERE: &[(&str, &str, &str)] = &[
    ("deletion_pass_trigger", "crates/db/src/deletion_passes/tests.rs", "the_option_says_when"),
    ("memtable_huge_page_size", HUGE_PAGES, WITHOUT_HUGE_PAGES),
    ("max_background_jobs", SET_DB_OPTIONS, "background_work_has_as_many_threads_as_are_set"),
    ("max_background_flushes", SET_DB_OPTIONS, "background_work_has_as_many_threads_as_are_set"),
    (
        "max_background_compactions",
        SET_DB_OPTIONS,
        "background_work_has_as_many_threads_as_are_set",
    ),
    ("CompressionOptions.parallel_threads", BACKGROUND_JOBS, PARALLEL_THREADS),
    ("max_total_wal_size", SET_DB_OPTIONS, "old_wals_are_given_up_by_the_size_that_is_set"),
    ("stats_dump_period_sec", SET_DB_OPTIONS, "periodic_work_is_done_in_the_periods_that_are_set"),
    (
        "stats_persist_period_sec",
        SET_DB_OPTIONS,
        "periodic_work_is_done_in_the_periods_that_are_set",
    ),
    ("stats_history_buffer_size", STATS_HISTORY, "the_buffer_may_shrink_while_it_is_open"),
    (
        "max_compaction_trigger_wakeup_seconds",
        SET_DB_OPTIONS,
        "periodic_work_is_done_in_the_periods_that_are_set",
    ),
    ("max_successive_merges", SET_OPTIONS, "operands_are_merged_at_write_as_soon_as_that_is_set"),
    (
        "strict_max_successive_merges",
        SET_OPTIONS,
        "operands_are_merged_at_write_as_soon_as_that_is_set",
    ),
    ("report_bg_io_stats", INFO_LOG, BUSY_WITH_FILES),
    ("ttl", SET_OPTIONS, "a_fifo_tree_drops_files_by_the_ttl_that_is_set"),
    ("periodic_compaction_seconds", SET_OPTIONS, "files_grow_old_by_the_times_that_are_set"),
    ("last_level_temperature", SET_OPTIONS, "files_have_the_temperatures_that_are_set"),
    ("default_write_temperature", SET_OPTIONS, "files_have_the_temperatures_that_are_set"),
    (
        "preserve_internal_time_seconds",
        SET_OPTIONS,
        "times_of_writes_are_kept_from_when_that_is_set",
    ),
    ("verify_compression", SET_OPTIONS, "tables_are_built_by_the_options_that_are_set"),
    ("table_factory", SET_OPTIONS, "tables_are_built_by_the_options_that_are_set"),
    (
        "LruCacheOptions.low_pri_pool_ratio",
        SET_OPTIONS,
        "another_block_cache_takes_the_place_of_the_one_that_is_there",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Options that the engine claims to honour, out of the documentation that is made of their rows.
/// Those inside of others are called as their struct is: `LruCacheOptions.capacity`.
fn honoured() -> BTreeSet<String> {
    documented(|_| true)
}

/// Those of them for which the cells of their row say so.
fn documented(is_wanted: impl Fn(&[&str]) -> bool) -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    let mut owner = String::new();
    for line in read(&root().join("docs/options.md")).lines() {
        if let Some(title) = line.strip_prefix("## ") {
            owner = match title {
                "DbOptions" | "ColumnFamilyOptions" | "BlockBasedTableOptions" => String::new(),
                title => format!("{title}."),
            };
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        if let Some(name) = line.strip_prefix("| `")
            && cells.get(3) == Some(&"yes")
            && is_wanted(&cells)
        {
            options.insert(format!("{owner}{}", name.split('`').next().unwrap()));
        }
    }
    options
}

/// Options that files of `testdata` try, and with them those that hold them.
fn tried() -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    let directory = root().join("crates/db/tests/option_effects/testdata");
    for entry in std::fs::read_dir(directory).unwrap() {
        for line in read(&entry.unwrap().path()).lines() {
            let Some(rest) = line.strip_prefix("effect ") else { continue };
            let option = rest.split(' ').next().unwrap();
            options.insert(option.to_owned());
            let Some((owner, field)) = option.split_once('.') else { continue };
            options.insert(owner.to_owned());
            let owner = match owner {
                "block_cache" | "blob_cache" => "LruCacheOptions",
                "compaction_options_universal" => "CompactionOptionsUniversal",
                "compaction_options_fifo" => "CompactionOptionsFifo",
                "metadata_cache_options" => "MetadataCacheOptions",
                "cache_usage_options" => "CacheUsageOptions",
                _ => "CompressionOptions",
            };
            options.insert(format!("{owner}.{field}"));
        }
    }
    options
}

#[test]
fn every_honoured_option_has_a_test_of_its_effect() {
    let (honoured, tried) = (honoured(), tried());
    assert!(honoured.len() > 150, "{honoured:?}");
    let elsewhere: BTreeSet<_> =
        ELSEWHERE.iter().map(|(option, ..)| (*option).to_owned()).collect();
    let unproven: BTreeSet<_> = UNPROVEN.iter().map(|(option, _)| (*option).to_owned()).collect();
    let proven: BTreeSet<_> = tried.union(&elsewhere).cloned().collect();
    let open: Vec<_> = honoured.iter().filter(|option| !proven.contains(*option)).collect();
    assert_eq!(
        open,
        unproven.iter().collect::<Vec<_>>(),
        "these are honoured without a test of their effect: give them one in testdata, or name it in \
         ELSEWHERE"
    );
    for option in &elsewhere {
        assert!(honoured.contains(option), "{option} is not marked as honoured");
        assert!(!tried.contains(option), "{option} is proven by a file, too");
    }
}

#[test]
fn every_option_that_can_be_changed_has_a_test_that_changes_it() {
    let (mutable, tried) = (documented(|cells| cells.get(4) == Some(&"yes")), tried());
    assert!(mutable.len() > 100, "{mutable:?}");
    let elsewhere: BTreeSet<_> =
        CHANGED_ELSEWHERE.iter().map(|(option, ..)| (*option).to_owned()).collect();
    let changed: BTreeSet<_> = tried.union(&elsewhere).cloned().collect();
    let open: Vec<_> = mutable.difference(&changed).collect();
    assert!(
        open.is_empty(),
        "these can be changed in an open database, and no test shows the effect of that: give them \
         one in testdata, or name it in CHANGED_ELSEWHERE: {open:?}"
    );
    for option in &elsewhere {
        assert!(mutable.contains(option), "{option} is not marked as honoured and mutable");
    }
}

#[test]
fn tests_elsewhere_are_there() {
    for (option, file, test) in ELSEWHERE.iter().chain(CHANGED_ELSEWHERE) {
        let text = read(&root().join(file));
        assert!(text.contains(&format!("fn {test}()")), "{option}: {file} has no {test}");
    }
}
