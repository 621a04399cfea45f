use super::*;
use crate::VecIterator;
use base::{InternalKey, InternalKeyComparator, ValueType};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Record {
    key: u8,
    is_deletion: bool,
    child: usize,
}

/// Records in the order in which they are written, older children first.
fn records() -> impl Strategy<Value = Vec<Record>> {
    let record = (0..14_u8, prop::bool::weighted(0.6), 0..3_usize)
        .prop_map(|(key, is_deletion, child)| Record { key, is_deletion, child });
    prop::collection::vec(record, 0..120).prop_map(|mut records| {
        records.sort_by_key(|record| std::cmp::Reverse(record.child));
        records
    })
}

fn user_key(key: u8) -> Vec<u8> {
    // Such that eight bytes tell some keys apart and others not.
    if key.is_multiple_of(2) { vec![key] } else { [&b"prefixed"[..], &[key]].concat() }
}

fn merged(records: &[Record]) -> MergingIterator<VecIterator> {
    let comparator = InternalKeyComparator::bytewise();
    let mut children = vec![Vec::new(); 3];
    for (sequence, record) in (1..).zip(records) {
        let kind = if record.is_deletion { ValueType::Deletion } else { ValueType::Value };
        let key = InternalKey::new(&user_key(record.key), sequence, kind);
        children[record.child].push((key.as_bytes().to_vec(), Vec::new()));
    }
    let iterators = children.into_iter().map(|mut entries| {
        entries.sort_by(|a, b| comparator.compare(&a.0, &b.0));
        VecIterator::new(comparator.clone(), entries)
    });
    MergingIterator::new(comparator.clone(), iterators.collect())
}

/// User keys that show as of a sequence number, and how many are deleted.
fn model(records: &[Record], sequence: SequenceNumber) -> (Vec<Vec<u8>>, u64) {
    let newest: BTreeMap<_, _> = (1..)
        .zip(records)
        .take_while(|(written, _)| *written <= sequence)
        .map(|(_, record)| (user_key(record.key), record.is_deletion))
        .collect();
    let deleted = newest.values().filter(|&&is_deletion| is_deletion).count() as u64;
    let shown = newest.into_iter().filter(|(_, is_deletion)| !is_deletion).map(|(key, _)| key);
    (shown.collect(), deleted)
}

/// What a scan found.
#[derive(Debug, Default)]
struct Found {
    shown: Vec<Vec<u8>>,
    deleted: u64,
    entries: u64,
}

/// Scans as who shows keys to users does, and passes deletions together wherever it can.
fn scan(
    cursor: &mut MergingIterator<VecIterator>,
    sequence: SequenceNumber,
    bound: Option<&[u8]>,
) -> Found {
    let mut found = Found::default();
    let mut last: Option<Vec<u8>> = None;
    cursor.seek_to_first().unwrap();
    while cursor.valid() {
        let key = ParsedInternalKey::parse(cursor.key()).unwrap();
        if bound.is_some_and(|bound| key.user_key >= bound) {
            break;
        }
        let is_older = last.as_deref() == Some(key.user_key);
        if is_older || key.sequence > sequence {
            found.entries += 1;
            cursor.next().unwrap();
            continue;
        }
        last = Some(key.user_key.to_vec());
        if !key.value_type.is_point_deletion() {
            found.shown.push(key.user_key.to_vec());
            found.entries += 1;
            cursor.next().unwrap();
            continue;
        }
        let mut passed_key = key.user_key.to_vec();
        let passed = cursor.pass_deleted_keys(sequence, bound, &mut passed_key).unwrap();
        last = Some(passed_key);
        found.entries += passed.deletions + passed.hidden;
        found.deleted += passed.deletions.max(1);
        if passed.deletions == 0 {
            found.entries += 1;
            cursor.next().unwrap();
        }
    }
    found
}

proptest! {
    #[test]
    fn what_is_passed_is_what_does_not_show(
        records in records(),
        sequence in 0..130_u64,
        bound in prop::option::of(0..14_u8),
    ) {
        let mut cursor = merged(&records);
        let (shown, deleted) = model(&records, sequence);
        let found = scan(&mut cursor, sequence, None);
        prop_assert_eq!(&found.shown, &shown);
        prop_assert_eq!(found.deleted, deleted);
        // Of many versions the rest is sought past.
        let mut versions = BTreeMap::<_, u64>::new();
        records.iter().for_each(|one| *versions.entry((one.child, one.key)).or_default() += 1);
        if versions.values().all(|&count| count <= STEPS_MAX) {
            prop_assert_eq!(found.entries, records.len() as u64);
        }
        let bound = user_key(bound.unwrap_or(u8::MAX));
        let found = scan(&mut cursor, sequence, Some(&bound));
        let within: Vec<_> = shown.into_iter().filter(|key| *key < bound).collect();
        prop_assert_eq!(found.shown, within);
    }
}

#[test]
fn many_versions_are_sought_past() {
    let versions = |child, is_deletion| vec![Record { key: 2, is_deletion, child }; 40];
    let mut records = versions(1, false);
    records.extend(versions(0, true));
    records.push(Record { key: 4, is_deletion: true, child: 0 });
    let (mut cursor, mut last) = (merged(&records), Vec::new());
    cursor.seek_to_first().unwrap();
    // Those of the other child are left to who can seek.
    let passed = cursor.pass_deleted_keys(100, None, &mut last).unwrap();
    assert_eq!(passed, PassedKeys { deletions: 0, hidden: STEPS_MAX });
    assert_eq!(extract_user_key(cursor.key()), [2]);

    let mut cursor = merged(&records[39..]);
    cursor.seek_to_first().unwrap();
    let passed = cursor.pass_deleted_keys(100, None, &mut last).unwrap();
    assert_eq!(passed, PassedKeys { deletions: 2, hidden: 1 + (STEPS_MAX - 1) });
    assert_eq!(last, [4]);
    assert!(!cursor.valid());
}

#[test]
fn going_back_nothing_is_passed() {
    let records = [Record { key: 2, is_deletion: true, child: 0 }; 1];
    let mut cursor = merged(&records);
    cursor.seek_to_last().unwrap();
    assert_eq!(cursor.pass_deleted_keys(9, None, &mut Vec::new()).unwrap(), PassedKeys::default());
    assert!(cursor.valid());
}
