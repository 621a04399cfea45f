use super::*;
use crate::huge_pages::regions::SIZE;
use std::ops::Range;

const FIRST: usize = 1000;
const MILLISECOND: Duration = Duration::from_millis(1);

/// Regions from the first on, full.
fn full(count: usize) -> Regions {
    let regions = Regions::new();
    regions.begin(FIRST * SIZE..(FIRST + count) * SIZE);
    regions
}

fn join(index: usize) -> Step {
    Step::Join(Region(FIRST + index))
}

/// As many regions, and a joiner that has looked at them for the first time, after a millisecond.
fn looked_at(count: usize) -> (Regions, Joiner) {
    let (regions, mut joiner) = (full(count), Joiner::default());
    assert_eq!(joiner.next(&regions, MILLISECOND), Step::Wait(SETTLING));
    (regions, joiner)
}

#[test]
fn too_little_is_left_as_it_is() {
    assert_eq!(Joiner::default().next(&full(7), MILLISECOND), Step::Rest(None));
    assert_eq!(Joiner::default().next(&full(8), MILLISECOND), Step::Wait(SETTLING));
}

#[test]
fn all_are_joined_one_after_the_other_with_rests() {
    let (regions, mut joiner) = looked_at(10);
    let mut now = MILLISECOND + SETTLING;
    for index in 0..10 {
        assert_eq!(joiner.next(&regions, now), join(index));
        let tried = now..now + 2 * MILLISECOND;
        let pause = joiner.pause_after(&regions, Region(FIRST + index), Ok(()), tried);
        assert_eq!(pause, 6 * MILLISECOND);
        now += 8 * MILLISECOND;
    }
    assert_eq!((joiner.next(&regions, now), regions.joined()), (Step::Rest(None), 10));
    // What becomes ready later is looked at for a while again.
    regions.begin((FIRST + 20) * SIZE..(FIRST + 21) * SIZE);
    assert_eq!(joiner.next(&regions, now), Step::Wait(SETTLING));
}

#[test]
fn while_much_comes_nothing_is_joined() {
    let (regions, mut joiner) = looked_at(40);
    let mut now = MILLISECOND;
    // A fortieth in a tenth of a second: all would double within four seconds.
    for (added, step) in [(2, Step::Wait(SETTLING)), (1, join(0)), (2, Step::Wait(SETTLING))] {
        let place = FIRST + 1000 + now.as_millis() as usize;
        regions.begin(place * SIZE..(place + added) * SIZE);
        now += SETTLING;
        assert_eq!(joiner.next(&regions, now), step, "{added} more");
    }
    // How much came is asked for a tenth of a second at a time.
    now += SETTLING;
    assert_eq!(joiner.next(&regions, now), join(0));
    regions.begin((FIRST + 5000) * SIZE..(FIRST + 5020) * SIZE);
    now += SETTLING - MILLISECOND;
    assert_eq!(joiner.next(&regions, now), join(0));
    assert_eq!(joiner.next(&regions, now + MILLISECOND), Step::Wait(SETTLING));
}

/// Goes on until it rests, each region giving `outcome`, a millisecond after it was begun with. Returns how long after
/// the first one was refused, or after the begin, it will look again, and the time when it rests.
fn until_rest(
    joiner: &mut Joiner,
    regions: &Regions,
    begin: Duration,
    outcome: impl Fn(usize) -> Result<(), Refusal>,
) -> (Option<Duration>, Duration) {
    let (mut now, mut first_refused) = (begin, None);
    loop {
        match joiner.next(regions, now) {
            Step::Join(region) => {
                let outcome = outcome(region.0 - FIRST);
                let end = now + MILLISECOND;
                if outcome.is_err() {
                    first_refused.get_or_insert(end);
                }
                now = end + joiner.pause_after(regions, region, outcome, now..end);
            }
            Step::Wait(time) => now += time,
            Step::Rest(time) => {
                let since = first_refused.unwrap_or(begin);
                return (time.map(|time| now + time - since), now);
            }
        }
    }
}

/// That long after the pause that follows a refusal.
fn seconds(count: u64) -> Option<Duration> {
    Some(Duration::from_secs(count) + REST * MILLISECOND)
}

/// Addresses of the region of that index.
fn more(index: usize) -> Range<usize> {
    (FIRST + index) * SIZE..(FIRST + index + 1) * SIZE
}

fn but_three(index: usize) -> Result<(), Refusal> {
    if index == 3 { Err(Refusal::ThisRegion) } else { Ok(()) }
}

#[test]
fn those_that_are_joined_do_not_put_off_what_was_refused() {
    let regions = full(8);
    let mut joiner = Joiner::default();
    let (_, mut now) = until_rest(&mut joiner, &regions, Duration::ZERO, but_three);
    let joined: Vec<_> = (8..11)
        .map(|index| {
            regions.begin(more(index));
            let later = now + Duration::from_millis(300);
            (_, now) = until_rest(&mut joiner, &regions, later, |_| Ok(()));
            regions.joined()
        })
        .collect();
    assert_eq!(joined, [8, 9, 11]);
}

#[test]
fn what_was_refused_has_its_turn_again_later() {
    let regions = full(8);
    let mut joiner = Joiner::default();
    let (rest, mut now) = until_rest(&mut joiner, &regions, Duration::ZERO, but_three);
    assert_eq!((rest, regions.joined()), (seconds(1), 7));
    // Whoever is woken before has nothing to do.
    assert!(matches!(joiner.next(&regions, now), Step::Rest(Some(_))));
    for count in [2, 4, 8] {
        now += Duration::from_secs(count / 2);
        let (rest, time) = until_rest(&mut joiner, &regions, now, but_three);
        assert_eq!(rest, seconds(count));
        now = time;
    }
    // One that is joined, or refused for the first time, has all tried again soon.
    regions.begin(more(8));
    let (rest, now) = until_rest(&mut joiner, &regions, now, but_three);
    let after_the_join = SETTLING + MILLISECOND + Duration::from_secs(1);
    assert_eq!((rest, regions.joined()), (Some(after_the_join), 8));
    let (_, now) = until_rest(&mut joiner, &regions, now + Duration::from_secs(1), but_three);
    regions.begin(more(9));
    let (rest, now) = until_rest(&mut joiner, &regions, now, |_| Err(Refusal::ThisRegion));
    assert_eq!(rest, Some(Duration::from_secs(1)));
    let later = now + Duration::from_secs(1);
    assert_eq!(until_rest(&mut joiner, &regions, later, |_| Ok(())).0, None);
    assert_eq!(regions.joined(), 10);
}

#[test]
fn a_system_without_pages_is_asked_more_and_more_seldom() {
    let regions = full(8);
    let mut joiner = Joiner::default();
    let mut pause = |index, outcome| {
        let tried = Duration::ZERO..MILLISECOND;
        joiner.pause_after(&regions, Region(FIRST + index), outcome, tried).as_secs()
    };
    let none = Err(Refusal::NoPage);
    assert_eq!([pause(0, none), pause(1, none), pause(2, none)], [1, 2, 4]);
    pause(3, Ok(()));
    let pauses: Vec<u64> = (0..13).map(|_| pause(4, none)).collect();
    assert_eq!(pauses[..3], [1, 2, 4]);
    assert_eq!(pauses[10..], [1024; 3]);
    // Another has its turn, as this one may have to wait for ever; and how long it waits for regions is another thing.
    joiner.next(&regions, Duration::ZERO);
    assert_eq!(joiner.next(&regions, SETTLING), join(5));
    let but_five = |index| if index == 5 { Err(Refusal::ThisRegion) } else { Ok(()) };
    assert_eq!(until_rest(&mut joiner, &regions, SETTLING, but_five).0, seconds(1));
}
