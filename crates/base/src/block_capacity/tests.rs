use super::*;

#[test]
fn sizes_have_steps() {
    assert_eq!([0, 1, 25, 4000, 4300, 8100].map(block_capacity), [24, 24, 56, 4024, 4312, 8120]);
    assert_eq!(
        [8200, 16_000, 16_400, 100_000].map(block_capacity),
        [8248, 16_056, 16_504, 100_088]
    );
    // What nobody can have is refused by who is asked for it.
    assert_eq!(block_capacity(usize::MAX), usize::MAX);
}
