use super::*;
use crate::kept_block::block_that_says;

fn blocks(count: usize) -> Vec<KeptBlock> {
    (0..count).map(|_| KeptBlock::new(BlockForm::LARGEST).expect("a block")).collect()
}

/// One that keeps what memtables of that size leave.
fn open_pool(write_buffer_size: usize) -> BlockPool {
    let pool = BlockPool::default();
    pool.expect(write_buffer_size);
    pool.open();
    pool
}

#[test]
fn what_is_given_is_taken_again() {
    let pool = open_pool(8 << 20);
    let mut given = blocks(1);
    let start = given[0].bytes().as_ptr();
    pool.give(&mut given);
    assert!(given.is_empty());
    assert_eq!(pool.bytes(), KEPT_BLOCK_SIZE);
    assert_eq!(pool.take(BlockForm::LARGEST).map(|block| block.bytes().as_ptr()), Some(start));
    assert!(pool.take(BlockForm::LARGEST).is_none());
}

#[test]
fn no_more_is_kept_than_one_memtable_takes() {
    let pool = BlockPool::default();
    pool.expect(8 << 20);
    pool.expect(4 << 20);
    pool.open();
    let mut given = blocks(20);
    pool.give(&mut given);
    // 9 MiB, in whole blocks.
    assert_eq!((pool.bytes() / KEPT_BLOCK_SIZE, given.len()), (5, 15));
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
    let pool = open_pool(8 << 20);
    pool.give(&mut blocks(3));
    pool.close();
    assert_eq!(pool.bytes(), 0);
    pool.give(&mut blocks(3));
    assert_eq!(pool.bytes(), 0);
}

#[test]
fn what_nobody_takes_goes_back() {
    let pool = open_pool(64 << 20);
    pool.give(&mut blocks(30));
    (0..5).for_each(|_| drop(pool.take(BlockForm::LARGEST)));
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

fn huge_form() -> BlockForm {
    BlockForm::of_huge_pages(2 << 20).expect("a form")
}

fn huge() -> KeptBlock {
    block_that_says(huge_form())
}

#[test]
fn blocks_are_kept_for_those_who_want_such() {
    let pool = open_pool(8 << 20);
    pool.give(&mut vec![huge(), huge()]);
    pool.give(&mut blocks(1));
    assert_eq!(pool.bytes(), 6 << 20);
    let taken = |form| pool.take(form).map(|block| block.bytes().len());
    assert_eq!(taken(BlockForm::LARGEST), Some(KEPT_BLOCK_SIZE));
    assert_eq!(taken(BlockForm::LARGEST), None);
    assert_eq!(taken(huge_form()), Some(2 << 20));
    assert_eq!(pool.bytes(), 2 << 20);
    // Ten MiB are kept at most.
    let mut given: Vec<_> = (0..10).map(|_| huge()).collect();
    pool.give(&mut given);
    assert_eq!((pool.bytes(), given.len()), (10 << 20, 6));
    // Those that somebody takes stay, and no others.
    assert_eq!(taken(BlockForm::LARGEST), None);
    assert_eq!(taken(huge_form()), Some(2 << 20));
    pool.trim();
    pool.give(&mut blocks(1));
    assert_eq!(taken(BlockForm::LARGEST), Some(KEPT_BLOCK_SIZE));
    pool.give(&mut blocks(1));
    pool.trim();
    assert_eq!(pool.bytes(), KEPT_BLOCK_SIZE, "huge ones are kept that nobody takes");
}

#[test]
fn what_is_left_again_stays_unless_it_is_of_huge_pages_already() {
    let pool = open_pool(3 << 20);
    let mut given = blocks(1);
    given.push(huge());
    let mut third = blocks(1);
    for (round, is_lasting) in [false, true, true].into_iter().enumerate() {
        pool.give(&mut given);
        // Four MiB are kept at most.
        pool.give(&mut third);
        assert_eq!((given.len(), third.len()), (0, 1), "round {round}");
        given = [BlockForm::LARGEST, huge_form()].map(|form| pool.take(form).expect("one")).into();
        let lasting: Vec<_> = given.iter().chain(&third).map(KeptBlock::is_lasting).collect();
        assert_eq!(lasting, [is_lasting, false, false], "round {round}");
    }
}

#[test]
fn a_block_that_is_too_large_leaves_room_for_smaller_ones() {
    let pool = open_pool(3 << 20);
    let form = BlockForm::of_size(512 << 10).expect("a form");
    let small = || KeptBlock::new(form).expect("a block");
    let mut given = blocks(1);
    given.push(small());
    given.extend(blocks(1));
    given.extend([small(), small(), small(), small()]);
    // Four MiB are kept at most.
    pool.give(&mut given);
    assert_eq!(pool.bytes(), 4 << 20);
    let left: Vec<_> = given.iter().map(|block| block.form().size()).collect();
    assert_eq!(left, [KEPT_BLOCK_SIZE, 512 << 10]);
    assert!(pool.take(BlockForm::LARGEST).is_some() && pool.take(BlockForm::LARGEST).is_none());
    assert!(pool.take(form).is_some());
}
