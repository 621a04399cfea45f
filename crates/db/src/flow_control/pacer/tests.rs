use super::Pacer;
use std::ops::Range;
use std::time::{Duration, Instant};

/// When a write of `bytes` may begin that is charged before it is over.
fn grant(pacer: &mut Pacer, now: Instant, number: u64, bytes: u64, rate: u64) -> Instant {
    let at = pacer.begins_at(now, number);
    pacer.charge(now, bytes, rate);
    at
}

#[test]
fn bytes_pass_at_the_rate_and_idle_time_is_not_saved_up() {
    let start = Instant::now();
    let at = |millis| start + Duration::from_millis(millis);
    let mut pacer = Pacer::default();
    // 1000 bytes a second: the first write begins at once, each takes a tenth of a second.
    assert_eq!(grant(&mut pacer, start, 0, 100, 1000), start);
    let second = grant(&mut pacer, start, 0, 100, 1000) - start;
    assert!(second >= Duration::from_millis(99) && second <= Duration::from_millis(100));
    let third = grant(&mut pacer, start, 0, 100, 1000) - start;
    assert!(third >= Duration::from_millis(199) && third <= Duration::from_millis(200));
    // Long idle: one write begins at once, the next one waits.
    assert_eq!(grant(&mut pacer, at(5_000), 0, 100, 1000), at(5_000));
    assert!(grant(&mut pacer, at(5_000), 0, 100, 1000) >= at(5_099));
}

#[test]
fn who_charges_what_is_written_waits_for_it() {
    let start = Instant::now();
    let mut pacer = Pacer::default();
    pacer.charge(start, 100, 1000);
    let waits = pacer.begins_at(start, 0) - start;
    assert!(waits >= Duration::from_millis(99) && waits <= Duration::from_millis(100), "{waits:?}");
    // Little is soon over.
    let mut pacer = Pacer::default();
    pacer.charge(start, 1, 1000);
    assert_eq!(pacer.begins_at(start, 0), start);
}

#[test]
fn a_rate_of_nothing_is_no_division_by_zero() {
    let start = Instant::now();
    let mut pacer = Pacer::default();
    grant(&mut pacer, start, 0, 5, 0);
    assert!(grant(&mut pacer, start, 0, 5, 0) > start + Duration::from_secs(4));
}

/// Writes of 100 bytes, at a million bytes a second each a tenth of a millisecond, those of that number of the database.
/// With each that waits others do, by its number. Returns for how long some wait, and when they are over.
fn sleeps_of(
    pacer: &mut Pacer,
    start: Instant,
    followers: impl Fn(u64) -> u64,
    writes: Range<u64>,
) -> (Vec<Duration>, Instant) {
    let (mut now, mut sleeps) = (start, Vec::new());
    for number in writes {
        let at = grant(pacer, now, number, 100, 1_000_000);
        if at > now {
            if Pacer::is_long(at - now) {
                pacer.count_long_wait(number, 1 + followers(number));
            }
            sleeps.push(at - now);
            now = at;
        }
    }
    (sleeps, now)
}

fn nobody(_number: u64) -> u64 {
    0
}

fn count_long(sleeps: &[Duration]) -> u64 {
    sleeps.iter().filter(|sleep| **sleep >= Duration::from_millis(3)).count() as u64
}

#[test]
fn one_write_of_many_sleeps() {
    let start = Instant::now();
    let (sleeps, now) = sleeps_of(&mut Pacer::default(), start, nobody, 0..1000);
    assert!((110..=143).contains(&sleeps.len()), "{}", sleeps.len());
    assert!(sleeps.iter().all(|sleep| *sleep <= Duration::from_micros(900)), "{sleeps:?}");
    let all = now - start;
    assert!(all >= Duration::from_millis(97) && all <= Duration::from_millis(100), "{all:?}");
}

#[test]
fn short_slowdowns_have_few_waits() {
    let (start, mut pacer) = (Instant::now(), Pacer::default());
    // After a million writes half of them count, for 200 long waits in a row; then most are short.
    let (first, now) = sleeps_of(&mut pacer, start, nobody, 1_000_000..1_003_000);
    assert!((90..=100).contains(&first.len()), "{}", first.len());
    assert_eq!(count_long(&first), first.len() as u64);
    let (sleeps, now) = sleeps_of(&mut pacer, now, nobody, 1_003_000..1_022_500);
    assert_eq!(
        count_long(&sleeps),
        (1_022_499 - 500_000) / 2_500 - first.len() as u64,
        "{}",
        sleeps.len()
    );
    assert!(sleeps.len() > 2_000, "{}", sleeps.len());
    // Each 2,500 writes allow another.
    let later = now + Duration::from_secs(1);
    let (sleeps, _) = sleeps_of(&mut pacer, later, nobody, 1_030_000..1_040_000);
    assert_eq!(count_long(&sleeps), 7, "{}", sleeps.len());
}

#[test]
fn those_who_wait_behind_a_long_wait_count_too() {
    let begin = Instant::now();
    for followers in [|_| 7, |number| if number % 2 == 0 { 0 } else { 14 }] {
        let mut pacer = Pacer::default();
        let (sleeps, _) = sleeps_of(&mut pacer, begin, followers, 1_000_000..1_010_000);
        assert!((200 / 9..=200 / 7).contains(&count_long(&sleeps)), "{}", sleeps.len());
    }
}
