use super::*;

#[test]
fn the_sum_is_of_those_that_are_there() {
    static SUM: AtomicUsize = AtomicUsize::new(0);
    let sum = || SUM.load(Ordering::Relaxed);
    let mut one = CountedBytes::new(&SUM);
    let other = CountedBytes::of(&SUM, 30);
    for (bytes, expected) in [(0, 30), (100, 130), (100, 130), (40, 70)] {
        one.set(bytes);
        assert_eq!(sum(), expected, "{bytes}");
    }
    drop(other);
    assert_eq!(sum(), 40);
    drop(one);
    assert_eq!(sum(), 0);
}
