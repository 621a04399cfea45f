use super::*;

#[test]
fn names_are_found() {
    assert!(KNOWN_NAMES.is_sorted(), "the names are searched in order");
    assert!(is_known(b"rocksdb.comparator"));
    assert!(is_known(b"rocksdb.top-level.index.size"));
    assert!(!is_known(b"rocksdb.deleted.keys"), "shown among the user's");
    assert!(!is_known(b"rocksdb.tail.start.offset"), "of a later release");
    assert!(!is_known(b"mine"));
}
