use super::*;

fn piece(size: usize) -> Piece {
    vec![0; size].into()
}

fn pool(sizes: &[usize]) -> Pool {
    let mut pool = Pool::new();
    sizes.iter().for_each(|&size| pool.give(piece(size)));
    pool
}

#[test]
fn a_piece_of_the_very_size_is_taken() {
    let mut pool = pool(&[4096, 4160, 4352, 4160]);
    let mut take = |size| pool.take(size).map(|piece| piece.len());
    assert_eq!(take(4128), None);
    assert_eq!([take(4160), take(4160), take(4160)], [Some(4160), Some(4160), None]);
    assert_eq!([take(4096), take(4096)], [Some(4096), None]);
    assert_eq!((pool.bytes, pool.classes.len()), (4352, 1));
}

#[test]
fn as_much_is_released_as_is_wanted_the_largest_first() {
    let mut pool = pool(&[2000, 8000, 4000, 8000]);
    let sizes = |released: Vec<Piece>| released.iter().map(|piece| piece.len()).collect::<Vec<_>>();
    assert!(pool.release(0).is_empty());
    assert_eq!(sizes(pool.release(8001)), [8000, 8000]);
    assert_eq!(pool.bytes, 6000);
    assert_eq!(sizes(pool.release(usize::MAX)), [4000, 2000]);
    assert_eq!((pool.bytes, pool.classes.len()), (0, 0));
}

#[test]
fn what_nobody_took_is_trimmed_in_steps() {
    let mut pool = pool(&[4000; 1000]);
    // All of it came since the last time.
    assert_eq!(pool.trim().len(), 0);
    assert_eq!(pool.trim().len(), 250);
    for _ in 0..400 {
        let piece = pool.take(4000).unwrap();
        pool.give(piece);
    }
    assert_eq!((pool.bytes, pool.fewest_bytes), (3_000_000, 2_996_000));
    let taken: Vec<Piece> = (0..700).filter_map(|_| pool.take(4000)).collect();
    taken.into_iter().for_each(|piece| pool.give(piece));
    // A fiftieth was there all the time: no less than the least step goes.
    assert_eq!(pool.trim().len(), 33);
    let rounds = std::iter::repeat_with(|| pool.trim().len()).position(|released| released == 0);
    assert!(rounds.is_some_and(|rounds| (10..30).contains(&rounds)), "{rounds:?}");
    assert_eq!(pool.bytes, 0);
}

#[test]
fn few_live_blocks_have_little_kept_beside_them() {
    assert_eq!([0, 1 << 20, 100 << 20].map(kept_max_bytes), [1 << 20, 3 << 20, 201 << 20]);
    assert_eq!([0, 32 << 20].map(kept_apart_max_bytes), [0, 2 << 20]);
}

#[test]
fn memory_goes_round() {
    // Of a size that no other test has.
    let capacity = 54_321;
    let mut first = take(capacity);
    first.resize(first.capacity(), 1);
    let start = first.as_ptr();
    assert_eq!(first.len(), capacity);
    give(first.into_boxed_slice());
    assert!(idle_block_memory_bytes() <= kept_max_bytes(LIVE_BYTES.load(Ordering::Relaxed)));
    let second = take(capacity);
    // Unless another test had the pool, or has trimmed it.
    if second.as_ptr() == start {
        assert_eq!((second.len(), second.capacity()), (0, capacity));
    }
    let mut large = take(100_000);
    large.resize(large.capacity(), 1);
    give(large.into_boxed_slice());
    assert_eq!(POOL.lock().classes.get(&100_000).map(Vec::len), None);
}
