use super::*;
use crate::memtable_memory::MemTableMemory;
use crate::memtable_rep_factory::{MemTableRepFactory, SkipListFactory, VectorRepFactory};
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
fn counts_by_type() {
    let memtable = memtable();
    for value_type in STORED {
        memtable.add(1, value_type, b"key", b"value");
    }
    memtable.add(2, ValueType::RangeDeletion, b"a", b"z");
    assert_eq!(memtable.num_entries(), STORED.len() as u64 + 1);
    assert_eq!(memtable.num_point_entries(), STORED.len() as u64);
    assert_eq!(memtable.num_deletes(), 3);
    assert_eq!(memtable.num_single_deletes(), 1);
    assert_eq!(memtable.num_merges(), 1);
    let range = [InternalKey::for_seek(b"a", 9), InternalKey::for_seek(b"z", 9)];
    let found = memtable.approximate_num_entries(range[0].as_bytes(), range[1].as_bytes());
    assert_eq!(found, STORED.len() as u64);
}

#[test]
fn a_writer_adds_a_batch() {
    let memtable = memtable();
    let mut writer = memtable.writer();
    for sequence in 1..=3 {
        writer.add(sequence, ValueType::Value, b"key", b"value");
    }
    // Readers need not wait for it.
    assert_eq!(versions(writer.memtable(), b"key", 2).len(), 2);
    drop(writer);
    memtable.add(4, ValueType::Value, b"key", b"value");
    assert_eq!(versions(&memtable, b"key", 9).len(), 4);
}

#[test]
fn writers_take_turns() {
    let memtable = &memtable();
    let per_thread = if cfg!(miri) { 10 } else { 1000 };
    std::thread::scope(|scope| {
        for thread in 0..3u64 {
            scope.spawn(move || {
                for number in 0..per_thread {
                    let key = (number * 3 + thread).to_be_bytes();
                    memtable.add(1 + number, ValueType::Value, &key, &key);
                }
            });
        }
    });
    assert_eq!(memtable.num_entries(), 3 * per_thread);
    let mut iterator = memtable.new_iterator();
    iterator.seek_to_first().unwrap();
    for number in 0..3 * per_thread {
        assert_eq!(iterator.value(), number.to_be_bytes());
        iterator.next().unwrap();
    }
    assert!(!iterator.valid());
}

#[test]
fn range_tombstones_are_seen_while_one_writes() {
    let memtable = &memtable();
    let count: u64 = if cfg!(miri) { 10 } else { 300 };
    let visible = &AtomicU64::new(0);
    let key = |number: u64| number.to_be_bytes().to_vec();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                loop {
                    let now = visible.load(Ordering::Acquire);
                    let list = memtable.fragmented_range_tombstones();
                    assert!(memtable.num_range_deletes() >= now);
                    assert!(list.tombstone_count() as u64 >= now);
                    for number in 1..=now {
                        assert_eq!(list.max_covering_sequence(&key(number), now, None), number);
                    }
                    if now == count {
                        break;
                    }
                    std::thread::yield_now();
                }
            });
        }
        for number in 1..=count {
            memtable.add(number, ValueType::RangeDeletion, &key(number), &key(number + 1));
            visible.store(number, Ordering::Release);
        }
    });
    memtable.mark_immutable();
    let list = memtable.fragmented_range_tombstones();
    assert_eq!(list.tombstone_count() as u64, count);
    assert!(Arc::ptr_eq(&list, &memtable.fragmented_range_tombstones()));
}

/// A representation's records that a lookup came to.
fn visited(memtable: &MemTable, user_key: &[u8]) -> usize {
    let comparator = memtable.comparator();
    let key = [user_key, &vec![0xff; comparator.timestamp_size()]].concat();
    let before = memtable.filter.as_ref().is_some_and(|filter| !filter.may_contain(user_key));
    let found = versions(memtable, &key, MAX_SEQUENCE_NUMBER).len();
    assert!(!before || found == 0, "a record behind a filter that excludes it");
    if before { 0 } else { 1 + found }
}

#[test]
fn a_bloom_filter_spares_lookups() {
    let whole_keys =
        MemTableOptions { whole_key_filtering: true, prefix_bloom_size_ratio: 0.1, ..small() };
    let prefixes = MemTableOptions {
        prefix_extractor: Some(Arc::new(base::slice_transform::FixedPrefix::new(4))),
        prefix_bloom_size_ratio: 0.1,
        ..small()
    };
    let both = MemTableOptions { whole_key_filtering: true, ..prefixes.clone() };
    // Options, what is found for a key with a known prefix, and for one too short to have any.
    for (options, other_suffix, short) in
        [(&whole_keys, 0, 0), (&prefixes, 1, 1), (&both, 0, 0), (&small(), 1, 1)]
    {
        for comparator in [
            InternalKeyComparator::bytewise(),
            InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE)),
        ] {
            let memtable = MemTable::new(comparator, options);
            let timestamp = vec![0; memtable.comparator().timestamp_size()];
            memtable.add(1, ValueType::Value, &[b"user1", &timestamp[..]].concat(), b"");
            memtable.add(2, ValueType::Deletion, &[b"us", &timestamp[..]].concat(), b"");
            assert_eq!(visited(&memtable, b"user1"), 2);
            assert_eq!(visited(&memtable, b"us"), 2);
            assert_eq!(visited(&memtable, b"user2"), other_suffix);
            assert_eq!(visited(&memtable, b"u"), short);
            let unknown = usize::from(options.prefix_bloom_size_ratio == 0.0);
            assert_eq!(visited(&memtable, b"other"), unknown);
        }
    }
}

fn small() -> MemTableOptions {
    MemTableOptions { write_buffer_size: 64 << 10, ..MemTableOptions::default() }
}

#[test]
fn a_full_memtable_says_so() {
    let memtable = MemTable::new(InternalKeyComparator::bytewise(), &small());
    let mut entries = 0u64;
    while !memtable.should_flush() {
        memtable.add(entries, ValueType::Value, &(entries as u128).to_be_bytes(), &[0; 30]);
        entries += 1;
    }
    assert!((935..955).contains(&entries), "{entries}");
    assert!(memtable.approximate_memory_usage() <= memtable.approximate_memory_allocated());
    memtable.set_write_buffer_size(128 << 10);
    assert!(!memtable.should_flush());
    memtable.set_write_buffer_size(32 << 10);
    assert!(memtable.should_flush());
}

#[test]
fn the_size_a_bloom_filter_was_made_for_is_not_raised() {
    let options =
        MemTableOptions { whole_key_filtering: true, prefix_bloom_size_ratio: 0.25, ..small() };
    let memtable = MemTable::new(InternalKeyComparator::bytewise(), &options);
    memtable.set_write_buffer_size(1 << 30);
    assert_eq!(memtable.write_buffer.size(), 64 << 10);
    memtable.set_write_buffer_size(4096);
    assert!(memtable.should_flush(), "the filter alone is larger");
}

#[test]
fn a_limit_to_range_tombstones_fills_a_memtable() {
    let options = MemTableOptions { max_range_deletions: 2, ..MemTableOptions::default() };
    let memtable = MemTable::new(InternalKeyComparator::bytewise(), &options);
    memtable.add(1, ValueType::RangeDeletion, b"a", b"b");
    memtable.add(2, ValueType::Value, b"a", b"b");
    assert!(!memtable.should_flush());
    memtable.add(3, ValueType::RangeDeletion, b"a", b"b");
    assert!(memtable.should_flush());
}

#[test]
fn what_the_engine_notes_with_a_memtable() {
    let memtable = memtable().with_identity(7, 100);
    assert_eq!((memtable.id(), memtable.creation_sequence()), (7, 100));
    memtable.add(105, ValueType::Value, b"key", b"");
    assert_eq!(memtable.earliest_sequence(), 100);
    memtable.reference_prep_log(9);
    memtable.reference_prep_log(4);
    memtable.reference_prep_log(6);
    assert_eq!(memtable.min_prep_log_referenced(), 4);
    memtable.set_next_log_number(12);
    assert_eq!(memtable.next_log_number(), 12);

    let unknown = self::memtable().with_identity(8, MAX_SEQUENCE_NUMBER);
    assert_eq!(unknown.earliest_sequence(), MAX_SEQUENCE_NUMBER);
    unknown.add(105, ValueType::Value, b"key", b"");
    assert_eq!(unknown.earliest_sequence(), 105);
}

#[test]
#[should_panic = "immutable"]
fn an_immutable_memtable_takes_no_record() {
    let memtable = memtable();
    memtable.mark_immutable();
    assert!(memtable.is_immutable());
    memtable.add(1, ValueType::Value, b"key", b"");
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

fn hinted_options(prefix_length: usize) -> MemTableOptions {
    let insert_hint_extractor =
        base::slice_transform::builtin(&format!("rocksdb.FixedPrefix.{prefix_length}"));
    assert!(insert_hint_extractor.is_some());
    MemTableOptions { insert_hint_extractor, ..MemTableOptions::default() }
}

fn keys_in_order(memtable: &MemTable) -> Vec<Vec<u8>> {
    let mut iterator = memtable.new_iterator();
    let mut keys = Vec::new();
    iterator.seek_to_first().unwrap();
    while iterator.valid() {
        keys.push(iterator.key().to_vec());
        iterator.next().unwrap();
    }
    keys
}

proptest! {
    /// Some keys are too short for a hint, so that both ways to insert take turns.
    #[test]
    fn hints_change_nothing_of_what_is_found(
        keys in proptest::collection::vec("[a-d]{1,4}", 1..400),
        prefix_length in 1_usize..4,
    ) {
        let plain = memtable();
        let hinted =
            MemTable::new(InternalKeyComparator::bytewise(), &hinted_options(prefix_length));
        for (index, key) in keys.iter().enumerate() {
            for memtable in [&plain, &hinted] {
                memtable.add(index as u64 + 1, ValueType::Value, key.as_bytes(), b"value");
            }
        }
        prop_assert_eq!(keys_in_order(&hinted), keys_in_order(&plain));
        for key in &keys {
            // By all levels of the list.
            let found = versions(&hinted, key.as_bytes(), MAX_SEQUENCE_NUMBER);
            prop_assert_eq!(found, versions(&plain, key.as_bytes(), MAX_SEQUENCE_NUMBER));
        }
    }
}

#[test]
fn readers_see_an_ordered_list_while_records_come_with_hints() {
    const PREFIXES: u64 = 50;
    const EACH: u64 = 400;
    let memtable = MemTable::new(InternalKeyComparator::bytewise(), &hinted_options(8));
    let key = |prefix: u64, number: u64| [prefix.to_be_bytes(), number.to_be_bytes()].concat();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut rounds = 0;
                while rounds == 0 || !is_over.load(Ordering::Acquire) {
                    let keys = keys_in_order(&memtable);
                    let order = memtable.comparator();
                    assert!(keys.is_sorted_by(|a, b| order.compare(a, b).is_lt()));
                    rounds += 1;
                }
            });
        }
        for number in 0..EACH {
            for prefix in 0..PREFIXES {
                let sequence = number * PREFIXES + prefix + 1;
                // Every seventh goes back.
                let number = if number % 7 == 6 { number / 2 } else { number };
                memtable.add(sequence, ValueType::Value, &key(prefix, number), b"value");
                let found = versions(&memtable, &key(prefix, number), MAX_SEQUENCE_NUMBER);
                assert_eq!(found[0].0, sequence);
            }
        }
        is_over.store(true, Ordering::Release);
    });
    assert_eq!(keys_in_order(&memtable).len() as u64, PREFIXES * EACH);
}

#[test]
fn memory_of_several_memtables_is_counted_together() {
    let memory = Arc::new(MemTableMemory::default());
    let options = MemTableOptions { memory: Some(memory.clone()), ..MemTableOptions::default() };
    let new = || MemTable::new(InternalKeyComparator::bytewise(), &options);
    let (first, second) = (new(), new());
    assert_eq!((memory.active_bytes(), memory.total_bytes()), (0, 0));
    let fill = |memtable: &MemTable, count: u64| {
        for sequence in 1..=count {
            memtable.add(sequence, ValueType::Value, &sequence.to_be_bytes(), &[0; 1000]);
        }
    };
    fill(&first, 3_000);
    let of_first = memory.active_bytes();
    assert!((3 << 20..5 << 20).contains(&of_first), "{of_first}");
    fill(&second, 10);
    let both = memory.total_bytes();
    assert!(both > of_first);
    first.mark_immutable();
    first.mark_immutable();
    assert_eq!((memory.active_bytes(), memory.total_bytes()), (both - of_first, both));
    drop(first);
    assert_eq!(memory.total_bytes(), both - of_first);
    drop(second);
    assert_eq!((memory.active_bytes(), memory.total_bytes()), (0, 0));
}

#[test]
fn all_containers_ask_for_huge_pages() {
    // No system has such large ones.
    let huge_page_size = 1 << 40;
    let factories: [Arc<dyn MemTableRepFactory>; 3] = [
        Arc::new(SkipListFactory::default()),
        Arc::new(SkipListFactory { is_always_list: true }),
        Arc::new(VectorRepFactory::default()),
    ];
    for rep_factory in factories {
        let memory = Arc::new(MemTableMemory::default());
        let options = MemTableOptions {
            memory: Some(memory.clone()),
            huge_page_size,
            rep_factory,
            ..MemTableOptions::default()
        };
        let memtable = MemTable::new(InternalKeyComparator::bytewise(), &options);
        for sequence in 1..=5_000_u64 {
            memtable.add(sequence, ValueType::Value, &sequence.to_be_bytes(), &[0; 1000]);
        }
        let refused = memory.take_refusal_of_huge_pages();
        assert_eq!(refused, Some(huge_page_size), "{:?}", options.rep_factory);
    }
}

#[test]
fn a_redundant_range_tombstone_is_added_once_and_while_writes_are_taken() {
    let memtable = memtable();
    let add = |sequence, start: &str, end: &str| {
        memtable.add_redundant_range_tombstone(sequence, start.as_bytes(), end.as_bytes())
    };
    assert_eq!(add(5, "b", "f"), RedundantTombstone::Added);
    assert_eq!(add(7, "b", "f"), RedundantTombstone::Covered);
    assert_eq!(add(4, "c", "d"), RedundantTombstone::Added, "it sees no other");
    assert_eq!(add(7, "f", "k"), RedundantTombstone::Added);
    assert_eq!(add(6, "c", "h"), RedundantTombstone::Added, "it does not see the next one");
    memtable.mark_immutable();
    assert_eq!(add(8, "x", "z"), RedundantTombstone::Refused);
    assert_eq!(memtable.num_range_deletes(), 4);
    let sequences: Vec<_> =
        memtable.range_tombstones().iter().map(|tombstone| tombstone.sequence).collect();
    assert_eq!(sequences, [5, 4, 7, 6]);
}
