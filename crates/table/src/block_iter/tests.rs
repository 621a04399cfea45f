use super::*;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::data_block::{DataBlockDecoder, KeyTransform};
use base::comparator::{Comparator, ReverseBytewiseComparator, U64TimestampComparator};
use base::dbformat::{MAX_SEQUENCE_NUMBER, VALUE_TYPE_FOR_SEEK};
use base::{InternalKey, ValueType};
use proptest::prelude::*;

/// Shorter keys first, then bytewise.
#[derive(Debug)]
struct Shortlex;

impl Comparator for Shortlex {
    fn name(&self) -> &str {
        "test.shortlex"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

fn comparators() -> [InternalKeyComparator; 5] {
    [
        InternalKeyComparator::bytewise(),
        InternalKeyComparator::new(Arc::new(ReverseBytewiseComparator)),
        InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE)),
        InternalKeyComparator::new(Arc::new(U64TimestampComparator::REVERSE_BYTEWISE)),
        InternalKeyComparator::new(Arc::new(Shortlex)),
    ]
}

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn block(
    comparator: &InternalKeyComparator,
    pairs: &Pairs,
    options: BlockBuilderOptions,
) -> DataBlockIter {
    let mut builder = BlockBuilder::new(options);
    for (key, value) in pairs {
        builder.add(key, value);
    }
    let decoder = DataBlockDecoder::new(comparator, KeyTransform::default());
    DataBlockIter::new(Arc::new(decoder.decode(&builder.finish()).unwrap()), comparator.clone())
}

fn forward(iter: &mut DataBlockIter) -> Pairs {
    let mut found = Vec::new();
    iter.seek_to_first().unwrap();
    while iter.valid() {
        found.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next().unwrap();
    }
    found
}

fn backward(iter: &mut DataBlockIter) -> Pairs {
    let mut found = Vec::new();
    iter.seek_to_last().unwrap();
    while iter.valid() {
        found.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.prev().unwrap();
    }
    found.reverse();
    found
}

fn here(iter: &DataBlockIter) -> Option<(Vec<u8>, Vec<u8>)> {
    iter.valid().then(|| (iter.key().to_vec(), iter.pinned_value().to_vec()))
}

/// What is found without putting keys together is what a cursor finds, which is at `at`.
fn check_exact(iter: &DataBlockIter, pairs: &Pairs, at: usize, target: &[u8]) {
    let user_key = |key: &[u8]| key[..key.len() - TRAILER_SIZE].to_vec();
    let next = pairs.get(at).filter(|(key, _)| user_key(key) == user_key(target));
    match find_exact(&iter.block, candidates(&iter.block, target), target) {
        ExactMatch::Found { index, suffix, value } => {
            let (key, expected) = next.expect("a version of the key");
            assert_eq!(index, at);
            assert!(key.ends_with(&iter.block.contents()[suffix]));
            assert_eq!(&iter.block.contents()[value], expected);
        }
        ExactMatch::Absent => assert!(next.is_none() && at < pairs.len()),
        ExactMatch::Behind => assert_eq!(at, pairs.len()),
        ExactMatch::Unknown(among) => assert!(among.start <= at && at <= among.end),
    }
}

/// User keys of few letters, so that they share much, behind prefixes of several lengths.
fn user_key() -> impl Strategy<Value = Vec<u8>> {
    let letters = prop::sample::select(&[0u8, b'a', b'b', 0xff][..]);
    (0usize..3, prop::collection::vec(letters, 0..7)).prop_map(|(depth, tail)| {
        let mut key = b"a common prefix longer than eight".repeat(depth / 2);
        key.extend_from_slice(&[b'p'; 9][..9 * (depth % 2)]);
        key.extend_from_slice(&tail);
        key
    })
}

fn value_type() -> impl Strategy<Value = ValueType> {
    prop::sample::select(&[ValueType::Value, ValueType::Deletion, ValueType::Merge][..])
}

fn internal_key() -> impl Strategy<Value = (Vec<u8>, u64, ValueType)> {
    let sequence = prop_oneof![0u64..4, Just(256), Just(MAX_SEQUENCE_NUMBER)];
    (user_key(), sequence, value_type())
}

fn encode(comparator: &InternalKeyComparator, key: &(Vec<u8>, u64, ValueType)) -> Vec<u8> {
    let (mut user_key, sequence, value_type) = key.clone();
    if comparator.timestamp_size() > 0 {
        user_key.extend_from_slice(&(sequence % 3).to_le_bytes());
    }
    InternalKey::new(&user_key, sequence, value_type).as_bytes().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn cursors_agree_with_a_sorted_vector(
        keys in prop::collection::vec(internal_key(), 0..200),
        targets in prop::collection::vec(internal_key(), 1..20),
        which in 0usize..5,
        restart_interval in prop::sample::select(&[1usize, 2, 16, 1000][..]),
        use_delta_encoding: bool,
        separate_values: bool,
    ) {
        let comparator = &comparators()[which];
        let mut pairs: Pairs = keys
            .iter()
            .enumerate()
            .map(|(number, key)| (encode(comparator, key), vec![number as u8; number % 40]))
            .collect();
        pairs.sort_by(|(a, _), (b, _)| comparator.compare(a, b));
        pairs.dedup_by(|(a, _), (b, _)| a == b);
        let options = BlockBuilderOptions {
            restart_interval,
            use_delta_encoding,
            separate_values,
            hash_index_util_ratio: (restart_interval == 2).then_some(0.75),
        };
        let mut iter = block(comparator, &pairs, options);
        prop_assert!(!iter.valid());
        prop_assert_eq!(&forward(&mut iter), &pairs);
        prop_assert_eq!(&backward(&mut iter), &pairs);

        for target in targets.iter().chain(&keys).take(60) {
            let target = encode(comparator, target);
            let at = pairs.partition_point(|(key, _)| comparator.compare(key, &target).is_lt());
            iter.seek(&target).unwrap();
            prop_assert_eq!(here(&iter), pairs.get(at).cloned());
            if iter.valid() {
                iter.next().unwrap();
                prop_assert_eq!(here(&iter), pairs.get(at + 1).cloned());
            }
            if iter.valid() {
                iter.prev().unwrap();
                prop_assert_eq!(here(&iter), pairs.get(at).cloned());
            }
            check_exact(&iter, &pairs, at, &target);
            let end = pairs.partition_point(|(key, _)| comparator.compare(key, &target).is_le());
            iter.seek_for_prev(&target).unwrap();
            prop_assert_eq!(here(&iter), end.checked_sub(1).map(|last| pairs[last].clone()));
        }
    }

    #[test]
    fn damaged_blocks_are_read_alike_in_both_directions_or_refused(
        keys in prop::collection::vec(internal_key(), 1..40),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        which in 0usize..5,
        separate_values: bool,
    ) {
        let comparator = &comparators()[which];
        let mut keys: Vec<_> = keys.iter().map(|key| encode(comparator, key)).collect();
        keys.sort_by(|a, b| comparator.compare(a, b));
        let mut builder = BlockBuilder::new(BlockBuilderOptions {
            separate_values,
            restart_interval: 4,
            ..Default::default()
        });
        for key in &keys {
            builder.add(key, b"some value");
        }
        let mut contents = builder.finish();
        for (index, mask) in flips {
            *index.get_mut(&mut contents) ^= mask;
        }
        let decoder = DataBlockDecoder::new(comparator, KeyTransform::default());
        if let Ok(decoded) = decoder.decode(&contents) {
            let mut iter = DataBlockIter::new(Arc::new(decoded), comparator.clone());
            let found = forward(&mut iter);
            prop_assert_eq!(&backward(&mut iter), &found);
            for key in &keys {
                iter.seek(key).unwrap();
                iter.seek_for_prev(key).unwrap();
            }
        }
    }
}

#[test]
fn many_keys_alike_in_their_first_bytes() {
    let comparator = InternalKeyComparator::bytewise();
    let pairs: Pairs = (0..3000u32)
        .map(|number| {
            let user_key = format!("{}:the same text:{number:06}", number / 1500);
            (InternalKey::new(user_key.as_bytes(), 9, ValueType::Value).as_bytes().to_vec(), vec![])
        })
        .collect();
    let mut iter = block(&comparator, &pairs, BlockBuilderOptions::default());
    for (key, _) in &pairs {
        iter.seek(key).unwrap();
        assert_eq!(iter.key(), key);
        let seek_key = InternalKey::for_seek(&key[..key.len() - 8], MAX_SEQUENCE_NUMBER);
        assert_eq!(seek_key.trailer() as u8, VALUE_TYPE_FOR_SEEK as u8);
        iter.seek(seek_key.as_bytes()).unwrap();
        assert_eq!(iter.key(), key);
    }
}

#[test]
fn keys_of_numbers_are_found_without_being_put_together() {
    let comparator = InternalKeyComparator::bytewise();
    let pairs: Pairs = (0..100u64)
        .map(|number| {
            let user_key = [&(2 * number).to_be_bytes()[..], &[b'0'; 8]].concat();
            let key = InternalKey::new(&user_key, 200 - number, ValueType::Value);
            (key.as_bytes().to_vec(), number.to_string().into_bytes())
        })
        .collect();
    let iter = block(&comparator, &pairs, BlockBuilderOptions::default());
    let find = |key: &[u8]| find_exact(&iter.block, candidates(&iter.block, key), key);
    for (at, (key, value)) in pairs.iter().enumerate() {
        let ExactMatch::Found { index, value: range, .. } = find(key) else { panic!("{at}") };
        assert_eq!((index, &iter.block.contents()[range]), (at, &value[..]));
    }
    // All versions that there are are newer.
    assert_eq!(find(InternalKey::for_seek(&pairs[3].0[..16], 1).as_bytes()), ExactMatch::Absent);
    assert_eq!(find(InternalKey::for_seek(&pairs[99].0[..16], 1).as_bytes()), ExactMatch::Behind);
    let number = |number: u64| InternalKey::for_seek(&number.to_be_bytes(), 1);
    assert_eq!(find(number(7).as_bytes()), ExactMatch::Absent);
    assert_eq!(find(number(250).as_bytes()), ExactMatch::Behind);
}

#[test]
fn empty_blocks_have_no_position() {
    let mut iter =
        block(&InternalKeyComparator::bytewise(), &Vec::new(), BlockBuilderOptions::default());
    iter.seek_to_first().unwrap();
    assert!(!iter.valid());
    iter.seek_to_last().unwrap();
    assert!(!iter.valid());
    iter.seek(InternalKey::for_seek(b"k", 1).as_bytes()).unwrap();
    assert!(!iter.valid());
    iter.seek_for_prev(InternalKey::for_seek(b"k", 1).as_bytes()).unwrap();
    assert!(!iter.valid());
}

#[test]
#[should_panic(expected = "not valid")]
fn no_key_without_a_position() {
    let iter =
        block(&InternalKeyComparator::bytewise(), &Vec::new(), BlockBuilderOptions::default());
    let _ = iter.key();
}

#[test]
fn deletions_are_passed_up_to_a_limit_and_never_the_other_way() {
    for comparator in comparators() {
        let size = comparator.timestamp_size();
        let key = |number: u8, value_type| {
            let user_key = [&[b'k', number][..], &vec![0; size]].concat();
            InternalKey::new(&user_key, 5, value_type).as_bytes().to_vec()
        };
        let deletion = |number| key(number, ValueType::Deletion);
        let mut pairs: Pairs = (0..40).map(|number| (deletion(2 * number), Vec::new())).collect();
        pairs.sort_by(|a, b| comparator.compare(&a.0, &b.0));
        let options = || BlockBuilderOptions { restart_interval: 7, ..Default::default() };
        let mut iter = block(&comparator, &pairs, options());
        assert!(iter.block.holds_only_deletions());
        for start in 0..pairs.len() {
            for limit in (0..81).map(|number| Some(deletion(number))).chain([None]) {
                let limit = limit.as_deref();
                let is = |order: Ordering, at: usize| {
                    limit.is_none_or(|limit| comparator.compare(&pairs[at].0, limit) == order)
                };
                let last = (start..pairs.len()).rev().find(|&at| is(Ordering::Less, at));
                iter.seek(&pairs[start].0).unwrap();
                let has_passed = iter.cursor.pass_deletions(&iter.block, limit, &comparator);
                assert_eq!(iter.cursor.index(), last.unwrap_or(start));
                assert_eq!(has_passed, last.is_some_and(|last| last > start));
                assert_eq!(iter.key(), pairs[iter.cursor.index()].0);

                let first = (0..=start).find(|&at| is(Ordering::Greater, at));
                iter.seek(&pairs[start].0).unwrap();
                let has_passed = iter.cursor.pass_deletions_back(&iter.block, limit, &comparator);
                assert_eq!(iter.cursor.index(), first.unwrap_or(start));
                assert_eq!(has_passed, first.is_some_and(|first| first < start));
                assert_eq!(iter.key(), pairs[iter.cursor.index()].0);
            }
        }
        pairs[17].0 = key(pairs[17].0[1], ValueType::Value);
        assert!(!block(&comparator, &pairs, options()).block.holds_only_deletions());
    }
}
