use super::*;

#[test]
fn sizes_have_steps() {
    assert_eq!([0, 1, 256, 257].map(contents_capacity), [0, 256, 256, 512]);
    assert_eq!([0, 1, 128, 300].map(directory_capacity), [0, 32, 128, 320]);
    // What nobody can have is refused by who is asked for it.
    assert_eq!(contents_capacity(usize::MAX), usize::MAX);
}
