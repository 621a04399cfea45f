use super::*;
use crate::block_based::block_compressor::BlockCompressor;
use compression::{CompressionOptions, CompressionType};

fn threads(count: usize) -> CompressionThreads {
    let options = CompressionOptions::default();
    let compressor = BlockCompressor::new(CompressionType::Lz4, &options, 5, true, None);
    CompressionThreads::start(compressor.codec(), count)
}

fn block(number: u32) -> Vec<u8> {
    number.to_le_bytes().repeat(100)
}

#[test]
fn blocks_come_back_in_their_order() {
    // Without threads the one that takes them back compresses them.
    for count in [0, 1, 3] {
        let threads = threads(count);
        let (mut begun, mut ended) = (0, 0);
        for round in 0..200 {
            for _ in 0..round % 7 {
                threads.begin(block(begun));
                begun += 1;
            }
            for _ in 0..round % 5 {
                let Some((contents, (attempt, nanos))) = threads.end() else { break };
                assert!(contents == block(ended) && nanos.is_none());
                assert!(matches!(attempt, Ok(Attempt::Small(_))));
                ended += 1;
            }
        }
        while threads.end().is_some() {
            ended += 1;
        }
        assert!(begun == ended && begun > 500, "{begun} {ended}");
        threads.finish();
    }
}

#[test]
fn dropped_they_compress_no_more() {
    let threads = threads(2);
    (0..100).for_each(|number| threads.begin(block(number)));
    let shared = Arc::clone(&threads.shared);
    drop(threads);
    assert_eq!(Arc::strong_count(&shared), 1, "all threads have ended");
}
