use super::*;
use base::comparator::{BytewiseComparator, ReverseBytewiseComparator, U64TimestampComparator};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use proptest::prelude::*;
use std::sync::Arc;

fn tombstone(start_key: &str, end_key: &str, sequence: SequenceNumber) -> RangeTombstone {
    RangeTombstone { start_key: start_key.into(), end_key: end_key.into(), sequence }
}

fn list(tombstones: &[RangeTombstone]) -> FragmentedRangeTombstoneList {
    FragmentedRangeTombstoneList::new(tombstones.to_vec(), &InternalKeyComparator::bytewise())
}

/// (start, end, sequences) of each fragment.
fn fragments(list: &FragmentedRangeTombstoneList) -> Vec<(String, String, Vec<SequenceNumber>)> {
    let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    list.fragments()
        .map(|fragment| {
            let sequences = fragment.tombstones.iter().map(|tombstone| tombstone.sequence);
            (text(fragment.start_key), text(fragment.end_key), sequences.collect())
        })
        .collect()
}

fn fragment(start: &str, end: &str, sequences: &[u64]) -> (String, String, Vec<u64>) {
    (start.into(), end.into(), sequences.to_vec())
}

#[test]
fn tombstones_that_do_not_overlap_stay_whole() {
    let list = list(&[tombstone("g", "h", 9), tombstone("a", "c", 3), tombstone("c", "e", 5)]);
    let expected = [fragment("a", "c", &[3]), fragment("c", "e", &[5]), fragment("g", "h", &[9])];
    assert_eq!(fragments(&list), expected);
    assert_eq!((list.tombstone_count(), list.smallest_sequence()), (3, 3));
}

#[test]
fn overlapping_tombstones_are_cut_at_every_bound() {
    let list = list(&[tombstone("a", "e", 10), tombstone("c", "g", 8), tombstone("c", "i", 6)]);
    let expected = [
        fragment("a", "c", &[10]),
        fragment("c", "e", &[10, 8, 6]),
        fragment("e", "g", &[8, 6]),
        fragment("g", "i", &[6]),
    ];
    assert_eq!(fragments(&list), expected);
    for (key, snapshot, sequence) in [
        ("a", MAX_SEQUENCE_NUMBER, 10),
        ("d", MAX_SEQUENCE_NUMBER, 10),
        ("d", 9, 8),
        ("d", 7, 6),
        ("d", 5, 0),
        ("h", 100, 6),
        ("i", 100, 0),
        ("A", 100, 0),
    ] {
        assert_eq!(list.max_covering_sequence(key.as_bytes(), snapshot, None), sequence, "{key}");
    }
}

#[test]
fn empty_and_backward_ranges_hide_nothing() {
    let list = list(&[tombstone("c", "c", 4), tombstone("z", "a", 5)]);
    assert!(list.is_empty());
    assert_eq!(list.tombstone_count(), 2);
    assert_eq!(list.fragments().count(), 0);
    assert_eq!(list.max_covering_sequence(b"c", MAX_SEQUENCE_NUMBER, None), 0);
}

#[test]
fn nested_tombstones_take_little_memory() {
    let count = 20_000u32;
    let tombstones = (0..count)
        .map(|number| RangeTombstone {
            start_key: number.to_be_bytes().to_vec(),
            end_key: (3 * count - number).to_be_bytes().to_vec(),
            sequence: u64::from(number) + 1,
        })
        .collect();
    let list = FragmentedRangeTombstoneList::new(tombstones, &InternalKeyComparator::bytewise());
    assert!(list.nodes.sequences.len() < 40 * count as usize, "{}", list.nodes.sequences.len());
    let inside = (count + 5).to_be_bytes();
    assert_eq!(list.max_covering_sequence(&inside, 1_000_000, None), u64::from(count));
    assert_eq!(list.max_covering_sequence(&inside, 17, None), 17);
}

fn with_timestamp(user_key: &[u8], timestamp: u64) -> Vec<u8> {
    [user_key, &timestamp.to_le_bytes()].concat()
}

#[test]
fn timestamps_bound_what_is_seen() {
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let tombstones = [("a", "m", 10, 100), ("c", "z", 20, 200)]
        .map(|(start, end, sequence, timestamp)| RangeTombstone {
            start_key: with_timestamp(start.as_bytes(), timestamp),
            end_key: with_timestamp(end.as_bytes(), timestamp),
            sequence,
        })
        .to_vec();
    let list = FragmentedRangeTombstoneList::new(tombstones, &comparator);
    let bounds: Vec<_> = list.fragments().map(|f| (f.start_key, f.end_key)).collect();
    let padded = |key: &str| with_timestamp(key.as_bytes(), u64::MAX);
    let [a, c, m, z] = ["a", "c", "m", "z"].map(padded);
    assert_eq!(bounds, [(&a[..], &c[..]), (&c, &m), (&m, &z)]);
    let at = |key: &str, snapshot, read_timestamp: u64| {
        // Which version of the key is asked for does not matter.
        let user_key = with_timestamp(key.as_bytes(), 7);
        let read_timestamp = read_timestamp.to_le_bytes();
        list.max_covering(&user_key, snapshot, Some(&read_timestamp)).map(|tombstone| {
            let timestamp = u64::from_le_bytes(tombstone.timestamp.try_into().unwrap());
            (tombstone.sequence, timestamp)
        })
    };
    assert_eq!(at("d", 99, 999), Some((20, 200)));
    assert_eq!(at("d", 99, 199), Some((10, 100)));
    assert_eq!(at("d", 19, 999), Some((10, 100)));
    assert_eq!(at("d", 99, 99), None);
    assert_eq!(at("n", 99, 150), None);
    assert_eq!(at("z", 99, 999), None);
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0u8..3, 0..3)
}

prop_compose! {
    fn tombstones()(raw in prop::collection::vec((key(), key(), 1u64..20), 0..16))
        -> Vec<RangeTombstone>
    {
        raw.into_iter()
            .map(|(start_key, end_key, sequence)| RangeTombstone { start_key, end_key, sequence })
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn answers_as_all_tombstones_one_by_one(
        tombstones in tombstones(),
        keys in prop::collection::vec(key(), 1..20),
        reverse in any::<bool>(),
    ) {
        let comparator = InternalKeyComparator::new(if reverse {
            Arc::new(ReverseBytewiseComparator)
        } else {
            Arc::new(BytewiseComparator)
        });
        let covers = |t: &RangeTombstone, key: &[u8]| {
            comparator.compare_user_keys(&t.start_key, key).is_le()
                && comparator.compare_user_keys(key, &t.end_key).is_lt()
        };
        let list = FragmentedRangeTombstoneList::new(tombstones.clone(), &comparator);
        for key in &keys {
            for snapshot in 0..21 {
                let expected = tombstones.iter()
                    .filter(|t| covers(t, key) && t.sequence <= snapshot)
                    .map(|t| t.sequence)
                    .max()
                    .unwrap_or(0);
                prop_assert_eq!(list.max_covering_sequence(key, snapshot, None), expected);
            }
            let mut expected: Vec<_> = tombstones.iter().filter(|t| covers(t, key)).collect();
            expected.sort_by(|a, b| newest_first(&comparator, a, b));
            expected.dedup();
            let found = list.fragments().find(|fragment| {
                comparator.compare_user_keys(fragment.start_key, key).is_le()
                    && comparator.compare_user_keys(key, fragment.end_key).is_lt()
            });
            let found: Vec<_> = found.iter().flat_map(|f| &f.tombstones).collect();
            prop_assert!(found.iter().map(|t| t.sequence).eq(expected.iter().map(|t| t.sequence)));
        }
        let fragments: Vec<_> = list.fragments().collect();
        for fragment in &fragments {
            prop_assert!(comparator.compare_user_keys(fragment.start_key, fragment.end_key).is_lt());
        }
        for pair in fragments.windows(2) {
            prop_assert!(comparator.compare_user_keys(pair[0].end_key, pair[1].start_key).is_le());
        }
    }
}

#[test]
fn tombstones_side_by_side_cover_what_each_covers_a_part_of() {
    let list = list(&[tombstone("b", "f", 5), tombstone("f", "k", 7), tombstone("m", "p", 3)]);
    let covers =
        |start: &str, end: &str, sequence| list.covers(start.as_bytes(), end.as_bytes(), sequence);
    assert!(covers("b", "f", 5) && covers("c", "e", 9) && covers("c", "k", 7));
    assert!(!covers("c", "k", 6), "one is too new");
    assert!(!covers("a", "c", 9) && !covers("k", "l", 9) && !covers("g", "n", 9));
    assert!(!covers("n", "q", 9) && !covers("x", "z", 9));
}
