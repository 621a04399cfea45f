use super::*;
use base::comparator::{BytewiseComparator, ReverseBytewiseComparator};
use base::{InternalKey, ValueType};
use proptest::prelude::*;

fn contents(rep: &VectorRep) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut contents = Vec::new();
    let mut next = rep.first();
    while let Some(position) = next {
        let entry = rep.entry(position);
        contents.push((entry.key().to_vec(), entry.value().to_vec()));
        next = rep.next(position);
    }
    contents
}

fn insert(rep: &mut VectorRep, user_key: &[u8], sequence: u64, value: &[u8]) {
    let key = InternalKey::new(user_key, sequence, ValueType::Value);
    rep.insert(user_key, key.trailer(), value);
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
    ) {
        let comparator = InternalKeyComparator::new(if reverse {
            Arc::new(ReverseBytewiseComparator)
        } else {
            Arc::new(BytewiseComparator)
        });
        let mut rep = VectorRep::new(comparator.clone());
        let mut model: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (user_key, sequence) in batches.iter().flatten() {
            let value = model.len().to_string().into_bytes();
            let user_key = [common, user_key].concat();
            insert(&mut rep, &user_key, *sequence, &value);
            let key = InternalKey::new(&user_key, *sequence, ValueType::Value);
            // Newest first among equal keys.
            model.insert(0, (key.as_bytes().to_vec(), value));
            if model.len() % 32 == 1 {
                // A read between insertions, which sorts.
                prop_assert!(rep.seek(key.as_bytes()).is_some());
            }
        }
        model.sort_by(|a, b| comparator.compare(&a.0, &b.0));
        prop_assert_eq!(&contents(&rep), &model);
        prop_assert_eq!(rep.last().map(|last| last.0 + 1).unwrap_or(0), model.len());
        for (is_common, user_key, sequence) in &targets {
            let user_key =
                if *is_common { [common, user_key].concat() } else { user_key.clone() };
            let target = InternalKey::new(&user_key, *sequence, ValueType::Value);
            let target = target.as_bytes();
            let before = model.partition_point(|entry| comparator.compare(&entry.0, target).is_lt());
            let up_to = model.partition_point(|entry| comparator.compare(&entry.0, target).is_le());
            let found = rep.seek(target);
            prop_assert_eq!(found.map_or(model.len(), |position| position.0), before);
            let found = rep.seek_for_prev(target);
            prop_assert_eq!(found.map_or(0, |position| position.0 + 1), up_to);
        }
    }
}

#[test]
fn large_records_get_chunks_of_their_own() {
    let mut rep = VectorRep::new(InternalKeyComparator::bytewise());
    let large = vec![b'x'; 3 * CHUNK_SIZE_MAX];
    insert(&mut rep, b"b", 1, b"small");
    insert(&mut rep, b"a", 2, &large);
    insert(&mut rep, b"c", 3, b"after");
    let values: Vec<_> = contents(&rep).into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, [large, b"small".to_vec(), b"after".to_vec()]);
    assert!(rep.approximate_memory_usage() >= 3 * CHUNK_SIZE_MAX);
}

#[test]
fn pinned_values_stay_when_more_is_added() {
    let mut rep = VectorRep::new(InternalKeyComparator::bytewise());
    insert(&mut rep, b"k", 1, b"value");
    let pinned = rep.entry(Position(0)).pinned_value();
    assert!(pinned.is_pinned());
    for sequence in 2..1000 {
        insert(&mut rep, b"k", sequence, b"newer value");
    }
    assert_eq!(&*pinned, b"value");
    assert_eq!(rep.entry(Position(998)).value(), b"value");
    drop(rep);
    assert_eq!(&*pinned, b"value");
}

#[test]
fn holds_little_more_than_what_was_added() {
    let mut rep = VectorRep::new(InternalKeyComparator::bytewise());
    assert_eq!(rep.approximate_memory_usage(), 0);
    let count = 50_000u32;
    for number in 0..count {
        insert(&mut rep, &number.to_be_bytes(), 1, &[7; 100]);
    }
    let data = count as usize * (4 + TRAILER_SIZE + 100);
    let used = rep.approximate_memory_usage();
    assert!(used > data && used < 2 * data, "{used} for {data}");
    assert!(rep.first().is_some());
    let sorted = rep.approximate_memory_usage();
    assert!(sorted >= used && sorted < used + data / 100, "{sorted} after {used}");
}
