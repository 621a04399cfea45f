use super::*;

const STATS: u32 = 3;

/// Families 0 and 1, and that of slices, each with the oldest WAL that it needs.
fn to_flush(log_numbers: [u64; 3], flushed: &[u32], left_out: &[u32]) -> Option<u32> {
    let names: [&[u8]; 3] = [b"default", b"one", STATS_COLUMN_FAMILY_NAME.as_bytes()];
    let families = [0, 1, STATS].into_iter().zip(names).zip(log_numbers);
    let lags =
        families.map(|((id, name), log_number)| Lag { id, name, log_number, holds_any: true });
    stats_family_to_flush(lags, flushed, |id| !left_out.contains(&id))
}

#[test]
fn it_goes_along_where_it_alone_lags_behind() {
    assert_eq!(to_flush([9, 9, 4], &[0], &[]), Some(STATS));
    assert_eq!(to_flush([9, 4, 4], &[0], &[]), None, "another needs the same WAL");
    assert_eq!(to_flush([4, 9, 4], &[0], &[]), None, "the one flushed has not moved on yet");
    assert_eq!(to_flush([4, 9, 4], &[0], &[0]), Some(STATS), "it will have after this flush");
    assert_eq!(to_flush([9, 9, 4], &[], &[]), None, "nothing is flushed");
    assert_eq!(to_flush([9, 9, 4], &[STATS], &[]), None, "it is flushed itself");
}

#[test]
fn what_holds_nothing_is_not_flushed() {
    let stats = Lag {
        id: STATS,
        name: STATS_COLUMN_FAMILY_NAME.as_bytes(),
        log_number: 4,
        holds_any: false,
    };
    let default = Lag { id: 0, name: b"default", log_number: 9, holds_any: true };
    let families = [stats, default].into_iter();
    assert_eq!(stats_family_to_flush(families.clone(), &[0], |_| true), None);
    assert_eq!(stats_family_to_flush(families.skip(1), &[0], |_| true), None);
}
