use super::*;

fn blocks(count: usize) -> Vec<KeptBlock> {
    (0..count).map(|_| KeptBlock::new(Pages::Ordinary).expect("a block")).collect()
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
    assert_eq!(pool.take(Pages::Ordinary).map(|block| block.bytes().as_ptr()), Some(start));
    assert!(pool.take(Pages::Ordinary).is_none());
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
    (0..5).for_each(|_| drop(pool.take(Pages::Ordinary)));
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

#[test]
fn sizes_of_pages() {
    let huge = |power| Some(Pages::Huge { power });
    let of_size = [0, 2048, 64 << 10, 2 << 20, 1 << 30, 3 << 20, 65_537].map(Pages::of_size);
    let expected = [Some(Pages::Ordinary), huge(21), huge(16), huge(21), huge(30), None, None];
    assert_eq!(of_size, expected);
    assert_eq!(Pages::Huge { power: 16 }.block_size(), KEPT_BLOCK_SIZE);
    assert_eq!(Pages::Huge { power: 21 }.block_size(), 2 << 20);
}

/// A block that says to be of huge pages, whatever it is of.
fn huge() -> KeptBlock {
    let pages = Pages::Huge { power: 21 };
    KeptBlock { map: MmapMut::map_anon(pages.block_size()).expect("a block"), pages }
}

#[test]
fn blocks_are_kept_for_those_who_want_such_pages() {
    let pool = BlockPool::default();
    pool.expect(8 << 20);
    pool.open();
    pool.give(&mut vec![huge(), huge()]);
    pool.give(&mut blocks(1));
    assert_eq!(pool.bytes(), 5 << 20);
    let taken = |pages| pool.take(pages).map(|block| block.bytes().len());
    assert_eq!(taken(Pages::Ordinary), Some(1 << 20));
    assert_eq!(taken(Pages::Ordinary), None);
    assert_eq!(taken(Pages::Huge { power: 21 }), Some(2 << 20));
    assert_eq!(pool.bytes(), 2 << 20);
    // Nine MiB are kept at most.
    let mut given: Vec<_> = (0..10).map(|_| huge()).collect();
    pool.give(&mut given);
    assert_eq!((pool.bytes(), given.len()), (8 << 20, 7));
    // Those that somebody takes stay, and no others.
    assert_eq!(taken(Pages::Ordinary), None);
    assert_eq!(taken(Pages::Huge { power: 21 }), Some(2 << 20));
    pool.trim();
    pool.give(&mut blocks(1));
    assert_eq!(taken(Pages::Ordinary), Some(1 << 20));
    pool.give(&mut blocks(1));
    pool.trim();
    assert_eq!(pool.bytes(), 1 << 20, "huge ones are kept that nobody takes");
}
