use super::*;

#[test]
fn operations_are_due_at_the_rate_and_threads_take_turns() {
    let start = Instant::now();
    let after = |thread, operations| {
        let due = Arrivals::new(1000, 4).due(start, thread, operations);
        due.duration_since(start).as_secs_f64() * 1e3
    };
    let near = |value: f64, expected: f64| (value - expected).abs() < 1e-6;
    assert!(near(after(0, 0), 0.0) && near(after(0, 1), 4.0) && near(after(0, 250), 1000.0));
    assert!(near(after(1, 0), 1.0) && near(after(3, 1), 7.0));
    // A thread in the background shifts their numbers.
    assert!(near(after(4, 0), 0.0));
}

#[test]
fn who_is_late_does_not_wait_and_who_is_early_does() {
    let now = Instant::now();
    Arrivals::wait_until(now - Duration::from_secs(1));
    let due = now + Duration::from_millis(3);
    Arrivals::wait_until(due);
    assert!(Instant::now() >= due);
}
