use super::*;

fn of(ratio: f64, low: f64, high: f64) -> Verdict {
    verdict(ratio, Some(Interval { low, high }))
}

#[test]
fn a_difference_counts_if_its_interval_leaves_one_out() {
    assert_eq!(of(1.5, 1.4, 1.6), Verdict::Better);
    assert_eq!(of(0.5, 0.4, 0.6), Verdict::Worse);
    assert_eq!(of(1.5, 0.9, 2.0), Verdict::Equal);
}

#[test]
fn tiny_differences_are_none() {
    assert_eq!(of(1.005, 1.002, 1.007), Verdict::Equal);
    assert_eq!(of(0.995, 0.993, 0.998), Verdict::Equal);
}

#[test]
fn without_an_interval_nothing_is_known() {
    assert_eq!(verdict(3.0, None), Verdict::Unknown);
}
