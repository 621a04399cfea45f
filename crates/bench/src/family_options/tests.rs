use super::*;

fn options(arguments: &[&str]) -> Result<ColumnFamilyOptions> {
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    family_options(&Flags::parse(&arguments).expect("flags"))
}

#[test]
fn factors_of_levels_are_a_list_as_long_as_there_are_levels() {
    let flag = "--max_bytes_for_level_multiplier_additional";
    let four = options(&["--num_levels=4", &format!("{flag}=1,2,3,4")]).unwrap();
    assert_eq!(four.max_bytes_for_level_multiplier_additional, [1, 2, 3, 4]);
    for bad in ["1,2,3", "1,2,3,x"] {
        let error = options(&["--num_levels=4", &format!("{flag}={bad}")]).unwrap_err();
        assert!(error.message().contains(bad), "{error}");
    }
}

#[test]
fn a_lifetime_of_fifo_files_is_one_of_all_styles() {
    assert_eq!(options(&["--fifo_compaction_ttl=60"]).unwrap().ttl, 60);
    assert_eq!(options(&["--fifo_compaction_ttl=60", "--ttl_seconds=7"]).unwrap().ttl, 7);
    let default = options(&[]).unwrap().ttl;
    assert_eq!(options(&["--fifo_compaction_ttl=60", "--as_published"]).unwrap().ttl, default);
}

#[test]
fn universal_flags_change_only_what_they_name() {
    let default = options(&[]).unwrap().compaction_options_universal;
    let changed =
        options(&["--universal_size_ratio=10", "--universal_allow_trivial_move"]).unwrap();
    let universal = changed.compaction_options_universal;
    assert_eq!((universal.size_ratio, universal.allow_trivial_move), (10, true));
    assert_eq!(universal.min_merge_width, default.min_merge_width);
    assert!(options(&["--universal_stop_style=2"]).unwrap_err().message().contains("0 to 1"));
}

#[test]
fn blob_caches_are_their_own() {
    let own = ["--use_blob_cache", "--nouse_shared_block_and_blob_cache", "--blob_cache_size=9"];
    assert_eq!(options(&own).unwrap().blob_cache.map(|cache| cache.capacity), Some(9));
    assert!(options(&own[..1]).unwrap_err().message().contains("--use_shared_block"));
}
