use super::*;

#[test]
fn median_is_the_middle_whatever_the_order() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median(&[]), None);
}

#[test]
fn spread_is_largest_over_smallest() {
    assert_eq!(spread(&[2.0, 3.0, 2.5]), Some(1.5));
    assert_eq!(spread(&[7.0]), Some(1.0));
    assert_eq!(spread(&[0.0, 1.0]), None);
    assert_eq!(spread(&[]), None);
}

#[test]
fn equal_rounds_leave_no_doubt() {
    let rounds = [(2.0, 1.0); 5];
    let interval = ratio_interval(&rounds, &Bootstrap::default()).expect("there are enough");
    assert_eq!(interval, Interval { low: 2.0, high: 2.0 });
}

#[test]
fn the_interval_holds_the_ratio_and_widens_with_noise() {
    let rounds = |noise: f64| -> Vec<(f64, f64)> {
        let mut random = SplitMix64(7);
        let mut share = || random.below(1000) as f64 / 1000.0 - 0.5;
        (0..9).map(|_| (150.0 + noise * share(), 100.0 + noise * share())).collect()
    };
    let bootstrap = Bootstrap::default();
    let (calm, loud) = (rounds(1.0), rounds(60.0));
    let width = |rounds: &[(f64, f64)]| {
        let interval = ratio_interval(rounds, &bootstrap).expect("there are enough");
        assert!(interval.contains(ratio(rounds).expect("a ratio")), "{interval:?}");
        interval.high - interval.low
    };
    assert!(width(&calm) < 0.02);
    assert!(width(&loud) > 10.0 * width(&calm));
}

#[test]
fn a_seed_gives_the_same_interval_again() {
    let rounds = [(9.0, 10.0), (12.0, 10.5), (11.0, 9.5), (10.0, 9.0)];
    let bootstrap = Bootstrap { seed: 42, ..Bootstrap::default() };
    let first = ratio_interval(&rounds, &bootstrap).expect("there are enough");
    assert_eq!(ratio_interval(&rounds, &bootstrap), Some(first));
    assert!(first.low < first.high);
}

#[test]
fn two_rounds_say_nothing_about_certainty() {
    assert_eq!(ratio_interval(&[(1.0, 2.0); 2], &Bootstrap::default()), None);
    assert_eq!(ratio(&[(1.0, 2.0); 2]), Some(0.5));
    assert_eq!(ratio(&[(1.0, 0.0)]), None);
}

#[test]
fn draws_stay_below_the_end_and_reach_all() {
    let mut random = SplitMix64(3);
    let mut seen = [0; 5];
    (0..1000).for_each(|_| seen[random.below(5)] += 1);
    assert!(seen.iter().all(|&count| count > 150), "{seen:?}");
}
