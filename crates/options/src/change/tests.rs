use crate::{ColumnFamilyOptions, ConfigOptions, DbOptions, Remark};
use base::Result;
use base::status::Code;

fn cf(changes: &[(&str, &str)]) -> Result<ColumnFamilyOptions> {
    let base = ColumnFamilyOptions::from_string("block_based_table_factory={block_size=8K}")?;
    base.changed(changes, &ConfigOptions::default()).map(|(changed, _)| changed)
}

fn db(changes: &[(&str, &str)]) -> Result<DbOptions> {
    DbOptions::default().changed(changes, &ConfigOptions::default()).map(|(changed, _)| changed)
}

#[test]
fn every_option_can_be_changed_or_not_as_its_row_says() {
    for info in ColumnFamilyOptions::infos().filter(|info| info.name != "table_factory") {
        let present = ColumnFamilyOptions::default().get(info.name).unwrap();
        let objects =
            ["object", "comparator", "merge operator", "prefix extractor", "memtable factory"];
        // An object that is there already is no change.
        let is_object = objects.contains(&info.type_name().as_str());
        match cf(&[(info.name, &present)]) {
            Ok(_) => assert!(info.mutable || is_object, "{}", info.name),
            Err(status) => {
                assert!(!info.mutable, "{status}");
                assert_eq!(status.code(), Code::InvalidArgument);
                assert!(status.message().contains(info.name), "{status}");
            }
        }
    }
    for info in DbOptions::infos() {
        let present = DbOptions::default().get(info.name).unwrap();
        match db(&[(info.name, &present)]) {
            Ok(_) => assert!(info.mutable, "{}", info.name),
            Err(status) => {
                assert!(!info.mutable, "{status}");
                assert_eq!(status.code(), Code::NotFound);
                assert!(status.message().contains(info.name), "{status}");
            }
        }
    }
}

#[test]
fn parts_of_options_are_changed_and_the_rest_of_them_stays() {
    let changed = cf(&[
        ("compaction_options_fifo", "{max_table_files_size=5M}"),
        ("compaction_options_universal.size_ratio", "7"),
        ("block_based_table_factory", "{filter_policy=bloomfilter:10:false}"),
        ("table_factory.block_restart_interval", "4"),
        ("write_buffer_size", "1M"),
        ("write_buffer_size", "2M"),
    ])
    .unwrap();
    assert_eq!(changed.compaction_options_fifo.max_table_files_size, 5 << 20);
    assert_eq!(changed.compaction_options_universal.size_ratio, 7);
    assert_eq!(changed.table.block_size, 8 << 10);
    assert_eq!(changed.table.block_restart_interval, 4);
    assert!(changed.table.filter_policy.is_some());
    assert_eq!(changed.write_buffer_size, 2 << 20);
}

#[test]
fn what_cannot_be_changed_is_named() {
    for (name, value, said) in [
        ("num_levels", "3", "Option not changeable: num_levels"),
        ("comparator", "another", "Option not changeable: comparator"),
        ("cf_paths", "{{path=/a;target_size=1}}", "cf_paths"),
        ("no_such_option", "1", "no_such_option"),
        ("max_mem_compaction_level", "1", "max_mem_compaction_level"),
        ("write_buffer_size", "much", "write_buffer_size"),
        ("compaction_options_fifo", "{no_such_field=1}", "no_such_field"),
        ("block_based_table_factory", "{block_size=much}", "block_based_table_factory"),
        ("plain_table_factory", "{bloom_bits_per_key=1}", "Cannot modify BlockBasedTable"),
        ("table_factory", "PlainTable", "table_factory"),
        ("prefix_extractor", "nobody.registered.this", "prefix_extractor"),
        ("create_if_missing", "true", "create_if_missing"),
    ] {
        let status = cf(&[("ttl", "5"), (name, value)]).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(status.message().contains(said), "{name}: {status}");
    }
    for (name, value, code) in [
        ("create_if_missing", "true", Code::NotFound),
        ("no_such_option", "1", Code::NotFound),
        ("write_buffer_size", "1", Code::NotFound),
        ("skip_log_error_on_recovery", "true", Code::NotFound),
        ("max_open_files", "many", Code::InvalidArgument),
    ] {
        let status = db(&[("bytes_per_sync", "5"), (name, value)]).unwrap_err();
        assert_eq!(status.code(), code, "{status}");
        assert!(status.message().contains(name), "{status}");
    }
}

#[test]
fn names_that_rocksdb_gave_up_are_taken_and_objects_stay_what_they_are() {
    assert!(cf(&[("soft_rate_limit", "0.5"), ("filter_deletes", "true")]).is_ok());
    assert!(cf(&[("comparator", "leveldb.BytewiseComparator")]).is_ok());
    assert!(cf(&[("memtable_factory", "SkipListFactory")]).is_ok());
    assert!(db(&[("allow_os_buffer", "true"), ("base_background_compactions", "2")]).is_ok());
}

#[test]
fn what_is_not_honoured_is_said() {
    let (_, said) = ColumnFamilyOptions::default()
        .changed(&[("sample_for_compression", "7")], &ConfigOptions::default())
        .unwrap();
    let said: Vec<_> = said.iter().map(|one| (one.remark, one.name.as_str())).collect();
    match ColumnFamilyOptions::infos().find(|info| info.name == "sample_for_compression") {
        Some(info) if info.honoured => assert_eq!(said, []),
        _ => assert_eq!(said, [(Remark::NotHonoured, "sample_for_compression")]),
    }
}
