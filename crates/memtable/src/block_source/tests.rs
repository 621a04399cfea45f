use super::*;
use crate::kept_block::KEPT_BLOCK_SIZE_MIN;

/// No system has pages of so many bytes.
const NO_SUCH_SIZE: usize = 1 << 40;

#[test]
fn pages_that_are_not_there_are_asked_for_once_and_told() {
    // The last is no size of pages at all.
    for size in [NO_SUCH_SIZE, 3 << 20] {
        let memory = Arc::new(MemTableMemory::default());
        let mut source = BlockSource::new(Some(memory.clone()), size);
        for _ in 0..2 {
            let block = source.take(KEPT_BLOCK_SIZE).expect("a block of ordinary pages");
            assert_eq!(block.form(), BlockForm::LARGEST);
        }
        assert_eq!(source.huge_page_size, 0, "asked for again");
        assert_eq!(memory.take_refusal_of_huge_pages(), Some(size));
        BlockSource::new(Some(memory.clone()), size).take(KEPT_BLOCK_SIZE).expect("a block");
        assert_eq!(memory.take_refusal_of_huge_pages(), None, "told twice");
    }
}

#[test]
fn ordinary_pages_are_no_refusal() {
    let memory = Arc::new(MemTableMemory::default());
    let mut source = BlockSource::new(Some(memory.clone()), 0);
    assert_eq!(source.take(KEPT_BLOCK_SIZE).map(|block| block.form()), Some(BlockForm::LARGEST));
    assert_eq!(memory.take_refusal_of_huge_pages(), None);
}

#[test]
fn smaller_blocks_are_of_ordinary_pages_and_for_those_who_leave_them() {
    let memory = Arc::new(MemTableMemory::default());
    memory.blocks().expect(1 << 20);
    memory.keep_freed();
    let mut source = BlockSource::new(Some(memory.clone()), NO_SUCH_SIZE);
    let block = source.take(KEPT_BLOCK_SIZE_MIN).expect("a block");
    let start = block.bytes().as_ptr();
    assert_eq!(Some(block.form()), BlockForm::of_size(KEPT_BLOCK_SIZE_MIN));
    source.give(&mut vec![block]);
    assert_eq!(memory.kept_bytes(), KEPT_BLOCK_SIZE_MIN);
    assert_eq!(source.take(KEPT_BLOCK_SIZE_MIN).map(|block| block.bytes().as_ptr()), Some(start));
    assert_eq!(memory.take_refusal_of_huge_pages(), None, "huge pages were asked for");
    assert!(source.take(KEPT_BLOCK_SIZE_MIN / 2).is_none());
    assert!(BlockSource::new(None, 0).take(KEPT_BLOCK_SIZE_MIN).is_none(), "nobody would have it");
}
