use super::*;

/// The 10,000th number of the default seed is part of the C++ standard.
#[test]
fn random_numbers_are_the_standards() {
    let mut random = Random32::new(5489);
    let last = (0..10_000).map(|_| random.next_u32()).last();
    assert_eq!(last, Some(4_123_659_995));
}

#[test]
fn every_number_is_there_once() {
    for count in [0, 1, 2, 3, 10, 11, 65_535, 65_536, 100_001] {
        let mut numbers = shuffled(count, 7);
        assert!(count < 10 || !numbers.is_sorted(), "{count}");
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..count), "{count}");
    }
}
