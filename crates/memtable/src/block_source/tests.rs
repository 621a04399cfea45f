use super::*;
use crate::block_pool::KEPT_BLOCK_SIZE;

/// No system has pages of so many bytes.
const NO_SUCH_SIZE: usize = 1 << 40;

#[test]
fn pages_that_are_not_there_are_asked_for_once_and_told() {
    // The last is no size of pages at all.
    for size in [NO_SUCH_SIZE, 3 << 20] {
        let memory = Arc::new(MemTableMemory::default());
        let mut source = BlockSource::new(Some(memory.clone()), size);
        for _ in 0..2 {
            let block = source.take().expect("a block of ordinary pages");
            assert_eq!((block.pages(), block.bytes().len()), (Pages::Ordinary, KEPT_BLOCK_SIZE));
        }
        assert_eq!(source.pages, Pages::Ordinary, "asked for again");
        assert_eq!(memory.take_refusal_of_huge_pages(), Some(size));
        BlockSource::new(Some(memory.clone()), size).take().expect("a block");
        assert_eq!(memory.take_refusal_of_huge_pages(), None, "told twice");
    }
}

#[test]
fn ordinary_pages_are_no_refusal() {
    let memory = Arc::new(MemTableMemory::default());
    let mut source = BlockSource::new(Some(memory.clone()), 0);
    assert_eq!(source.take().map(|block| block.pages()), Some(Pages::Ordinary));
    assert_eq!(memory.take_refusal_of_huge_pages(), None);
}
