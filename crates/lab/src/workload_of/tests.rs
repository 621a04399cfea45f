use super::*;
use record::{LevelShape, Shapes};
use std::collections::BTreeMap;

fn record(parameters: &[(&str, &str)]) -> Record {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Record {
        benchmark: "seekrandom".to_owned(),
        operations: Some(500),
        parameters: parameters.iter().map(own).collect(),
        ..Record::default()
    }
}

#[test]
fn flags_that_are_not_given_have_the_defaults_of_the_bench() {
    let workload = workload_of(&record(&[]), false);
    let expected = Workload {
        benchmark: "seekrandom".to_owned(),
        operations: 500,
        processors: 0,
        ..Workload::default()
    };
    assert_eq!(workload, expected);
}

#[test]
fn flags_change_the_workload() {
    let workload = workload_of(
        &record(&[
            ("num", "2000"),
            ("value_size", "400"),
            ("compression_type", "none"),
            ("compression_ratio", "0.3"),
            ("sync", "1"),
            ("max_bytes_for_level_multiplier", "8"),
        ]),
        true,
    );
    assert_eq!((workload.entries, workload.value_bytes), (2000, 400));
    assert_eq!((workload.stored_share, workload.fanout), (1.0, 8.0));
    assert!(workload.is_cold && workload.is_synced);
    assert_eq!(workload_of(&record(&[("compression_ratio", "0.3")]), false).stored_share, 0.3);
}

#[test]
fn runs_are_counted_from_the_shape() {
    let level = |level, files| LevelShape { level, files, bytes: 1 };
    let family = FamilyShape {
        memtable_entries: 5,
        immutable_memtables: 1,
        levels: vec![level(0, 3), level(1, 0), level(2, 40)],
        ..FamilyShape::default()
    };
    let mut record = record(&[]);
    record.shape =
        Shapes { before: Some(BTreeMap::from([("default".to_owned(), family)])), after: None };
    assert_eq!(workload_of(&record, false).runs, 6);
}
