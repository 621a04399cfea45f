use super::*;

#[test]
fn the_standards_check_value() {
    // C++ [rand.predef]: the 10000th number of a default-constructed mt19937_64.
    let mut random = Random64::new(5489);
    let last = (0..10_000).map(|_| random.next_u64()).last();
    assert_eq!(last, Some(9_981_545_732_273_789_042));
}
