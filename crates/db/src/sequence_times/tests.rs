use super::*;

#[test]
fn the_longest_time_counts_and_needs_more_pairs_than_the_shortest() {
    let of = |seconds: &[u64]| Retention::of(seconds.iter().copied());
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[0, 0]), None);
    assert_eq!(of(&[0, 500]), Some(Retention { seconds: 500, pairs_max: 100 }));
    assert_eq!(of(&[500, 100]), Some(Retention { seconds: 500, pairs_max: 500 }));
    assert_eq!(of(&[u64::MAX, 1]), Some(Retention { seconds: u64::MAX, pairs_max: 1000 }));
}
