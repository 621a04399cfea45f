//! What the contexts of codecs take: alone in a process, for it is counted for all of that.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use compression::{
    CompressionOptions, CompressionType, compress, context_memory_bytes, decompress,
};

/// Of each codec that has contexts, those of both directions together: from so many bytes to so many.
const SIZES: [(CompressionType, usize, usize); 5] = [
    (CompressionType::Snappy, 32 << 10, 64 << 10),
    (CompressionType::Lz4, 16 << 10, 20 << 10),
    (CompressionType::Lz4hc, 250 << 10, 270 << 10),
    (CompressionType::Zlib, 300 << 10, 400 << 10),
    (CompressionType::Zstd, 100 << 10, 4 << 20),
];

#[test]
fn contexts_count_as_long_as_their_thread_lives() {
    assert_eq!(context_memory_bytes(), 0);
    let (options, input) = (CompressionOptions::default(), b"some text, ".repeat(6_000));
    for (kind, min, max) in SIZES {
        std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    for round in 0..2 {
                        let before = context_memory_bytes();
                        let block = compress(kind, &options, &input, None).unwrap();
                        assert_eq!(decompress(kind, &block, 2, None).unwrap(), input);
                        let bytes = context_memory_bytes();
                        assert!((min..=max).contains(&bytes), "{kind:?}: {bytes}");
                        assert!(round == 0 || bytes == before, "{kind:?}: {bytes} after {before}");
                    }
                })
                .join()
                .unwrap();
        });
        assert_eq!(context_memory_bytes(), 0, "{kind:?}");
    }
}
