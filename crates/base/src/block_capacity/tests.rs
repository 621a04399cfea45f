use super::*;

#[test]
fn sizes_have_steps() {
    assert_eq!([0, 1, 33, 4000, 8100].map(contents_capacity), [0, 32, 64, 4032, 8192]);
    assert_eq!([16_000, 16_129, 100_000].map(contents_capacity), [16_128, 16_384, 100_096]);
    assert_eq!([0, 1, 128, 300].map(directory_capacity), [0, 32, 128, 320]);
    // What nobody can have is refused by who is asked for it.
    assert_eq!(contents_capacity(usize::MAX), usize::MAX);
}
