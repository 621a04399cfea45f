use super::*;

fn blocks(count: usize) -> Vec<KeptBlock> {
    (0..count).map(|_| KeptBlock::new().expect("a block")).collect()
}

#[test]
fn what_is_given_is_taken_again() {
    let pool = BlockPool::default();
    pool.expect(8 << 20);
    pool.open();
    let mut given = blocks(1);
    let start = given[0].bytes().as_ptr();
    pool.give(&mut given);
    assert!(given.is_empty());
    assert_eq!(pool.bytes(), KEPT_BLOCK_SIZE);
    assert_eq!(pool.take().map(|block| block.bytes().as_ptr()), Some(start));
    assert!(pool.take().is_none());
}

#[test]
fn no_more_is_kept_than_one_memtable_takes() {
    let pool = BlockPool::default();
    pool.expect(8 << 20);
    pool.expect(4 << 20);
    pool.open();
    let mut given = blocks(20);
    pool.give(&mut given);
    assert_eq!((pool.bytes() / KEPT_BLOCK_SIZE, given.len()), (9, 11));
}

#[test]
fn nothing_is_kept_before_somebody_sees_to_it() {
    let pool = BlockPool::default();
    pool.expect(8 << 20);
    let mut given = blocks(1);
    pool.give(&mut given);
    assert_eq!((pool.bytes(), given.len()), (0, 1));
}

#[test]
fn nothing_is_kept_after_the_end() {
    let pool = BlockPool::default();
    pool.expect(8 << 20);
    pool.open();
    pool.give(&mut blocks(3));
    pool.close();
    assert_eq!(pool.bytes(), 0);
    pool.give(&mut blocks(3));
    assert_eq!(pool.bytes(), 0);
}

#[test]
fn what_nobody_takes_goes_back() {
    let pool = BlockPool::default();
    pool.expect(32 << 20);
    pool.open();
    pool.give(&mut blocks(30));
    (0..5).for_each(|_| drop(pool.take()));
    // Five were taken since the last look: twice as many stay.
    assert!(!pool.trim());
    assert_eq!(pool.bytes(), 10 * KEPT_BLOCK_SIZE);
    assert!(pool.trim(), "nobody took any");
    assert_eq!(pool.bytes(), 0);
    let mut given = blocks(1);
    pool.give(&mut given);
    assert_eq!(pool.bytes(), 0, "kept, and nobody will look");
    pool.open();
    assert!(!pool.trim(), "opened since the last look");
}
