use super::*;

#[test]
fn limits_are_rocksdbs() {
    let expected = [
        1, 2, 3, 4, 6, 10, 15, 22, 34, 51, 76, 110, 170, 250, 380, 580, 870, 1300, 1900, 2900,
        4400, 6600, 9900,
    ];
    assert_eq!(LIMITS[..expected.len()], expected);
    assert!(LIMITS.is_sorted());
    // There is no room for another one.
    assert!(LIMITS[BUCKETS - 1] > u64::MAX / 3 * 2);
}

#[test]
fn a_bucket_ends_at_its_limit() {
    let near = |limit: u64| [limit.saturating_sub(1), limit, limit.saturating_add(1)];
    let powers = (0..64).map(|power| 1 << power);
    for value in LIMITS.into_iter().chain(powers).flat_map(near).chain([0, u64::MAX]) {
        let expected = LIMITS.partition_point(|&limit| limit < value).min(BUCKETS - 1);
        assert_eq!(bucket_of(value), expected, "{value}");
    }
}

#[test]
fn printed_as_rocksdb_7_8_3_prints_it() {
    let mut histogram = Histogram::default();
    for (value, times) in [(1, 6364), (2, 1), (8, 1), (12, 1), (4138, 1)] {
        for _ in 0..times {
            histogram.add(value);
        }
    }
    let text = histogram.to_string();
    let tail: Vec<&str> = text.lines().skip(3).collect();
    assert_eq!(
        tail,
        [
            "------------------------------------------------------",
            "[       0,       1 ]     6364  99.937%  99.937% ####################",
            "(       1,       2 ]        1   0.016%  99.953% ",
            "(       6,      10 ]        1   0.016%  99.969% ",
            "(      10,      15 ]        1   0.016%  99.984% ",
            "(    2900,    4400 ]        1   0.016% 100.000% ",
        ]
    );
    assert!(text.contains("P99.99: 3444.80"), "{text}");
}

#[test]
fn merged_histograms_count_what_their_parts_count() {
    let (mut left, mut right, mut both) = <(Histogram, Histogram, Histogram)>::default();
    for value in 0..1000 {
        (if value % 3 == 0 { &mut left } else { &mut right }).add(value);
        both.add(value);
    }
    left.merge(&right);
    assert_eq!(left.to_string(), both.to_string());
    assert_eq!(left.count(), 1000);
}
