use super::*;

/// Where regions of tests begin.
const BASE: usize = 0x55_5540_0000;

/// What is at `from` to `to`, in KiB from the base.
fn kib(from: usize, to: usize) -> Range<usize> {
    BASE + (from << 10)..BASE + (to << 10)
}

fn region(index: usize) -> Region {
    Region((BASE >> SIZE_BITS) + index)
}

/// Regions with as much elsewhere as has to be there for anything to be done.
fn enough() -> Regions {
    let regions = Regions::new();
    assert!(regions.begin(1 << 40..(1 << 40) + LASTING_MIN_BYTES));
    (0..8).for_each(|index| regions.set_joined(Region((1 << 40 >> SIZE_BITS) + index)));
    regions
}

fn counts(regions: &Regions) -> Vec<(usize, u32)> {
    let others = 1 << 40 >> SIZE_BITS;
    let used = regions.all().filter(|(region, counter)| *counter != 0 && region.0 < others);
    used.map(|(region, counter)| (region.0 - (BASE >> SIZE_BITS), counter >> 10)).collect()
}

#[test]
fn memory_counts_for_the_regions_that_it_lies_in() {
    let regions = enough();
    assert!(!regions.begin(kib(100, 104)));
    assert!(!regions.begin(kib(2046, 2050)));
    assert_eq!(counts(&regions), [(0, 6), (1, 2)]);
    // One that it fills in between is ready by that.
    assert!(regions.begin(kib(4090, 6150)));
    assert_eq!(counts(&regions), [(0, 6), (1, 8), (2, 2048), (3, 6)]);
    assert_eq!(regions.bytes(), LASTING_MIN_BYTES + ((4 + 4 + 2060) << 10));
    for range in [kib(100, 104), kib(2046, 2050), kib(4090, 6150)] {
        regions.end(range);
    }
    assert_eq!((counts(&regions), regions.bytes()), (vec![], LASTING_MIN_BYTES));
    assert!(!regions.begin(BASE..BASE));
    assert_eq!(counts(&regions), []);
}

#[test]
fn a_region_becomes_ready_once() {
    let regions = enough();
    assert!(!regions.begin(kib(0, 1535)));
    assert_eq!(regions.next_ready(region(0)), None);
    assert!(regions.begin(kib(1535, 1536)));
    assert!(!regions.begin(kib(1536, 2048)));
    assert_eq!(regions.next_ready(region(0)), Some(region(0)));
    regions.end(kib(0, 1024));
    assert_eq!(regions.next_ready(region(0)), None);
    assert!(regions.begin(kib(0, 1024)));
}

#[test]
fn marks_stay_until_half_is_gone() {
    for (mark, joined) in [(Regions::set_joined as fn(&_, _), 1), (Regions::set_refused, 0)] {
        let regions = enough();
        regions.begin(kib(0, 2048));
        mark(&regions, region(0));
        assert_eq!((regions.next_ready(region(0)), regions.joined()), (None, 8 + joined));
        regions.end(kib(0, 1024));
        assert!(!regions.begin(kib(0, 1024)));
        regions.end(kib(0, 1024));
        assert_eq!(regions.joined(), 8 + joined);
        regions.end(kib(1024, 1025));
        assert_eq!((counts(&regions), regions.joined()), (vec![(0, 1023)], 8));
        // It may have gone while the system was asked.
        mark(&regions, region(0));
        assert_eq!(counts(&regions), [(0, 1023)]);
        assert!(regions.begin(kib(0, 1024)));
        assert_eq!(regions.next_ready(region(0)), Some(region(0)));
    }
}

#[test]
fn what_was_refused_may_be_forgotten() {
    let regions = enough();
    regions.begin(kib(0, 3 * 2048));
    regions.set_refused(region(0));
    regions.set_joined(region(1));
    regions.set_refused(region(2));
    assert_eq!((regions.has_refused(), regions.next_ready(region(0))), (true, None));
    regions.forget_refused();
    assert_eq!((regions.has_refused(), regions.joined()), (false, 8 + 1));
    assert_eq!(regions.next_ready(region(0)), Some(region(2)));
}

#[test]
fn with_too_little_nothing_is_to_be_done() {
    let regions = Regions::new();
    let all = 8 * 2048;
    assert!(!regions.begin(kib(0, all - 1)));
    assert!(!regions.are_worth_it());
    // It is enough, though no region has become ready by that.
    assert!(regions.begin(kib(2 * all, 2 * all + 1)));
    assert!(regions.are_worth_it());
    assert!(!regions.begin(kib(2 * all + 1, 2 * all + 2)));
    regions.end(kib(2 * all, 2 * all + 2));
    assert!(!regions.are_worth_it());
    assert!(regions.begin(kib(all - 1, all)));
}

#[test]
fn those_that_are_ready_have_their_turn() {
    let regions = Regions::new();
    regions.begin(kib(0, 2 * 2048));
    regions.begin(kib(3 * 2048, 4 * 2048));
    let after = |index| regions.next_ready(region(index));
    assert_eq!([0, 1, 2, 3].map(after), [1, 3, 3, 0].map(|index| Some(region(index))));
}

#[test]
fn addresses_beyond_those_of_processes_are_left_out() {
    const END: usize = 1 << 48;
    let regions = Regions::new();
    regions.begin(END - SIZE..END);
    regions.begin(END..END + SIZE);
    assert_eq!(regions.next_ready(Region(0)), Some(Region((END - SIZE) >> SIZE_BITS)));
    regions.end(END..END + SIZE);
    assert_eq!(regions.all().filter(|(_, counter)| *counter != 0).count(), 1);
    assert_eq!(regions.bytes(), SIZE);
}
