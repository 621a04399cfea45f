//! Contexts, which outlive a block.

use super::*;

/// Bytes of memory that this thread's contexts have.
fn memory() -> (usize, usize) {
    let compressor = COMPRESSOR.with_borrow(|counted| counted.context.sizeof());
    (compressor, DECOMPRESSOR.with_borrow(|counted| counted.context.sizeof()))
}

/// What a context allocates for its first block is most of what a small block costs: the next one finds it.
#[test]
fn a_block_is_compressed_with_the_memory_of_the_one_before() {
    let (options, input) = (CompressionOptions::default(), b"some text, ".repeat(400));
    let fresh = (CCtx::create().sizeof(), DCtx::create().sizeof());
    let block = compress(&options, &input, None).unwrap();
    assert_eq!(decompress(&block, None).unwrap(), input);
    let used = memory();
    assert!(used.0 > fresh.0 + input.len(), "it has kept its tables: {used:?}, new {fresh:?}");
    for _ in 0..10 {
        assert_eq!(compress(&options, &input, None).unwrap(), block);
        assert_eq!(decompress(&block, None).unwrap(), input);
        assert_eq!(memory(), used, "nothing is allocated anew");
    }
}
