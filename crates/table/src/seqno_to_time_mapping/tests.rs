use super::*;
use crate::test_files::{open, options_of, tables_of};
use proptest::prelude::*;
use testing::fixtures;

fn of(pairs: &[(u64, u64)]) -> SeqnoToTimeMapping {
    let mut mapping = SeqnoToTimeMapping::default();
    mapping.merge(&SeqnoToTimeMapping { pairs: pairs.to_vec() });
    mapping
}

#[test]
fn bytes_of_the_property() {
    let encoded = [2, 10, 100, 5, 50];
    let mapping = SeqnoToTimeMapping::decode(&encoded).unwrap();
    assert_eq!(mapping.pairs(), [(10, 100), (15, 150)]);
    assert_eq!(mapping.encode(), encoded);
    assert!(SeqnoToTimeMapping::decode(&[]).unwrap().encode().is_empty());
    for bad in [&[1][..], &[2, 10, 100, 5], &[1, 10, 100, 5], &[0xff, 0xff, 0xff, 0xff, 0x7f]] {
        assert!(SeqnoToTimeMapping::decode(bad).unwrap_err().is_corruption(), "{bad:?}");
    }
}

#[test]
fn what_releases_wrote_is_encoded_to_the_same_bytes() {
    let mut found = 0;
    for fixture in fixtures::of_case("q11") {
        for (name, bytes) in tables_of(&fixture) {
            let table = open(bytes, &options_of(&fixture)).unwrap();
            let stored = &table.properties().seqno_to_time_mapping;
            let mapping = table.properties().seqno_to_time_mapping().unwrap();
            assert_eq!(mapping.encode(), *stored, "{fixture}: {name}");
            assert_eq!(of(mapping.pairs()), mapping, "{fixture}: {name}");
            found += usize::from(!mapping.is_empty());
        }
    }
    assert!(found >= 4, "{found}");
}

#[test]
fn times_and_sequence_numbers_bound_each_other() {
    let mapping = of(&[(10, 500), (20, 600), (30, 700)]);
    for (time, sequence) in [(499, 0), (500, 10), (599, 10), (600, 20), (9999, 30)] {
        assert_eq!(mapping.proximal_seqno_before_time(time), sequence, "{time}");
    }
    for (sequence, time) in [(10, 0), (11, 500), (20, 500), (21, 600), (99, 700)] {
        assert_eq!(mapping.proximal_time_before_seqno(sequence), time, "{sequence}");
    }
}

#[test]
fn samples_that_contradict_each_other_leave_the_safer_bound() {
    // One number at two times: the earlier. Two numbers at one time: the later.
    assert_eq!(of(&[(10, 100), (10, 90)]).pairs(), [(10, 90)]);
    assert_eq!(of(&[(10, 100), (12, 100)]).pairs(), [(12, 100)]);
    // The clock went back, behind earlier samples too.
    assert_eq!(of(&[(5, 40), (10, 100), (12, 110), (20, 50)]).pairs(), [(5, 40), (20, 50)]);
    assert_eq!(of(&[(0, 5), (1, 6)]).pairs(), [(1, 6)]);
    let mut mapping = of(&[(10, 100)]);
    mapping.append(10, 130);
    assert_eq!(mapping.pairs(), [(10, 100)]);
    mapping.append(11, 130);
    assert_eq!(mapping.pairs(), [(10, 100), (11, 130)]);
}

#[test]
fn the_part_of_a_table_begins_with_the_bound_before_it() {
    let mapping = of(&[(10, 500), (20, 600), (30, 700)]);
    assert_eq!(mapping.range(20, 29).pairs(), [(10, 500), (20, 600)]);
    assert_eq!(mapping.range(21, 30).pairs(), [(20, 600), (30, 700)]);
    assert_eq!(mapping.range(1, 9).pairs(), []);
    assert_eq!(mapping.range(40, 50).pairs(), [(30, 700)]);
    // Without entries the first number is after the last.
    assert_eq!(mapping.range(25, 0).pairs(), [(20, 600)]);
}

#[test]
fn old_pairs_go_but_for_the_newest_of_them() {
    let mut mapping = of(&[(10, 500), (20, 600), (30, 700)]);
    mapping.keep_since(100, 200);
    assert_eq!(mapping.pairs().len(), 3);
    mapping.keep_since(850, 200);
    assert_eq!(mapping.pairs(), [(20, 600), (30, 700)]);
    mapping.keep_since(9999, 0);
    assert_eq!(mapping.pairs(), [(30, 700)]);
}

#[test]
fn pairs_that_are_close_together_go_first() {
    let mut mapping = of(&[(1, 10), (2, 11), (3, 12), (4, 50), (5, 51), (6, 90)]);
    mapping.limit(6);
    assert_eq!(mapping.pairs().len(), 6);
    mapping.limit(4);
    assert_eq!(mapping.pairs(), [(1, 10), (3, 12), (5, 51), (6, 90)]);
    mapping.limit(0);
    assert_eq!(mapping.pairs(), [(1, 10), (6, 90)]);
}

proptest! {
    #[test]
    fn round_trips_and_bounds_hold(
        pairs in prop::collection::vec((0_u64..5000, 1_u64..5000), 0..60),
        others in prop::collection::vec((0_u64..5000, 1_u64..5000), 0..60),
        max in 2_usize..40,
        (first, last) in (1_u64..5000, 1_u64..5000),
    ) {
        let mut mapping = of(&pairs);
        mapping.merge(&of(&others));
        let ascends = |mapping: &SeqnoToTimeMapping| {
            mapping.pairs().is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1)
        };
        prop_assert!(ascends(&mapping));
        prop_assert_eq!(&SeqnoToTimeMapping::decode(&mapping.encode()).unwrap(), &mapping);
        let part = mapping.range(first, last);
        for sequence in first..=last {
            prop_assert_eq!(
                part.proximal_time_before_seqno(sequence),
                mapping.proximal_time_before_seqno(sequence)
            );
        }
        let mut limited = mapping.clone();
        limited.limit(max);
        prop_assert!(limited.pairs().len() <= max && ascends(&limited));
        prop_assert_eq!(limited.pairs().first(), mapping.pairs().first());
        prop_assert_eq!(limited.pairs().last(), mapping.pairs().last());
        // What is left is right, if less exact.
        prop_assert!(limited.pairs().iter().all(|pair| mapping.pairs().contains(pair)));
    }
}
