use super::{FilterHash, HashList, KEPT_MAX, PIECE_LENGTH, SHORT_LENGTH, release_kept_hashes};

fn list_of(count: usize) -> HashList<u64> {
    let mut list = HashList::default();
    for number in 0..count as u64 {
        assert_eq!(list.last(), number.checked_sub(1));
        list.push(number);
    }
    list
}

#[test]
fn hashes_come_out_as_they_went_in() {
    for count in [0, 1, 5, SHORT_LENGTH, SHORT_LENGTH + 1, PIECE_LENGTH, 3 * PIECE_LENGTH + 1] {
        let list = list_of(count);
        assert_eq!(list.len(), count);
        let found: Vec<u64> = list.pieces().flatten().copied().collect();
        assert!(found.iter().copied().eq(0..count as u64), "{count}");
        assert_eq!(list.last(), found.last().copied());
    }
}

#[test]
fn long_lists_leave_pieces_and_no_more_than_are_kept() {
    let kept = || u64::kept().lock().len();
    drop(list_of(2 * PIECE_LENGTH));
    assert!(kept() > 0);
    drop(list_of((KEPT_MAX + 10) * PIECE_LENGTH));
    assert!(kept() <= KEPT_MAX);
    assert!(u64::kept().lock().iter().all(Vec::is_empty));
    assert!(u64::kept().lock().iter().all(|piece| piece.capacity() == PIECE_LENGTH));
    // Other tests leave a few meanwhile.
    release_kept_hashes();
    assert!(kept() < KEPT_MAX / 2);
}

#[test]
fn short_lists_take_no_piece() {
    let list = list_of(SHORT_LENGTH / 2);
    assert!(list.last.capacity() < PIECE_LENGTH && list.pieces.is_empty());
}
