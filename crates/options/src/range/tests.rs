use super::*;

fn integers(range: Range, all: std::ops::RangeInclusive<i128>) -> Vec<i128> {
    all.filter(|&integer| range.holds(Number::Integer(integer))).collect()
}

#[test]
fn ranges_hold_their_values_and_say_which() {
    for (range, held, said) in [
        (at_least(3), vec![3, 4, 5], "at least 3"),
        (at_most(-1), vec![-2, -1], "at most -1"),
        (between(1, 3).or(-2), vec![-2, 1, 2, 3], "1 to 3, or -2"),
        (one_of(&[0, 1, 4]), vec![0, 1, 4], "0, 1 or 4"),
        (power_of_two_up_to(4).or(0), vec![0, 1, 2, 4], "a power of 2 up to 4, or 0"),
        (Range::ANY, (-2..=5).collect(), ""),
    ] {
        assert_eq!(integers(range, -2..=5), held, "{said}");
        assert_eq!(range.to_string(), said);
    }
    let share = real_between(0.0, 0.5);
    let held = |real: f64| share.holds(Number::Real(real));
    assert!(held(0.0) && held(0.5) && !held(-0.1) && !held(0.6));
    assert_eq!(share.to_string(), "0 to 0.5");
    assert!(!above(0.0).holds(Number::Real(0.0)) && above(0.0).holds(Number::Real(0.1)));
    assert_eq!(above(0.0).to_string(), "above 0");
    assert_eq!(real_at_least(0.0).to_string(), "at least 0");
}

#[test]
fn the_nearest_value_is_at_the_edge() {
    let nearest = |range: Range, integer| range.nearest(Number::Integer(integer));
    let range = between(20, 30).or(-1).corrected();
    assert_eq!(range.outside(), Outside::Corrected);
    for (given, used) in [(-1, -1), (-2, 20), (5, 20), (25, 25), (99, 30)] {
        assert_eq!(nearest(range, given), Number::Integer(used));
    }
    assert_eq!(real_between(0.0, 0.25).nearest(Number::Real(7.0)), Number::Real(0.25));
}

#[test]
fn a_range_of_the_other_kind_holds_nothing() {
    assert!(!at_least(0).holds(Number::Real(1.0)));
    assert!(!real_at_least(0.0).holds(Number::Integer(1)));
}
