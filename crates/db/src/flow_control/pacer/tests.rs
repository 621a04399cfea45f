use super::Pacer;
use std::time::{Duration, Instant};

#[test]
fn bytes_pass_at_the_rate_and_idle_time_is_not_saved_up() {
    let start = Instant::now();
    let at = |millis| start + Duration::from_millis(millis);
    let mut pacer = Pacer::default();
    // 1000 bytes a second: the first write begins at once, each takes a tenth of a second.
    assert_eq!(pacer.grant(start, 100, 1000), start);
    let second = pacer.grant(start, 100, 1000) - start;
    assert!(second >= Duration::from_millis(99) && second <= Duration::from_millis(100));
    let third = pacer.grant(start, 100, 1000) - start;
    assert!(third >= Duration::from_millis(199) && third <= Duration::from_millis(200));
    // Long idle: one write begins at once, the next one waits.
    assert_eq!(pacer.grant(at(5_000), 100, 1000), at(5_000));
    assert!(pacer.grant(at(5_000), 100, 1000) >= at(5_099));
}

#[test]
fn a_rate_of_nothing_is_no_division_by_zero() {
    let start = Instant::now();
    let mut pacer = Pacer::default();
    pacer.grant(start, 5, 0);
    assert!(pacer.grant(start, 5, 0) > start + Duration::from_secs(4));
}

#[test]
fn one_write_of_many_sleeps() {
    let mut now = Instant::now();
    let start = now;
    let mut pacer = Pacer::default();
    let mut sleeps = Vec::new();
    // A million bytes a second: a write of 100 takes a tenth of a millisecond.
    for _ in 0..1000 {
        let at = pacer.grant(now, 100, 1_000_000);
        if at > now {
            sleeps.push(at - now);
            now = at;
        }
    }
    assert!((110..=143).contains(&sleeps.len()), "{}", sleeps.len());
    assert!(sleeps.iter().all(|sleep| *sleep <= Duration::from_micros(900)), "{sleeps:?}");
    let all = now - start;
    assert!(all >= Duration::from_millis(97) && all <= Duration::from_millis(100), "{all:?}");
}
