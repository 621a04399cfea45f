use super::*;
use base::comparator::U64TimestampComparator;
use base::{InternalKey, ParsedInternalKey};
use proptest::prelude::*;
use std::collections::BTreeMap;

const STORED: [ValueType; 8] = [
    ValueType::Deletion,
    ValueType::Value,
    ValueType::Merge,
    ValueType::SingleDeletion,
    ValueType::BlobIndex,
    ValueType::DeletionWithTimestamp,
    ValueType::WideColumnEntity,
    ValueType::ValuePreferredSeqno,
];

fn memtable() -> MemTable {
    MemTable::new(InternalKeyComparator::bytewise(), &MemTableOptions::default())
}

/// Sequence number, type and value.
type Version = (u64, ValueType, Vec<u8>);

/// The versions of a key as of a sequence number.
fn versions(memtable: &MemTable, user_key: &[u8], sequence: u64) -> Vec<Version> {
    let mut versions = Vec::new();
    memtable.get(InternalKey::for_seek(user_key, sequence).as_bytes(), |entry| {
        let key = ParsedInternalKey::parse(entry.key()).unwrap();
        versions.push((key.sequence, key.value_type, entry.value().to_vec()));
        true
    });
    versions
}

#[test]
fn versions_come_newest_first_and_of_one_key() {
    let memtable = memtable();
    memtable.add(1, ValueType::Value, b"key", b"one");
    memtable.add(2, ValueType::Value, b"key2", b"other");
    memtable.add(3, ValueType::Merge, b"key", b"three");
    memtable.add(4, ValueType::Deletion, b"ke", b"");
    let expected =
        [(3, ValueType::Merge, b"three".to_vec()), (1, ValueType::Value, b"one".to_vec())];
    assert_eq!(versions(&memtable, b"key", MAX_SEQUENCE_NUMBER), expected);
    assert_eq!(versions(&memtable, b"key", 3), expected);
    assert_eq!(versions(&memtable, b"key", 2), expected[1..]);
    assert_eq!(versions(&memtable, b"key", 0), []);
    assert_eq!(versions(&memtable, b"k", MAX_SEQUENCE_NUMBER), []);
    let mut visited = 0;
    memtable.get(InternalKey::for_seek(b"key", 9).as_bytes(), |_| {
        visited += 1;
        false
    });
    assert_eq!(visited, 1);
}

#[test]
fn versions_of_a_key_span_its_timestamps() {
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let memtable = MemTable::new(comparator, &MemTableOptions::default());
    let at = |key: &str, timestamp: u64| [key.as_bytes(), &timestamp.to_le_bytes()].concat();
    memtable.add(1, ValueType::Value, &at("k", 10), b"ten");
    memtable.add(2, ValueType::Value, &at("k", 20), b"twenty");
    memtable.add(3, ValueType::Value, &at("l", 5), b"other");
    let values = |timestamp| -> Vec<_> {
        let versions = versions(&memtable, &at("k", timestamp), MAX_SEQUENCE_NUMBER);
        versions.into_iter().map(|(_, _, value)| value).collect()
    };
    assert_eq!(values(u64::MAX), [b"twenty".to_vec(), b"ten".to_vec()]);
    assert_eq!(values(19), [b"ten".to_vec()]);
    assert_eq!(values(9), Vec::<Vec<u8>>::new());
}

#[test]
fn range_tombstones_stay_apart() {
    let memtable = memtable();
    memtable.add(1, ValueType::Value, b"b", b"hidden");
    assert!(memtable.fragmented_range_tombstones().is_empty());
    memtable.add(2, ValueType::RangeDeletion, b"a", b"d");
    let list = memtable.fragmented_range_tombstones().clone();
    assert_eq!(list.max_covering_sequence(b"b", 9, None), 2);
    memtable.add(3, ValueType::RangeDeletion, b"c", b"e");
    let list = memtable.fragmented_range_tombstones().clone();
    assert_eq!(list.max_covering_sequence(b"c", 9, None), 3);
    assert_eq!(list.tombstone_count(), 2);
    let mut iterator = memtable.new_iterator();
    iterator.seek_to_first().unwrap();
    assert_eq!(iterator.value(), b"hidden");
    iterator.next().unwrap();
    assert!(!iterator.valid());
}

#[test]
fn counts_are_rocksdbs() {
    let memtable = memtable();
    assert!(memtable.is_empty());
    assert_eq!(memtable.first_sequence(), None);
    memtable.add(7, ValueType::Value, b"key", &[0; 200]);
    memtable.add(5, ValueType::Deletion, b"key", b"");
    memtable.add(9, ValueType::SingleDeletion, b"key", b"");
    memtable.add(8, ValueType::RangeDeletion, b"a", b"z");
    assert!(!memtable.is_empty());
    assert_eq!((memtable.num_entries(), memtable.num_deletes()), (4, 2));
    assert_eq!(memtable.num_range_deletes(), 1);
    let size = (1 + 11 + 2 + 200) + 2 * (1 + 11 + 1) + (1 + 9 + 1 + 1);
    assert_eq!(memtable.data_size_bytes(), size);
    assert!(memtable.approximate_memory_usage() as u64 > size);
    assert_eq!(memtable.first_sequence(), Some(7));
    assert_eq!(memtable.smallest_sequence(), Some(5));
    assert_eq!(memtable.largest_sequence(), Some(9));
}

#[test]
#[should_panic = "ColumnFamilyValue"]
fn types_of_the_wal_alone_are_refused() {
    memtable().add(1, ValueType::ColumnFamilyValue, b"key", b"");
}

#[test]
fn an_iterator_outlives_its_owner_and_pins_values() {
    let value = vec![b'v'; 1000];
    let memtable = memtable();
    memtable.add(1, ValueType::Value, b"key", &value);
    let mut iterator = memtable.new_iterator();
    drop(memtable);
    iterator.seek_to_last().unwrap();
    let pinned = iterator.pinned_value();
    drop(iterator);
    assert!(pinned.is_pinned());
    assert_eq!(&*pinned, value);
}

#[derive(Clone, Debug)]
struct Record {
    user_key: Vec<u8>,
    sequence: u64,
    value_type: ValueType,
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let record = (prop::collection::vec(0u8..3, 0..4), 0u64..9, prop::sample::select(&STORED[..]));
    let record = record.prop_map(|(user_key, sequence, value_type)| Record {
        user_key,
        sequence,
        value_type,
    });
    prop::collection::vec(record, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn reads_as_a_sorted_map_of_lists(records in records(), snapshot in 0u64..10) {
        let comparator = InternalKeyComparator::bytewise();
        let memtable = MemTable::new(comparator.clone(), &MemTableOptions::default());
        let mut model: Vec<(InternalKey, Vec<u8>)> = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let Record { user_key, sequence, value_type } = record;
            let value = index.to_string().into_bytes();
            memtable.add(*sequence, *value_type, user_key, &value);
            model.insert(0, (InternalKey::new(user_key, *sequence, *value_type), value));
        }
        model.sort_by(|a, b| comparator.compare(a.0.as_bytes(), b.0.as_bytes()));

        let mut by_key: BTreeMap<Vec<u8>, Vec<Version>> = BTreeMap::new();
        for (key, value) in &model {
            let parsed = ParsedInternalKey::parse(key.as_bytes()).unwrap();
            if parsed.sequence <= snapshot {
                by_key.entry(parsed.user_key.to_vec()).or_default().push((
                    parsed.sequence,
                    parsed.value_type,
                    value.clone(),
                ));
            }
        }
        for record in &records {
            let expected = by_key.get(&record.user_key).cloned().unwrap_or_default();
            prop_assert_eq!(versions(&memtable, &record.user_key, snapshot), expected);
        }

        let mut iterator = memtable.new_iterator();
        iterator.seek_to_first().unwrap();
        for (key, value) in &model {
            prop_assert_eq!(iterator.key(), key.as_bytes());
            prop_assert_eq!(iterator.value(), &value[..]);
            iterator.next().unwrap();
        }
        prop_assert!(!iterator.valid());
        iterator.seek_to_last().unwrap();
        for (key, value) in model.iter().rev() {
            prop_assert_eq!(iterator.key(), key.as_bytes());
            prop_assert_eq!(iterator.value(), &value[..]);
            iterator.prev().unwrap();
        }
        prop_assert!(!iterator.valid());
        for record in &records {
            let target = InternalKey::new(&record.user_key, snapshot, record.value_type);
            iterator.seek(target.as_bytes()).unwrap();
            let at = model.partition_point(|(key, _)| {
                comparator.compare(key.as_bytes(), target.as_bytes()).is_lt()
            });
            prop_assert_eq!(iterator.valid(), at < model.len());
            if iterator.valid() {
                prop_assert_eq!(iterator.value(), &model[at].1[..]);
            }
            iterator.seek_for_prev(target.as_bytes()).unwrap();
            let after = model.partition_point(|(key, _)| {
                comparator.compare(key.as_bytes(), target.as_bytes()).is_le()
            });
            prop_assert_eq!(iterator.valid(), after > 0);
            if iterator.valid() {
                prop_assert_eq!(iterator.value(), &model[after - 1].1[..]);
            }
        }
    }
}
