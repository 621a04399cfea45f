//! What comparators and prefix extractors say of themselves beside the order.

use crate::fixture::{Fixture, family, flush, put};
use base::slice_transform::{CappedPrefix, FixedPrefix};
use base::{Comparator, SliceTransform};
use db::{Db, ReadOptions};
use options::{DataBlockIndexType, FilterPolicy};
use statistics::{Statistics, Ticker};
use std::cmp::Ordering;
use std::sync::Arc;

/// ASCII letters of either case are the same.
#[derive(Debug)]
struct CaseBlind;

impl Comparator for CaseBlind {
    fn name(&self) -> &str {
        "CaseBlind"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
    }
}

/// Bytewise under another name.
#[derive(Debug)]
struct Plain {
    says_so: bool,
}

impl Comparator for Plain {
    fn name(&self) -> &str {
        "Plain"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }
    fn can_keys_with_different_byte_contents_be_equal(&self) -> bool {
        !self.says_so
    }
}

fn get(db: &Db, key: &str) -> Option<Vec<u8>> {
    let value = db.get(&ReadOptions::default(), &family(db), key.as_bytes()).unwrap();
    value.map(|value| value.to_vec())
}

/// A table of 20 keys whose blocks are to have a hash index: the database, and the table's size.
fn hashed(comparator: Arc<dyn Comparator>) -> (Db, u64) {
    let mut fixture = Fixture::new();
    fixture.family.comparator = comparator;
    fixture.family.table.data_block_index_type = DataBlockIndexType::BinaryAndHash;
    let db = fixture.open();
    for index in 0..20 {
        put(&db, &format!("Key{index:02}"), "value");
    }
    flush(&db);
    let size = db.live_files()[0].size_bytes;
    (db, size)
}

#[test]
fn keys_that_are_equal_without_the_same_bytes_are_found_under_a_hash_index() {
    let (db, _) = hashed(Arc::new(CaseBlind));
    assert_eq!(get(&db, "kEY07").as_deref(), Some(&b"value"[..]));
    assert_eq!(get(&db, "kEY70"), None);
}

#[test]
fn a_comparator_of_bytes_may_have_a_hash_index() {
    let [(plain, with), (_, without)] =
        [true, false].map(|says_so| hashed(Arc::new(Plain { says_so })));
    assert!(with > without, "{with} {without}");
    assert!((0..20).all(|index| get(&plain, &format!("Key{index:02}")).is_some()));
    assert_eq!(get(&plain, "kEY07"), None);
}

/// Prefixes of two bytes with a filter, and what is counted.
fn prefixed(extractor: Arc<dyn SliceTransform>) -> (Fixture, Arc<Statistics>) {
    let (mut fixture, statistics) = (Fixture::new(), Arc::new(Statistics::default()));
    fixture.family.prefix_extractor = Some(extractor);
    fixture.family.table.filter_policy = Some(FilterPolicy::Bloom { bits_per_key: 20.0 });
    fixture.context.statistics = Some(statistics.clone());
    (fixture, statistics)
}

fn range(db: &Db, options: &ReadOptions, from: &[u8], upper: &[u8]) -> Vec<Vec<u8>> {
    let options = options.clone().iterate_upper_bound(Some(upper.to_vec()));
    let mut iterator = db.new_iterator(&options, &family(db)).unwrap();
    let mut keys = Vec::new();
    iterator.seek(from);
    while iterator.valid() {
        keys.push(iterator.key().to_vec());
        iterator.next();
    }
    iterator.status().unwrap();
    keys
}

#[test]
fn a_scan_up_to_the_next_prefix_asks_the_filter() {
    let (fixture, statistics) = prefixed(Arc::new(FixedPrefix::new(2)));
    let db = fixture.open();
    for key in ["aa1", "ac1", "ad1"] {
        put(&db, key, "v");
    }
    flush(&db);
    let auto = ReadOptions::default().auto_prefix_mode(true);
    let asked = |from: &[u8], upper: &[u8]| {
        let asked = || {
            statistics.ticker_count(Ticker::NonLastLevelSeekFiltered)
                + statistics.ticker_count(Ticker::NonLastLevelSeekFilterMatch)
        };
        let before = asked();
        let keys = range(&db, &auto, from, upper);
        (keys.len(), asked() - before)
    };
    assert_eq!(asked(b"ab5", b"ac"), (0, 1));
    assert_eq!(asked(b"ac", b"ad"), (1, 1));
    // Not all keys up to these have one prefix.
    assert_eq!(asked(b"ab", b"ac2"), (1, 0));
    assert_eq!(asked(b"ab", b"ad"), (1, 0));
    assert_eq!(asked(b"ab", b"b"), (2, 0));
}

/// Short keys of few bytes, so that all that can lie between two bounds does.
#[test]
fn no_key_is_missed_between_any_bounds() {
    let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 0..3 {
        let longer = keys
            .iter()
            .filter(|key| key.len() == length)
            .flat_map(|key| [0, b'a', b'b', 0xff].map(|byte| [key.as_slice(), &[byte]].concat()));
        let longer: Vec<_> = longer.collect();
        keys.extend(longer);
    }
    let extractors: [Arc<dyn SliceTransform>; 2] =
        [Arc::new(FixedPrefix::new(2)), Arc::new(CappedPrefix::new(2))];
    for extractor in extractors {
        let (fixture, _) = prefixed(extractor.clone());
        let db = fixture.open();
        for key in keys.iter().step_by(3) {
            db.put(&db::WriteOptions::default(), &family(&db), key, b"v").unwrap();
        }
        flush(&db);
        let auto = ReadOptions::default().auto_prefix_mode(true);
        let all = ReadOptions::default().total_order_seek(true);
        for from in &keys {
            for upper in keys.iter().filter(|upper| upper.len() <= 2) {
                let expected = range(&db, &all, from, upper);
                assert_eq!(range(&db, &auto, from, upper), expected, "{from:?} {upper:?}");
            }
        }
    }
}
