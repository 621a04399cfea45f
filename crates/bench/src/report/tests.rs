use super::*;

#[test]
fn durations_are_for_people() {
    let shown: Vec<_> =
        [0, 9_999, 12_345, 12_345_678, 61_000_000, 3_661_500_000].map(elapsed).to_vec();
    let expected = ["", "9999 us", "12.345 ms", "12.346 sec", "01:1.000 M:S", "01:01:1.500 H:M:S"];
    assert_eq!(shown, expected);
}

#[test]
fn the_date_is_in_the_form_of_ctime() {
    let time: Zoned = "2022-11-05T09:07:03+01:00[Europe/Berlin]".parse().unwrap();
    assert_eq!(ctime(&time), "Sat Nov  5 09:07:03 2022");
}
