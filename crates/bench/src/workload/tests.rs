use super::*;

fn count(mut limit: Limit, increment: u64) -> u64 {
    let mut operations = 0;
    while !limit.is_done(increment) {
        operations += increment;
    }
    operations
}

#[test]
fn counts_end_at_whole_batches() {
    let limit = || Limit { deadline: None, operations_max: 25, check_every: 1000, operations: 0 };
    assert_eq!(count(limit(), 1), 25);
    assert_eq!(count(limit(), 10), 20);
}

#[test]
fn durations_override_counts_and_end_before_a_round_number() {
    let limit = Limit {
        deadline: Some(Instant::now()),
        operations_max: 5,
        check_every: 1000,
        operations: 0,
    };
    assert_eq!(count(limit, 1), 999);
}

#[test]
fn benchmarks_are_listed_by_name() {
    assert!(benchmarks::<engines::Touchstone>().is_sorted_by(|a, b| a.name < b.name));
}
