use super::*;

#[test]
fn operations_are_mixed_by_their_ratios() {
    let mix = OperationMix::new(&[0.83, 0.14, 0.03]);
    let mut counts = [0; 3];
    (0..1000).for_each(|position| counts[mix.choose(position)] += 1);
    assert_eq!(counts, [830, 140, 30]);
    assert!((mix.share(PUT) - 0.14).abs() < 1e-12);
}

#[test]
fn what_has_no_number_is_the_least_one() {
    let pareto =
        Pareto::of(&crate::flags::Flags::default(), ["value_theta", "value_k", "value_sigma"]);
    assert_eq!(pareto.inverse(0.0), i64::MIN);
    assert_eq!(pareto.inverse(1.0), 0);
    assert_eq!(power_inverse(0.5, 0.002_312, 0.346_7), 5_430_977);
}

#[test]
fn averages_of_nothing_are_cs() {
    let done = Done { gets: 3, found: 2, ..Done::default() };
    assert_eq!(
        message(&done),
        "( Gets:3 Puts:0 Seek:0, reads 2 in 3 found, avg size: -nan value, -nan scan)\n"
    );
}

#[test]
fn noise_stays_within_its_band() {
    let mut random = Random64::new(1);
    for _ in 0..100 {
        let rate = with_noise(1000.0, 100.0, 0.5, &mut random);
        assert!((975.0..=1025.0).contains(&rate), "{rate}");
    }
    assert_eq!(with_noise(7.0, 0.5, 0.5, &mut random), 7.0);
}
