use super::{DelayedWrite, Pacer};
use std::ops::Range;
use std::time::{Duration, Instant};

/// The first write of a database, with nobody behind it.
fn of(bytes: u64) -> DelayedWrite {
    DelayedWrite { number: 0, bytes, followers: 0 }
}

#[test]
fn bytes_pass_at_the_rate_and_idle_time_is_not_saved_up() {
    let start = Instant::now();
    let at = |millis| start + Duration::from_millis(millis);
    let mut pacer = Pacer::default();
    // 1000 bytes a second: the first write begins at once, each takes a tenth of a second.
    assert_eq!(pacer.grant(start, of(100), 1000), start);
    let second = pacer.grant(start, of(100), 1000) - start;
    assert!(second >= Duration::from_millis(99) && second <= Duration::from_millis(100));
    let third = pacer.grant(start, of(100), 1000) - start;
    assert!(third >= Duration::from_millis(199) && third <= Duration::from_millis(200));
    // Long idle: one write begins at once, the next one waits.
    assert_eq!(pacer.grant(at(5_000), of(100), 1000), at(5_000));
    assert!(pacer.grant(at(5_000), of(100), 1000) >= at(5_099));
}

#[test]
fn a_rate_of_nothing_is_no_division_by_zero() {
    let start = Instant::now();
    let mut pacer = Pacer::default();
    pacer.grant(start, of(5), 0);
    assert!(pacer.grant(start, of(5), 0) > start + Duration::from_secs(4));
}

/// Writes of 100 bytes, at a million bytes a second each a tenth of a millisecond, those of that number of the database.
/// Returns for how long some wait, and when they are over.
fn sleeps_of(
    pacer: &mut Pacer,
    start: Instant,
    followers: u64,
    writes: Range<u64>,
) -> (Vec<Duration>, Instant) {
    let write = DelayedWrite { followers, ..of(100) };
    let (mut now, mut sleeps) = (start, Vec::new());
    for number in writes {
        let at = pacer.grant(now, DelayedWrite { number, ..write }, 1_000_000);
        if at > now {
            sleeps.push(at - now);
            now = at;
        }
    }
    (sleeps, now)
}

#[test]
fn one_write_of_many_sleeps() {
    let start = Instant::now();
    let (sleeps, now) = sleeps_of(&mut Pacer::default(), start, 0, 0..1000);
    assert!((110..=143).contains(&sleeps.len()), "{}", sleeps.len());
    assert!(sleeps.iter().all(|sleep| *sleep <= Duration::from_micros(900)), "{sleeps:?}");
    let all = now - start;
    assert!(all >= Duration::from_millis(97) && all <= Duration::from_millis(100), "{all:?}");
}

#[test]
fn short_slowdowns_have_few_waits() {
    let (start, mut pacer) = (Instant::now(), Pacer::default());
    let count_long = |sleeps: &[Duration]| {
        sleeps.iter().filter(|sleep| **sleep > Duration::from_millis(3)).count()
    };
    // After a million writes half of them count, for 200 long waits in a row; then most are short.
    let (first, now) = sleeps_of(&mut pacer, start, 0, 1_000_000..1_003_000);
    assert!((90..=100).contains(&first.len()), "{}", first.len());
    assert_eq!(count_long(&first), first.len());
    let (sleeps, now) = sleeps_of(&mut pacer, now, 0, 1_003_000..1_022_500);
    assert_eq!(
        count_long(&sleeps),
        (1_022_499 - 500_000) / 2_500 - first.len(),
        "{}",
        sleeps.len()
    );
    assert!(sleeps.len() > 2_000, "{}", sleeps.len());
    // Each 2,500 writes allow another.
    let later = now + Duration::from_secs(1);
    let (sleeps, _) = sleeps_of(&mut pacer, later, 0, 1_030_000..1_040_000);
    assert_eq!(count_long(&sleeps), 7, "{}", sleeps.len());
}

#[test]
fn those_who_wait_behind_a_long_wait_count_too() {
    let mut pacer = Pacer::default();
    let (sleeps, _) = sleeps_of(&mut pacer, Instant::now(), 7, 1_000_000..1_010_000);
    let is_long = |sleep: &&Duration| **sleep > Duration::from_millis(3);
    assert_eq!(sleeps.iter().filter(is_long).count(), 200 / 8, "{}", sleeps.len());
}
