use super::*;

#[test]
fn memtables_are_divided_where_that_is_worth_it() {
    // Bytes, entries, slices.
    let rows = [
        (0, 0, 1),
        ((2 << 20) - 1, 10_000, 1),
        (2 << 20, 10_000, 8),
        (64 << 20, 500_000, 256),
        (64 << 20, 64 << 10, 256),
        (64 << 20, 64 << 9, 1),
    ];
    for (bytes, entries, slices) in rows {
        assert_eq!(slice_count(bytes, entries), slices, "{bytes} bytes in {entries}");
    }
}
