use super::*;

#[test]
fn averages_have_six_digits() {
    let shown = [0.0, 1.5, 123_456.0, 1_234_567.0, 99.999_96, 3e9].map(short);
    assert_eq!(shown, ["0", "1.5", "123456", "1.23457e+06", "100", "3e+09"]);
}
