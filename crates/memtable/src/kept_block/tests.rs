use super::*;

#[test]
fn blocks_of_ordinary_pages_have_few_sizes() {
    let sizes =
        [0, 4 << 10, 32 << 10, 64 << 10, 65_537, 96 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20];
    let kept: Vec<_> =
        sizes.into_iter().filter_map(BlockForm::of_size).map(BlockForm::size).collect();
    assert_eq!(kept, [64 << 10, 512 << 10, 1 << 20, 2 << 20]);
    assert_eq!(BlockForm::of_size(KEPT_BLOCK_SIZE), Some(BlockForm::LARGEST));
}

#[test]
fn huge_pages_have_the_size_that_is_asked_for_or_the_default() {
    let form = |power, size| Some(BlockForm { pages: Pages::Huge { power }, size });
    let forms = [2048, 64 << 10, 2 << 20, 1 << 30, 3 << 20, 65_537].map(BlockForm::of_huge_pages);
    let expected = [
        form(21, 2 << 20),
        // Several of them are a block.
        form(16, KEPT_BLOCK_SIZE),
        form(21, 2 << 20),
        form(30, 1 << 30),
        None,
        None,
    ];
    assert_eq!(forms, expected);
}

#[test]
fn a_block_has_its_size_and_is_empty() {
    for size in [KEPT_BLOCK_SIZE_MIN, KEPT_BLOCK_SIZE] {
        let form = BlockForm::of_size(size).expect("a form");
        let mut block = KeptBlock::new(form).expect("a block");
        assert_eq!((block.form(), block.bytes().len()), (form, size));
        assert!(block.bytes().iter().all(|byte| *byte == 0));
        block.bytes_mut()[size - 1] = 1;
        assert_eq!(block.bytes().last(), Some(&1));
    }
}
