//! One suite that every representation passes.

use super::*;
use crate::{BPlusTreeRep, SkipListRep, VectorRep};
use base::comparator::{BytewiseComparator, ReverseBytewiseComparator, U64TimestampComparator};
use base::dbformat::{MAX_SEQUENCE_NUMBER, pack_sequence_and_type};
use base::{
    Comparator, InternalKey, InternalKeyComparator, ParsedInternalKey, SeekStep, ValueType,
};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicU64};

type Rep = (Arc<dyn MemTableRep>, Box<dyn MemTableRepWriter>);

const KINDS: [&str; 3] = ["B+tree", "skip list", "vector"];

fn new_rep(kind: &str, comparator: &InternalKeyComparator) -> Rep {
    match kind {
        "B+tree" if comparator.is_bytewise() => {
            let (rep, writer) = BPlusTreeRep::new();
            (rep, Box::new(writer))
        }
        "B+tree" | "skip list" => {
            let (rep, writer) = SkipListRep::new(comparator.clone());
            (rep, Box::new(writer))
        }
        "vector" => {
            let (rep, writer) = VectorRep::new(comparator.clone(), 10);
            (rep, Box::new(writer))
        }
        _ => panic!("no {kind}"),
    }
}

fn reps() -> impl Iterator<Item = Rep> {
    KINDS.into_iter().map(|kind| new_rep(kind, &InternalKeyComparator::bytewise()))
}

fn insert(writer: &mut dyn MemTableRepWriter, user_key: &[u8], sequence: u64, value: &[u8]) {
    writer.insert(user_key, pack_sequence_and_type(sequence, ValueType::Value), value);
}

/// Shorter keys first.
#[derive(Debug)]
struct ByLength;

impl Comparator for ByLength {
    fn name(&self) -> &str {
        "test.ByLength"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

fn comparators() -> impl Strategy<Value = InternalKeyComparator> {
    let all: [Arc<dyn Comparator>; 4] = [
        Arc::new(BytewiseComparator),
        Arc::new(ReverseBytewiseComparator),
        Arc::new(ByLength),
        Arc::new(U64TimestampComparator::BYTEWISE),
    ];
    prop::sample::select(all.to_vec()).prop_map(InternalKeyComparator::new)
}

/// Keys that collide, have each other as prefixes, and differ before and after their eighth byte.
fn user_key(comparator: &InternalKeyComparator) -> BoxedStrategy<Vec<u8>> {
    let size = comparator.timestamp_size();
    let key = prop_oneof![
        prop::collection::vec(0u8..2, 0..4),
        prop::collection::vec(0u8..2, 7..11),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    let timestamp = prop::collection::vec(0u8..2, size..=size);
    (key, timestamp).prop_map(|(key, timestamp)| [key, timestamp].concat()).boxed()
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<u8>, u64, usize),
    /// Says that keys come, which may be so or not.
    Expect(Vec<Vec<u8>>),
    /// Inserts so many ascending keys.
    InsertAscending(u8),
    Visit(Vec<u8>, u64),
    MarkImmutable,
}

fn steps(comparator: &InternalKeyComparator) -> impl Strategy<Value = Vec<Step>> + use<> {
    let key = || (user_key(comparator), 0u64..5);
    let value_size = prop_oneof![0usize..20, 300usize..5000];
    let has_timestamp = comparator.timestamp_size() > 0;
    let step = prop_oneof![
        20 => (key(), value_size).prop_map(|((key, sequence), size)| Step::Insert(key, sequence, size)),
        1 => (1u8..60).prop_map(move |count| Step::InsertAscending(if has_timestamp { 0 } else { count })),
        2 => prop::collection::vec(user_key(comparator), 0..2 * EXPECTED_KEYS_MAX).prop_map(Step::Expect),
        4 => key().prop_map(|(key, sequence)| Step::Visit(key, sequence)),
    ];
    let steps = prop::collection::vec(step, 0..if cfg!(miri) { 25 } else { 150 });
    (steps, any::<bool>()).prop_map(|(mut steps, immutable)| {
        steps.extend(immutable.then_some(Step::MarkImmutable));
        steps
    })
}

/// What is inserted, newest first among equal keys.
struct Model {
    comparator: InternalKeyComparator,
    records: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Model {
    /// Checks that an iterator stands on this record, or nowhere if there is none. Whether it stands on one.
    fn at(&self, iterator: &dyn InternalIterator, index: Option<usize>) -> bool {
        let expected = index.and_then(|index| self.records.get(index));
        assert_eq!(iterator.valid(), expected.is_some());
        if let Some((key, value)) = expected {
            assert_eq!((iterator.key(), iterator.value()), (&key[..], &value[..]));
        }
        iterator.valid()
    }

    fn insert(&mut self, user_key: &[u8], sequence: u64, value: &[u8]) {
        let key = InternalKey::new(user_key, sequence, ValueType::Value).as_bytes().to_vec();
        self.records.insert(self.before(&key), (key, value.to_vec()));
    }

    fn before(&self, target: &[u8]) -> usize {
        self.records.partition_point(|(key, _)| self.comparator.compare(key, target).is_lt())
    }

    fn before_or_at(&self, target: &[u8]) -> usize {
        self.records.partition_point(|(key, _)| self.comparator.compare(key, target).is_le())
    }
}

fn check_visit(rep: &dyn MemTableRep, model: &Model, target: &[u8]) {
    let expected = &model.records[model.before(target)..];
    let mut visited = 0;
    rep.visit(target, &mut |entry| {
        let (key, value) = &expected[visited];
        assert_eq!((entry.key(), entry.value()), (&key[..], &value[..]));
        assert_eq!(&*entry.pinned_value(), value);
        visited += 1;
        visited < 4
    });
    assert_eq!(visited, expected.len().min(4));
    check_visit_key(rep, expected, target);
}

/// Of `expected`, which are visited from `target` on, those of its user key are visited by who wants no
/// others.
fn check_visit_key(rep: &dyn MemTableRep, expected: &[(Vec<u8>, Vec<u8>)], target: &[u8]) {
    let user_key = extract_user_key(target);
    let is_wanted = |(key, _): &&(Vec<u8>, Vec<u8>)| extract_user_key(key) == user_key;
    let mut wanted = expected.iter().take_while(is_wanted);
    rep.visit_key(target, &mut |entry| {
        let next = wanted.next();
        assert!(next.is_some() || entry.user_key() != user_key);
        next.inspect(|(key, value)| {
            assert_eq!((entry.key(), entry.value()), (&key[..], &value[..]));
        })
        .is_some()
    });
    assert_eq!(wanted.next(), None);
}

fn check_iterator(rep: &Arc<dyn MemTableRep>, model: &Model) {
    let mut iterator = rep.clone().new_iterator();
    assert!(!iterator.valid());
    iterator.seek_to_first().unwrap();
    for (key, value) in &model.records {
        assert_eq!((iterator.key(), iterator.value()), (&key[..], &value[..]));
        iterator.next().unwrap();
    }
    assert!(!iterator.valid());
    iterator.seek_to_last().unwrap();
    for (key, value) in model.records.iter().rev() {
        assert_eq!((iterator.key(), iterator.value()), (&key[..], &value[..]));
        iterator.prev().unwrap();
    }
    assert!(!iterator.valid());
}

/// Seeks to `target` and goes one on and two back.
fn check_seeks(rep: &Arc<dyn MemTableRep>, model: &Model, target: &[u8]) {
    let mut iterator = rep.clone().new_iterator();
    let at = |iterator: &dyn InternalIterator, index| model.at(iterator, index);
    let found = model.before(target);
    iterator.seek(target).unwrap();
    if at(&iterator, Some(found)) {
        iterator.next().unwrap();
        if at(&iterator, Some(found + 1)) {
            iterator.prev().unwrap();
            at(&iterator, Some(found));
            iterator.prev().unwrap();
            at(&iterator, found.checked_sub(1));
        }
    }
    let found = model.before_or_at(target).checked_sub(1);
    iterator.seek_for_prev(target).unwrap();
    if at(&iterator, found) {
        iterator.prev().unwrap();
        at(&iterator, found.and_then(|found| found.checked_sub(1)));
    }
    check_seeks_by_steps(&mut iterator, model, target);
}

/// Seeks to `target` in steps, after others that led elsewhere and were given up.
fn check_seeks_by_steps(iterator: &mut Box<dyn InternalIterator>, model: &Model, target: &[u8]) {
    let found = model.before_or_at(target).checked_sub(1);
    for elsewhere in model.records.first().into_iter().chain(model.records.last()) {
        for given_up_after in [SeekStep::FindBlock, SeekStep::FindHead, SeekStep::FindEntry] {
            for step in SeekStep::ALL {
                iterator.approach(&elsewhere.0, step).unwrap();
                if step == given_up_after {
                    break;
                }
            }
            for step in SeekStep::ALL {
                iterator.approach(target, step).unwrap();
            }
            iterator.seek(target).unwrap();
            model.at(iterator, Some(model.before(target)));
            // Nothing is left of the steps.
            iterator.seek(&elsewhere.0).unwrap();
            model.at(iterator, Some(model.before(&elsewhere.0)));
            for step in SeekStep::ALL_BEFORE {
                iterator.approach(target, step).unwrap();
            }
            iterator.seek_for_prev(target).unwrap();
            model.at(iterator, found);
            iterator.seek_for_prev(&elsewhere.0).unwrap();
            model.at(iterator, model.before_or_at(&elsewhere.0).checked_sub(1));
        }
    }
    // Steps that another move follows, as after an error of another cursor.
    let elsewhere = model.records.last().map_or(target, |(key, _)| key);
    for (other_move, steps) in
        (0..4).flat_map(|other| [(other, SeekStep::ALL), (other, SeekStep::ALL_BEFORE)])
    {
        for step in steps {
            iterator.approach(elsewhere, step).unwrap();
        }
        match other_move {
            0 => iterator.seek_to_first().unwrap(),
            1 => iterator.seek_to_last().unwrap(),
            2 => iterator.seek_for_prev(elsewhere).unwrap(),
            _ => iterator.seek(elsewhere).unwrap(),
        }
        iterator.seek(target).unwrap();
        model.at(iterator, Some(model.before(target)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 6 } else { 200 }))]

    #[test]
    fn is_a_stable_sorted_list(
        (comparator, steps, targets) in comparators().prop_flat_map(|comparator| {
            let targets = prop::collection::vec((user_key(&comparator), 0u64..5), 1..10);
            (Just(comparator.clone()), steps(&comparator), targets)
        }),
        kind in prop::sample::select(&KINDS[..]),
    ) {
        let (rep, mut writer) = new_rep(kind, &comparator);
        let mut model = Model { comparator, records: Vec::new() };
        for step in &steps {
            match step {
                Step::Insert(user_key, sequence, value_size) => {
                    let value = vec![model.records.len() as u8; *value_size];
                    insert(&mut *writer, user_key, *sequence, &value);
                    model.insert(user_key, *sequence, &value);
                }
                Step::Expect(keys) => {
                    writer.expect(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>());
                }
                Step::InsertAscending(count) => {
                    for number in 0..*count {
                        let user_key = [b'k', number];
                        insert(&mut *writer, &user_key, 9, b"ascending");
                        model.insert(&user_key, 9, b"ascending");
                    }
                }
                Step::Visit(user_key, sequence) => {
                    let target = InternalKey::for_seek(user_key, *sequence);
                    check_visit(&*rep, &model, target.as_bytes());
                }
                Step::MarkImmutable => rep.mark_immutable(),
            }
        }
        check_iterator(&rep, &model);
        let records = model.records.iter().map(|(key, _)| key.clone());
        let targets = targets.iter().map(|(key, sequence)| {
            InternalKey::for_seek(key, *sequence).as_bytes().to_vec()
        });
        for target in targets.chain(records) {
            check_visit(&*rep, &model, &target);
            check_seeks(&rep, &model, &target);
        }
    }
}

#[test]
fn an_empty_one_has_nothing() {
    for (rep, writer) in reps() {
        let comparator = InternalKeyComparator::bytewise();
        let model = Model { comparator, records: Vec::new() };
        check_iterator(&rep, &model);
        let target = InternalKey::for_seek(b"", 0);
        check_visit(&*rep, &model, target.as_bytes());
        check_seeks(&rep, &model, target.as_bytes());
        drop(writer);
        rep.mark_immutable();
        check_iterator(&rep, &model);
    }
}

#[test]
fn records_of_all_sizes_are_kept() {
    let sizes: &[(usize, usize)] = if cfg!(miri) {
        &[(0, 0), (0, 1), (5000, 0), (1, 70_000)]
    } else {
        &[(0, 0), (16 << 20, 1), (9, 130 << 20), (3, 0), (8, 4096)]
    };
    for (rep, mut writer) in reps() {
        for (sequence, (key_size, value_size)) in (1..).zip(sizes) {
            let (key, value) = (vec![b'k'; *key_size], vec![sequence as u8; *value_size]);
            insert(&mut *writer, &key, sequence, &value);
        }
        for (sequence, (key_size, value_size)) in (1..).zip(sizes) {
            let key = InternalKey::new(&vec![b'k'; *key_size], sequence, ValueType::Value);
            let mut pinned = None;
            rep.visit(key.as_bytes(), &mut |entry| {
                assert!(entry.key() == key.as_bytes());
                pinned = Some(entry.pinned_value());
                false
            });
            let pinned = pinned.expect("a record");
            assert!(pinned.len() == *value_size && pinned.iter().all(|b| *b == sequence as u8));
        }
        let total: usize = sizes.iter().map(|(key, value)| key + value).sum();
        let held = rep.allocated_bytes();
        assert!(held >= total && held < total + total / 8 + (4 << 20), "{held} for {total}");
    }
}

/// Records of a concurrent test: each number from 1 on is a sequence number and has one key and one
/// value, both of which can be told from it and it from them.
fn nth_record(number: u64) -> (Vec<u8>, Vec<u8>) {
    let scattered = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Few enough keys that some have several versions, some of them far from each other.
    let user_key = (scattered >> 52).to_be_bytes().to_vec();
    let value = number.to_le_bytes().repeat(1 + number as usize % 40);
    (user_key, value)
}

/// Checks a record that a reader met and returns its number.
fn check_record(key: &[u8], value: &[u8]) -> u64 {
    let parsed = ParsedInternalKey::parse(key).unwrap();
    let (expected_key, expected_value) = nth_record(parsed.sequence);
    assert!(parsed.user_key == expected_key && value == expected_value, "torn record");
    parsed.sequence
}

/// Goes over all records, which must be in order and have all numbers up to `visible`.
fn check_all(rep: &Arc<dyn MemTableRep>, visible: u64, is_forward: bool) {
    let comparator = InternalKeyComparator::bytewise();
    let mut iterator = rep.clone().new_iterator();
    match is_forward {
        true => iterator.seek_to_first().unwrap(),
        false => iterator.seek_to_last().unwrap(),
    }
    let mut last: Option<Vec<u8>> = None;
    let mut found = 0;
    while iterator.valid() {
        found += u64::from(check_record(iterator.key(), iterator.value()) <= visible);
        if let Some(last) = last {
            let order = comparator.compare(&last, iterator.key());
            assert_eq!(order, if is_forward { Ordering::Less } else { Ordering::Greater });
        }
        last = Some(iterator.key().to_vec());
        match is_forward {
            true => iterator.next().unwrap(),
            false => iterator.prev().unwrap(),
        }
    }
    assert_eq!(found, visible, "records that were visible before");
}

/// Looks for the record of a number that is visible.
fn check_one(rep: &dyn MemTableRep, number: u64) {
    let (user_key, value) = nth_record(number);
    let mut found = None;
    rep.visit(InternalKey::for_seek(&user_key, number).as_bytes(), &mut |entry| {
        assert_eq!(check_record(entry.key(), entry.value()), number);
        found = Some(entry.pinned_value());
        false
    });
    assert_eq!(found.as_deref(), Some(&value[..]));
}

#[test]
fn readers_see_whole_ordered_records_while_one_writes() {
    let count: u64 = if cfg!(miri) { 40 } else { 3000 };
    for (rep, mut writer) in reps() {
        let visible = &AtomicU64::new(0);
        std::thread::scope(|scope| {
            for reader in 0..2u64 {
                let rep = rep.clone();
                scope.spawn(move || {
                    let mut number = reader;
                    loop {
                        let now = visible.load(atomic::Ordering::Acquire);
                        check_all(&rep, now, number % 2 == 0);
                        for _ in 0..if cfg!(miri) { 2 } else { 30 } {
                            number += 1;
                            let now = visible.load(atomic::Ordering::Acquire);
                            if now > 0 {
                                check_one(&*rep, 1 + number.wrapping_mul(0x9e37_79b9) % now);
                            }
                        }
                        if now == count {
                            break;
                        }
                        std::thread::yield_now();
                    }
                });
            }
            for number in 1..=count {
                let (user_key, value) = nth_record(number);
                insert(&mut *writer, &user_key, number, &value);
                visible.store(number, atomic::Ordering::Release);
                if number % 8 == 0 {
                    std::thread::yield_now();
                }
            }
        });
        drop(writer);
        check_all(&rep, count, true);
    }
}

#[test]
fn counts_of_ranges_are_about_right() {
    let count: u32 = if cfg!(miri) { 100 } else { 20_000 };
    for (rep, mut writer) in reps() {
        for number in 0..count {
            let number = number.wrapping_mul(7) % count;
            insert(&mut *writer, &number.to_be_bytes(), 1, b"");
        }
        let num_entries = |from: u32, to: u32| {
            let key = |number: u32| InternalKey::for_seek(&number.to_be_bytes(), 9);
            rep.approximate_num_entries(key(from).as_bytes(), key(to).as_bytes())
        };
        assert_eq!(num_entries(10, 40), 30);
        assert_eq!(num_entries(40, 10), 0);
        assert_eq!(num_entries(count, u32::MAX), 0);
        for (from, to) in [(0, count), (count / 4, count / 2), (5, count / 50)] {
            let (found, expected) = (num_entries(from, to), u64::from(to.saturating_sub(from)));
            assert!(found.abs_diff(expected) <= expected / 2, "{found} from {from} to {to}");
        }
    }
}

#[test]
fn a_pinned_value_outlives_the_container() {
    for (rep, mut writer) in reps() {
        let value = vec![b'v'; 1000];
        insert(&mut *writer, b"key", 1, &value);
        let mut pinned = PinnableSlice::default();
        rep.visit(InternalKey::for_seek(b"key", MAX_SEQUENCE_NUMBER).as_bytes(), &mut |entry| {
            pinned = entry.pinned_value();
            false
        });
        assert!(pinned.is_pinned());
        drop((rep, writer));
        assert_eq!(&*pinned, value);
    }
}

#[test]
fn keys_at_which_records_are_divided() {
    let comparators: [Arc<dyn Comparator>; 3] = [
        Arc::new(BytewiseComparator),
        Arc::new(ReverseBytewiseComparator),
        Arc::new(U64TimestampComparator::BYTEWISE),
    ];
    for comparator in comparators.map(InternalKeyComparator::new) {
        for kind in KINDS {
            for counts in [(0, 4), (1, 4), (9, 4), (100, 1), (MANY, 0), (MANY, 4), (MANY, 19)] {
                check_split_keys(kind, &comparator, counts);
            }
        }
    }
}

const MANY: u64 = if cfg!(miri) { 500 } else { 20_000 };

fn check_split_keys(
    kind: &str,
    comparator: &InternalKeyComparator,
    (record_count, split_count): (u64, usize),
) {
    let key = |number: u64| format!("user{:020}", number * 7919 % MANY).into_bytes();
    let mut sorted: Vec<_> = (0..record_count).map(key).collect();
    sorted.sort_by(|a, b| comparator.compare_user_keys(a, b));
    let (rep, mut writer) = new_rep(kind, comparator);
    (0..record_count).for_each(|number| insert(&mut *writer, &key(number), 1, b"value"));
    rep.mark_immutable();
    let keys = rep.split_keys(split_count);
    assert!(keys.len() <= split_count, "{kind}: {} of {split_count}", keys.len());
    // Where each begins in the order of all, which is nowhere at the start.
    let place = |key: &Vec<u8>| {
        sorted.binary_search_by(|other| comparator.compare_user_keys(other, key)).unwrap()
    };
    let places: Vec<_> = keys.iter().map(place).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{kind}: {places:?}");
    if record_count == MANY && split_count > 0 && !cfg!(miri) {
        assert!(places.len() * 2 > split_count, "{kind}: {places:?} of {split_count}");
        let ends = places.iter().copied().skip(1).chain([sorted.len()]);
        let ranges = places.iter().zip(ends).map(|(start, end)| end - start);
        let largest = ranges.chain([places[0]]).max().unwrap();
        let average = sorted.len() / (places.len() + 1);
        assert!(places[0] > 0 && largest < 3 * average, "{kind}: {largest} beside {average}");
    }
}

#[test]
fn records_in_the_order_of_their_keys_are_not_divided() {
    for (rep, mut writer) in reps() {
        let key = |number: u64| format!("user{number:020}").into_bytes();
        // Some come late.
        let late = |number: &u64| number % 100 < 3;
        let (early, all) = ((0..MANY).filter(|number| !late(number)), (0..MANY).filter(late));
        early.chain(all).for_each(|number| insert(&mut *writer, &key(number), 1, b"value"));
        rep.mark_immutable();
        assert_eq!(rep.split_keys(19).len(), 0, "{rep:?}");
    }
}

#[test]
fn versions_of_one_key_are_not_divided() {
    let version_count = if cfg!(miri) { 100 } else { 5_000 };
    for (rep, mut writer) in reps() {
        (0..version_count).for_each(|version| insert(&mut *writer, b"key", version, b"value"));
        rep.mark_immutable();
        let keys = rep.split_keys(9);
        assert!(keys.len() <= 1, "{rep:?}: {keys:?}");
    }
}
