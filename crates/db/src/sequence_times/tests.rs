use super::*;

#[test]
fn the_longest_time_counts_and_needs_more_pairs_than_the_shortest() {
    let of = |seconds: &[u64]| Retention::of(seconds.iter().copied());
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[0, 0]), None);
    let retention = |seconds, pairs_max, cadence_seconds| {
        Some(Retention { seconds, pairs_max, cadence_seconds })
    };
    assert_eq!(of(&[0, 500]), retention(500, 100, 5));
    assert_eq!(of(&[500, 100]), retention(500, 500, 1));
    assert_eq!(of(&[501]), retention(501, 100, 6));
    assert_eq!(of(&[u64::MAX, 1]), retention(u64::MAX, 1000, 1));
}
