//! Comparators, merge operators and prefix extractors, and what happens without them.

use crate::{default_family, forward, scan, total_order, unpack};
use base::status::{Code, SubCode};
use base::{MergeOperator, Result, Status, comparator, slice_transform};
use db::ReadOptions;
use options::ConfigOptions;
use std::sync::Arc;

#[test]
fn another_comparator_is_refused() {
    let mut opened = unpack("11.8.1", "i02");
    opened.options.families[0].options.comparator = Arc::new(comparator::BytewiseComparator);
    let error = opened.options.open().unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let message = error.message();
    assert!(
        message.contains("golden.shortlex") && message.contains("leveldb.BytewiseComparator"),
        "{error}"
    );
}

#[test]
fn a_comparator_nobody_registered_is_refused() {
    let mut opened = unpack("11.8.1", "i02");
    let config = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
    let options = &mut opened.options.families[0].options;
    options.comparator = Arc::new(comparator::BytewiseComparator);
    options.apply("comparator", "golden.shortlex", &config).unwrap();
    let error = opened.options.open().unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("golden.shortlex"), "{error}");
}

#[test]
fn operands_without_an_operator() {
    for case in ["e01", "e02", "e03"] {
        let mut opened = unpack("11.8.1", case);
        let all = {
            let db = opened.db();
            scan(&db, &total_order(), &default_family(&db))
        };
        opened.options.families[0].options.merge_operator = None;
        let db = opened.db();
        let family = default_family(&db);
        let gets = all.iter().map(|(key, _)| db.get(&ReadOptions::default(), &family, key));
        let errors: Vec<_> = gets.filter_map(std::result::Result::err).collect();
        assert!(!errors.is_empty());
        for error in &errors {
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        }
        let (_, status) = forward(db.new_iterator(&total_order(), &family).unwrap());
        assert_eq!(status.unwrap_err().code(), Code::InvalidArgument);
    }
}

/// An operator that never succeeds.
#[derive(Debug)]
struct Failing;

impl MergeOperator for Failing {
    fn name(&self) -> &str {
        "failing"
    }
    fn full_merge(&self, _: &[u8], _: Option<&[u8]>, _: &[&[u8]]) -> Result<Vec<u8>> {
        Err(Status::corruption("these operands are none of mine"))
    }
}

#[test]
fn an_operator_that_fails() {
    let mut opened = unpack("11.8.1", "e02");
    opened.options.families[0].options.merge_operator = Some(Arc::new(Failing));
    let db = opened.db();
    let family = default_family(&db);
    let (_, status) = forward(db.new_iterator(&total_order(), &family).unwrap());
    let error = status.unwrap_err();
    assert_eq!((error.code(), error.subcode()), (Code::Corruption, SubCode::MergeOperatorFailed));
    let mut iterator = db.new_iterator(&total_order(), &family).unwrap();
    iterator.seek_to_last();
    while iterator.valid() {
        iterator.prev();
    }
    assert_eq!(iterator.status().unwrap_err().code(), Code::Corruption);
}

/// Filters of prefixes by another extractor than that of now say nothing about keys.
#[test]
fn a_prefix_extractor_that_changed() {
    for case in ["l01", "l02", "l03", "l04"] {
        let mut opened = unpack("11.8.1", case);
        let all = {
            let db = opened.db();
            scan(&db, &total_order(), &default_family(&db))
        };
        for name in [Some("fixed:2"), Some("fixed:6"), Some("capped:9"), Some("rocksdb.Noop"), None]
        {
            opened.options.families[0].options.prefix_extractor =
                name.and_then(slice_transform::builtin);
            let db = opened.db();
            let family = default_family(&db);
            for (index, (key, value)) in all.iter().enumerate() {
                let found = db.get(&ReadOptions::default(), &family, key).unwrap();
                assert_eq!(found.as_deref(), Some(&value[..]), "{case} with {name:?}");
                if index % 7 > 0 {
                    continue;
                }
                // Without total order: no filter may hide what follows.
                let mut iterator = db.new_iterator(&ReadOptions::default(), &family).unwrap();
                iterator.seek(key);
                for (key, value) in &all[index..] {
                    assert_eq!((iterator.key(), iterator.value()), (&key[..], &value[..]));
                    iterator.next();
                }
                assert!(!iterator.valid());
            }
        }
    }
}
