use super::*;
use base::comparator::{BytewiseComparator, ReverseBytewiseComparator};
use base::{Comparator, InternalKey, Status, ValueType};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Entry = (Vec<u8>, Vec<u8>);

#[derive(Clone, Debug)]
enum Move {
    First,
    Last,
    Seek(Vec<u8>),
    SeekForPrev(Vec<u8>),
    Next,
    Prev,
}

fn user_key() -> impl Strategy<Value = Vec<u8>> {
    // Long common prefixes, so that the cached eight bytes often tie.
    prop_oneof![
        prop::collection::vec(0u8..3, 0..4),
        prop::collection::vec(0u8..2, 2..3).prop_map(|end| [b"prefixes".as_slice(), &end].concat()),
        prop::collection::vec(0u8..2, 6..10),
        Just(vec![0xff; 9]),
    ]
}

fn internal_key() -> impl Strategy<Value = Vec<u8>> {
    (user_key(), 1u64..4)
        .prop_map(|(key, sequence)| InternalKey::new(&key, sequence, ValueType::Value))
        .prop_map(|key| key.as_bytes().to_vec())
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        1 => Just(Move::First),
        1 => Just(Move::Last),
        2 => internal_key().prop_map(Move::Seek),
        2 => internal_key().prop_map(Move::SeekForPrev),
        9 => Just(Move::Next),
        9 => Just(Move::Prev),
    ];
    prop::collection::vec(one, 1..60)
}

fn children() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
    prop::collection::vec(prop::collection::vec(internal_key(), 0..12), 0..7)
}

/// Gives each entry a value of its own and each child its place in the model.
fn entries(comparator: &InternalKeyComparator, children: &[Vec<Vec<u8>>]) -> Vec<Vec<Entry>> {
    let mut number = 0;
    children
        .iter()
        .map(|keys| {
            let mut entries: Vec<Entry> = keys.iter().map(|key| (key.clone(), vec![])).collect();
            entries.sort_by(|a, b| comparator.compare(&a.0, &b.0));
            for entry in &mut entries {
                number += 1;
                entry.1 = format!("value {number}").into_bytes();
            }
            entries
        })
        .collect()
}

fn apply(iterator: &mut dyn InternalIterator, step: &Move) -> Result<()> {
    match step {
        Move::First => iterator.seek_to_first(),
        Move::Last => iterator.seek_to_last(),
        Move::Seek(target) => iterator.seek(target),
        Move::SeekForPrev(target) => iterator.seek_for_prev(target),
        Move::Next => iterator.next(),
        Move::Prev => iterator.prev(),
    }
}

fn is_seek(step: &Move) -> bool {
    !matches!(step, Move::Next | Move::Prev)
}

fn assert_same(iterator: &dyn InternalIterator, model: &VecIterator) {
    assert_eq!(iterator.valid(), model.valid());
    if model.valid() {
        assert_eq!(iterator.key(), model.key());
        assert_eq!(iterator.value(), model.value());
        assert_eq!(&iterator.pinned_value()[..], model.value());
    }
}

fn check_against_model(
    user_comparator: Arc<dyn Comparator>,
    children: &[Vec<Vec<u8>>],
    moves: &[Move],
) {
    let comparator = InternalKeyComparator::new(user_comparator);
    let entries = entries(&comparator, children);
    let mut model = VecIterator::new(comparator.clone(), entries.concat());
    let children: Vec<_> =
        entries.into_iter().map(|entries| VecIterator::new(comparator.clone(), entries)).collect();
    let mut merged = MergingIterator::new(comparator, children);
    assert!(!merged.valid());
    for step in moves {
        if is_seek(step) || model.valid() {
            apply(&mut merged, step).unwrap();
            apply(&mut model, step).unwrap();
            assert_same(&merged, &model);
        }
    }
}

/// Fails the move that brings the shared counter to zero, and then leaves the child invalid.
struct Faulty {
    inner: VecIterator,
    moves_left: Arc<AtomicU64>,
    failed: bool,
}

impl Faulty {
    fn step(&mut self, step: impl FnOnce(&mut VecIterator) -> Result<()>) -> Result<()> {
        self.failed = self.moves_left.fetch_sub(1, Ordering::Relaxed) == 1;
        if self.failed { Err(Status::corruption("injected")) } else { step(&mut self.inner) }
    }
}

impl InternalIterator for Faulty {
    fn valid(&self) -> bool {
        !self.failed && self.inner.valid()
    }
    fn seek_to_first(&mut self) -> Result<()> {
        self.step(VecIterator::seek_to_first)
    }
    fn seek_to_last(&mut self) -> Result<()> {
        self.step(VecIterator::seek_to_last)
    }
    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.step(|inner| inner.seek(target))
    }
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.step(|inner| inner.seek_for_prev(target))
    }
    fn next(&mut self) -> Result<()> {
        self.step(VecIterator::next)
    }
    fn prev(&mut self) -> Result<()> {
        self.step(VecIterator::prev)
    }
    fn key(&self) -> &[u8] {
        assert!(self.valid());
        self.inner.key()
    }
    fn value(&self) -> &[u8] {
        assert!(self.valid());
        self.inner.value()
    }
}

/// Counts comparisons.
#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Comparator for Counting {
    fn name(&self) -> &str {
        "counting"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        self.0.fetch_add(1, Ordering::Relaxed);
        a.cmp(b)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn merges_as_one_sorted_vector(children in children(), moves in moves()) {
        check_against_model(Arc::new(BytewiseComparator), &children, &moves);
        check_against_model(Arc::new(ReverseBytewiseComparator), &children, &moves);
    }

    #[test]
    fn surfaces_the_error_of_any_child(
        children in children(),
        moves in moves(),
        moves_left in 1u64..120,
    ) {
        let comparator = InternalKeyComparator::bytewise();
        let entries = entries(&comparator, &children);
        let mut model = VecIterator::new(comparator.clone(), entries.concat());
        let moves_left = Arc::new(AtomicU64::new(moves_left));
        let children = entries
            .into_iter()
            .map(|entries| {
                let inner = VecIterator::new(comparator.clone(), entries);
                Faulty { inner, moves_left: moves_left.clone(), failed: false }
            })
            .collect();
        let mut merged = MergingIterator::new(comparator, children);
        for step in &moves {
            if is_seek(step) || (model.valid() && merged.valid()) {
                let before = moves_left.load(Ordering::Relaxed);
                let result = apply(&mut merged, step);
                let after = moves_left.load(Ordering::Relaxed);
                let failed = before != 0 && after == 0;
                prop_assert_eq!(result.is_err(), failed);
                apply(&mut model, step).unwrap();
                if failed {
                    prop_assert!(!merged.valid());
                } else {
                    assert_same(&merged, &model);
                }
            }
        }
    }
}

#[test]
fn one_child_is_returned_itself_and_none_is_empty() {
    let comparator = InternalKeyComparator::bytewise();
    let key = InternalKey::new(b"k", 1, ValueType::Value).as_bytes().to_vec();
    let child = || VecIterator::new(comparator.clone(), vec![(key.clone(), vec![1])]);
    for count in 0..3 {
        let children = (0..count).map(|_| Box::new(child()) as _).collect();
        let mut merged = merge(&comparator, children);
        merged.seek_to_first().unwrap();
        let mut found = 0;
        while merged.valid() {
            found += 1;
            merged.next().unwrap();
        }
        assert_eq!(found, count);
    }
}

#[test]
fn staying_on_one_child_costs_one_comparison() {
    let counting = Arc::new(Counting::default());
    let comparator = InternalKeyComparator::new(counting.clone());
    let run = |first: u32, last: u32| {
        let entries = (first..last)
            .map(|number| {
                let key = InternalKey::new(&number.to_be_bytes(), 1, ValueType::Value);
                (key.as_bytes().to_vec(), Vec::new())
            })
            .collect();
        VecIterator::new(comparator.clone(), entries)
    };
    let children = vec![run(500, 510), run(0, 100), run(600, 610), run(700, 710), run(800, 810)];
    let mut merged = MergingIterator::new(comparator.clone(), children);
    merged.seek_to_first().unwrap();
    counting.0.store(0, Ordering::Relaxed);
    for _ in 0..99 {
        merged.next().unwrap();
    }
    assert_eq!(counting.0.load(Ordering::Relaxed), 99);
}

#[test]
#[should_panic = "not valid"]
fn moving_on_from_nowhere_panics() {
    let _ =
        MergingIterator::<VecIterator>::new(InternalKeyComparator::bytewise(), Vec::new()).next();
}

proptest! {
    /// What is passed together is the same as what is passed one by one, of however many children.
    #[test]
    fn deletions_in_a_row_are_passed_up_to_the_next_child(
        children in prop::collection::vec(
            prop::collection::vec((0u8..40, 1u64..4, 0u8..6), 0..30),
            1..5,
        ),
        start in 0u8..40,
        limit in prop::option::of(0u8..40),
    ) {
        let comparator = InternalKeyComparator::bytewise();
        let key = |(number, sequence, kind): (u8, u64, u8)| {
            let types = [ValueType::Value, ValueType::SingleDeletion];
            let value_type = types.get(usize::from(kind)).copied().unwrap_or(ValueType::Deletion);
            InternalKey::new(&[number], sequence, value_type).as_bytes().to_vec()
        };
        let mut seen = std::collections::HashSet::new();
        let mut entries: Vec<Vec<Entry>> = Vec::new();
        for child in children {
            let new = child.into_iter().filter(|&(number, at, _)| seen.insert((number, at)));
            entries.push(new.map(|entry| (key(entry), Vec::new())).collect());
        }
        let mut model = VecIterator::new(comparator.clone(), entries.concat());
        let children = entries.into_iter().map(|child| VecIterator::new(comparator.clone(), child));
        let mut merged = MergingIterator::new(comparator.clone(), children.collect());
        let limit = limit.map(|number| key((number, 2, 0)));
        let target = InternalKey::for_seek(&[start], 2);
        let is_deletion = |iterator: &VecIterator| {
            let parsed = base::ParsedInternalKey::parse(iterator.key()).unwrap();
            parsed.value_type.is_point_deletion()
        };
        for is_forward in [true, false] {
            let seek = if is_forward { Move::Seek } else { Move::SeekForPrev };
            let step = if is_forward { Move::Next } else { Move::Prev };
            let is_past = |key: &[u8], end: &[u8]| match is_forward {
                true => comparator.compare(key, end).is_ge(),
                false => comparator.compare(key, end).is_le(),
            };
            let seek = seek(target.as_bytes().to_vec());
            apply(&mut merged, &seek).unwrap();
            apply(&mut model, &seek).unwrap();
            while model.valid() {
                let has_passed = match is_forward {
                    true => merged.pass_deletions(limit.as_deref()).unwrap(),
                    false => merged.pass_deletions_back(limit.as_deref()).unwrap(),
                };
                if has_passed {
                    let from = merged.key().to_vec();
                    prop_assert!(limit.as_ref().is_none_or(|limit| !is_past(&from, limit)));
                    prop_assert_ne!(model.key(), &from[..]);
                    while model.valid() && model.key() != from {
                        prop_assert!(is_deletion(&model));
                        apply(&mut model, &step).unwrap();
                    }
                    prop_assert!(model.valid() && is_deletion(&model));
                }
                prop_assert_eq!(merged.key(), model.key());
                apply(&mut merged, &step).unwrap();
                apply(&mut model, &step).unwrap();
                prop_assert!(merged.valid() == model.valid());
            }
        }
    }
}
