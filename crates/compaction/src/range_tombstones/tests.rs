use super::*;
use base::ValueType;

fn list(tombstones: &[(&str, &str, u64)]) -> FragmentedRangeTombstoneList {
    let tombstones = tombstones.iter().map(|&(start, end, sequence)| RangeTombstone {
        start_key: start.into(),
        end_key: end.into(),
        sequence,
    });
    FragmentedRangeTombstoneList::new(tombstones.collect(), &InternalKeyComparator::bytewise())
}

fn builder(snapshots: &[u64]) -> JobRangeTombstonesBuilder {
    let rules = SnapshotRules::new(snapshots.to_vec());
    JobRangeTombstonesBuilder::new(InternalKeyComparator::bytewise(), rules)
}

fn text(tombstones: &JobRangeTombstones) -> String {
    let fragments = tombstones.fragments().iter().map(|fragment| {
        let sequences: Vec<_> =
            fragment.tombstones.iter().map(|(sequence, _)| sequence.to_string()).collect();
        let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
        format!("{}-{}@{}", text(&fragment.start_key), text(&fragment.end_key), sequences.join(","))
    });
    fragments.collect::<Vec<_>>().join(" ")
}

#[test]
fn of_a_stripe_the_newest_tombstone_is_kept() {
    let mut all = builder(&[10, 20]);
    all.add(&list(&[("a", "m", 5), ("a", "m", 7), ("c", "e", 15), ("d", "z", 25), ("d", "z", 22)]));
    assert_eq!(text(&all.build()), "a-c@7 c-d@15,7 d-e@25,15,7 e-m@25,7 m-z@25");
}

#[test]
fn tombstones_reach_as_far_as_their_file() {
    let mut all = builder(&[]);
    let sentinel =
        InternalKey::new(b"m", base::dbformat::MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
    let smallest = InternalKey::new(b"c", 9, ValueType::Value);
    all.add_file(&list(&[("a", "z", 5)]), &smallest, &sentinel);
    assert_eq!(text(&all.build()), "c-m@5");
}

#[test]
fn a_tombstone_hides_what_is_older_in_its_stripe() {
    let mut all = builder(&[10]);
    all.add(&list(&[("a", "m", 8), ("a", "m", 15)]));
    let mut cover = all.build().cover(&SnapshotRules::new(vec![10]), None);
    let mut hides = |user_key: &str, sequence| {
        let user_key = user_key.as_bytes();
        let key = ParsedInternalKey { user_key, sequence, value_type: ValueType::Value };
        cover.should_delete(&key)
    };
    assert!(hides("b", 12));
    assert!(!hides("b", 16));
    assert!(!hides("b", 10), "visible at the snapshot, which does not see the tombstone");
    assert!(hides("b", 7));
    assert!(!hides("m", 7));
}
