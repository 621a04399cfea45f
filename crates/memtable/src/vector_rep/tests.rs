use super::*;
use base::comparator::{BytewiseComparator, ReverseBytewiseComparator};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalKey, ValueType};
use proptest::prelude::*;

fn contents(rep: &Arc<VectorRep>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut contents = Vec::new();
    let mut iterator = rep.clone().new_iterator();
    iterator.seek_to_first().unwrap();
    while iterator.valid() {
        contents.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next().unwrap();
    }
    contents
}

fn insert(writer: &mut VectorRepWriter, user_key: &[u8], sequence: u64, value: &[u8]) {
    let key = InternalKey::new(user_key, sequence, ValueType::Value);
    writer.insert(user_key, key.trailer(), value);
}

fn bytewise() -> (Arc<VectorRep>, VectorRepWriter) {
    VectorRep::new(InternalKeyComparator::bytewise(), 0)
}

const COMMON: &[&[u8]] = &[b"", b"common", b"longer than eight bytes"];

fn user_key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(0u8..2, 0..11),
        // Around what the keys may have in common.
        Just(b"comm".to_vec()),
        Just(b"common".to_vec()),
        Just(b"commoo".to_vec()),
        Just(b"longer than".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn is_a_stable_sorted_vector(
        batches in prop::collection::vec(prop::collection::vec((user_key(), 0u64..4), 0..90), 1..4),
        targets in prop::collection::vec((any::<bool>(), user_key(), 0u64..4), 1..20),
        common in prop::sample::select(COMMON),
        reverse in any::<bool>(),
        immutable in any::<bool>(),
    ) {
        let comparator = InternalKeyComparator::new(if reverse {
            Arc::new(ReverseBytewiseComparator)
        } else {
            Arc::new(BytewiseComparator)
        });
        let (rep, mut writer) = VectorRep::new(comparator.clone(), 0);
        let mut model: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (user_key, sequence) in batches.iter().flatten() {
            let value = model.len().to_string().into_bytes();
            let user_key = [common, user_key].concat();
            insert(&mut writer, &user_key, *sequence, &value);
            let key = InternalKey::new(&user_key, *sequence, ValueType::Value);
            // Newest first among equal keys.
            model.insert(0, (key.as_bytes().to_vec(), value));
            if model.len() % 32 == 1 {
                // A read between insertions, which sorts.
                let mut found = false;
                rep.visit(key.as_bytes(), &mut |_| {
                    found = true;
                    false
                });
                prop_assert!(found);
            }
        }
        model.sort_by(|a, b| comparator.compare(&a.0, &b.0));
        if immutable {
            rep.mark_immutable();
        }
        prop_assert_eq!(&contents(&rep), &model);
        let sorted = rep.sorted();
        for (is_common, user_key, sequence) in &targets {
            let user_key =
                if *is_common { [common, user_key].concat() } else { user_key.clone() };
            let target = InternalKey::new(&user_key, *sequence, ValueType::Value);
            let target = target.as_bytes();
            let before = model.partition_point(|entry| comparator.compare(&entry.0, target).is_lt());
            let up_to = model.partition_point(|entry| comparator.compare(&entry.0, target).is_le());
            prop_assert_eq!(sorted.count_before(target, false), before);
            prop_assert_eq!(sorted.count_before(target, true), up_to);
            let mut visited = Vec::new();
            rep.visit(target, &mut |entry| {
                visited.push(entry.value().to_vec());
                visited.len() < 3
            });
            let after: Vec<_> = model[before..].iter().take(3).map(|entry| &entry.1).collect();
            prop_assert_eq!(visited.iter().collect::<Vec<_>>(), after);
        }
    }
}

#[test]
fn large_records_get_chunks_of_their_own() {
    let (rep, mut writer) = bytewise();
    let large = vec![b'x'; 3 * CHUNK_SIZE_MAX];
    insert(&mut writer, b"b", 1, b"small");
    insert(&mut writer, b"a", 2, &large);
    insert(&mut writer, b"c", 3, b"after");
    let values: Vec<_> = contents(&rep).into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, [large, b"small".to_vec(), b"after".to_vec()]);
    assert!(rep.allocated_bytes() >= 3 * CHUNK_SIZE_MAX);
}

/// The value of the newest record of `key`.
fn newest(rep: &VectorRep, key: &[u8]) -> PinnableSlice {
    let mut value = PinnableSlice::default();
    let target = InternalKey::for_seek(key, MAX_SEQUENCE_NUMBER);
    rep.visit(target.as_bytes(), &mut |entry| {
        value = entry.pinned_value();
        false
    });
    value
}

#[test]
fn pinned_values_stay_when_more_is_added() {
    let (rep, mut writer) = bytewise();
    insert(&mut writer, b"k", 1, b"value");
    let pinned = newest(&rep, b"k");
    let mut iterator = rep.clone().new_iterator();
    assert!(pinned.is_pinned());
    for sequence in 2..1000 {
        insert(&mut writer, b"k", sequence, b"newer value");
        assert_eq!(&*newest(&rep, b"k"), b"newer value");
    }
    assert_eq!(contents(&rep)[998].1, b"value");
    drop((rep, writer));
    assert_eq!(&*pinned, b"value");
    iterator.seek_to_first().unwrap();
    assert_eq!(iterator.value(), b"value");
    iterator.next().unwrap();
    assert!(!iterator.valid(), "records added after the iterator was made");
}

#[test]
fn a_read_after_each_insertion_wastes_no_chunks() {
    let (rep, mut writer) = bytewise();
    for number in 0..1000u32 {
        insert(&mut writer, &number.to_be_bytes(), 1, b"value");
        assert_eq!(&*newest(&rep, &number.to_be_bytes()), b"value");
    }
    assert!(rep.allocated_bytes() < 1000 * (CHUNK_SIZE_MIN + 48), "{}", rep.allocated_bytes());
}

#[test]
fn holds_little_more_than_what_was_added() {
    let (rep, mut writer) = bytewise();
    assert_eq!(rep.allocated_bytes(), 0);
    let count = 50_000u32;
    for number in 0..count {
        insert(&mut writer, &number.to_be_bytes(), 1, &[7; 100]);
    }
    let data = count as usize * (4 + TRAILER_SIZE + 100);
    let used = rep.allocated_bytes();
    assert!(used > data && used < 2 * data, "{used} for {data}");
    rep.mark_immutable();
    assert_eq!(newest(&rep, &7u32.to_be_bytes()).len(), 100);
    let sorted = rep.allocated_bytes();
    assert!(sorted >= used && sorted < used + data / 100, "{sorted} after {used}");
}
