use super::*;

/// The plan's ranks are those of the internal keys in order.
#[test]
fn ranks_are_those_of_internal_keys() {
    for (seed, shape) in (1..).zip(Shape::ALL) {
        let plan = Plan::new(&mut Random::of(&[seed]), shape, 500);
        let mut sequences: Vec<_> = (1..=plan.count()).collect();
        sequences.sort_by_key(|sequence| (plan.key_of(*sequence), std::cmp::Reverse(*sequence)));
        let ranks: Vec<_> = sequences.iter().map(|sequence| plan.rank_of(*sequence)).collect();
        assert!(ranks.iter().copied().eq(0..plan.count()), "{}", plan.text);
        for key in 0..plan.key_count() {
            for sequence in [0, 7, 250, 500, u64::MAX] {
                let seen = sequences.iter().enumerate().filter(|(_, it)| {
                    plan.key_of(**it) == plan.key(key) && **it as u64 <= sequence
                });
                let seen = seen.map(|(rank, _)| rank);
                assert!(plan.ranks_up_to(key, sequence).eq(seen), "{}", plan.text);
            }
        }
    }
}

#[test]
fn some_keys_are_never_inserted() {
    let plan = Plan::new(&mut Random::of(&[1]), Shape::Random, 1000);
    let inserted: std::collections::HashSet<_> = (1..=1000).map(|it| plan.key_of(it)).collect();
    assert!((0..plan.key_count()).skip(7).step_by(8).all(|key| !inserted.contains(plan.key(key))));
}

#[test]
fn a_value_is_no_other_records() {
    let mut values = [Vec::new(), Vec::new()];
    for sequence in 1..2000 {
        let [a, b] = [1, 2].map(|salt| Value::of(salt, sequence));
        a.write_to(&mut values[0]);
        b.write_to(&mut values[1]);
        assert!(a.is(&values[0]) && b.is(&values[1]));
        assert!(values[0].is_empty() || !b.is(&values[0]));
        let Some(last) = values[0].last_mut() else { continue };
        *last ^= 1;
        assert!(!a.is(&values[0]));
    }
}
