use super::*;

#[test]
fn sizes_have_steps() {
    assert_eq!([0, 1, 25, 4000, 8100].map(contents_capacity), [24, 24, 56, 4024, 8120]);
    assert_eq!([16_000, 16_129, 100_000].map(contents_capacity), [16_120, 16_248, 100_088]);
    assert_eq!([0, 8, 9, 136, 300].map(directory_capacity), [8, 8, 24, 136, 312]);
    // What nobody can have is refused by who is asked for it.
    assert_eq!(contents_capacity(usize::MAX), usize::MAX);
    assert_eq!(directory_capacity(usize::MAX), usize::MAX);
}
