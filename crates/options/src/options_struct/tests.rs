use super::*;
use crate::config::Remark;
use crate::{CompressionType, OptionsFile, Temperature};
use std::path::Path;
use testing::{fixtures, parallel};

mod round_trip;

fn cf(text: &str) -> ColumnFamilyOptions {
    ColumnFamilyOptions::from_string(text).unwrap_or_else(|status| panic!("{text}: {status}"))
}

fn wrong(text: &str) -> String {
    ColumnFamilyOptions::from_string(text).unwrap_err().message().to_owned()
}

#[test]
fn strings_of_the_fixtures_are_read() {
    parallel::for_each(&fixtures::all(), |fixture| -> std::result::Result<(), String> {
        let fail = |text: &str, status: Status| format!("{text}: {status}");
        let options = &fixture.case.options;
        let text = to_text(&options.db_strings());
        DbOptions::from_string(&text).map_err(|status| fail(&text, status))?;
        for family in options.cf.keys() {
            let text = to_text(&options.cf_strings(family));
            let parsed =
                ColumnFamilyOptions::from_string(&text).map_err(|status| fail(&text, status))?;
            let again = ColumnFamilyOptions::from_string(&parsed.to_option_string())
                .map_err(|status| fail(&parsed.to_option_string(), status))?;
            if again.to_option_string() != parsed.to_option_string() {
                return Err(format!("{text}: does not print as it was read"));
            }
        }
        Ok(())
    });
}

fn to_text(options: &[(String, String)]) -> String {
    options.iter().map(|(name, value)| format!("{name}={value};")).collect()
}

#[test]
fn options_are_set_by_name() {
    let options = cf("write_buffer_size=8M;compression=kZSTD;num_levels=4;\
                      compression_per_level=kNoCompression:kSnappyCompression;\
                      max_bytes_for_level_multiplier_additional=1:2:3");
    assert_eq!(options.write_buffer_size, 8 << 20);
    assert_eq!(options.compression, CompressionType::Zstd);
    assert_eq!(
        options.compression_per_level,
        [CompressionType::NoCompression, CompressionType::Snappy]
    );
    assert_eq!(options.max_bytes_for_level_multiplier_additional, [1, 2, 3]);
    let options = DbOptions::from_string(
        "WAL_ttl_seconds=5;db_paths={{path=/a:b;target_size=1G}:{path=/c;target_size=2}}",
    )
    .unwrap();
    assert_eq!(options.wal_ttl_seconds, 5);
    assert_eq!(options.db_paths.len(), 2);
    assert_eq!((&*options.db_paths[0].path, options.db_paths[0].target_size), ("/a:b", 1 << 30));
}

#[test]
fn structs_are_braces_fields_or_short_forms() {
    let options = cf("compression_opts={level=3;max_dict_bytes=1K};compression_opts.strategy=2");
    let level = &options.compression_opts;
    assert_eq!((level.window_bits, level.level, level.strategy), (-14, 3, 2));
    assert_eq!(level.max_dict_bytes, 1024);
    assert_eq!(cf("compression_opts={}").compression_opts.level, 32767);

    let options = &cf("bottommost_compression_opts=-12:9:1:4:5:true").bottommost_compression_opts;
    assert_eq!((options.window_bits, options.level, options.strategy), (-12, 9, 1));
    assert_eq!((options.max_dict_bytes, options.zstd_max_train_bytes), (4, 5));
    assert_eq!((options.parallel_threads, options.enabled), (1, true));
    let options = cf("compression_opts=-14:32767:0:0:0:2:false:7:false").compression_opts;
    assert_eq!((options.parallel_threads, options.enabled), (2, false));
    assert_eq!((options.max_dict_buffer_bytes, options.use_zstd_dict_trainer), (7, false));

    assert_eq!(cf("compaction_options_fifo=23").compaction_options_fifo.max_table_files_size, 23);
    let options = cf("compaction_options_fifo={ttl=5;max_table_files_size=9;\
                      file_temperature_age_thresholds={{temperature=kWarm;age=10}:\
                      {temperature=kCold;age=20}}}")
    .compaction_options_fifo;
    assert_eq!(options.max_table_files_size, 9);
    let ages: Vec<(Temperature, u64)> = options
        .file_temperature_age_thresholds
        .iter()
        .map(|threshold| (threshold.temperature, threshold.age))
        .collect();
    assert_eq!(ages, [(Temperature::Warm, 10), (Temperature::Cold, 20)]);
}

#[test]
fn wrong_strings_are_refused_with_the_option() {
    for (text, message) in [
        ("nonsense", "option string expected name=value, found \"nonsense\": nonsense"),
        ("colour=red", "unknown option colour"),
        ("colour.red=1", "unknown option colour.red"),
        ("num_levels.x=1", "unknown option x"),
        ("num_levels=seven", "option num_levels: expected a number, found \"seven\""),
        (
            "compression_opts={colour=1}",
            "option compression_opts: CompressionOptions has no colour",
        ),
        (
            "compression_opts.colour=1",
            "option compression_opts.colour: CompressionOptions has no colour",
        ),
        (
            "compression_opts=1:2",
            "option compression_opts: expected 3 to 9 values with colons between them, \
             found \"1:2\"",
        ),
        (
            "compaction_options_universal=3",
            "option compaction_options_universal: expected {name=value;…} with the fields of \
             CompactionOptionsUniversal, found \"3\"",
        ),
        (
            "compression=zstd;",
            "option compression: expected one of kNoCompression, \
          kSnappyCompression, kZlibCompression, kBZip2Compression, kLZ4Compression, \
          kLZ4HCCompression, kXpressCompression, kZSTD, kZSTDNotFinalCompression, \
          kDisableCompressionOption, found \"zstd\"",
        ),
    ] {
        assert_eq!(wrong(text), message, "{text}");
    }
}

#[test]
fn an_error_changes_nothing() {
    let mut options = cf("num_levels=5");
    let before = options.to_option_string();
    let config = ConfigOptions::default();
    assert!(options.apply_string("num_levels=3;compression_opts={level=1;x=2}", &config).is_err());
    assert_eq!(options.to_option_string(), before);
    assert!(options.apply("compression_opts", "{level=1;x=2}", &config).is_err());
    assert_eq!(options.to_option_string(), before);
}

#[test]
fn what_is_set_and_not_honoured_is_remarked() {
    let mut options = ColumnFamilyOptions::default();
    let config = ConfigOptions::default();
    let mut said = |text: &str| -> Vec<String> {
        let said = options.apply_string(text, &config).unwrap();
        said.iter().map(ToString::to_string).collect()
    };
    assert!(said("num_levels=7;comparator=leveldb.BytewiseComparator").is_empty());
    assert_eq!(
        said("sample_for_compression=7"),
        ["sample_for_compression=7: accepted, not honoured yet"]
    );
    assert_eq!(
        said("compression_opts={level=1;strategy=2}"),
        ["compression_opts.strategy=2: accepted, not honoured yet"]
    );
    assert_eq!(
        said("filter_deletes=true;compaction_options_fifo={ttl=1}"),
        [
            "filter_deletes=true: no longer has an effect",
            "compaction_options_fifo.ttl=1: no longer has an effect",
        ]
    );
}

#[test]
fn unknown_names_and_values_can_be_ignored() {
    let mut options = ColumnFamilyOptions::default();
    let config = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
    let said = options
        .apply_string("colour=red;num_levels=x;table_factory.y=1;num_levels=3", &config)
        .unwrap();
    let said: Vec<(Remark, &str)> = said.iter().map(|said| (said.remark, &*said.name)).collect();
    assert_eq!(
        said,
        [(Remark::Unknown, "colour"), (Remark::BadValue, "num_levels"), (Remark::Unknown, "y")]
    );
    assert_eq!(options.num_levels, 3);
}

#[test]
fn aliases_are_the_options_they_stand_for() {
    let options = cf("memtable=VectorRepFactory;memtable_veirfy_per_key_checksum_on_seek=true");
    assert_eq!(options.memtable_factory.name(), "VectorRepFactory");
    assert!(options.memtable_verify_per_key_checksum_on_seek);
    assert_eq!(options.get("memtable").unwrap(), "VectorRepFactory");
    assert!(options.get("colour").is_none());
}

#[test]
fn a_release_knows_what_it_had() {
    let mut options = ColumnFamilyOptions::default();
    let old = ConfigOptions { reader: Release::new(7, 8, 3), ..ConfigOptions::default() };
    assert!(options.apply("persist_user_defined_timestamps", "true", &old).is_err());
    assert!(options.apply("compression_opts", "{checksum=true}", &old).is_err());
    assert!(options.apply("num_levels", "3", &old).is_ok());
}

#[test]
fn names_are_given_once_in_each_struct() {
    fn check<S: OptionStruct>() {
        let mut names: Vec<&str> = S::rows().iter().map(|row| row.info.name).collect();
        names.extend(S::legacy().iter().map(|legacy| legacy.name));
        names.extend(S::aliases().iter().map(|alias| alias.name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", S::NAME);
        for row in S::rows() {
            assert!(Release::parse(row.info.since).is_ok(), "{}", row.info.name);
            assert!(!row.info.doc.trim().is_empty(), "{}", row.info.name);
        }
        assert!(S::aliases().iter().all(|alias| S::row(alias.target).is_some()));
    }
    check::<DbOptions>();
    check::<ColumnFamilyOptions>();
    check::<BlockBasedTableOptions>();
    check::<crate::CompressionOptions>();
    check::<crate::CompactionOptionsFifo>();
    check::<crate::CompactionOptionsUniversal>();
}
