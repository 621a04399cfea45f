use super::*;

#[test]
fn random_ranges_ascend_and_do_not_overlap() {
    let mut random = Random64::new(7);
    for _ in 0..200 {
        let ranges = random_ranges(&mut random, 20, 300);
        assert!((1..=64).contains(&ranges.len()));
        assert!(ranges.iter().all(|range| !range.is_empty() && range.end <= 300), "{ranges:?}");
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?}");
    }
    // More keys than there are.
    assert!(
        random_ranges(&mut random, 1000, 1).iter().all(|range| range.start == 0 || range.end > 1)
    );
}
