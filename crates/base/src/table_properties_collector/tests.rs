use super::*;
use crate::ValueType;

fn marks(properties: &[(&str, &str)], types: impl IntoIterator<Item = ValueType>) -> bool {
    let factory = builtin("CompactOnDeletionCollector", properties).unwrap();
    let context = TablePropertiesCollectorContext {
        column_family_id: 0,
        level: None,
        num_levels: None,
        last_level_inclusive_max_sequence: crate::dbformat::MAX_SEQUENCE_NUMBER,
    };
    let Some(mut collector) = factory.create(&context) else { return false };
    for (at, value_type) in types.into_iter().enumerate() {
        let key = ParsedInternalKey { user_key: b"k", sequence: at as u64, value_type };
        collector.add(&key, b"", 10 * at as u64);
    }
    assert!(collector.finish().is_empty());
    collector.need_compact()
}

/// `count` entries, every `gap`-th of them a deletion.
fn entries(count: usize, gap: usize) -> impl Iterator<Item = ValueType> {
    (0..count).map(move |at| match at % gap {
        0 => ValueType::Deletion,
        _ => ValueType::Value,
    })
}

#[test]
fn a_window_full_of_deletions_marks_a_table() {
    let window: &[(&str, &str)] = &[("window_size", "128"), ("deletion_trigger", "32")];
    assert!(marks(window, entries(1000, 4)));
    assert!(!marks(window, entries(1000, 5)));
    // A window moves on: these are far from each other.
    let apart = entries(20, 1).chain(entries(2000, 3000)).chain(entries(20, 1));
    assert!(!marks(window, apart));
}

#[test]
fn many_deletions_mark_a_table() {
    let ratio: &[(&str, &str)] = &[("deletion_ratio", "0.5")];
    assert!(marks(ratio, entries(100, 2)));
    assert!(!marks(ratio, entries(100, 3)));
    assert!(!marks(&[("deletion_ratio", "1.5")], entries(100, 1)));
}

#[test]
fn small_tables_are_not_marked() {
    let rules = [("window_size", "128"), ("deletion_trigger", "32"), ("deletion_ratio", "0.1")];
    let with_size = |size: &'static str| [&rules[..], &[("min_file_size", size)]].concat();
    assert!(marks(&with_size("500"), entries(100, 2)));
    assert!(!marks(&with_size("5000"), entries(100, 2)));
}

#[test]
fn without_rules_nothing_is_collected() {
    assert!(!marks(&[], entries(100, 1)));
    assert!(builtin("CompactOnDeletionCollector", &[("colour", "red")]).is_none());
    assert!(builtin("Mine", &[]).is_none());
}
