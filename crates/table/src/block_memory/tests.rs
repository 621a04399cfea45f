use super::*;

fn piece(size: usize) -> Piece {
    vec![0; size].into()
}

fn pool(sizes: &[usize]) -> Pool {
    let mut pool = Pool::new();
    sizes.iter().for_each(|&size| pool.give(piece(size)));
    pool
}

fn sizes(pieces: &[Piece]) -> Vec<usize> {
    pieces.iter().map(|piece| piece.len()).collect()
}

#[test]
fn a_piece_of_the_very_size_is_taken_or_one_that_is_a_little_larger() {
    let mut pool = pool(&[4096, 4160, 4352, 4160]);
    let mut take = |size| pool.take(size).map(|piece| piece.len());
    assert_eq!([take(4160), take(4128), take(4224)], [Some(4160), Some(4160), Some(4352)]);
    assert_eq!([take(4128), take(3971), take(3972), take(3972)], [None, None, Some(4096), None]);
    assert_eq!((pool.bytes, pool.classes.len()), (0, 0));
}

#[test]
fn as_much_is_released_as_is_wanted_of_the_sizes_of_which_there_is_most() {
    let mut pool = pool(&[2000, 8000, 4000, 4000, 4000]);
    assert!(pool.release(0).is_empty());
    assert_eq!(sizes(&pool.release(4001)), [4000, 8000]);
    assert_eq!((pool.bytes, pool.fewest_bytes), (10_000, 0));
    assert_eq!(sizes(&pool.release(usize::MAX)), [4000, 4000, 2000]);
    assert_eq!((pool.bytes, pool.classes.len()), (0, 0));
}

#[test]
fn many_are_released_in_parts_of_a_size() {
    let mut pool = pool(&[[4000; 80].as_slice(), &[5000; 60]].concat());
    let released = sizes(&pool.release(150_000));
    let count = |size| released.iter().filter(|&&s| s == size).count();
    assert_eq!((count(4000), count(5000), pool.bytes), (19, 15, 469_000));
}

#[test]
fn what_nobody_took_is_trimmed_in_steps() {
    let mut pool = pool(&[4000; 1000]);
    // All of it came since the last time.
    assert_eq!(pool.trim(0).len(), 0);
    assert_eq!(pool.trim(0).len(), 250);
    assert_eq!(pool.trim(usize::MAX).len(), 188);
    let rounds = std::iter::repeat_with(|| pool.trim(0).len()).position(|released| released == 0);
    assert!(rounds.is_some_and(|rounds| (5..30).contains(&rounds)), "{rounds:?}");
    assert_eq!(pool.bytes, 0);
}

#[test]
fn the_allocator_returns_what_came_back_because_blocks_became_fewer() {
    let mut pool = pool(&[4000; 10_000]);
    // So many live ones allow for all that is kept; what is given back where no piece fits does not count.
    assert!(pool.release_excess(20_000_000).is_empty());
    pool.release(10_000_000);
    assert!(!pool.begin_return(0));
    // Two and a half of thirty million.
    pool.release_excess(14_000_000 - KEPT_MIN_BYTES / 2);
    assert!((1_900_000..2_100_000).contains(&pool.returnable_bytes), "{}", pool.returnable_bytes);
    assert!(!pool.begin_return(0), "little");
    pool.release_excess(1_000_000);
    assert!(!pool.begin_return(200_000_000), "little beside what is live");
    assert!(pool.begin_return(1_000_000));
    assert!(!pool.begin_return(0), "it was done");
    // Nobody takes the rest.
    let rest = pool.bytes;
    while pool.bytes > 0 {
        pool.trim(0);
    }
    assert_eq!(pool.returnable_bytes, rest);
}

#[test]
fn what_is_about_to_be_taken_is_not_trimmed() {
    let mut pool = pool(&[4000; 1000]);
    pool.trim(0);
    for _ in 0..400 {
        let piece = pool.take(4000).unwrap();
        pool.give(piece);
    }
    // One piece was there for a moment less: thirty stay, and a quarter of the others goes.
    assert_eq!((pool.bytes, pool.fewest_bytes), (4_000_000, 3_996_000));
    assert_eq!(pool.trim(0).len(), 243);
    pool.trim(0);
    // Thirty times as many would have to be there.
    for _ in 0..24 {
        assert!(pool.take(4000).is_some());
    }
    let left = pool.bytes;
    assert_eq!((pool.trim(0).len(), pool.bytes), (0, left));
    // So few beside many live ones are what comes and goes, while any are taken.
    assert!(pool.take(4000).is_some());
    assert_eq!(pool.trim(32 * left).len(), 0);
    assert_eq!(pool.trim(32 * left).len(), (left / 4000 - 1).div_ceil(4));
}

#[test]
fn few_live_blocks_have_little_kept_beside_them() {
    assert_eq!([0, 1 << 20, 100 << 20].map(kept_max_bytes), [1 << 20, 3 << 20, 201 << 20]);
    assert_eq!([0, 32 << 20].map(kept_apart_max_bytes), [0, 2 << 20]);
    assert_eq!([0, 32 << 20].map(kept_in_use_bytes), [0, 1 << 20]);
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
    let mut second = take(capacity);
    // Unless another test had the pool, or has trimmed it.
    if second.as_ptr() == start {
        assert_eq!((second.len(), second.capacity()), (0, capacity));
    }
    second.resize(second.capacity(), 1);
    give(second.into_boxed_slice());
    let mut large = take(100_000);
    large.resize(large.capacity(), 1);
    give(large.into_boxed_slice());
    assert_eq!(POOL.lock().classes.get(&100_000).map(Vec::len), None);
}
