use super::*;
use crate::config::ConfigOptions;
use base::comparator::U64TimestampComparator;
use base::status::Code::InvalidArgument;
use examples::REFUSED;
use std::collections::BTreeSet;
use std::sync::Arc;

mod examples;

fn found(db: &str, family: &str) -> Vec<Fault> {
    let db = DbOptions::from_string(db).unwrap();
    let family = ColumnFamilyOptions::from_string(family).unwrap();
    faults(&db, [(&"default".into(), &family)])
}

#[test]
fn defaults_are_fine() {
    assert_eq!(found("", ""), []);
    assert_eq!(found("daily_offpeak_time_utc=23:30-04:00", "compression=kZSTD"), []);
    assert_eq!(found("write_dbid_to_manifest=false", "table_factory={block_align=false}"), []);
}

#[test]
fn a_fault_is_one_sentence_with_option_value_and_remedy() {
    for (db, family, code, subject, remedy) in REFUSED {
        let found = found(db, family);
        let about = |fault: &&Fault| {
            let text = fault.to_string();
            text.starts_with(&format!("{subject} ")) && text.contains(*remedy)
        };
        let fault = found.iter().find(about);
        let fault =
            fault.unwrap_or_else(|| panic!("{db} {family}: {subject}, {remedy}: {found:?}"));
        assert_eq!(fault.code, Some(*code), "{fault}");
        assert_eq!(fault.remedy.matches(": ").count(), 1, "what is wrong: what to do: {fault}");
        assert!(check(&found).is_err());
    }
}

#[test]
fn every_rule_is_broken_by_an_example() {
    let mut broken = BTreeSet::new();
    for (db, family, ..) in REFUSED {
        broken.extend(found(db, family).into_iter().map(|fault| (fault.option, fault.remedy)));
    }
    // Which comparator it is, no text can say that a database opens with.
    let but = "persist_user_defined_timestamps";
    let rules = family::RULES.iter().chain(family::BLOB_RULES).chain(of_tables::RULES);
    let rules = rules.map(|rule| (rule.option, rule.remedy));
    let of_database = of_database::RULES.iter().map(|rule| (rule.option, rule.remedy));
    for (option, remedy) in rules.chain(of_database) {
        let is_broken = broken.contains(&(option.to_owned(), remedy.to_owned()));
        assert!(is_broken || (option == but && remedy.contains(".u64ts")), "{option} {remedy}");
    }
}

#[test]
fn a_fault_of_a_family_names_it() {
    let found = found("", "target_file_size_base=0");
    let text = "target_file_size_base=0 is outside its range: set it to at least 1 (column family default)";
    assert_eq!(found[0].to_string(), text);
    let status = check(&found).unwrap_err();
    assert_eq!((status.code(), status.message()), (InvalidArgument, text));
}

#[test]
fn what_has_no_say_is_not_looked_at() {
    for family in [
        "blob_garbage_collection_age_cutoff=7",
        "compaction_options_universal={max_read_amp=-2}",
        "table_factory={data_block_hash_table_util_ratio=0}",
        "table_factory={block_size=5000000000};table_factory=PlainTable;ttl=0;periodic_compaction_seconds=0",
    ] {
        assert_eq!(found("", family), [], "{family}");
    }
}

#[test]
fn what_is_corrected_is_told_and_refuses_nothing() {
    let text = "num_levels=0;write_buffer_size=1K;max_write_buffer_number=1;min_write_buffer_number_to_merge=-3;\
                memtable_prefix_bloom_size_ratio=0.9;table_factory={block_restart_interval=0}";
    let found = found("", text);
    let options: Vec<&str> = found.iter().map(|fault| &*fault.option).collect();
    assert_eq!(
        options,
        [
            "max_write_buffer_number",
            "min_write_buffer_number_to_merge",
            "memtable_prefix_bloom_size_ratio",
            "num_levels",
            "write_buffer_size",
            "table_factory.block_restart_interval",
        ]
    );
    check(&found).unwrap();
    assert!(found[0].to_string().contains("so that the nearest value is used"), "{}", found[0]);
    let corrected = ColumnFamilyOptions::from_string(text).unwrap().corrected();
    assert_eq!((corrected.num_levels, corrected.write_buffer_size), (1, 64 << 10));
    assert_eq!(corrected.max_write_buffer_number, 2);
    assert_eq!(corrected.min_write_buffer_number_to_merge, 1);
    assert_eq!(corrected.memtable_prefix_bloom_size_ratio, 0.25);
    assert_eq!(corrected.table.block_restart_interval, 1);
    assert_eq!(faults(&DbOptions::default(), [(&"x".into(), &corrected)]), []);
}

#[test]
fn stripped_timestamps_need_64_bits_and_one_writer() {
    let family = ColumnFamilyOptions::default()
        .comparator(Arc::new(U64TimestampComparator::BYTEWISE))
        .persist_user_defined_timestamps(false);
    let alone = DbOptions::default().allow_concurrent_memtable_write(false);
    assert_eq!(family_faults(&alone, &"default".into(), &family), []);
}

/// A range of integers on a real number, or the other way round, would refuse everything.
#[test]
fn defaults_are_in_their_ranges() {
    fn of<S: OptionStruct>() {
        assert_eq!(S::defaults().row_faults(), [], "{}", S::NAME);
        let mut corrected = S::default();
        corrected.correct_rows();
        for row in S::rows() {
            let print = |options| (row.print)(options, crate::Release::NEWEST_KNOWN);
            assert_eq!(print(&corrected), print(S::defaults()), "{}", row.info.name);
            assert!(row.info.range.is_any() || (row.number)(S::defaults()).is_some());
        }
    }
    of::<DbOptions>();
    of::<ColumnFamilyOptions>();
    of::<crate::BlockBasedTableOptions>();
    of::<crate::LruCacheOptions>();
    of::<crate::CompactionOptionsUniversal>();
    of::<crate::CompactionOptionsFifo>();
    of::<crate::CompressionOptions>();
}

#[test]
fn an_object_that_only_programs_give_is_not_unknown() {
    let mut options = DbOptions::default();
    let status = options.apply("row_cache", "x", &ConfigOptions::default()).unwrap_err();
    assert_eq!(status.message(), "option row_cache: only a program can give this object");
}
