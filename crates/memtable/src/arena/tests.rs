use super::*;

/// The piece as bytes, all set to `byte`.
fn fill(piece: NonNull<u8>, size: usize, byte: u8) -> &'static [u8] {
    // SAFETY: the piece is of this size and the test's own; callers hold the arena while they look.
    unsafe {
        piece.write_bytes(byte, size);
        std::slice::from_raw_parts(piece.as_ptr(), size)
    }
}

#[test]
fn pieces_are_aligned_and_apart() {
    let mut writer = ArenaWriter::new(BLOCK_SIZE_MIN, ALIGNMENT, BlockSource::default());
    let sizes = (1..200).chain([4 << 10, 20 << 10]).chain(1..200);
    let pieces: Vec<_> = sizes
        .enumerate()
        .map(|(index, size)| {
            let byte = (index % 251) as u8;
            let piece = writer.allocate(size);
            assert_eq!(piece.as_ptr() as usize % ALIGNMENT, 0);
            (fill(piece, size, byte), byte)
        })
        .collect();
    for (piece, byte) in pieces {
        assert!(piece.iter().all(|other| *other == byte));
    }
}

#[test]
fn blocks_grow_and_large_pieces_waste_none() {
    let mut writer = ArenaWriter::new(BLOCK_SIZE_MIN, ALIGNMENT, BlockSource::default());
    let arena = writer.arena().clone();
    assert_eq!(arena.allocated_bytes(), 0);
    writer.allocate(1);
    assert_eq!(arena.allocated_bytes(), BLOCK_SIZE_MIN);
    writer.allocate(100_001);
    assert_eq!(arena.allocated_bytes(), BLOCK_SIZE_MIN + 100_008);
    // There is still room in the first block.
    writer.allocate(BLOCK_SIZE_MIN - 8);
    assert_eq!(arena.allocated_bytes(), BLOCK_SIZE_MIN + 100_008);
    writer.allocate(1);
    // The large one counted as one, too.
    assert_eq!(arena.allocated_bytes(), 5 * BLOCK_SIZE_MIN + 100_008);
}

#[test]
fn pinned_bytes_outlive_the_arena() {
    let mut writer = ArenaWriter::new(BLOCK_SIZE_MIN, ALIGNMENT, BlockSource::default());
    for size in [0, PinnableSlice::COPIED_SIZE_MAX, PinnableSlice::COPIED_SIZE_MAX + 1] {
        let piece = writer.allocate(size + 1);
        let bytes = &fill(piece, size + 1, 7)[..size];
        // SAFETY: the bytes are in this arena and nobody writes to them.
        let pinned = unsafe { ArenaSlice::new(writer.arena(), bytes) }.pin();
        assert_eq!(pinned.is_pinned(), size > PinnableSlice::COPIED_SIZE_MAX);
        writer = ArenaWriter::new(BLOCK_SIZE_MIN, ALIGNMENT, BlockSource::default());
        assert_eq!(&*pinned, vec![7; size]);
    }
}
