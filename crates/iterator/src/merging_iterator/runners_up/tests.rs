use super::*;
use proptest::prelude::*;

/// By rank, and then by child as keys would have it.
fn is_before(a: &Place, b: &Place) -> bool {
    (a.rank, a.child) < (b.rank, b.child)
}

fn started(ranks: &[u64], has_ranks: bool) -> RunnersUp {
    let mut runners_up = RunnersUp::with_capacity(ranks.len());
    for (child, &rank) in ranks.iter().enumerate() {
        runners_up.add(Place { rank, child });
    }
    runners_up.start(has_ranks, is_before);
    runners_up
}

fn expect_first(runners_up: &RunnersUp, model: &[(u64, usize)]) {
    let first = runners_up.first().map(|place| (place.rank, place.child));
    assert_eq!(first, model.iter().min().copied(), "of {model:?}");
}

proptest! {
    #[test]
    fn the_first_is_at_the_head(
        ranks in prop::collection::vec(0_u64..6, 0..9),
        has_ranks: bool,
        moves in prop::collection::vec(prop::option::weighted(0.9, 0_u64..4), 0..60),
    ) {
        let mut runners_up = started(&ranks, has_ranks);
        let mut model: Vec<(u64, usize)> =
            ranks.iter().enumerate().map(|(child, rank)| (*rank, child)).collect();
        for step in moves {
            expect_first(&runners_up, &model);
            let Some((at, &first)) = model.iter().enumerate().min_by_key(|(_, place)| **place) else {
                break;
            };
            // A child that moves on stands where it stood, or behind that; or it is at its end.
            let taken = match step {
                Some(distance) => {
                    model[at].0 += distance;
                    let place = Place { rank: model[at].0, child: model[at].1 };
                    runners_up.replace_first(place, is_before)
                }
                None => {
                    model.swap_remove(at);
                    runners_up.pop(is_before).expect("a first one")
                }
            };
            prop_assert_eq!((taken.rank, taken.child), first);
        }
        expect_first(&runners_up, &model);
    }
}

#[test]
fn ranks_that_tell_little_make_a_heap() {
    let mut runners_up = started(&[7, 7, 7], true);
    // Two keys are compared at each look, where one may be.
    for _ in 0..COMPARED_FREE / 2 {
        assert!(!runners_up.is_heap, "after {} looks", runners_up.looks);
        let first = *runners_up.first().unwrap();
        runners_up.replace_first(first, is_before);
    }
    let first = *runners_up.first().unwrap();
    runners_up.replace_first(first, is_before);
    assert!(runners_up.is_heap);
    runners_up.clear();
    assert!(runners_up.first().is_none());
    let many: Vec<u64> = (0..=LOOKED_THROUGH_MAX as u64).collect();
    assert!(started(&many, true).is_heap);
    assert!(!started(&many[1..], true).is_heap);
    assert!(started(&many[1..], false).is_heap);
}

#[test]
fn keys_that_two_runs_have_do_not() {
    let mut runners_up = started(&[1, 2, 3], true);
    for number in 4..1000 {
        // Behind all others, and every other time to where the second stands.
        let second = runners_up.places[1..].iter().map(|place| place.rank).min();
        let rank = second.filter(|_| number % 2 == 0).unwrap_or(number);
        runners_up.replace_first(Place { rank, child: 9 }, is_before);
    }
    assert!(runners_up.compared >= 490, "{} of {}", runners_up.compared, runners_up.looks);
    assert!(!runners_up.is_heap);
}
