use super::*;

#[test]
fn durations_are_for_people() {
    let shown: Vec<_> =
        [0, 9_999, 12_345, 12_345_678, 61_000_000, 3_661_500_000].map(elapsed).to_vec();
    let expected = ["", "9999 us", "12.345 ms", "12.346 sec", "01:1.000 M:S", "01:01:1.500 H:M:S"];
    assert_eq!(shown, expected);
}
