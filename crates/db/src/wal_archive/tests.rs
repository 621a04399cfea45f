use super::*;

fn wal(number: u64, size_bytes: u64, modified_seconds: u64) -> ArchivedWal {
    ArchivedWal { number, size_bytes, modified_seconds }
}

fn options(wal_ttl_seconds: u64, wal_size_limit_mb: u64) -> DbOptions {
    DbOptions { wal_ttl_seconds, wal_size_limit_mb, ..DbOptions::default() }
}

#[test]
fn by_age_the_old_ones_go() {
    let wals = vec![wal(1, 10, 100), wal(2, 10, 150), wal(3, 0, 190)];
    assert_eq!(to_purge(&options(60, 0), wals.clone(), 200), [1]);
    // A clock that was turned back makes nothing old.
    assert_eq!(to_purge(&options(60, 0), wals, 50), [0_u64; 0]);
}

#[test]
fn by_size_the_first_ones_go_until_the_rest_fits() {
    let wals = vec![wal(1, 1 << 20, 0), wal(2, 1 << 19, 0), wal(3, 0, 0), wal(4, 1 << 20, 0)];
    // The empty one, and one of three where two of the largest fit.
    assert_eq!(to_purge(&options(0, 2), wals.clone(), 0), [3, 1]);
    assert_eq!(to_purge(&options(0, 3), wals, 0), [3]);
}
