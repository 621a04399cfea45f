use super::allocator_idle_bytes;

/// Every other one of many pieces is freed, so that none of them goes back to the system.
#[test]
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), ignore = "glibc alone tells")]
fn what_was_freed_between_pieces_in_use_is_idle() {
    const PIECES: usize = 10_000;
    const PIECE_BYTES: usize = 3000;
    let Some(before) = allocator_idle_bytes() else {
        eprintln!("skipped: this C library does not say");
        return;
    };
    let mut pieces: Vec<_> = (0..PIECES).map(|_| Some(vec![1_u8; PIECE_BYTES])).collect();
    pieces.iter_mut().step_by(2).for_each(|piece| *piece = None);
    let freed = PIECES / 2 * PIECE_BYTES;
    let idle = allocator_idle_bytes().expect("told before").saturating_sub(before);
    assert!(
        idle > freed * 9 / 10 && idle < freed * 12 / 10,
        "{idle} idle of {freed} that were freed"
    );
    drop(pieces);
    let idle = allocator_idle_bytes().expect("told before").saturating_sub(before);
    assert!(idle < freed / 2, "{idle} idle though all could go back");
}
